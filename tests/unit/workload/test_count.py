from __future__ import annotations

import pytest

from reportgen.errors import UserError
from reportgen.workload.breakdown import TOP
from reportgen.workload.builder import Builder
from reportgen.workload.count import count, count_graph
from reportgen.workload.graph import Body, Graph, Op, Tensor
from reportgen.workload.rules import rule
from reportgen.workload.rules.registry import _RULES
from reportgen.workload.work import CONVENTION_FLOP, CONVENTION_MAC, Work


def with_unknown() -> Graph:
    build = Builder("half known")
    x = build.input((8, 8))
    y = build.op("MatMul", x, x, shape=(8, 8))
    return build.graph(build.op("Mystery", y, shape=(8, 8)))


def test_an_unknown_operation_is_no_silent_zero() -> None:
    counted = count_graph(with_unknown())
    assert not counted.exact
    assert counted.coverage == 0.5
    assert counted.counted == 1
    ((kind, (many, why)),) = counted.uncounted.items()
    assert (kind, many) == ("Mystery", 1)
    assert "@rule('Mystery') def work(op): return Work(flop=op.outs[0].size)" in why


def test_strict_makes_it_an_error() -> None:
    with pytest.raises(UserError, match="Not every operation could be counted: 1 x Mystery"):
        count(with_unknown(), strict=True)
    build = Builder()
    x = build.input((2, 2))
    assert count(build.graph(build.op("MatMul", x, x, shape=(2, 2))), strict=True).exact


def test_a_new_rule_is_a_few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportgen.workload.rules.registry._RULES", dict(_RULES))

    @rule("Mystery")
    def mystery(op: Op) -> Work:
        return Work(flop=3 * op.outs[0].size)

    counted = count_graph(with_unknown())
    assert counted.exact
    assert counted.total == Work(mac=512, flop=192)


def test_an_operation_without_shapes_is_not_counted_either() -> None:
    lost = Tensor((), known=False, name="lost")
    out = Tensor((4, 4))
    graph = Graph((Op("MatMul", (lost, lost), (out,), name="m"),), (lost,), (out,))
    ((many, why),) = count_graph(graph).uncounted.values()
    assert many == 1
    assert "the file gives 'lost' no shape, or an operation before it" in why


def test_moving_data_needs_no_shape() -> None:
    lost, out = Tensor((), known=False), Tensor((), known=False)
    assert count_graph(Graph((Op("Reshape", (lost,), (out,)),), (lost,), (out,))).exact


def test_what_a_rule_refuses_is_said() -> None:
    build = Builder()
    x = build.input((2, 2))
    counted = count_graph(build.graph(build.op("LinearAttention", x, shape=(2, 2))))
    assert "linear attention has several forms" in counted.uncounted["LinearAttention"][1]


def test_an_operation_that_is_not_as_its_kind_says_is_not_counted() -> None:
    build = Builder()
    counted = count_graph(build.graph(build.op("MaxPool", build.input((1, 1, 4, 4)), shape=(1, 1, 2, 2))))
    assert "KeyError: 'kernel_shape'" in counted.uncounted["MaxPool"][1]


def loop(times: int | None) -> Graph:
    body = Builder()
    x = body.input((8, 8), role="activation")
    inner = body.graph(body.op("MatMul", x, body.weight((8, 8)), shape=(8, 8)))
    build = Builder()
    (y,) = build.ops_out(
        "Loop", build.input((8, 8)), shapes=[(8, 8)], bodies=(Body(inner, times),), name="loop"
    )
    return build.graph(y)


def test_a_trip_count_that_is_data_gives_one_trip_and_a_lower_bound() -> None:
    counted = count_graph(loop(None))
    assert counted.total.mac == 512
    assert not counted.exact
    assert counted.doubts == ("'loop' (Loop): the trip count depends on data, so one trip is counted",)
    with pytest.raises(UserError, match="trip count depends on data"):
        counted.require_exact()


def test_loops_in_loops_multiply() -> None:
    inner = loop(3)
    build = Builder()
    (y,) = build.ops_out("Scan", build.input((8, 8)), shapes=[(8, 8)], bodies=(Body(inner, 4),))
    counted = count_graph(build.graph(y))
    assert counted.total.mac == 12 * 512
    assert counted.by_kind()["MatMul"].operations == 12
    assert counted.traffic.weights == 256


def test_no_trip_is_no_work() -> None:
    assert count_graph(loop(0)).total == Work()


def test_the_dearer_branch_counts() -> None:
    branches = []
    for products in (1, 2):
        body = Builder()
        x = body.input((8, 8), role="activation")
        for _ in range(products):
            x = body.op("MatMul", x, x, shape=(8, 8))
        branches.append(Body(body.graph(x), 1))
    build = Builder()
    outs = build.ops_out("If", build.input((), "bool"), shapes=[(8, 8)], bodies=tuple(branches), name="if")
    counted = count_graph(build.graph(*outs))
    assert counted.total.mac == 1024
    assert counted.exact
    assert counted.doubts == ("'if' (If): of its branches the one with the most work is counted",)


def nested() -> Graph:
    build = Builder()
    x = build.input((4, 4))
    y = build.op("Relu", x, shape=(4, 4))
    for layer in ("0", "1"):
        with build.scope("layers", layer):
            with build.scope("attention"):
                y = build.op("MatMul", y, x, shape=(4, 4))
            with build.scope("mlp"):
                y = build.op("MatMul", y, x, shape=(4, 4))
    return build.graph(y)


def test_by_module_to_a_depth() -> None:
    counted = count_graph(nested())
    assert {name: share.work.mac for name, share in counted.by_module(1).items()} == {TOP: 0, "layers": 256}
    assert {name: share.work.mac for name, share in counted.by_module(2).items()} == {
        TOP: 0, "layers.0": 128, "layers.1": 128,
    }  # fmt: skip
    assert len(counted.by_module(9)) == 5


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_shares_add_up_to_the_total(depth: int) -> None:
    counted = count_graph(nested())
    for shares in (counted.by_module(depth), counted.by_kind()):
        assert sum((share.work for share in shares.values()), Work()) == counted.total
        assert sum(share.bytes_unfused for share in shares.values()) == counted.traffic.unfused
        assert sum(share.operations for share in shares.values()) == len(counted.rows)


def test_kinds_come_with_the_largest_first() -> None:
    assert list(count_graph(nested()).by_kind()) == ["MatMul", "Relu"]


def test_json_has_the_columns_and_says_the_convention() -> None:
    plain = count_graph(with_unknown()).to_json(2)
    wanted = (
        "mac flop transcendental integer comparison bytes_compulsory bytes_unfused coverage by_module by_kind"
    )
    assert set(wanted.split()) <= plain.keys()
    assert plain["convention"] == {"mac": CONVENTION_MAC, "flop_total": CONVENTION_FLOP}
    assert plain["flop_total"] == 2 * plain["mac"] + plain["flop"]
    assert plain["exact"] is False
    assert plain["uncounted"]["Mystery"]["operations"] == 1
    assert plain["by_kind"]["Mystery"]["uncounted"] == 1


def test_a_graph_has_no_dimensions_to_bind() -> None:
    with pytest.raises(UserError, match="Only a file has open dimensions"):
        count(nested(), {"batch": 1})


def test_transcendental_calls_have_a_weight_of_ones_own() -> None:
    work = Work(mac=10, flop=1, transcendental=4)
    assert work.flop_total == 21
    assert work.weighted() == 25
    assert work.weighted(0.5) == 23
    assert 3 * work == work + work + work


def test_asking_for_count_does_not_import_numpy() -> None:
    import subprocess
    import sys

    code = "import sys, reportgen; dir(reportgen); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


def test_the_package_has_no_other_names() -> None:
    import reportgen

    with pytest.raises(AttributeError, match="no attribute 'count_all'"):
        _ = reportgen.count_all  # type: ignore[attr-defined]
    assert reportgen.count is count
    assert "count_flops" in dir(reportgen)
