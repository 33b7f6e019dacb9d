"""Element by element: a table of what one output element costs.

Add, subtract, multiply, divide are one FLOP each; a named function is the calls it needs and the
arithmetic around them as its definition writes it (sigmoid: one exp, one addition, one division).
In an integer type the arithmetic is integer work; of complex numbers an addition is 2 FLOP, a product 6,
a quotient 11.
"""

from __future__ import annotations

from reportgen.workload.dtypes import is_complex, is_float
from reportgen.workload.graph import Op
from reportgen.workload.rules.registry import rule
from reportgen.workload.work import NOTHING, Work

ARITHMETIC = "Add Sub Mul Div Neg Abs Mod FloorDivide Reciprocal BiasAdd Sign"
COMPLEX = {"Mul": 6, "Div": 11, "Reciprocal": 9, "Abs": 3}
"""FLOP of one complex element; 2 for every other kind.  Abs has a root beside them."""

COMPARED = "Equal NotEqual Greater GreaterOrEqual Less LessOrEqual IsInf IsNaN IsFinite Relu Max Min Where"
LOGICAL = "And Or Xor Not BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitShift"
ROUNDING = "Floor Ceil Round Trunc"
CALLS = (
    "Exp Exp2 Expm1 Log Log1p Log2 Log10 Sqrt Rsqrt Cbrt Erf Erfc Sin Cos Tan Asin Acos Atan Atan2 Sinh Cosh "
    "Tanh Asinh Acosh Atanh Hypot LogAddExp Gammaln Digamma"
)

FUNCTIONS = {
    "Sigmoid": Work(transcendental=1, flop=2),
    "LogSigmoid": Work(transcendental=2, flop=1),
    "Swish": Work(transcendental=1, flop=3),
    "QuickGelu": Work(transcendental=1, flop=4),
    "FastGelu": Work(transcendental=1, flop=8),
    "Softplus": Work(transcendental=2, flop=1),
    "Softsign": Work(flop=3),
    "Mish": Work(transcendental=3, flop=2),
    "Elu": Work(transcendental=1, flop=2, comparison=1),
    "Celu": Work(transcendental=1, flop=3, comparison=1),
    "Selu": Work(transcendental=1, flop=3, comparison=1),
    "LeakyRelu": Work(flop=1, comparison=1),
    "PRelu": Work(flop=1, comparison=1),
    "ThresholdedRelu": Work(comparison=1),
    "HardSigmoid": Work(flop=2, comparison=2),
    "HardSwish": Work(flop=3, comparison=2),
    "HardTanh": Work(comparison=2),
    "Shrink": Work(flop=1, comparison=2),
    "SwiGLU": Work(transcendental=1, flop=4),
    "Clamp": Work(comparison=2),
}

GELU = {"none": Work(transcendental=1, flop=4), "tanh": FUNCTIONS["FastGelu"]}
"""x/2 (1 + erf(x / sqrt 2)), or its approximation by tanh and a cubic."""


@rule(*ARITHMETIC.split())
def arithmetic(op: Op) -> Work:
    """One operation an element, in the column of the type."""
    out = op.outs[0]
    dtype = out.dtype
    size = out.size
    if is_float(dtype):
        if is_complex(dtype) or (op.kind == "Abs" and is_complex(op.input(0).dtype)):
            root = size if op.kind == "Abs" else 0
            return Work(flop=size * COMPLEX.get(op.kind, 2), transcendental=root)
        return Work(flop=size)
    return Work(integer=size)


@rule("Fma")
def fused_multiply_add(op: Op) -> Work:
    """One MAC an element: a x b + c."""
    return Work(mac=op.outs[0].size)


@rule("Sum", "Mean")
def sum_of_operands(op: Op) -> Work:
    """Several tensors added, for a mean also divided."""
    count = len(op.given) - (op.kind == "Sum")
    return _typed(op, op.outs[0].size * max(count, 0))


@rule(*COMPARED.split())
def compared(op: Op) -> Work:
    """One comparison; max and min of several tensors one less than there are."""
    pairs = max(len(op.given) - 1, 1) if op.kind in ("Max", "Min") else 1
    return Work(comparison=op.outs[0].size * pairs)


@rule("Clip")
def clip(op: Op) -> Work:
    """One comparison for each bound."""
    bounds = sum(op.has_input(place) for place in (1, 2)) or int(op.attrs.get("bounds", 2))
    return Work(comparison=op.outs[0].size * bounds)


@rule(*LOGICAL.split())
def logical(op: Op) -> Work:
    """One integer operation."""
    return Work(integer=op.outs[0].size)


@rule(*ROUNDING.split())
def rounding(op: Op) -> Work:
    """One operation in the column of the type."""
    return _typed(op, op.outs[0].size)


@rule(*CALLS.split())
def call(op: Op) -> Work:
    """One call of a function."""
    return Work(transcendental=op.outs[0].size)


@rule("Pow")
def power(op: Op) -> Work:
    """One call; a constant exponent (attribute `exponent`) of 2 or 3 is products, of 1/2 a root."""
    size = op.outs[0].size
    exponent = op.attrs.get("exponent")
    if exponent in (2, 3):
        return _typed(op, size * (int(exponent) - 1))
    if exponent in (0, 1):
        return NOTHING
    return Work(transcendental=size)


@rule(*FUNCTIONS)
def function(op: Op) -> Work:
    """The table's row, for each output element."""
    return FUNCTIONS[op.kind] * op.outs[0].size


@rule("Gelu")
def gelu(op: Op) -> Work:
    """Exact, or with attribute `approximate` = tanh."""
    return GELU.get(op.attrs.get("approximate", "none"), GELU["none"]) * op.outs[0].size


@rule("BiasGelu")
def bias_gelu(op: Op) -> Work:
    """The bias is added, then gelu."""
    return (GELU["none"] + Work(flop=1)) * op.outs[0].size


@rule("BiasSplitGelu")
def bias_split_gelu(op: Op) -> Work:
    """The bias is added; of the halves a and c: a gelu(c)."""
    return (GELU["none"] + Work(flop=3)) * op.outs[0].size


@rule("RotaryEmbedding")
def rotary_embedding(op: Op) -> Work:
    """Pairs of elements are rotated: two products and an addition an element."""
    share = op.attrs.get("rotary_share", 1.0)
    return Work(flop=round(3 * op.outs[0].size * share))


def _typed(op: Op, count: int) -> Work:
    if is_float(op.outs[0].dtype):
        return Work(flop=count * (2 if is_complex(op.outs[0].dtype) else 1))
    return Work(integer=count)
