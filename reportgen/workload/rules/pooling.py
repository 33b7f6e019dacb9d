"""Pooling and interpolation: k additions or comparisons an output, k the taps of the window."""

from __future__ import annotations

from math import prod

from reportgen.workload.graph import Op
from reportgen.workload.rules.registry import no_work, rule
from reportgen.workload.work import Work


def window(op: Op) -> int:
    """Taps of the pooling window."""
    return prod(op.attrs["kernel_shape"])


@rule("MaxPool")
def max_pool(op: Op) -> Work:
    """The maximum is found by comparing: no FLOP."""
    return Work(comparison=op.outs[0].size * window(op))


@rule("AveragePool")
def average_pool(op: Op) -> Work:
    """Of each window k - 1 additions and a division."""
    return Work(flop=op.outs[0].size * window(op))


@rule("LpPool")
def lp_pool(op: Op) -> Work:
    """Powers, their sum, and a root."""
    size = op.outs[0].size
    return Work(flop=size * window(op), transcendental=size * (window(op) + 1))


@rule("GlobalAveragePool", "QLinearGlobalAveragePool")
def global_average_pool(op: Op) -> Work:
    """One addition an input element, the division in place of the last."""
    return Work(flop=op.input(0).size)


@rule("GlobalMaxPool")
def global_max_pool(op: Op) -> Work:
    """One comparison an input element."""
    return Work(comparison=op.input(0).size)


@rule("GlobalLpPool")
def global_lp_pool(op: Op) -> Work:
    """A power and an addition an input element, a root an output."""
    return Work(flop=op.input(0).size, transcendental=op.input(0).size + op.outs[0].size)


@rule("AdaptivePool")
def adaptive_pool(op: Op) -> Work:
    """Windows that cover the input once: `comparison` where attribute `mode` is max."""
    size = op.input(0).size
    return Work(comparison=size) if op.attrs.get("mode") == "max" else Work(flop=size)


@rule("Resize", "Upsample")
def resize(op: Op) -> Work:
    """Interpolation over the d dimensions that change.

    FLOP an output: nearest 0, linear 3 x 2^d - 1 (11 for bilinear), cubic 3 x 4^d - 1: products with the
    taps, their sum, and the products that make the weights.
    """
    mode = op.attrs.get("mode", "nearest")
    if mode == "nearest":
        return Work()
    before, after = op.input(0).shape, op.outs[0].shape
    changed = sum(a != b for a, b in zip(before, after, strict=True))
    each = (4 if mode == "cubic" else 2) ** changed
    return Work(flop=op.outs[0].size * (3 * each - 1) if changed else 0)


@rule("LinearInterpolation")
def linear_interpolation(op: Op) -> Work:
    """Between two points of a table: as a linear resize in one dimension, 5 FLOP an output."""
    return Work(flop=5 * op.outs[0].size)


@rule("GridSample")
def grid_sample(op: Op) -> Work:
    """Sampling at given places: as an interpolation over all spatial dimensions."""
    mode = op.attrs.get("mode", "linear")
    if mode == "nearest":
        return Work()
    each = (4 if mode in ("cubic", "bicubic") else 2) ** max(len(op.outs[0].shape) - 2, 0)
    return Work(flop=op.outs[0].size * (3 * each - 1))


@rule("RoiAlign")
def roi_align(op: Op) -> Work:
    """Bilinear samples, 11 FLOP each; sampling_ratio 0 (adaptive) is taken as 2."""
    ratio = op.attrs.get("sampling_ratio", 0) or 2
    return Work(flop=op.outs[0].size * 11 * ratio * ratio)


@rule("MaxRoiPool")
def max_roi_pool(op: Op) -> Work:
    """At least one comparison an output; the windows depend on the regions."""
    return Work(comparison=op.outs[0].size)


no_work("MaxUnpool")
