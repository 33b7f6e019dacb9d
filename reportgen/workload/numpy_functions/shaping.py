"""What changes the shape alone."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from reportgen.workload.graph import Shape
from reportgen.workload.numpy_functions.registry import traces
from reportgen.workload.tracer import TracedArray, traced


@traces(np.shape)
def shape_of(a: Any) -> Shape:
    """Sizes of the axes."""
    found: Shape = a.shape
    return found


@traces(np.ndim)
def ndim(a: Any) -> int:
    """Number of axes."""
    return len(a.shape)


@traces(np.size)
def size(a: Any, axis: int | None = None) -> int:
    """Number of elements, or along one axis."""
    return prod(a.shape) if axis is None else int(a.shape[axis])


@traces(np.reshape)
def reshape(a: Any, /, shape: Any = None, order: Any = "C", **_: Any) -> TracedArray:
    """-1 is what remains."""
    sizes = [shape] if isinstance(shape, int) else [int(one) for one in shape]
    if -1 in sizes:
        rest = prod(one for one in sizes if one != -1)
        sizes[sizes.index(-1)] = a.size // rest if rest else 0
    if prod(sizes) != a.size:
        raise ValueError(f"cannot reshape an array of shape {a.shape} into {tuple(sizes)}")
    return traced("Reshape", (a,), tuple(sizes), a.tensor.dtype)


@traces(np.ravel)
def ravel(a: Any, order: Any = "C") -> TracedArray:
    """One axis."""
    return traced("Reshape", (a,), (a.size,), a.tensor.dtype)


@traces(np.squeeze)
def squeeze(a: Any, axis: Any = None) -> TracedArray:
    """Axes of size one dropped."""
    axes = (
        [at for at, one in enumerate(a.shape) if one == 1] if axis is None else np.atleast_1d(axis).tolist()
    )
    gone = {at % a.ndim for at in axes}
    return traced(
        "Squeeze", (a,), tuple(one for at, one in enumerate(a.shape) if at not in gone), a.tensor.dtype
    )


@traces(np.expand_dims)
def expand_dims(a: Any, axis: Any) -> TracedArray:
    """Axes of size one put in."""
    axes = [axis] if isinstance(axis, int) else list(axis)
    sizes, rank = list(a.shape), a.ndim + len(axes)
    for at in sorted(one % rank for one in axes):
        sizes.insert(at, 1)
    return traced("Unsqueeze", (a,), tuple(sizes), a.tensor.dtype)


def _permuted(a: Any, order: list[int]) -> TracedArray:
    """As numpy: a view with other strides: nothing is moved."""
    return traced("Reshape", (a,), tuple(a.shape[axis] for axis in order), a.tensor.dtype)


@traces(np.transpose, np.permute_dims)
def transpose(a: Any, axes: Any = None) -> TracedArray:
    """Reversed, unless `axes` says otherwise."""
    order = list(range(a.ndim))[::-1] if axes is None else [axis % a.ndim for axis in axes]
    return _permuted(a, order)


@traces(np.matrix_transpose)
def matrix_transpose(a: Any, /) -> TracedArray:
    """The last two axes."""
    return _exchanged(a, -1, -2)


@traces(np.swapaxes)
def swapaxes(a: Any, axis1: int, axis2: int) -> TracedArray:
    """Two axes exchanged."""
    return _exchanged(a, axis1, axis2)


def _exchanged(a: Any, axis1: int, axis2: int) -> TracedArray:
    order = list(range(a.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return _permuted(a, order)


@traces(np.moveaxis)
def moveaxis(a: Any, source: Any, destination: Any) -> TracedArray:
    """Axes to other places."""
    come = [one % a.ndim for one in ([source] if isinstance(source, int) else source)]
    go = [one % a.ndim for one in ([destination] if isinstance(destination, int) else destination)]
    order = [axis for axis in range(a.ndim) if axis not in come]
    for at, axis in sorted(zip(go, come, strict=True)):
        order.insert(at, axis)
    return _permuted(a, order)


@traces(np.broadcast_to)
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> TracedArray:
    """A view: the same elements are read again."""
    return traced(
        "Reshape", (array,), (shape,) if isinstance(shape, int) else tuple(shape), array.tensor.dtype
    )


@traces(np.atleast_1d)
def atleast_1d(a: Any) -> TracedArray:
    """At least one axis."""
    return a if a.ndim else traced("Reshape", (a,), (1,), a.tensor.dtype)


@traces(np.atleast_2d)
def atleast_2d(a: Any) -> TracedArray:
    """At least two axes."""
    return a if a.ndim > 1 else traced("Reshape", (a,), (1, a.size), a.tensor.dtype)


@traces(np.real, np.imag)
def part(a: Any) -> TracedArray:
    """Real or imaginary part: a view."""
    halves = {"complex64": "float32", "complex128": "float64"}
    return traced("Slice", (a,), a.shape, halves.get(a.tensor.dtype, a.tensor.dtype))


@traces(np.flip, np.roll, np.tril, np.triu, np.copy, np.nan_to_num)
def moved(a: Any, *_: Any, **__: Any) -> TracedArray:
    """As many elements, elsewhere."""
    return traced("Copy", (a,), a.shape, a.tensor.dtype)


@traces(np.diagonal, np.diag)
def diagonal(a: Any, k: int = 0, *_: Any, **__: Any) -> TracedArray:
    """Of a matrix its diagonal, of a vector a matrix."""
    if a.ndim == 1:
        n = a.size + abs(k)
        return traced("Fill", (a,), (n, n), a.tensor.dtype)
    m, n = a.shape[:2]
    length = max(min(m + min(k, 0), n - max(k, 0)), 0)
    return traced("Slice", (a,), (*a.shape[2:], length), a.tensor.dtype)


@traces(np.pad)
def pad(array: Any, pad_width: Any, *_: Any, **__: Any) -> TracedArray:
    """Wider on both sides."""
    widths = np.broadcast_to(np.asarray(pad_width), (array.ndim, 2))
    shape = tuple(int(one + low + high) for one, (low, high) in zip(array.shape, widths, strict=True))
    return traced("Pad", (array,), shape, array.tensor.dtype)


@traces(np.tile)
def tile(A: Any, reps: Any) -> TracedArray:  # noqa: N803  # numpy's name
    """Repeated along each axis."""
    times = (reps,) if isinstance(reps, int) else tuple(reps)
    rank = max(len(times), A.ndim)
    sizes = (1,) * (rank - A.ndim) + A.shape
    times = (1,) * (rank - len(times)) + times
    return traced("Tile", (A,), tuple(a * b for a, b in zip(sizes, times, strict=True)), A.tensor.dtype)


@traces(np.repeat)
def repeat(a: Any, repeats: Any, axis: int | None = None) -> TracedArray:
    """Each element several times."""
    shape = list(a.shape) if axis is not None else [a.size]
    at = axis or 0
    if np.ndim(repeats) == 0:
        shape[at] *= int(repeats)
    else:
        shape[at] = int(np.sum(repeats))
    return traced("Repeat", (a,), tuple(shape), a.tensor.dtype)
