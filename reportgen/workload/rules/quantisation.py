"""Quantised operations.  An integer MAC is a MAC; the table by precision tells it from a float one.

Quantising an element is a product, a rounding addition and two comparisons; the way back takes off the
zero point (integer) and multiplies.
"""

from __future__ import annotations

from math import prod

from reportgen.workload.graph import Op
from reportgen.workload.rules.convolution import taps
from reportgen.workload.rules.registry import rule
from reportgen.workload.work import Work

QUANTISE = Work(flop=2, comparison=2)
DEQUANTISE = Work(integer=1, flop=1)


@rule("QuantizeLinear")
def quantize(op: Op) -> Work:
    """Every output element."""
    return QUANTISE * op.outs[0].size


@rule("DequantizeLinear")
def dequantize(op: Op) -> Work:
    """Every output element."""
    return DEQUANTISE * op.outs[0].size


@rule("DynamicQuantizeLinear")
def dynamic_quantize(op: Op) -> Work:
    """Least and largest element are looked for first."""
    return (QUANTISE + Work(comparison=2)) * op.outs[0].size


@rule("QLinearMatMul")
def qlinear_matmul(op: Op) -> Work:
    """Inputs a, scale, zero, b, ...: integer products, the result quantised again."""
    size = op.outs[0].size
    return Work(mac=size * op.input(0).shape[-1]) + QUANTISE * size


@rule("QGemm")
def qgemm(op: Op) -> Work:
    """Inputs a, scale, zero, b, scale, zero, bias: as QLinearMatMul, transposable, with a bias."""
    size, shape = op.outs[0].size, op.input(0).shape
    k = shape[0] if op.attrs.get("transA", 0) else shape[-1]
    return Work(mac=size * k, integer=size if op.has_input(6) else 0) + QUANTISE * size


@rule("QLinearConv")
def qlinear_conv(op: Op) -> Work:
    """Inputs x, scale, zero, w, scale, zero, scale, zero, bias."""
    size = op.outs[0].size
    bias = size if op.has_input(8) else 0
    return Work(mac=size * taps(op, 3), integer=bias) + QUANTISE * size


@rule("MatMulInteger")
def matmul_integer(op: Op) -> Work:
    """Inputs a, b, zero points: these are taken off an element at a time."""
    zeros = sum(op.input(place).size for place in (0, 1) if op.has_input(place + 2))
    return Work(mac=op.outs[0].size * op.input(0).shape[-1], integer=zeros)


@rule("MatMulIntegerToFloat", "DynamicQuantizeMatMul")
def matmul_integer_to_float(op: Op) -> Work:
    """An integer product whose result is scaled; the second kind quantises its left operand first."""
    size = op.outs[0].size
    own = (QUANTISE + Work(comparison=2)) * op.input(0).size if op.kind == "DynamicQuantizeMatMul" else Work()
    return Work(mac=size * op.input(0).shape[-1], flop=size) + own


@rule("MatMulNBits", "MatMulBnb4")
def matmul_nbits(op: Op) -> Work:
    """Attributes K, N: x [.., K] times a weight [N, K] that is packed in blocks and unpacked once."""
    k, n = int(op.attrs["K"]), int(op.attrs["N"])
    rows = prod(op.input(0).shape[:-1])
    bias = rows * n if op.has_input(5) else 0
    return Work(mac=rows * k * n, flop=bias) + DEQUANTISE * (k * n)


@rule("QLinearAdd", "QLinearMul")
def qlinear_arithmetic(op: Op) -> Work:
    """Both operands made float, one operation, quantised again."""
    return (DEQUANTISE * 2 + Work(flop=1) + QUANTISE) * op.outs[0].size


@rule("QLinearSigmoid", "QLinearLeakyRelu")
def qlinear_lookup(op: Op) -> Work:
    """A table of 256 entries: one integer operation an element."""
    return Work(integer=op.outs[0].size)


@rule("QLinearAveragePool")
def qlinear_average_pool(op: Op) -> Work:
    """Integer additions over the window, quantised again."""
    size = op.outs[0].size
    return Work(integer=size * prod(op.attrs["kernel_shape"])) + QUANTISE * size
