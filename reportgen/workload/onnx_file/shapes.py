"""Shapes of the nodes that most files are made of.

Every other standard operator is asked of `onnx.shape_inference`, which knows them all and takes longer
(`onnx_file.inference`); operators of runtimes are in `onnx_file.contrib_shapes`.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

from reportgen.workload.graph import Shape
from reportgen.workload.onnx_file.node import Node, Result, Unknown, shape_rule
from reportgen.workload.onnx_file.values import slice_arguments

SAME = (
    "Relu Sigmoid Tanh Erf Exp Log Sqrt Neg Abs Reciprocal Floor Ceil Round Sign Sin Cos Tan Softmax "
    "LogSoftmax Hardmax Clip Identity Gelu HardSigmoid HardSwish LeakyRelu Elu Selu Celu Softplus Softsign "
    "Mish Swish Not ThresholdedRelu LRN InstanceNormalization GroupNormalization LpNormalization "
    "MeanVarianceNormalization CumSum CumProd Trilu BitwiseNot Shrink RMSNormalization DequantizeLinear"
).split()
"""One output, of the shape of the first input."""

BROADCAST = (
    "Add Sub Mul Div Pow Mod Max Min Sum Mean And Or Xor BitwiseAnd BitwiseOr BitwiseXor PRelu BitShift"
)
COMPARED = "Equal Greater GreaterOrEqual Less LessOrEqual"


def broadcast(*shapes: Shape) -> Shape:
    """The common shape, aligned at the end; raises `Unknown` where there is none."""
    if shapes.count(shapes[0]) == len(shapes):
        return shapes[0]
    rank = max(len(shape) for shape in shapes)
    result = []
    for axis in range(-rank, 0):
        sizes = {shape[axis] for shape in shapes if len(shape) >= -axis} - {1}
        if len(sizes) > 1:
            raise Unknown
        result.append(sizes.pop() if sizes else 1)
    return tuple(result)


@shape_rule(*SAME)
def same(node: Node) -> Result:
    """A dequantised tensor has the type of its scale."""
    dtype = node.dtype(1) if node.kind == "DequantizeLinear" else node.dtype()
    return [(node.shape(), dtype)]


@shape_rule("QuantizeLinear")
def quantised(node: Node) -> Result:
    """In the type of the zero point."""
    from reportgen.workload.onnx_file.attributes import DTYPES

    given = DTYPES.get(node.attrs.get("output_dtype", 0), "uint8")
    return [(node.shape(), node.dtype(2) if node.has(2) else given)]


@shape_rule("Dropout", "BatchNormalization", "LayerNormalization")
def first_as_input(node: Node) -> Result:
    """Further outputs (masks, statistics) are as large as their names say; few files ask for them."""
    found: Result = [(node.shape(), node.dtype())]
    if node.outputs > 1:
        if node.kind == "LayerNormalization":
            axis = node.attrs.get("axis", -1) % len(node.shape())
            row = (*node.shape()[:axis], *(1 for _ in node.shape()[axis:]))
            found += [(row, node.dtype())] * (node.outputs - 1)
        else:
            found += [(node.shape(), "bool")] * (node.outputs - 1)
    return found


@shape_rule(*BROADCAST.split())
def broadcasting(node: Node) -> Result:
    """All operands."""
    return [(broadcast(*(node.shape(place) for place in range(len(node.ins)))), node.dtype())]


@shape_rule(*COMPARED.split())
def compared(node: Node) -> Result:
    """Truth values."""
    return [(broadcast(node.shape(0), node.shape(1)), "bool")]


@shape_rule("IsNaN", "IsInf")
def tested(node: Node) -> Result:
    """Truth values."""
    return [(node.shape(), "bool")]


@shape_rule("Where")
def where(node: Node) -> Result:
    """In the type of the values."""
    return [(broadcast(node.shape(0), node.shape(1), node.shape(2)), node.dtype(1))]


@shape_rule("Cast")
def cast(node: Node) -> Result:
    """In the type asked for."""
    from reportgen.workload.onnx_file.attributes import DTYPES

    return [(node.shape(), DTYPES.get(node.attrs["to"], "float32"))]


@shape_rule("CastLike")
def cast_like(node: Node) -> Result:
    """In the type of the second input."""
    return [(node.shape(), node.dtype(1))]


@lru_cache(maxsize=1 << 12)
def product(a: Shape, b: Shape) -> Shape:
    """Of matrices, stacks of them, or vectors."""
    if not a or not b:
        raise Unknown
    left, right = (a if len(a) > 1 else (1, *a)), (b if len(b) > 1 else (*b, 1))
    if left[-1] != right[-2]:
        raise Unknown
    stack = broadcast(left[:-2], right[:-2])
    rows = (left[-2],) if len(a) > 1 else ()
    return (*stack, *rows, *((right[-1],) if len(b) > 1 else ()))


@shape_rule("MatMul")
def matmul(node: Node) -> Result:
    """As numpy has it."""
    return [(product(node.shape(0), node.shape(1)), node.dtype())]


@shape_rule("Gemm")
def gemm(node: Node) -> Result:
    """Two matrices, each perhaps transposed."""
    a, b = node.shape(0), node.shape(1)
    rows = a[1] if node.attrs.get("transA", 0) else a[0]
    return [((rows, b[0] if node.attrs.get("transB", 0) else b[1]), node.dtype())]


@shape_rule("Reshape")
def reshape(node: Node) -> Result:
    """0 copies a size, -1 is what remains."""
    before, target = node.shape(), list(node.ints(1, "shape"))
    if not node.attrs.get("allowzero", 0):
        target = [before[axis] if size == 0 else size for axis, size in enumerate(target)]
    if -1 in target:
        rest = prod(size for size in target if size != -1)
        target[target.index(-1)] = prod(before) // rest if rest else 0
    if prod(target) != prod(before):
        raise Unknown
    return [(tuple(target), node.dtype())]


@shape_rule("Flatten")
def flatten(node: Node) -> Result:
    """Two axes."""
    before, axis = node.shape(), node.attrs.get("axis", 1)
    axis = axis if axis >= 0 else axis + len(before)
    return [((prod(before[:axis]), prod(before[axis:])), node.dtype())]


@shape_rule("Transpose")
def transpose(node: Node) -> Result:
    """Reversed, unless `perm` says otherwise."""
    before = node.shape()
    order = node.attrs.get("perm") or tuple(reversed(range(len(before))))
    return [(tuple(before[axis] for axis in order), node.dtype())]


@shape_rule("Squeeze")
def squeeze(node: Node) -> Result:
    """Axes of size one dropped."""
    before = node.shape()
    if "axes" in node.attrs or node.has(1):
        dropped = {axis % len(before) for axis in node.ints(1, "axes")}
    else:
        dropped = {axis for axis, size in enumerate(before) if size == 1}
    return [(tuple(size for axis, size in enumerate(before) if axis not in dropped), node.dtype())]


@shape_rule("Unsqueeze")
def unsqueeze(node: Node) -> Result:
    """Axes of size one put in."""
    sizes = list(node.shape())
    axes = node.ints(1, "axes")
    rank = len(sizes) + len(axes)
    for axis in sorted(axis % rank for axis in axes):
        sizes.insert(axis, 1)
    return [(tuple(sizes), node.dtype())]


@shape_rule("Concat")
def concat(node: Node) -> Result:
    """Sizes along the axis added up."""
    shapes = [node.shape(place) for place in range(len(node.ins))]
    axis = node.attrs["axis"] % len(shapes[0])
    size = sum(shape[axis] for shape in shapes)
    return [((*shapes[0][:axis], size, *shapes[0][axis + 1 :]), node.dtype())]


@shape_rule("Split")
def split(node: Node) -> Result:
    """Into the sizes given, or into equal ones, the last one smaller."""
    before = node.shape()
    axis = node.attrs.get("axis", 0) % len(before)
    if "split" in node.attrs or node.has(1):
        sizes = list(node.ints(1, "split"))
    else:
        each = -(-before[axis] // node.outputs)
        sizes = [min(each, before[axis] - each * place) for place in range(node.outputs)]
    return [((*before[:axis], size, *before[axis + 1 :]), node.dtype()) for size in sizes]


@shape_rule("Slice")
def slice_(node: Node) -> Result:
    """From start to end by step, clamped."""
    sizes = list(node.shape())
    try:
        given = [None, *(node.constant(place) for place in range(1, 5))]
        if node.has(3) and given[3] is None:
            raise Unknown
        bounds = slice_arguments(given, node.attrs, len(sizes))
    except ValueError:
        raise Unknown from None
    for start, end, axis, step in zip(*bounds, strict=True):
        sizes[axis] = len(range(*slice(start, end, step).indices(sizes[axis])))
    return [(tuple(sizes), node.dtype())]


@shape_rule("Gather")
def gather(node: Node) -> Result:
    """The axis replaced by the shape of the indices."""
    before = node.shape()
    axis = node.attrs.get("axis", 0) % len(before)
    return [((*before[:axis], *node.shape(1), *before[axis + 1 :]), node.dtype())]


@shape_rule("GatherElements", "ScatterElements", "ScatterND", "Scatter")
def gather_elements(node: Node) -> Result:
    """A gather is as large as its indices, a scatter as its data."""
    return [(node.shape(1 if node.kind == "GatherElements" else 0), node.dtype())]


@shape_rule("Expand")
def expand(node: Node) -> Result:
    """Broadcast to the shape given."""
    return [(broadcast(node.shape(), node.ints(1)), node.dtype())]


@shape_rule("Tile")
def tile(node: Node) -> Result:
    """Each axis repeated."""
    return [(tuple(a * b for a, b in zip(node.shape(), node.ints(1), strict=True)), node.dtype())]


@shape_rule("Shape")
def shape(node: Node) -> Result:
    """One number an axis."""
    rank = len(node.shape())
    axes = range(rank)[node.attrs.get("start", 0) : node.attrs.get("end", rank)]
    return [((len(axes),), "int64")]


@shape_rule("Size")
def size_(node: Node) -> Result:
    """One number."""
    return [((), "int64")]


@shape_rule("ConstantOfShape")
def constant_of_shape(node: Node) -> Result:
    """As its input says."""
    value = node.attrs.get("value")
    return [(node.ints(0), str(value.dtype) if value is not None else "float32")]


@shape_rule("Range")
def range_(node: Node) -> Result:
    """From start to limit by delta."""
    start, limit, delta = (node.constant(place) for place in range(3))
    if start is None or limit is None or delta is None:
        raise Unknown
    count = -(-(limit.item() - start.item()) // delta.item())
    return [((max(int(count), 0),), node.dtype())]


REDUCTIONS = "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare"


@shape_rule(*REDUCTIONS.split(), "ReduceLogSum", "ReduceLogSumExp")
def reduce(node: Node) -> Result:
    """Axes from an attribute or an input; none means all of them."""
    before, keep = node.shape(), node.attrs.get("keepdims", 1)
    if "axes" in node.attrs or node.has(1):
        axes = {axis % len(before) for axis in node.ints(1, "axes")}
        if not axes and node.attrs.get("noop_with_empty_axes", 0):
            return [(before, node.dtype())]
        axes = axes or set(range(len(before)))
    else:
        axes = set(range(len(before))) if not node.attrs.get("noop_with_empty_axes", 0) else set()
    kept = [(1 if axis in axes else size) for axis, size in enumerate(before) if keep or axis not in axes]
    return [(tuple(kept), node.dtype())]


@shape_rule("ArgMax", "ArgMin")
def arg_reduce(node: Node) -> Result:
    """Positions along one axis."""
    before = node.shape()
    axis = node.attrs.get("axis", 0) % len(before)
    middle = (1,) if node.attrs.get("keepdims", 1) else ()
    return [((*before[:axis], *middle, *before[axis + 1 :]), "int64")]


@shape_rule("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(node: Node) -> Result:
    """One value a channel."""
    before = node.shape()
    return [((*before[:2], *(1 for _ in before[2:])), node.dtype())]


@shape_rule("RotaryEmbedding")
def rotary(node: Node) -> Result:
    """As its input."""
    return [(node.shape(), node.dtype())]
