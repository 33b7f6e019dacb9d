"""Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.workload.numpy_functions.registry import traces
from reportgen.workload.tracer import TracedArray, traced

WIDER = {"float32": "complex64", "float16": "complex64", "complex64": "complex64"}
NARROWER = {"complex64": "float32"}


def _complex(a: Any) -> str:
    return WIDER.get(a.tensor.dtype, "complex128")


def transform(
    a: TracedArray, sizes: dict[int, int], *, dtype: str, real: bool, out: dict[int, int]
) -> TracedArray:
    """Record a transform.

    Args:
        a: the data.
        sizes: axis -> length of the transform.
        dtype: of the result.
        real: one side holds real numbers.
        out: axis -> size of the result.
    """
    shape = tuple(out.get(axis, size) for axis, size in enumerate(a.shape))
    others = 1
    for axis, size in enumerate(a.shape):
        others *= 1 if axis in sizes else size
    return traced("FFT", (a,), shape, dtype, lengths=tuple(sizes.values()), transforms=others, real=int(real))


@traces(np.fft.fft, np.fft.ifft)
def fft(a: Any, n: int | None = None, axis: int = -1, norm: Any = None, out: Any = None) -> TracedArray:
    """Complex; real data are made complex first, as numpy does."""
    at = axis % a.ndim
    length = n or a.shape[at]
    return transform(a, {at: length}, dtype=_complex(a), real=False, out={at: length})


@traces(np.fft.rfft, np.fft.ihfft)
def rfft(a: Any, n: int | None = None, axis: int = -1, norm: Any = None, out: Any = None) -> TracedArray:
    """Real data, half the spectrum."""
    at = axis % a.ndim
    length = n or a.shape[at]
    return transform(a, {at: length}, dtype=_complex(a), real=True, out={at: length // 2 + 1})


@traces(np.fft.irfft, np.fft.hfft)
def irfft(a: Any, n: int | None = None, axis: int = -1, norm: Any = None, out: Any = None) -> TracedArray:
    """Half a spectrum, real data."""
    at = axis % a.ndim
    length = n or 2 * (a.shape[at] - 1)
    dtype = NARROWER.get(a.tensor.dtype, "float64")
    return transform(a, {at: length}, dtype=dtype, real=True, out={at: length})


@traces(np.fft.fft2, np.fft.ifft2)
def fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> TracedArray:
    """Over two axes."""
    return _complex_over(a, s, axes)


@traces(np.fft.fftn, np.fft.ifftn)
def fftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> TracedArray:
    """Over several axes."""
    return _complex_over(a, s, axes)


def _complex_over(a: Any, s: Any, axes: Any) -> TracedArray:
    sizes = _sizes(a, s, axes)
    return transform(a, sizes, dtype=_complex(a), real=False, out=sizes)


@traces(np.fft.rfft2)
def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> TracedArray:
    """Real data over two axes."""
    return _real_over(a, s, axes)


@traces(np.fft.rfftn)
def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> TracedArray:
    """Real data; the last axis comes out halved."""
    return _real_over(a, s, axes)


def _real_over(a: Any, s: Any, axes: Any) -> TracedArray:
    sizes = _sizes(a, s, axes)
    last = list(sizes)[-1]
    return transform(a, sizes, dtype=_complex(a), real=True, out={**sizes, last: sizes[last] // 2 + 1})


@traces(np.fft.irfft2)
def irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> TracedArray:
    """Half a spectrum over two axes."""
    return _back_over(a, s, axes)


@traces(np.fft.irfftn)
def irfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> TracedArray:
    """Half a spectrum; the last axis comes out doubled."""
    return _back_over(a, s, axes)


def _back_over(a: Any, s: Any, axes: Any) -> TracedArray:
    sizes = _sizes(a, s, axes)
    if s is None:
        last = list(sizes)[-1]
        sizes[last] = 2 * (sizes[last] - 1)
    dtype = NARROWER.get(a.tensor.dtype, "float64")
    return transform(a, sizes, dtype=dtype, real=True, out=sizes)


def _sizes(a: Any, s: Any, axes: Any) -> dict[int, int]:
    chosen = [axis % a.ndim for axis in (range(a.ndim) if axes is None else axes)]
    lengths = [a.shape[axis] for axis in chosen] if s is None else list(s)
    return dict(zip(chosen, lengths, strict=True))


@traces(np.fft.fftshift, np.fft.ifftshift)
def fftshift(x: Any, axes: Any = None) -> TracedArray:
    """Moves elements."""
    return traced("Roll", (x,), x.shape, x.tensor.dtype)
