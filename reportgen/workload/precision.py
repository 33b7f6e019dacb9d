"""In which type an operation computes, and in which type its operands lie in memory.

A quantised graph says float at the product, between DequantizeLinear and QuantizeLinear; the int8 kernel
runs all the same.  So an operand is followed through DequantizeLinear to what it was made from.
"""

from __future__ import annotations

from reportgen.workload.dtypes import BITS, is_float
from reportgen.workload.graph import Graph, Op, Tensor

OPERANDS = {"QLinearConv": (0, 3), "QLinearMatMul": (0, 3), "QGemm": (0, 3), "Gather": (0,), "MoE": (0,)}
"""Places of the two factors where they are not the first two inputs."""

ONE_OPERAND = frozenset({"MatMulNBits", "MatMulBnb4", "QMoE", "DynamicQuantizeMatMul"})
"""Weights are unpacked to the type of the first operand (or it is quantised to theirs)."""


def stored(tensor: Tensor, graph: Graph) -> Tensor:
    """What lies in memory: the quantised tensor, if `tensor` was made from one by DequantizeLinear."""
    op = graph.producer.get(tensor)
    if op is None:
        return tensor
    if op.kind == "DequantizeLinear" and op.ins and op.ins[0] is not None:
        return op.ins[0]
    return tensor


def precision(op: Op, graph: Graph) -> str:
    """The type of the arithmetic, signed and unsigned integers alike: "float16", "int8"."""
    if op.kind == "DynamicQuantizeMatMul":
        return "int8"
    places = (0,) if op.kind in ONE_OPERAND else OPERANDS.get(op.kind, (0, 1))
    given = [tensor for place in places if place < len(op.ins) and (tensor := op.ins[place]) is not None]
    if not given:
        return op.outs[0].dtype
    sources = [stored(tensor, graph).dtype for tensor in given]
    if not any(is_float(dtype) for dtype in sources):
        widest = max(sources, key=lambda dtype: BITS.get(dtype, 0))
        return widest.removeprefix("u") if op.kind != "QuantizeLinear" else op.outs[0].dtype
    floats = [tensor.dtype for tensor in given if is_float(tensor.dtype)]
    return max(floats, key=lambda dtype: BITS.get(dtype, 0))
