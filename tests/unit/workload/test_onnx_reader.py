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
    absent,
    constant,
    counted,
    matmul,
    node,
    two_dims,
    value,
    weight,
)

# Dimensions


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
