"""Softmax and the norms.

Softmax, an element: compare for the maximum, subtract it, exp, add up, divide.  Layer norm, an element:
add up, centre, square, add up, scale; gamma and beta one each; a row: divide, add epsilon, divide, root.
"""

from __future__ import annotations

from math import prod

from reportgen.workload.graph import Op
from reportgen.workload.rules.registry import rule
from reportgen.workload.work import Work

SOFTMAX = Work(flop=3, transcendental=1, comparison=1)
"""Of one element."""

CENTRED = 5
"""FLOP an element of a norm with a mean, before gamma and beta."""

ROOT_MEAN_SQUARE = 3
"""FLOP an element without: square, add up, scale."""


@rule("Softmax", "QLinearSoftmax")
def softmax(op: Op) -> Work:
    """Of every element of the output."""
    return SOFTMAX * op.outs[0].size


@rule("LogSoftmax")
def log_softmax(op: Op) -> Work:
    """As softmax; instead of the division a logarithm a row and a subtraction an element."""
    shape = op.outs[0].shape
    row = shape[op.attrs.get("axis", -1)] if shape else 1
    return SOFTMAX * op.outs[0].size + Work(transcendental=op.outs[0].size // max(row, 1))


@rule("Hardmax")
def hardmax(op: Op) -> Work:
    """A comparison an element."""
    return Work(comparison=op.outs[0].size)


def norm(size: int, rows: int, each: int, affine: int) -> Work:
    """`size` elements in `rows` groups of one mean each; `affine` counts gamma and beta."""
    return Work(flop=size * (each + affine) + 3 * rows, transcendental=rows)


@rule("LayerNormalization")
def layer_norm(op: Op) -> Work:
    """Inputs x, gamma, beta; normalised from attribute `axis` on."""
    shape = op.input(0).shape
    axis = op.attrs.get("axis", -1)
    rows = prod(shape[: axis if axis >= 0 else len(shape) + axis])
    return norm(op.input(0).size, rows, CENTRED, op.has_input(1) + op.has_input(2))


@rule("RMSNormalization", "SimplifiedLayerNormalization")
def rms_norm(op: Op) -> Work:
    """Inputs x, gamma: no mean is taken off."""
    shape = op.input(0).shape
    axis = op.attrs.get("axis", -1)
    rows = prod(shape[: axis if axis >= 0 else len(shape) + axis])
    return norm(op.input(0).size, rows, ROOT_MEAN_SQUARE, int(op.has_input(1)))


@rule("SkipLayerNormalization")
def skip_layer_norm(op: Op) -> Work:
    """Inputs x, skip, gamma, beta, bias: x + skip (+ bias), then layer norm."""
    x = op.input(0)
    added = 1 + op.has_input(4)
    return norm(x.size, x.size // max(x.shape[-1], 1), CENTRED + added, op.has_input(2) + op.has_input(3))


@rule("SkipSimplifiedLayerNormalization")
def skip_rms_norm(op: Op) -> Work:
    """Inputs x, skip, gamma, bias: x + skip (+ bias), then the norm without mean."""
    x = op.input(0)
    added = 1 + op.has_input(3)
    return norm(x.size, x.size // max(x.shape[-1], 1), ROOT_MEAN_SQUARE + added, int(op.has_input(2)))


@rule("BatchNormalization")
def batch_norm(op: Op) -> Work:
    """At inference mean, variance, gamma and beta are one factor and one addend a channel."""
    return Work(flop=2 * op.outs[0].size)


@rule("InstanceNormalization", "GroupNormalization", "GroupNorm")
def group_norm(op: Op) -> Work:
    """A mean for each image and group (each channel, for instance norm)."""
    x = op.input(0)
    groups = op.attrs.get("num_groups", op.attrs.get("groups", x.shape[1]))
    swish = Work(transcendental=1, flop=3) * x.size if op.attrs.get("activation") else Work()
    return norm(x.size, x.shape[0] * groups, CENTRED, 2) + swish


@rule("MeanVarianceNormalization")
def mean_variance(op: Op) -> Work:
    """Mean and deviation over the given axes (N, H, W unless said)."""
    shape = op.input(0).shape
    axes = op.attrs.get("axes", (0, 2, 3))
    rows = op.input(0).size // max(prod(shape[axis] for axis in axes), 1)
    return norm(op.input(0).size, rows, CENTRED, 0)


@rule("LpNormalization")
def lp_norm(op: Op) -> Work:
    """Square, add up, divide; a root a row."""
    shape = op.input(0).shape
    row = shape[op.attrs.get("axis", -1)] if shape else 1
    return Work(flop=3 * op.input(0).size, transcendental=op.input(0).size // max(row, 1))


@rule("LRN")
def local_response(op: Op) -> Work:
    """Squares over `size` channels added up, one power, one division."""
    size = op.outs[0].size
    return Work(flop=size * (op.attrs.get("size", 5) + 3), transcendental=size)
