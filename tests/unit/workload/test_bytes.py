from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.workload.builder import Builder
from reportgen.workload.count import Count, count_graph
from reportgen.workload.dtypes import nbytes
from reportgen.workload.graph import Graph


@pytest.mark.parametrize(
    ("size", "dtype", "wanted"),
    [
        (7, "float32", 28), (7, "bfloat16", 14), (7, "int4", 4), (8, "uint4", 4), (1, "int4", 1),
        (5, "bool", 5),
        (3, "complex128", 48), (4, "int2", 1), (9, "float8e4m3fn", 9), (9, "string", 0), (3, "a new one", 12),
    ],
)  # fmt: skip
def test_bytes_of_a_type(size: int, dtype: str, wanted: int) -> None:
    assert nbytes(size, dtype) == wanted


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Pointwise operations, products and views on square matrices, at random among what there is."""
    build = Builder()
    there = [build.input((4, 4)), build.weight((4, 4)), build.weight((4, 4), "float16", storage="w")]
    for _ in range(draw(st.integers(1, 12))):
        kind = draw(st.sampled_from(["Add", "MatMul", "Reshape", "Transpose", "Relu", "Identity", "Slice"]))
        a, b = draw(st.sampled_from(there)), draw(st.sampled_from(there))
        ins = (a, b) if kind in ("Add", "MatMul") else (a,)
        there.append(build.op(kind, *ins, shape=(4, 4), dtype="float32"))
    made = [tensor for op in build.ops for tensor in op.outs]
    outputs = draw(st.lists(st.sampled_from(made), min_size=1, max_size=3, unique=True))
    return build.graph(*outputs)


@given(graphs())
def test_no_schedule_moves_less_than_the_compulsory_bytes(graph: Graph) -> None:
    counted = count_graph(graph)
    low, high = counted.intensity
    assert counted.traffic.unfused >= counted.traffic.compulsory
    assert low <= high


@given(graphs())
def test_the_peak_holds_what_any_operation_needs_at_once(graph: Graph) -> None:
    counted = count_graph(graph)
    largest = max(
        (op.outs[0].nbytes for op in graph.order if op.kind != "Reshape" and op.kind != "Identity"), default=0
    )
    everything = sum(t.nbytes for op in graph.order for t in op.outs) + sum(t.nbytes for t in graph.inputs)
    assert largest <= counted.memory.activations <= everything


def kernel(dtype: str = "float32", weight: str = "") -> Count:
    build = Builder(dtype=dtype)
    x, w = build.input((1, 64)), build.weight((64, 32), weight)
    return count_graph(build.graph(build.op("MatMul", x, w, shape=(1, 32))))


def test_types_decide_the_bytes_not_the_work() -> None:
    assert kernel().total == kernel("float16").total == kernel("float16", "int4").total
    assert kernel().traffic.compulsory == 4 * (64 + 2048 + 32)
    assert kernel("float16").traffic.compulsory == 2 * (64 + 2048 + 32)
    assert kernel("float16", "int4").traffic.compulsory == 2 * 96 + 1024


def test_a_weight_read_twice_is_moved_twice_unfused_and_once_at_least() -> None:
    build = Builder()
    x, w = build.input((4, 4)), build.weight((4, 4))
    y = build.op("MatMul", build.op("MatMul", x, w, shape=(4, 4)), w, shape=(4, 4))
    traffic = count_graph(build.graph(y)).traffic
    assert (traffic.weights, traffic.inputs, traffic.outputs) == (64, 64, 64)
    assert traffic.unfused == 6 * 64


def test_rows_of_a_table_are_counted_up_to_all_of_it() -> None:
    build = Builder()
    table = build.weight((10, 8))
    few = build.op("Gather", table, build.input((3,), "int64"), shape=(3, 8))
    assert count_graph(build.graph(few)).traffic.weights == 96
    many = build.op("Gather", table, build.input((500,), "int64"), shape=(500, 8))
    assert count_graph(build.graph(few, many)).traffic.weights == 320


def test_a_table_that_is_also_a_factor_counts_whole() -> None:
    build = Builder()
    table = build.weight((10, 8), storage="t")
    x = build.op("Gather", table, build.input((3,), "int64"), shape=(3, 8))
    y = build.op("MatMul", x, build.weight((8, 10), storage="t"), shape=(3, 10))
    assert count_graph(build.graph(y)).traffic.weights == 320


def test_a_table_in_other_clothes_is_a_table() -> None:
    build = Builder()
    table = build.op("Cast", build.weight((1000, 8), "float16"), shape=(1000, 8), dtype="float32")
    x = build.op("Gather", table, build.input((3,), "int64"), shape=(3, 8))
    assert count_graph(build.graph(x)).traffic.weights == 3 * 8 * 2


def test_only_the_shape_of_an_input_costs_nothing() -> None:
    build = Builder()
    y = build.op("Shape", build.input((100,)), shape=(1,), dtype="int64")
    assert count_graph(build.graph(y)).traffic.inputs == 0


def test_what_goes_in_and_out_through_views_is_still_moved() -> None:
    build = Builder()
    y = build.op("Reshape", build.input((4, 4)), shape=(16,))
    traffic = count_graph(build.graph(y)).traffic
    assert traffic.unfused == traffic.compulsory == 128


def test_memory_is_freed_after_the_last_reader() -> None:
    build = Builder()
    x = build.input((256,))
    for _ in range(10):
        x = build.op("Exp", x, shape=(256,))
    memory = count_graph(build.graph(x)).memory
    assert memory.activations == 2 * 1024
    assert memory.weights == memory.cache == 0
    assert memory.total == 2048


def test_a_branch_that_is_kept_stays_alive() -> None:
    build = Builder()
    x = build.input((256,))
    kept = build.op("Exp", x, shape=(256,))
    y = kept
    for _ in range(3):
        y = build.op("Tanh", y, shape=(256,), name="in between")
    y = build.op("Add", y, kept, shape=(256,))
    memory = count_graph(build.graph(y)).memory
    assert memory.activations == 3 * 1024
    assert memory.peak_at == "'in between' (Tanh)"


def test_a_cache_is_no_activation_under_whatever_name_it_leaves() -> None:
    build = Builder()
    past, x = build.input((100, 4), role="cache"), build.input((1, 4))
    grown = build.op("Concat", past, x, shape=(101, 4))
    present = build.op("Identity", grown, shape=(101, 4), role="cache")
    y = build.op("ReduceSum", grown, shape=(1, 4))
    memory = count_graph(build.graph(y, present)).memory
    assert memory.cache == 101 * 16
    assert memory.activations == 16


def test_views_take_no_memory_and_keep_what_they_show_alive() -> None:
    build = Builder()
    x = build.input((256,))
    y = build.op("Exp", x, shape=(256,))
    view = build.op("Reshape", y, shape=(16, 16))
    z = build.op("Tanh", x, shape=(256,))
    w = build.op("Add", build.op("Reshape", z, shape=(16, 16)), view, shape=(16, 16))
    assert count_graph(build.graph(w)).memory.activations == 3 * 1024
