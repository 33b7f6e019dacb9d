"""Convolutions: output elements x taps, padded taps included; transposed: input elements x taps.

The weight is [out, in / groups, kernel...], transposed [in, out / groups, kernel...]; so the taps of one
element are the product of all its sizes but the first, whatever groups, strides and dilations are.
"""

from __future__ import annotations

from math import prod

from reportgen.workload.graph import Op
from reportgen.workload.rules.registry import rule
from reportgen.workload.work import Work


def taps(op: Op, weight: int = 1) -> int:
    """Products for one element; attribute `taps` says it where the weight is laid out otherwise."""
    given = op.attrs.get("taps")
    return int(given) if given is not None else prod(op.input(weight).shape[1:])


@rule("Conv", "FusedConv", "NhwcConv", "NhwcFusedConv")
def conv(op: Op) -> Work:
    """Inputs x, w, b.  An activation fused into it is not counted."""
    size = op.outs[0].size
    return Work(mac=size * taps(op), flop=size if op.has_input(2) else 0)


@rule("ConvTranspose")
def conv_transpose(op: Op) -> Work:
    """Inputs x, w, b: every input element is spread over the taps."""
    return Work(mac=op.input(0).size * taps(op), flop=op.outs[0].size if op.has_input(2) else 0)


@rule("ConvInteger")
def conv_integer(op: Op) -> Work:
    """Inputs x, w; zero points are subtracted once an element of either."""
    return Work(mac=op.outs[0].size * taps(op), integer=op.input(0).size + op.input(1).size)


@rule("DeformConv")
def deform_conv(op: Op) -> Work:
    """Inputs x, w, offset, b, mask: a convolution whose taps are sampled bilinearly, 11 FLOP each."""
    size = op.outs[0].size
    kernel = prod(op.input(1).shape[2:])
    batch, channels = op.input(0).shape[:2]
    samples = batch * channels * kernel * prod(op.outs[0].shape[2:])
    masked = samples if op.has_input(4) else 0
    return Work(mac=size * taps(op), flop=11 * samples + masked + (size if op.has_input(3) else 0))


@rule("CausalConvWithState")
def causal_conv(op: Op) -> Work:
    """Depthwise convolution over a sequence, as state space models use it."""
    size = op.outs[0].size
    return Work(mac=size * op.input(1).shape[-1], flop=size if op.has_input(2) else 0)


@rule("Col2Im")
def col2im(op: Op) -> Work:
    """Overlapping blocks are added: one addition an input element."""
    return Work(flop=op.input(0).size)
