"""Fourier transforms: 5 n log2 n FLOP for a complex one of length n, half of it for real data.

The usual convention of FFT benchmarks (FFTW's), for any n: no butterfly of a real implementation is
counted.
"""

from __future__ import annotations

from math import log2, prod

from reportgen.workload.graph import Op
from reportgen.workload.rules.registry import rule
from reportgen.workload.work import Work


def transform(points: int, transforms: int, *, real: bool) -> Work:
    """`transforms` transforms of `points` points."""
    if points < 2:
        return Work()
    flop = 5 * points * log2(points) * transforms
    return Work(flop=round(flop / 2 if real else flop))


@rule("FFT")
def fft(op: Op) -> Work:
    """Attributes: `lengths` of the transformed axes, `real`: one side is real.

    Over several axes the transform of N = product of the lengths points costs 5 N log2 N as well.
    """
    lengths = tuple(op.attrs["lengths"])
    points = prod(lengths)
    whole = op.attrs.get("transforms", max(op.input(0).size, op.outs[0].size) // max(points, 1))
    return transform(points, int(whole), real=bool(op.attrs.get("real")))


@rule("DFT")
def dft(op: Op) -> Work:
    """ONNX: the last axis holds real and imaginary part (or one of them: real data)."""
    shape = op.input(0).shape
    axis = op.attrs.get("axis", -2)
    length = int(op.attrs.get("length", shape[axis]))
    others = prod(shape[:-1]) // max(shape[axis], 1)
    return transform(length, others, real=shape[-1] == 1)


@rule("STFT")
def stft(op: Op) -> Work:
    """ONNX: output [batch, frames, bins, 2]; each frame windowed, then transformed."""
    batch, frames, bins = op.outs[0].shape[:3]
    length = int(op.attrs.get("length", 2 * (bins - 1) if op.attrs.get("onesided", 1) else bins))
    real = op.input(0).shape[-1] == 1 or len(op.input(0).shape) == 2
    windowed = batch * frames * length if op.has_input(2) else 0
    return transform(length, batch * frames, real=real) + Work(flop=windowed)
