"""Each pitfall that reading models for their shapes has, as a small model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.errors import UserError
from reportgen.workload.count import Count, count
from reportgen.workload.work import Work

pytest.importorskip("onnx", reason="the extra 'onnx' is not installed")

from onnx import TensorProto, helper

from tests.unit.workload.onnx_models import (
    FLOAT,
    INT64,
    absent,
    constant,
    model,
    node,
    saved,
    value,
    weight,
)


def counted(folder: Path, *parts: Any, dims: dict[str, int] | None = None, **more: Any) -> Count:
    """Of a model made of nodes, inputs, outputs and weights."""
    return count(saved(folder, model(*parts, **more)), dims)


def matmul(x: str = "x", w: str = "w", y: str = "y", **attrs: Any) -> Any:
    return node("MatMul", [x, w], [y], **attrs)


# Dimensions


def two_dims(folder: Path) -> Path:
    made = model(
        [matmul()],
        [value("x", ["batch", "seq", 8])],
        [value("y", ["batch", "seq", 4])],
        [weight("w", (8, 4))],
    )
    return saved(folder, made)


def test_an_open_dimension_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="leaves its dimensions 'batch', 'seq' open") as caught:
        count(two_dims(tmp_path))
    assert "--dim batch=1 --dim seq=1" in caught.value.remedy
    with pytest.raises(UserError, match="leaves its dimension 'seq' open"):
        count(two_dims(tmp_path), {"batch": 2})


def test_bound_dimensions_are_counted_and_noted(tmp_path: Path) -> None:
    found = count(two_dims(tmp_path), {"batch": 2, "seq": 16})
    assert found.total.mac == 2 * 16 * 32
    assert found.doubts == ("Dimensions: batch = 2, seq = 16",)


def test_a_name_that_no_input_has_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No input has a dimension 'sq'") as caught:
        count(two_dims(tmp_path), {"batch": 2, "seq": 16, "sq": 1})
    assert "'batch', 'seq'" in caught.value.remedy


def test_a_negative_size_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'batch' is -1"):
        count(two_dims(tmp_path), {"batch": -1})


def test_a_dimension_without_a_name_is_called_by_its_place(tmp_path: Path) -> None:
    parts = ([matmul()], [value("x", [None, 8])], [value("y", None)], [weight("w", (8, 4))])
    with pytest.raises(UserError, match=r"leaves its dimension 'x\.0' open"):
        counted(tmp_path, *parts)
    assert counted(tmp_path, *parts, dims={"x.0": 3}).total.mac == 96


def test_expressions_over_names_follow_from_them(tmp_path: Path) -> None:
    parts = ([node("Relu", ["x"], ["y"])], [value("x", ["past + seq", "2*seq"])], [value("y", None)])
    with pytest.raises(UserError, match="'past', 'seq' open"):
        counted(tmp_path, *parts)
    assert counted(tmp_path, *parts, dims={"past": 3, "seq": 5}).total.comparison == 80


def test_a_past_of_length_zero_can_be_asked_for(tmp_path: Path) -> None:
    nodes = [node("Concat", ["past_key", "x"], ["k"], axis=1), node("Relu", ["k"], ["y"])]
    found = counted(
        tmp_path,
        nodes,
        [value("past_key", [1, "past", 4]), value("x", [1, 2, 4])],
        [value("y", None)],
        dims={"past": 0},
    )
    assert found.total.comparison == 8


# Shapes that follow from shapes


def test_reshape_by_arithmetic_on_shapes(tmp_path: Path) -> None:
    """What exporters write for x.view(x.size(0), -1)."""
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "zero"], ["b"], axis=0),
        node("Unsqueeze", ["b", "axes"], ["b1"]),
        node("Concat", ["b1", "minus"], ["target"], axis=0),
        node("Reshape", ["x", "target"], ["flat"]),
        matmul("flat"),
    ]
    weights = [constant("zero", 0), constant("axes", [0]), constant("minus", [-1]), weight("w", (24, 5))]
    found = counted(tmp_path, nodes, [value("x", ["n", 4, 6])], [value("y", None)], weights, dims={"n": 3})
    assert found.total.mac == 3 * 24 * 5
    assert found.exact


@pytest.mark.parametrize(
    ("operator", "attrs", "extra", "shape"),
    [
        ("Flatten", {"axis": 2}, [], (6, 20)),
        ("Transpose", {"perm": [2, 0, 1, 3]}, [], (4, 2, 3, 5)),
        ("Transpose", {}, [], (5, 4, 3, 2)),
        ("Slice", {}, [[1, 0], [9, -1], [1, 3], [1, 2]], (2, 2, 4, 2)),
        ("Slice", {}, [[-1], [-9], [2], [-1]], (2, 3, 4, 5)),
        ("Expand", {}, [[7, 1, 1, 1, 1]], (7, 2, 3, 4, 5)),
        ("Tile", {}, [[2, 1, 1, 3]], (4, 3, 4, 15)),
        ("ReduceSum", {"keepdims": 0}, [[1, -1]], (2, 4)),
        ("ReduceSum", {}, [], (1, 1, 1, 1)),
        ("Unsqueeze", {}, [[0, -1]], (1, 2, 3, 4, 5, 1)),
        ("ArgMax", {"axis": 1, "keepdims": 0}, [], (2, 4, 5)),
        ("GlobalAveragePool", {}, [], (2, 3, 1, 1)),
        ("Gather", {"axis": 1}, [[0, 2, 2, 1]], (2, 4, 4, 5)),
        ("DepthToSpace", {"blocksize": 1}, [], (2, 3, 4, 5)),
        ("Pad", {}, [[0, 0, 1, 1, 0, 0, 2, 2]], (2, 3, 7, 8)),
        ("MaxPool", {"kernel_shape": [2, 2], "strides": [2, 2]}, [], (2, 3, 2, 2)),
        ("Cast", {"to": TensorProto.FLOAT16}, [], (2, 3, 4, 5)),
        ("Resize", {"mode": "linear"}, [None, [1.0, 1.0, 2.0, 2.0]], (2, 3, 8, 10)),
    ],
)
def test_shapes(
    tmp_path: Path, operator: str, attrs: dict[str, Any], extra: list[Any], shape: tuple[int, ...]
) -> None:
    names = ["" if one is None else f"c{at}" for at, one in enumerate(extra)]
    weights = [
        constant(name, one, np.float32 if isinstance(one[0], float) else np.int64)
        for name, one in zip(names, extra, strict=True)
        if name
    ]
    nodes = [node(operator, ["x", *names], ["y"], **attrs)]
    found = counted(tmp_path, nodes, [value("x", [2, 3, 4, 5])], [value("y", None)], weights)
    assert found.graph.outputs[0].shape == shape
    assert found.exact


def test_split_makes_several(tmp_path: Path) -> None:
    nodes = [node("Split", ["x"], ["a", "b", "c"], axis=1, num_outputs=3)]
    outs = [value(name, None) for name in "abc"]
    found = counted(tmp_path, nodes, [value("x", [2, 8])], outs)
    assert [tensor.shape for tensor in found.graph.outputs] == [(2, 3), (2, 3), (2, 2)]


def test_an_exponent_of_two_is_a_product(tmp_path: Path) -> None:
    nodes = [node("Pow", ["x", "two"], ["y"])]
    found = counted(
        tmp_path, nodes, [value("x", [8])], [value("y", None)], [constant("two", 2.0, np.float32)]
    )
    assert found.total == Work(flop=8)


# Operators of runtimes


def test_a_runtime_operator_in_the_middle_does_not_stop_the_shapes(tmp_path: Path) -> None:
    """Shape inference of onnx ends at it: of 512 MAC it then finds 256."""
    nodes = [
        matmul("x", "w", "a"),
        node(
            "SkipSimplifiedLayerNormalization",
            ["a", "x", "gamma"],
            ["n", "", "", "sum"],
            domain="com.microsoft",
        ),
        matmul("n", "v", "y"),
    ]
    weights = [weight("w", (8, 8)), weight("v", (8, 8)), weight("gamma", (8,))]
    found = counted(tmp_path, nodes, [value("x", [1, 4, 8])], [value("y", None), value("sum", None)], weights)
    assert found.total.mac == 512
    assert found.exact


@pytest.mark.parametrize(
    ("operator", "attrs", "inputs", "mac", "shape"),
    [
        ("FusedMatMul", {"transB": 1}, [(2, 3, 8), (5, 8)], 240, (2, 3, 5)),
        ("MatMulNBits", {"K": 64, "N": 16, "bits": 4, "block_size": 32},
         [(2, 3, 64), (16, 2, 16)], 6144, (2, 3, 16)),
        ("MultiHeadAttention", {"num_heads": 2}, [(1, 4, 8), (1, 6, 8), (1, 6, 8)], 2 * 24 * 8, (1, 4, 8)),
        ("MultiHeadAttention", {"num_heads": 2}, [(1, 4, 2, 3, 4)], 2 * 16 * 8, (1, 4, 8)),
        ("MultiHeadAttention", {"num_heads": 2},
         [(1, 4, 8), (1, 2, 6, 4), (1, 2, 6, 4)], 2 * 24 * 8, (1, 4, 8)),
        ("Attention", {"num_heads": 2}, [(1, 4, 8), (8, 24), (24,)], 4 * 192 + 2 * 16 * 8, (1, 4, 8)),
        ("FastGelu", {}, [(2, 8)], 0, (2, 8)),
        ("BiasGelu", {}, [(2, 8), (8,)], 0, (2, 8)),
        ("QuickGelu", {}, [(2, 8)], 0, (2, 8)),
        ("BiasSplitGelu", {}, [(2, 8), (8,)], 0, (2, 4)),
        ("SkipLayerNormalization", {}, [(2, 3, 8), (2, 3, 8), (8,), (8,)], 0, (2, 3, 8)),
        ("SimplifiedLayerNormalization", {}, [(2, 3, 8), (8,)], 0, (2, 3, 8)),
        ("RotaryEmbedding", {}, [(1, 2, 3, 8), (1, 3), (9, 4), (9, 4)], 0, (1, 2, 3, 8)),
        ("QLinearAdd", {}, [(2, 8), (), (), (2, 8), (), (), (), ()], 0, (2, 8)),
        ("QLinearGlobalAveragePool", {}, [(1, 3, 4, 4)], 0, (1, 3, 1, 1)),
        ("QLinearConcat", {"axis": 1}, [(), (), (2, 3), (), (), (2, 4), (), ()], 0, (2, 7)),
        ("DynamicQuantizeMatMul", {}, [(2, 8), (8, 4), (4,)], 64, (2, 4)),
        ("MatMulIntegerToFloat", {}, [(2, 8), (8, 4), (), ()], 64, (2, 4)),
        ("MoE", {"k": 2}, [(6, 4), (6, 8), (8, 16, 4), None, (8, 4, 16)], 6 * 2 * 128, (6, 4)),
        ("QMoE", {"k": 1, "expert_weight_bits": 4},
         [(6, 4), (6, 8), (8, 16, 2), (8, 16), None, (8, 4, 8), (8, 4)],
         6 * 128, (6, 4)),
        ("FusedConv", {"kernel_shape": [3, 3], "pads": [1] * 4},
         [(1, 2, 8, 8), (4, 2, 3, 3)], 4608, (1, 4, 8, 8)),
        ("FusedGemm", {"transB": 1}, [(2, 8), (4, 8), (4,)], 64, (2, 4)),
        ("GroupNorm", {"groups": 2}, [(1, 4, 4, 8), (8,), (8,)], 0, (1, 4, 4, 8)),
    ],
)  # fmt: skip
def test_a_runtime_operator(
    tmp_path: Path,
    operator: str,
    attrs: dict[str, Any],
    inputs: list[Any],
    mac: int,
    shape: Any,
) -> None:
    names = ["" if one is None else f"i{at}" for at, one in enumerate(inputs)]
    nodes = [node(operator, names, ["y"], domain="com.microsoft", **attrs)]
    given = [value(name, one) for name, one in zip(names, inputs, strict=True) if name]
    found = counted(tmp_path, nodes, given, [value("y", None)])
    assert found.exact, found.uncounted
    assert found.total.mac == mac
    assert found.graph.outputs[0].shape == shape


def grouped(folder: Path, past: int, **dims: int) -> Count:
    nodes = [
        node(
            "GroupQueryAttention",
            ["q", "k", "v", "past_key", "past_value", "lengths", "total"],
            ["y", "present_key", "present_value"],
            domain="com.microsoft", num_heads=8, kv_num_heads=2, do_rotary=1,
        )
    ]  # fmt: skip
    cache: list[int | str] = [1, 2, past, 16]
    inputs = [value("q", [1, 1, 128]), value("k", [1, 1, 32]), value("v", [1, 1, 32])]
    inputs += [value("past_key", cache), value("past_value", cache)]
    inputs += [value("lengths", [1], TensorProto.INT32), value("total", [], TensorProto.INT32)]
    presents = [
        value(name, [1, 2, "total" if dims else past + 1, 16]) for name in ("present_key", "present_value")
    ]
    return counted(folder, nodes, inputs, [value("y", None), *presents])


def test_grouped_heads_with_a_cache(tmp_path: Path) -> None:
    found = grouped(tmp_path, 31)
    assert found.total.mac == 8 * 32 * 32
    (one,) = found.attention.found
    assert (one.core.heads, one.core.kv_heads, one.core.keys, one.core.causal) == (8, 2, 32, True)
    assert found.attention.grouped == 1
    assert found.traffic.cache_read == 2 * 2 * 31 * 16 * 4
    assert found.traffic.cache_written == 2 * 2 * 16 * 4
    assert found.memory.cache == 2 * 2 * 32 * 16 * 4
    # q, k, v, lengths and total in, y out: the cache is not among them.
    assert found.traffic.inputs == (128 + 32 + 32) * 4 + 8
    assert found.traffic.outputs == 128 * 4
    # The fused operation appends to the cache, it does not copy it.
    assert found.traffic.unfused == found.traffic.compulsory


@pytest.mark.parametrize("causal", [0, 1])
def test_the_standard_attention(tmp_path: Path, causal: int) -> None:
    nodes = [node("Attention", ["q", "k", "v"], ["y"], is_causal=causal)]
    inputs = [value("q", [1, 8, 32, 16]), value("k", [1, 2, 32, 16]), value("v", [1, 2, 32, 16])]
    found = counted(tmp_path, nodes, inputs, [value("y", None)], opset=23)
    assert found.total.mac == 262144
    assert (found.attention.mac_full, found.attention.mac_causal) == (262144, 8 * 528 * 32)
    assert found.attention.found[0].core.causal is bool(causal)


def test_an_unknown_operator_is_named_and_what_the_file_says_goes_on(tmp_path: Path) -> None:
    nodes = [node("Mystery", ["x"], ["m"], domain="custom"), matmul("m")]
    inputs, outs, weights = [value("x", [2, 8])], [value("y", None)], [weight("w", (8, 4))]
    lost = counted(tmp_path, nodes, inputs, outs, weights)
    assert set(lost.uncounted) == {"custom.Mystery", "MatMul"}
    assert lost.total.mac == 0
    assert not lost.exact
    found = counted(tmp_path, nodes, inputs, outs, weights, infos=[value("m", [2, 8])])
    assert set(found.uncounted) == {"custom.Mystery"}
    assert found.total.mac == 64
    assert found.coverage == 0.5


def test_the_file_says_shapes_with_open_dimensions_too(tmp_path: Path) -> None:
    nodes = [node("Mystery", ["x"], ["m"], domain="custom"), matmul("m")]
    found = counted(
        tmp_path, nodes, [value("x", ["n", 8])], [value("y", None)], [weight("w", (8, 4))],
        infos=[value("m", ["2*n", 8])], dims={"n": 3},
    )  # fmt: skip
    assert found.total.mac == 6 * 32


# Loops, branches, functions


def loop(folder: Path, *, trips: bool = True, condition: str = "go") -> Count:
    body = helper.make_graph(
        [matmul("s", "w", "t"), node("Identity", ["c"], ["d"])],
        "body",
        [value("i", [], INT64), value("c", [], TensorProto.BOOL), value("s", [8, 8])],
        [
            value("d", [], TensorProto.BOOL),
            value("t", [8, 8]),
        ],
    )
    weights = [constant("trips", 10), constant("go", True, np.bool_), weight("w", (8, 8))]
    inputs = [value("x", [8, 8])]
    if condition == "data":
        inputs.append(value("data", [], TensorProto.BOOL))
    nodes = [node("Loop", ["trips" if trips else "", condition, "x"], ["y"], body=body, name="loop")]
    return counted(folder, nodes, inputs, [value("y", None)], weights)


def test_a_loop_counts_its_trips_and_its_weights_once(tmp_path: Path) -> None:
    found = loop(tmp_path)
    assert found.total.mac == 5120
    assert found.exact
    assert found.doubts == ()
    assert found.traffic.weights == found.memory.weights == 256
    assert found.graph.outputs[0].shape == (8, 8)


def test_a_loop_without_a_trip_count_counts_one_and_says_so(tmp_path: Path) -> None:
    found = loop(tmp_path, trips=False)
    assert found.total.mac == 512
    assert not found.exact
    assert "'loop' (Loop): the trip count depends on data" in found.doubts[0]


def test_a_loop_that_may_end_early_is_an_upper_bound(tmp_path: Path) -> None:
    found = loop(tmp_path, condition="data")
    assert found.total.mac == 5120
    assert "may end before its 10 trips" in found.doubts[0]


def test_a_scan_counts_its_length(tmp_path: Path) -> None:
    body = helper.make_graph(
        [node("Add", ["s", "e"], ["t"]), matmul("t", "w", "o"), node("Identity", ["t"], ["t2"])],
        "body",
        [value("s", [1, 8]), value("e", [1, 8])],
        [value("t2", [1, 8]), value("o", [1, 4])],
    )
    found = counted(
        tmp_path,
        [node("Scan", ["x0", "xs"], ["last", "ys"], body=body, num_scan_inputs=1)],
        [value("x0", [1, 8]), value("xs", [5, 1, 8])],
        [value("last", None), value("ys", None)],
        [weight("w", (8, 4))],
    )
    assert found.total == Work(mac=5 * 32, flop=5 * 8)
    assert [tensor.shape for tensor in found.graph.outputs] == [(1, 8), (5, 1, 4)]


@pytest.mark.parametrize(("known", "mac"), [(None, 1024), (True, 512), (False, 1024)])
def test_of_branches_the_dearer_counts_unless_the_condition_is_known(
    tmp_path: Path, known: bool | None, mac: int
) -> None:
    one = helper.make_graph([matmul("x", "w", "a")], "then", [], [value("a", [8, 8])])
    two = helper.make_graph(
        [matmul("x", "w", "b0"), matmul("b0", "w", "b")], "else", [], [value("b", [8, 8])]
    )
    inputs, weights = [value("x", [8, 8])], [weight("w", (8, 8))]
    if known is None:
        inputs.append(value("c", [], TensorProto.BOOL))
    else:
        weights.append(constant("c", known, np.bool_))
    nodes = [node("If", ["c"], ["y"], then_branch=one, else_branch=two)]
    found = counted(tmp_path, nodes, inputs, [value("y", None)], weights)
    assert found.total.mac == mac
    assert found.graph.outputs[0].shape == (8, 8)


def test_local_functions_are_inlined(tmp_path: Path) -> None:
    function = helper.make_function(
        "custom", "Twice", ["a", "b"], ["d"], [matmul("a", "b", "c"), matmul("c", "b", "d")],
        [helper.make_opsetid("", 20)],
    )  # fmt: skip
    nodes = [node("Twice", ["x", "w"], ["y"], domain="custom")]
    found = counted(
        tmp_path, nodes, [value("x", [8, 8])], [value("y", None)], [weight("w", (8, 8))], functions=[function]
    )
    assert found.total.mac == 1024
    assert found.exact


# Weights


def test_weights_that_are_not_there_are_not_needed(tmp_path: Path) -> None:
    found = counted(tmp_path, [matmul()], [value("x", [2, 8])], [value("y", None)], [absent("w", (8, 4))])
    assert found.total.mac == 64
    assert found.exact
    assert found.memory.weights == 128


def embedding_and_head(weights: list[Any], *, transposed: bool) -> Any:
    head = (
        node("MatMul", ["e", "head"], ["y"]) if transposed else node("Gemm", ["e", "head"], ["y"], transB=1)
    )
    return model(
        [node("Gather", ["wte", "ids"], ["e"]), head], [value("ids", [3], INT64)], [value("y", None)], weights
    )


@pytest.mark.parametrize("transposed", [False, True])
def test_a_tied_weight_that_was_written_twice_counts_once(tmp_path: Path, transposed: bool) -> None:
    table = weight("wte", (50, 8))
    numbers = np.frombuffer(table.raw_data, np.float32).reshape(50, 8)
    twin = constant("head", numbers.T.copy() if transposed else numbers, np.float32)
    found = count(saved(tmp_path, embedding_and_head([table, twin], transposed=transposed)))
    assert found.memory.weights == found.traffic.weights == 1600
    assert found.doubts == ()


def test_equal_sizes_alone_tie_nothing(tmp_path: Path) -> None:
    made = embedding_and_head([weight("wte", (50, 8)), weight("head", (8, 50), seed=9)], transposed=True)
    found = count(saved(tmp_path, made))
    assert found.memory.weights == 3200


def test_weights_that_were_only_initialised_are_not_tied(tmp_path: Path) -> None:
    zeros = [constant(name, np.zeros((8, 50)), np.float32) for name in ("a", "b")]
    nodes = [matmul("x", "a", "p"), matmul("x", "b", "q")]
    found = counted(tmp_path, nodes, [value("x", [2, 8])], [value("p", None), value("q", None)], zeros)
    assert found.memory.weights == 3200


def test_external_weights_at_one_place_are_one(tmp_path: Path) -> None:
    weights = [absent("a", (8, 8)), absent("b", (8, 8)), absent("c", (8, 8), offset=256)]
    nodes = [matmul("x", "a", "p"), matmul("p", "b", "q"), matmul("q", "c", "y")]
    found = counted(tmp_path, nodes, [value("x", [2, 8])], [value("y", None)], weights)
    assert found.memory.weights == 512


def test_a_twin_that_cannot_be_compared_is_a_warning(tmp_path: Path) -> None:
    made = embedding_and_head([absent("wte", (50, 8)), absent("head", (8, 50), offset=1600)], transposed=True)
    found = count(saved(tmp_path, made))
    assert found.memory.weights == 3200
    (doubt,) = found.doubts
    assert doubt.startswith("'wte' and 'head' may be one weight written twice: 1600 bytes are counted twice")


def test_external_weights_are_compared_where_they_are_there(tmp_path: Path) -> None:
    table = np.arange(400, dtype=np.float32).reshape(50, 8)
    (tmp_path / "weights.bin").write_bytes(table.tobytes() + table.T.tobytes())
    made = embedding_and_head([absent("wte", (50, 8)), absent("head", (8, 50), offset=1600)], transposed=True)
    assert count(saved(tmp_path, made)).memory.weights == 1600


def test_a_place_outside_of_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(bytes(3200))
    inner = tmp_path / "inner"
    inner.mkdir()
    weights = [
        absent("wte", (50, 8), file="../weights.bin"),
        absent("head", (8, 50), file="../weights.bin", offset=1600),
    ]
    assert len(count(saved(inner, embedding_and_head(weights, transposed=True))).doubts) == 1


def test_only_rows_of_a_table_are_read(tmp_path: Path) -> None:
    nodes = [node("Gather", ["table", "ids"], ["y"])]
    found = counted(
        tmp_path, nodes, [value("ids", [16], INT64)], [value("y", None)], [absent("table", (1000, 64))]
    )
    assert found.total.mac == 0
    assert found.traffic.weights == 4096
    assert found.memory.weights == 256_000
    assert found.traffic.unfused == 4096 + 128 + 4096


# Quantised models


def test_int4_weights_are_half_a_byte(tmp_path: Path) -> None:
    nodes = [node("DequantizeLinear", ["w", "scale"], ["f"], axis=0), matmul("x", "f")]
    weights = [absent("w", (64, 32), TensorProto.INT4), weight("scale", (64,))]
    found = counted(tmp_path, nodes, [value("x", [2, 64])], [value("y", None)], weights, opset=21)
    assert found.memory.weights == 64 * 32 // 2 + 256
    assert found.traffic.weights == 64 * 32 // 2 + 256
    assert found.by_precision["float32"].mac == 2 * 64 * 32


def test_a_quantised_graph_is_followed_to_its_integers(tmp_path: Path) -> None:
    """It says float at the product; the int8 kernel runs."""
    nodes = [
        node("QuantizeLinear", ["x", "s", "z"], ["xq"]),
        node("DequantizeLinear", ["xq", "s", "z"], ["xf"]),
        node("DequantizeLinear", ["w", "s", "z"], ["wf"]),
        matmul("xf", "wf"),
    ]
    weights = [
        absent("w", (64, 32), TensorProto.INT8),
        constant("s", 0.5, np.float32),
        constant("z", 0, np.int8),
    ]
    found = counted(tmp_path, nodes, [value("x", [2, 64])], [value("y", None)], weights)
    assert found.total.mac == 2 * 64 * 32
    assert found.by_precision["int8"].mac == 2 * 64 * 32
    product = next(row.op for row in found.rows if row.op.kind == "MatMul")
    assert found.traffic.by_op[product] == 128 + 2048 + 256  # int8, int8, float32
    assert found.traffic.weights == 2048 + 4 + 1


def test_integer_operators(tmp_path: Path) -> None:
    u8 = TensorProto.UINT8
    nodes = [node("MatMulInteger", ["a", "b"], ["y"])]
    found = counted(tmp_path, nodes, [value("a", [2, 8], u8), value("b", [8, 4], u8)], [value("y", None)])
    assert found.total.mac == 64
    assert list(found.by_precision) == ["int8"]


def test_rows_of_a_packed_table(tmp_path: Path) -> None:
    """Two 4-bit elements in a byte, a scale for 32 of them."""
    nodes = [
        node("GatherBlockQuantized", ["t", "ids", "s"], ["y"], domain="com.microsoft", bits=4, block_size=32)
    ]
    weights = [absent("t", (1000, 32), TensorProto.UINT8), absent("s", (1000, 2))]
    found = counted(tmp_path, nodes, [value("ids", [16], INT64)], [value("y", None)], weights)
    assert found.graph.outputs[0].shape == (16, 64)
    assert found.traffic.weights == 16 * 32 + 16 * 8
    assert found.traffic.unfused == 16 * 32 + 16 * 8 + 128 + 16 * 64 * 4


def test_an_input_without_a_shape_is_not_counted_behind_it(tmp_path: Path) -> None:
    found = counted(tmp_path, [matmul()], [value("x", None)], [value("y", None)], [weight("w", (8, 4))])
    assert "the file gives 'x' no shape" in found.uncounted["MatMul"][1]


# Recurrent, einsum, transforms


def test_a_recurrent_layer_is_one_node(tmp_path: Path) -> None:
    nodes = [node("LSTM", ["x", "w", "r"], ["y"], hidden_size=64)]
    weights = [absent("w", (1, 256, 64)), absent("r", (1, 256, 64))]
    found = counted(tmp_path, nodes, [value("x", [100, 1, 64])], [value("y", None)], weights)
    assert found.total.mac == 3_276_800


def test_einsum_nodes(tmp_path: Path) -> None:
    nodes = [node("Einsum", ["q", "k"], ["y"], equation="bhqd,bhkd->bhqk")]
    found = counted(tmp_path, nodes, [value("q", [2, 3, 5, 8]), value("k", [2, 3, 7, 8])], [value("y", None)])
    assert found.total.mac == 1680


def test_a_transform(tmp_path: Path) -> None:
    nodes = [node("DFT", ["x", "", "axis"], ["y"], onesided=1)]
    found = counted(tmp_path, nodes, [value("x", [2, 64, 1])], [value("y", None)], [constant("axis", 1)])
    assert found.total.flop == 2 * 5 * 64 * 6 // 2
    assert found.graph.outputs[0].shape == (2, 33, 2)


def test_attention_is_found_as_a_pattern(tmp_path: Path) -> None:
    """Keys of two groups repeated for eight heads, scale and mask between the products."""
    nodes = [
        node("Expand", ["k", "shape"], ["k5"]),
        node("Reshape", ["k5", "flat"], ["k4"]),
        node("Transpose", ["k4"], ["kt"], perm=[0, 1, 3, 2]),
        matmul("q", "kt", "s"),
        node("Mul", ["s", "scale"], ["s2"]),
        node("Add", ["s2", "mask"], ["s3"]),
        node("Softmax", ["s3"], ["p"], axis=-1),
        matmul("p", "v", "y"),
    ]
    weights = [
        constant("shape", [1, 2, 4, 6, 16]),
        constant("flat", [1, 8, 6, 16]),
        constant("scale", 0.25, np.float32),
    ]
    inputs = [
        value("q", [1, 8, 6, 16]),
        value("k", [1, 2, 1, 6, 16]),
        value("v", [1, 8, 6, 16]),
        value("mask", [6, 6]),
    ]
    found = counted(tmp_path, nodes, inputs, [value("y", None)], weights)
    report = found.attention
    assert (len(report.found), report.expected, report.grouped) == (1, 1, 1)
    assert report.mac_full == found.total.mac == 8 * 36 * 32
    assert report.mac_causal == 8 * 21 * 32


def test_a_softmax_over_classes_is_no_attention(tmp_path: Path) -> None:
    nodes = [matmul(y="s"), node("Softmax", ["s"], ["y"])]
    found = counted(tmp_path, nodes, [value("x", [2, 8])], [value("y", None)], [weight("w", (8, 4))])
    assert found.attention.expected == 0


# Names


@pytest.mark.parametrize(
    ("name", "props", "module"),
    [
        ("/model/layers.0/q_proj/MatMul", {}, "model.layers.0.q_proj"),
        ("MatMul_12", {}, "(top)"),
        ("node_1", {"pkg.torch.onnx.name_scopes": "['', 'b', 'b.0', 'b.0.a', 'linear']"}, "b.0.a"),
        ("node_1", {"pkg.torch.onnx.name_scopes": "['', 'linear']"}, "(top)"),
        ("node_1", {"namespace": ": M/b: Sequential/b.0: Block/linear: aten.linear.default"}, "b.0"),
    ],
)
def test_the_module_of_a_node(tmp_path: Path, name: str, props: dict[str, str], module: str) -> None:
    one = matmul(name=name)
    for key, text in props.items():
        one.metadata_props.add(key=key, value=text)
    found = counted(tmp_path, [one], [value("x", [2, 8])], [value("y", None)], [weight("w", (8, 4))])
    assert list(found.by_module(9)) == [module]


# Files that are wrong


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty"),
        (b"PK\x03\x04rest", "a zip archive, as PyTorch saves"),
        (b"GGUF\x03\x00", "a GGUF file"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
        (b"not a model at all, just text\n" * 10, "is no ONNX file"),
        (b"\x08\x0a", "it holds no graph"),
    ],
)
def test_what_is_no_model_is_said_to_be_none(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(UserError, match=said):
        count(path)


def test_a_truncated_file(tmp_path: Path) -> None:
    path = two_dims(tmp_path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UserError, match="is no ONNX file, or a damaged one"):
        count(path, {"batch": 1, "seq": 1})


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    path = two_dims(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"MatMul", b"Mat\xfful"))
    with pytest.raises(UserError, match="a name in it is not text"):
        count(path, {"batch": 1, "seq": 1})


def test_a_place_that_is_no_number(tmp_path: Path) -> None:
    lost = absent("w", (8, 4))
    lost.external_data[1].value = "zero"
    with pytest.raises(UserError, match="Where the numbers of 'w' lie is not said in numbers"):
        counted(tmp_path, [matmul()], [value("x", [2, 8])], [value("y", None)], [lost])


def test_a_folder_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a folder"):
        count(tmp_path)
    with pytest.raises(UserError, match="cannot be read"):
        count(tmp_path / "no.onnx")


@pytest.mark.parametrize(("opset", "said"), [(99, "operator set 99"), (0, "operator set 0")])
def test_an_unknown_operator_set(tmp_path: Path, opset: int, said: str) -> None:
    with pytest.raises(UserError, match=f"asks for {said} of ONNX; onnx .* knows 1 to"):
        counted(
            tmp_path, [matmul()], [value("x", [2, 8])], [value("y", None)], [weight("w", (8, 4))], opset=opset
        )


def test_no_operator_set(tmp_path: Path) -> None:
    made = model([matmul()], [value("x", [2, 8])], [value("y", None)], [weight("w", (8, 4))])
    del made.opset_import[:]
    with pytest.raises(UserError, match="asks for no operator set"):
        count(saved(tmp_path, made))


def test_a_cyclic_graph(tmp_path: Path) -> None:
    nodes = [node("Add", ["x", "b"], ["a"], name="one"), node("Relu", ["a"], ["b"], name="two")]
    with pytest.raises(UserError, match=r"cyclic: '(one|two)' \(\w+\) needs"):
        counted(tmp_path, nodes, [value("x", [2])], [value("b", [2])])


def test_nodes_out_of_order_are_sorted(tmp_path: Path) -> None:
    nodes = [node("Relu", ["a"], ["y"]), matmul(y="a")]
    found = counted(tmp_path, nodes, [value("x", [2, 8])], [value("y", None)], [weight("w", (8, 4))])
    assert found.total == Work(mac=64, comparison=8)


def test_a_name_that_nobody_makes(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="reads 'ghost', which no node makes"):
        counted(tmp_path, [node("Relu", ["ghost"], ["y"])], [value("x", [2])], [value("y", None)])


def test_an_output_that_nobody_makes(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Output 'z' of graph 'graph' is made by no node"):
        counted(tmp_path, [node("Relu", ["x"], ["y"])], [value("x", [2])], [value("z", None)])


def test_without_the_package_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(
        UserError, match=r"needs the package 'onnx'\. Install it: pip install 'reportgen\[onnx\]'"
    ):
        count(two_dims(tmp_path))


def test_constants_among_the_nodes(tmp_path: Path) -> None:
    target = helper.make_tensor("t", FLOAT, (8, 4), np.arange(32, dtype=np.float32))
    nodes = [
        node("Constant", [], ["w"], value=target),
        node("Constant", [], ["shape"], value_ints=[2, 8]),
        node("Reshape", ["x", "shape"], ["x2"]),
        matmul("x2"),
    ]
    found = counted(tmp_path, nodes, [value("x", [16])], [value("y", None)])
    assert found.total.mac == 64
    assert found.memory.weights == 128
    assert len(found.rows) == 2
