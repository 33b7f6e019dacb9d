"""Several arrays into one, one into several, and choosing between elements."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from reportgen.workload.numpy_functions.linear_algebra import result_type
from reportgen.workload.numpy_functions.registry import traces
from reportgen.workload.tracer import TracedArray, traced, traced_outputs


@traces(np.concatenate)
def concatenate(arrays: Any, axis: int | None = 0, *_: Any, **__: Any) -> TracedArray:
    """Sizes along the axis added up; without an axis all elements."""
    return _joined(arrays, axis)


def _joined(arrays: Any, axis: int | None) -> TracedArray:
    shapes = [np.shape(one) for one in arrays]
    if axis is None:
        return traced("Concat", tuple(arrays), (sum(int(np.prod(s)) for s in shapes),), result_type(*arrays))
    at = axis % len(shapes[0])
    total = sum(shape[at] for shape in shapes)
    shape = (*shapes[0][:at], total, *shapes[0][at + 1 :])
    return traced("Concat", tuple(arrays), shape, result_type(*arrays))


@traces(np.stack)
def stack(arrays: Any, axis: int = 0, *_: Any, **__: Any) -> TracedArray:
    """Along a new axis."""
    sizes = list(np.shape(arrays[0]))
    sizes.insert(axis % (len(sizes) + 1), len(arrays))
    return traced("Stack", tuple(arrays), tuple(sizes), result_type(*arrays))


@traces(np.vstack)
def vstack(tup: Any, *_: Any, **__: Any) -> TracedArray:
    """As rows."""
    return _joined([one if np.ndim(one) > 1 else np.reshape(one, (1, -1)) for one in tup], 0)


@traces(np.hstack)
def hstack(tup: Any, *_: Any, **__: Any) -> TracedArray:
    """Beside each other."""
    return _joined(tup, 0 if np.ndim(tup[0]) == 1 else 1)


@traces(np.split, np.array_split)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[TracedArray]:
    """Into equal parts, or at the places given."""
    length = ary.shape[axis]
    if isinstance(indices_or_sections, int):
        parts = indices_or_sections
        sizes = [length // parts + (place < length % parts) for place in range(parts)]
    else:
        edges = [0, *(min(int(one), length) for one in indices_or_sections), length]
        sizes = [high - low for low, high in pairwise(edges)]
    at = axis % ary.ndim
    shapes = [(*ary.shape[:at], size, *ary.shape[at + 1 :]) for size in sizes]
    # Views, as numpy gives them: nothing is moved.
    return list(traced_outputs("Reshape", (ary,), [(shape, ary.tensor.dtype) for shape in shapes]))


@traces(np.where)
def where(condition: Any, *values: Any) -> TracedArray:
    """A choice for each element."""
    if len(values) != 2:
        raise TypeError("numpy.where with one argument gives a shape that depends on data.")
    shape = np.broadcast_shapes(*(np.shape(one) for one in (condition, *values)))
    arrays = [one for one in values if isinstance(one, TracedArray) or np.ndim(one)]
    return traced("Where", (condition, *values), shape, result_type(*(arrays or values)))


@traces(np.take)
def take(a: Any, indices: Any, axis: int | None = None, *_: Any, **__: Any) -> TracedArray:
    """Rows that are looked up."""
    index = np.shape(indices)
    if axis is None:
        return traced("Gather", (a, indices), index, _dtype(a))
    sizes = np.shape(a)
    at = axis % len(sizes)
    return traced("Gather", (a, indices), (*sizes[:at], *index, *sizes[at + 1 :]), _dtype(a))


@traces(np.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> TracedArray:
    """One element for each index."""
    return traced("GatherElements", (arr, indices), np.shape(indices), _dtype(arr))


def _dtype(a: Any) -> Any:
    return a.tensor.dtype if isinstance(a, TracedArray) else np.asarray(a).dtype


@traces(np.interp)
def interp(x: Any, xp: Any, fp: Any, *_: Any, **__: Any) -> TracedArray:
    """A search in the table, and five FLOP for the line through two points."""
    found = traced("SearchSorted", (xp, x), np.shape(x), "int64")
    return traced("LinearInterpolation", (fp, found), np.shape(x), "float64")
