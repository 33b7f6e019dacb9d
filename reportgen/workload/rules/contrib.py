"""Operators that runtimes add to ONNX (com.microsoft) and that no other family holds.

Language-model files are full of them.  The rest stand with their families: norms, attention,
quantisation, `pointwise` for the activations.
"""

from __future__ import annotations

from math import prod

from reportgen.workload.graph import Op
from reportgen.workload.rules.linear_algebra import macs
from reportgen.workload.rules.pointwise import FUNCTIONS
from reportgen.workload.rules.quantisation import DEQUANTISE
from reportgen.workload.rules.registry import no_work, rule
from reportgen.workload.work import Work


@rule("FusedMatMul", "TransposeMatMul", "FusedMatMulActivation")
def fused_matmul(op: Op) -> Work:
    """A product whose operands may be transposed and whose result is scaled by alpha."""
    shape, size = op.input(0).shape, op.outs[0].size
    k = shape[-2] if op.attrs.get("transA", 0) and len(shape) > 1 else shape[-1]
    return Work(mac=macs(op, size * k), flop=size if op.attrs.get("alpha", 1.0) != 1.0 else 0)


@rule("FusedGemm", "GemmFastGelu")
def fused_gemm(op: Op) -> Work:
    """A product with bias; the activation named in the attributes is not counted but for FastGelu's."""
    shape, size = op.input(0).shape, op.outs[0].size
    k = shape[0] if op.attrs.get("transA", 0) else shape[-1]
    own = FUNCTIONS["FastGelu"] * size if op.kind == "GemmFastGelu" else Work()
    return Work(mac=macs(op, size * k), flop=size if op.has_input(2) else 0) + own


MIXTURES = frozenset({"MoE", "QMoE"})


def experts(op: Op) -> tuple[int, int, int]:
    """(number of experts, elements of one expert's weights, experts a token is sent to)."""
    quantised = op.kind == "QMoE"
    places = (2, 5, 8) if quantised else (2, 4, 6)
    packed = 8 // int(op.attrs.get("expert_weight_bits", 4)) if quantised else 1
    given = [op.input(place) for place in places if op.has_input(place)]
    return given[0].shape[0], sum(prod(one.shape[1:]) for one in given) * packed, int(op.attrs.get("k", 1))


@rule(*MIXTURES)
def mixture(op: Op) -> Work:
    """Each token through its k experts, softmax over the router's scores and their weighted sum.

    Inputs x, router scores, then the experts' weights [E, out, in].
    """
    x = op.input(0)
    number, elements, k = experts(op)
    tokens = x.size // max(x.shape[-1], 1)
    gate = Work(flop=3, transcendental=1, comparison=1) * (tokens * number)
    unpacked = (
        DEQUANTISE * round(expected_experts(number, k, tokens) * elements) if op.kind == "QMoE" else Work()
    )
    return Work(mac=tokens * k * elements, flop=tokens * k * x.shape[-1]) + gate + unpacked


def expected_experts(number: int, k: int, tokens: int) -> float:
    """Different experts that `tokens` tokens hit on average, if all are equally likely.

    E (1 - (1 - k/E)^T): an expert is missed by one token with probability 1 - k/E.
    """
    return number * (1.0 - (1.0 - k / number) ** tokens) if number else 0.0


@rule("RelativePositionBias", "GatedRelativePositionBias")
def relative_position_bias(op: Op) -> Work:
    """A lookup with a bucket computed for each pair: a logarithm and a few comparisons."""
    return Work(transcendental=op.outs[0].size, comparison=2 * op.outs[0].size)


@rule("SparseAttention")
def sparse_attention(op: Op) -> Work:
    """Which blocks are kept is data."""
    from reportgen.workload.rules.registry import Uncountable

    raise Uncountable("its blocks are data")


no_work("RemovePadding", "RestorePadding", "ExpandDims", "UnfoldTensor", "Trilu")
