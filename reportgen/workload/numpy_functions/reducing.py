"""Sums, means, extremes, sorting."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.workload.dtypes import is_float
from reportgen.workload.graph import Shape
from reportgen.workload.numpy_functions.registry import traces
from reportgen.workload.tracer import TracedArray, traced

Axes = int | tuple[int, ...] | None


def over(shape: Shape, axis: Axes, *, keepdims: bool = False) -> Shape:
    """Shape after a reduction over `axis` (None: all axes)."""
    axes = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    gone = {one % len(shape) for one in axes} if shape else set()
    return tuple(1 if at in gone else size for at, size in enumerate(shape) if keepdims or at not in gone)


def reduced(
    kind: str, x: TracedArray, axis: Axes = None, *, keepdims: bool = False, dtype: Any = None, **attrs: Any
) -> TracedArray:
    """Record a reduction."""
    keep = keepdims is True  # numpy hands on a marker where it was not given
    return traced(kind, (x,), over(x.shape, axis, keepdims=keep), dtype or x.tensor.dtype, **attrs)


def _reduction(kind: str, dtype: Any = None) -> Any:
    def form(a: Any, axis: Axes = None, *_: Any, keepdims: Any = False, **__: Any) -> TracedArray:
        # A mean of whole numbers is computed in float64.
        own = "float64" if kind == "ReduceMean" and not is_float(a.tensor.dtype) else dtype
        return reduced(kind, a, axis, keepdims=keepdims, dtype=own)

    return form


for _kind, _functions, _dtype in (
    ("ReduceSum", (np.sum, np.nansum), None),
    ("ReduceProd", (np.prod,), None),
    ("ReduceMean", (np.mean, np.average, np.nanmean), None),
    ("ReduceMax", (np.max, np.nanmax), None),
    ("ReduceMin", (np.min, np.nanmin), None),
    ("ReduceAny", (np.any,), "bool"),
    ("ReduceAll", (np.all,), "bool"),
):
    traces(*_functions)(_reduction(_kind, _dtype))


@traces(np.var)
def variance(a: Any, axis: Axes = None, *_: Any, keepdims: Any = False, **__: Any) -> TracedArray:
    """Mean square distance from the mean."""
    return reduced("Variance", a, axis, keepdims=keepdims)


@traces(np.std)
def deviation(a: Any, axis: Axes = None, *_: Any, keepdims: Any = False, **__: Any) -> TracedArray:
    """The root of the variance."""
    return reduced("Variance", a, axis, keepdims=keepdims, root=1)


@traces(np.argmax, np.argmin)
def arg_extreme(a: Any, axis: Axes = None, *_: Any, keepdims: Any = False, **__: Any) -> TracedArray:
    """Comparisons."""
    return reduced("ArgMax", a, axis, keepdims=keepdims, dtype="int64")


@traces(np.ptp)
def peak_to_peak(a: Any, axis: Axes = None, *_: Any, keepdims: Any = False, **__: Any) -> TracedArray:
    """Largest less smallest."""
    high = reduced("ReduceMax", a, axis, keepdims=keepdims)
    difference: TracedArray = high - reduced("ReduceMin", a, axis, keepdims=keepdims)
    return difference


@traces(np.cumsum)
def cumulative_sum(a: Any, axis: int | None = None, *_: Any, **__: Any) -> TracedArray:
    """Along an axis, or of all elements."""
    return traced("CumSum", (a,), a.shape if axis is not None else (a.size,), a.tensor.dtype)


@traces(np.cumprod)
def cumulative_product(a: Any, axis: int | None = None, *_: Any, **__: Any) -> TracedArray:
    """Along an axis, or of all elements."""
    return traced("CumProd", (a,), a.shape if axis is not None else (a.size,), a.tensor.dtype)


@traces(np.sort)
def sort(a: Any, axis: int | None = -1, *_: Any, **__: Any) -> TracedArray:
    """log2 n comparisons an element."""
    length = a.size if axis is None else a.shape[axis]
    return traced("Sort", (a,), a.shape if axis is not None else (a.size,), a.tensor.dtype, length=length)


@traces(np.argsort)
def argsort(a: Any, axis: int | None = -1, *_: Any, **__: Any) -> TracedArray:
    """As a sort; positions come out."""
    length = a.size if axis is None else a.shape[axis]
    return traced("Sort", (a,), a.shape if axis is not None else (a.size,), "int64", length=length)


@traces(np.partition)
def partition(a: Any, *_: Any, **__: Any) -> TracedArray:
    """About one comparison an element (quickselect takes a small multiple)."""
    return traced("NonZero", (a,), a.shape, a.tensor.dtype)


@traces(np.searchsorted)
def searchsorted(a: Any, v: Any, *_: Any, **__: Any) -> TracedArray:
    """Binary search for each value."""
    return traced("SearchSorted", (a, v), np.shape(v), "int64")


@traces(np.count_nonzero)
def count_nonzero(a: Any, axis: Axes = None, *_: Any, **__: Any) -> TracedArray:
    """A comparison an element."""
    return traced("NonZero", (a,), over(a.shape, axis), "int64")


@traces(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Axes = None, keepdims: bool = False) -> TracedArray:
    """Frobenius and Euclidean: squares, sum, root; the 1-norm: magnitudes; the largest: comparisons."""
    if ord in (None, 2, "fro") and not (ord == 2 and axis is None and x.ndim == 2):
        return reduced("ReduceL2", x, axis, keepdims=keepdims)
    if ord == 1:
        return reduced("ReduceL1", x, axis, keepdims=keepdims)
    if ord in (np.inf, -np.inf):
        return reduced("ReduceMax", abs(x), axis, keepdims=keepdims)
    raise TypeError(f"numpy.linalg.norm of order {ord} has no traced form.")


@traces(np.clip)
def clip(a: Any, a_min: Any = None, a_max: Any = None, *_: Any, **options: Any) -> TracedArray:
    """A comparison for each bound."""
    low, high = options.get("min", a_min), options.get("max", a_max)
    bounds = (low is not None) + (high is not None)
    return traced("Clip", (a,), a.shape, a.tensor.dtype, bounds=bounds)


@traces(np.diff)
def diff(a: Any, n: int = 1, axis: int = -1, *_: Any, **__: Any) -> TracedArray:
    """Differences of neighbours."""
    x: TracedArray = a
    for _order in range(n):
        sizes = list(x.shape)
        sizes[axis] -= 1
        x = traced("Sub", (x, x), tuple(sizes), x.tensor.dtype)
    return x
