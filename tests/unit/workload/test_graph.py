from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import UserError
from reportgen.workload.builder import Builder
from reportgen.workload.count import count_graph
from reportgen.workload.graph import Body, Graph, Op, Tensor, weights
from reportgen.workload.work import Work


def chain(length: int) -> Graph:
    build = Builder("chain")
    x, w = build.input((8, 8)), build.weight((8, 8))
    for _ in range(length):
        x = build.op("MatMul", x, w, shape=(8, 8))
    return build.graph(x)


def shuffled(graph: Graph, order: Sequence[int]) -> Graph:
    return Graph(tuple(graph.ops[at] for at in order), graph.inputs, graph.outputs)


def test_a_chain_of_200_000_is_counted_without_recursion() -> None:
    counted = count_graph(chain(200_000))
    assert counted.total.mac == 200_000 * 512
    assert counted.memory.activations == 2 * 256
    assert counted.traffic.weights == 256


def test_a_long_chain_that_is_not_sorted_is_sorted_without_recursion() -> None:
    graph = chain(20_000)
    turned = shuffled(graph, range(20_000 - 1, -1, -1))
    assert turned.order == graph.ops
    assert count_graph(turned).total.mac == 20_000 * 512


@given(st.permutations(range(12)))
def test_the_order_of_the_file_does_not_matter(order: list[int]) -> None:
    build = Builder()
    x = build.input((4, 4))
    made = [x]
    for place in range(12):
        made.append(build.op("Add", made[place], made[place // 2], shape=(4, 4)))
    graph = build.graph(made[-1])
    turned = shuffled(graph, order)
    position = {op: at for at, op in enumerate(turned.order)}
    assert len(position) == 12
    for op in turned.order:
        for tensor in op.given:
            if tensor in turned.producer:
                assert position[turned.producer[tensor]] < position[op]


def test_a_diamond_is_counted_once_an_operation() -> None:
    build = Builder()
    x = build.input((4,))
    for _ in range(60):  # 2^60 paths, 120 operations
        left, right = build.op("Exp", x, shape=(4,)), build.op("Tanh", x, shape=(4,))
        x = build.op("Add", left, right, shape=(4,))
    assert count_graph(build.graph(x)).total == Work(flop=240, transcendental=480)


def test_all_outputs_are_roots_and_what_no_output_needs_is_left_out() -> None:
    build = Builder()
    x = build.input((8, 8))
    first = build.op("MatMul", x, x, shape=(8, 8))
    second = build.op("MatMul", x, first, shape=(8, 8))
    build.op("MatMul", x, x, shape=(8, 8))  # nobody asks for it
    assert count_graph(build.graph(first)).total.mac == 512
    assert count_graph(build.graph(first, second)).total.mac == 1024


def test_one_operation_with_two_results_counts_once() -> None:
    build = Builder()
    q, r = build.ops_out("QR", build.input((8, 4)), shapes=[(8, 4), (4, 4)])
    both, one = count_graph(build.graph(q, r)).total, count_graph(build.graph(q)).total
    assert both == one == Work(flop=round(2 * 2 * 16 * (8 - 4 / 3)))


def test_a_module_called_twice_counts_twice_and_its_weights_once() -> None:
    build = Builder()
    x, w = build.input((1, 10)), build.weight((10, 10))
    y = build.op("MatMul", build.op("MatMul", x, w, shape=(1, 10)), w, shape=(1, 10))
    counted = count_graph(build.graph(y))
    assert counted.total.mac == 200
    assert counted.traffic.weights == counted.memory.weights == 400
    assert counted.traffic.unfused == 2 * (40 + 400 + 40)


def test_tied_weights_of_two_shapes_count_once() -> None:
    build = Builder()
    table = build.weight((50, 8), storage="wte")
    ids = build.input((3,), "int64")
    x = build.op("Gather", table, ids, shape=(3, 8))
    head = build.weight((8, 50), storage="wte")
    graph = build.graph(build.op("MatMul", x, head, shape=(3, 50)))
    assert [tensor.shape for tensor in weights(graph)] == [(50, 8)]
    assert count_graph(graph).traffic.weights == 1600


def cyclic() -> Graph:
    a, b = Tensor((2,)), Tensor((2,))
    return Graph((Op("Exp", (b,), (a,), name="one"), Op("Exp", (a,), (b,), name="two")), (), (a,))


def test_a_cycle_is_named() -> None:
    with pytest.raises(UserError, match=r"cyclic: '(one|two)' \(Exp\) needs '(two|one)' \(Exp\)"):
        count_graph(cyclic())


def test_the_body_of_a_loop_reads_what_is_around_it() -> None:
    build = Builder()
    x = build.input((8, 8))
    scale = build.op("Exp", x, shape=(8, 8))  # only the body needs it
    body = Builder()
    state = body.input((8, 8), role="activation")
    inner = body.graph(body.op("MatMul", state, scale, shape=(8, 8)))
    assert inner.captured == (scale,)
    (y,) = build.ops_out("Loop", x, shapes=[(8, 8)], bodies=(Body(inner, 5),))
    assert count_graph(build.graph(y)).total == Work(mac=5 * 512, transcendental=64)


def test_a_broken_operation_is_said_to_be_so() -> None:
    build = Builder()
    y = build.op("MatMul", shape=(3, 3), name="product")
    counted = count_graph(build.graph(y))
    assert counted.uncounted == {"MatMul": (1, "Operation 'product' (MatMul) has no input 0.")}


def test_an_empty_graph_counts_nothing() -> None:
    counted = count_graph(Graph(()))
    assert counted.total == Work()
    assert counted.coverage == 1.0
    assert counted.intensity == (0.0, 0.0)
