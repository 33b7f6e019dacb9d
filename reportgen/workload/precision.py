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
    return graph.dequantised.get(tensor, tensor)


def precision(op: Op, graph: Graph) -> str:
    """The type of the arithmetic, signed and unsigned integers alike: "float16", "int8"."""
    kind = op.kind
    if kind == "DynamicQuantizeMatMul":
        return "int8"
    places = (0,) if kind in ONE_OPERAND else OPERANDS.get(kind, (0, 1))
    widest, floats = "", ""
    for place in places:
        tensor = op.ins[place] if place < len(op.ins) else None
        if tensor is None:
            continue
        lying = stored(tensor, graph).dtype
        if is_float(lying):
            floats = _wider(floats, tensor.dtype)
        else:
            widest = _wider(widest, lying)
    if floats and widest:  # one operand is quantised alone: it is unpacked to the type of the other
        return floats
    if kind == "QuantizeLinear" or not (floats or widest):
        return op.outs[0].dtype
    return floats or widest.removeprefix("u")


def _wider(first: str, second: str) -> str:
    return first if BITS.get(first, 0) >= BITS.get(second, 0) else second
