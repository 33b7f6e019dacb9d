"""Work of a user's own that is counted wrongly, or is nowhere to be seen."""

from __future__ import annotations

from reportgen.workload.builder import Builder
from reportgen.workload.count import count_graph, work_of
from reportgen.workload.graph import Body, Op, Tensor
from tests.unit.roofline.test_sheet import sheet


def test_a_kernel_without_floating_point_work() -> None:
    """Seen: kernel with no floating-point work missing from the roofline.

    Right: OP/s chart; a list of what is not drawn, and why.
    """
    whole = sheet()
    integer = whole.with_unit("OP")
    assert [roof.name for roof in integer.compute] == ["int8"]
    assert integer.memory == whole.with_unit("FLOP").memory
    assert whole.absent
    assert all(one.reason for one in whole.absent)


def test_a_grouped_convolution_counted_too_often() -> None:
    """Seen: grouped convolution counted 4.5x.

    Right: rules by operation, coverage stated, unknown never a silent 0.
    """
    inputs = (Tensor((1, 4, 8, 8), "float32"), Tensor((8, 2, 3, 3), "float32"))
    found, reason = work_of(Op("Conv", inputs, (Tensor((1, 8, 6, 6), "float32"),), {"group": 2}))
    assert not reason
    assert found.mac == 8 * 6 * 6 * 2 * 3 * 3


def test_the_body_of_a_scan_counted_once() -> None:
    """Seen: scan body counted once.

    Right: rules by operation, coverage stated, unknown never a silent 0.
    """
    inner = Builder("body")
    x, w = inner.input((8, 8)), inner.weight((8, 8))
    body = Body(inner.graph(inner.op("MatMul", x, w, shape=(8, 8))), 4)
    build = Builder("scan")
    (y,) = build.ops_out("Scan", build.input((8, 8)), shapes=[(8, 8)], bodies=(body,))
    assert count_graph(build.graph(y)).total.mac == 4 * 8**3


def test_attention_and_what_nobody_knows_counted_as_nothing() -> None:
    """Seen: scaled-dot-product attention counted 0.

    Right: rules by operation, coverage stated, unknown never a silent 0.
    """
    build = Builder("attention")
    query, key, value = (build.input((1, 2, 16, 8)) for _ in range(3))
    y = build.op("Attention", query, key, value, shape=(1, 2, 16, 8))
    known = count_graph(build.graph(y))
    assert known.total.mac == 2 * (2 * 16 * 16 * 8)
    assert known.coverage == 1.0
    odd = Builder("odd")
    x, w = odd.input((8, 64)), odd.weight((64, 64))
    z = odd.op("SomethingNew", odd.op("MatMul", x, w, shape=(8, 64)), shape=(8, 64))
    counted = count_graph(odd.graph(z))
    assert counted.total.mac == 8 * 64 * 64
    assert not counted.exact
    assert counted.coverage < 1.0
    assert "SomethingNew" in counted.uncounted
