"""Shapes of operators that runtimes add (com.microsoft): shape inference stops at them otherwise."""

from __future__ import annotations

from reportgen.workload.graph import Shape
from reportgen.workload.onnx_file.node import Node, Result, Unknown, shape_rule
from reportgen.workload.onnx_file.shapes import broadcast, product

ACTIVATIONS = "FastGelu BiasGelu QuickGelu BiasAdd SimplifiedLayerNormalization GroupNorm"


@shape_rule(*ACTIVATIONS.split())
def same(node: Node) -> Result:
    """As the first input; statistics of a norm are not asked for."""
    return [(node.shape(), node.dtype())] * node.outputs


@shape_rule("BiasSplitGelu")
def bias_split_gelu(node: Node) -> Result:
    """Half as wide."""
    shape = node.shape()
    return [((*shape[:-1], shape[-1] // 2), node.dtype())]


@shape_rule("SkipLayerNormalization", "SkipSimplifiedLayerNormalization")
def skip_norm(node: Node) -> Result:
    """The norm, two statistics, and the sum of x and skip."""
    row = (*node.shape()[:-1], 1)
    results: Result = [
        (node.shape(), node.dtype()),
        (row, "float32"),
        (row, "float32"),
        (node.shape(), node.dtype()),
    ]
    return results[: node.outputs]


@shape_rule("EmbedLayerNormalization")
def embed_norm(node: Node) -> Result:
    """Inputs ids, segments, word table, ...: the norm, a mask index, the sum."""
    batch, seq = node.shape(0)
    out = ((batch, seq, node.shape(2)[-1]), node.dtype(2))
    results: Result = [out, ((batch,), "int32"), out]
    return results[: node.outputs]


@shape_rule("FusedMatMul", "TransposeMatMul", "FusedMatMulActivation")
def fused_matmul(node: Node) -> Result:
    """The last two axes of an operand may be transposed, and the batch axis moved behind."""
    a = _arranged(node.shape(0), node.attrs.get("transA", 0), node.attrs.get("transBatchA", 0))
    b = _arranged(node.shape(1), node.attrs.get("transB", 0), node.attrs.get("transBatchB", 0))
    return [(product(a, b), node.dtype())]


def _arranged(shape: Shape, transposed: int, batch: int) -> Shape:
    if batch and len(shape) > 2:
        shape = (*shape[1:-1], shape[0], shape[-1])
    return (*shape[:-2], shape[-1], shape[-2]) if transposed and len(shape) > 1 else shape


@shape_rule("FusedGemm", "GemmFastGelu", "QGemm")
def fused_gemm(node: Node) -> Result:
    """As Gemm; of the quantised one the second factor is the fourth input."""
    a, b = node.shape(0), node.shape(3 if node.kind == "QGemm" else 1)
    rows = a[:-1] if not node.attrs.get("transA", 0) else (a[1],)
    dtype = node.dtype(8) if node.kind == "QGemm" and node.has(8) else node.dtype()
    return [((*rows, b[0] if node.attrs.get("transB", 0) else b[1]), dtype)]


@shape_rule("MatMulNBits", "MatMulBnb4")
def matmul_nbits(node: Node) -> Result:
    """N features."""
    return [((*node.shape()[:-1], int(node.attrs["N"])), node.dtype())]


@shape_rule("MatMulIntegerToFloat", "DynamicQuantizeMatMul")
def matmul_integer_to_float(node: Node) -> Result:
    """Floating point comes out."""
    return [(product(node.shape(0), node.shape(1)), "float32")]


@shape_rule("QLinearAdd", "QLinearMul")
def qlinear_arithmetic(node: Node) -> Result:
    """Operands are inputs 0 and 3."""
    return [(broadcast(node.shape(0), node.shape(3)), node.dtype())]


@shape_rule("QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax")
def qlinear_same(node: Node) -> Result:
    """As the first input."""
    return [(node.shape(), node.dtype())]


@shape_rule("QLinearGlobalAveragePool")
def qlinear_global_pool(node: Node) -> Result:
    """One value a channel."""
    shape = node.shape()
    if node.attrs.get("channels_last", 0):
        return [((shape[0], *(1 for _ in shape[1:-1]), shape[-1]), node.dtype())]
    return [((*shape[:2], *(1 for _ in shape[2:])), node.dtype())]


@shape_rule("QLinearConcat")
def qlinear_concat(node: Node) -> Result:
    """Inputs scale, zero point, then (tensor, scale, zero point) for each part."""
    parts = [node.shape(place) for place in range(2, len(node.ins), 3)]
    axis = node.attrs["axis"] % len(parts[0])
    size = sum(part[axis] for part in parts)
    return [((*parts[0][:axis], size, *parts[0][axis + 1 :]), node.dtype(2))]


@shape_rule("GatherBlockQuantized")
def gather_block_quantized(node: Node) -> Result:
    """Rows of a packed table, in the type of the scales; 4-bit elements may come two in a byte."""
    data = list(node.shape())
    packed = 8 // int(node.attrs.get("bits", 4)) if node.dtype() == "uint8" else 1
    data[-1] *= packed
    axis = node.attrs.get("gather_axis", 0) % len(data)
    return [((*data[:axis], *node.shape(1), *data[axis + 1 :]), node.dtype(2))]


@shape_rule("MoE", "QMoE")
def mixture(node: Node) -> Result:
    """As its input."""
    return [(node.shape(), node.dtype())]


@shape_rule("GroupQueryAttention")
def group_query(node: Node) -> Result:
    """Inputs q, k, v, past k, past v, lengths, total length; packed where k is left out.

    A constant total length is that of the cache; else it is what was there and what is new, or, where
    both share a buffer, the file's own statement about the output.
    """
    heads, groups = int(node.attrs["num_heads"]), int(node.attrs["kv_num_heads"])
    batch, seq, width = node.shape()
    depth = width // heads if node.has(1) else width // (heads + 2 * groups)
    past = node.shape(3)[2] if node.has(3) else 0
    total = node.constant(6)
    keys = int(total.reshape(-1)[0]) if total is not None else past + seq
    dtype = node.dtype(3) if node.has(3) else node.dtype()
    present = ((batch, groups, max(keys, past), depth), dtype)
    results: Result = [((batch, seq, heads * depth), node.dtype()), present, present]
    return results[: node.outputs]


@shape_rule("MultiHeadAttention", "DecoderMaskedMultiHeadAttention")
def multi_head(node: Node) -> Result:
    """Inputs q, k, v, bias, masks, past k, past v."""
    heads = int(node.attrs["num_heads"])
    q = node.shape()
    if len(q) == 5:
        batch, queries, _, _, depth = q
        keys, value_depth = queries, depth
    else:
        batch, queries, depth = q[0], q[1], q[2] // heads
        key = node.shape(1)
        if len(key) == 5:
            keys, value_depth = key[1], key[4]
        elif len(key) == 4:
            keys, value_depth = key[2], node.shape(2)[3]
        else:
            keys, value_depth = key[1], node.shape(2)[2] // heads
    keys += node.shape(6)[2] if node.has(6) else 0
    results: Result = [
        ((batch, queries, heads * value_depth), node.dtype()),
        ((batch, heads, keys, depth), node.dtype()),
        ((batch, heads, keys, value_depth), node.dtype()),
    ]
    return results[: node.outputs]


@shape_rule("PackedAttention", "QAttention")
def packed_attention(node: Node) -> Result:
    """com.microsoft Attention: inputs x, weight, bias, mask, past [2, B, heads, P, D]."""
    heads = int(node.attrs["num_heads"])
    batch, seq = node.shape()[:2]
    widths = node.attrs.get("qkv_hidden_sizes") or (node.shape(1)[-1] // 3,) * 3
    place = 8 if node.kind == "QAttention" else 4
    past = node.shape(place)[3] if node.has(place) else 0
    dtype = node.dtype(3) if node.kind == "QAttention" else node.dtype()
    present = ((2, batch, heads, past + seq, widths[0] // heads), dtype)
    results: Result = [((batch, seq, widths[2]), dtype), present]
    return results[: node.outputs]


@shape_rule("NhwcConv", "NhwcFusedConv", "FusedConv")
def conv(node: Node) -> Result:
    """Weight [O, C / groups, R, S]; the image with channels last, or first for FusedConv."""
    x, w = node.shape(0), node.shape(1)
    last = node.kind != "FusedConv"
    image = x[1:-1] if last else x[2:]
    dims = len(image)
    if node.attrs.get("auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
        raise Unknown
    strides = node.attrs.get("strides") or (1,) * dims
    dilations = node.attrs.get("dilations") or (1,) * dims
    pads = node.attrs.get("pads") or (0,) * (2 * dims)
    sizes = tuple(
        (image[i] + pads[i] + pads[i + dims] - dilations[i] * (w[2 + i] - 1) - 1) // strides[i] + 1
        for i in range(dims)
    )
    return [((x[0], *sizes, w[0]) if last else (x[0], w[0], *sizes), node.dtype())]
