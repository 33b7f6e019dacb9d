"""Reading and writing parts of a traced array."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.workload.graph import Shape
from reportgen.workload.tracer import TracedArray, traced


def get_item(a: TracedArray, key: Any) -> TracedArray:
    """Slices are views, as numpy has them; lists and arrays of indices look elements up.

    Raises:
        TypeError: a mask, whose result depends on data.
    """
    parts = list(key) if isinstance(key, tuple) else [key]
    looked_up = [part for part in parts if _is_lookup(part)]
    if any(_is_mask(part) for part in looked_up):
        raise TypeError(
            "Choosing elements by a mask gives a shape that depends on data; numpy.where keeps the shape."
        )
    shape = _indexed(a.shape, parts)
    if not looked_up:
        # Two operations in one: which elements are seen changes, none is moved until somebody reads them.
        return traced("Slice" if shape != a.shape else "Identity", (a,), shape, a.tensor.dtype)
    return traced("Gather", (a, *looked_up), shape, a.tensor.dtype)


def set_item(a: TracedArray, key: Any, value: Any) -> None:
    """The array now stands for the one with the part replaced."""
    parts = list(key) if isinstance(key, tuple) else [key]
    shape = a.shape if any(_is_mask(part) for part in parts) else _indexed(a.shape, parts)
    given = np.shape(value)
    fits = len(given) <= len(shape) and all(
        size in (1, room) for size, room in zip(given[::-1], shape[::-1], strict=False)
    )
    if not fits:
        raise ValueError(f"cannot put an array of shape {given} into a part of shape {shape}")
    new = traced("TensorScatter", (a, value), a.shape, a.tensor.dtype)
    a.tensor = new.tensor


def _is_lookup(part: Any) -> bool:
    return isinstance(part, TracedArray | np.ndarray | list)


def _is_mask(part: Any) -> bool:
    return _is_lookup(part) and (part.dtype if hasattr(part, "dtype") else np.asarray(part).dtype) == np.bool_


def _indexed(shape: Shape, parts: list[Any]) -> Shape:
    """Shape of `array[parts]`; numpy is asked, with arrays that occupy one element."""
    index = tuple(
        np.broadcast_to(np.zeros((), np.intp), part.shape) if isinstance(part, TracedArray) else part
        for part in parts
    )
    basic = [part for part in index if not _is_lookup(part)]
    nothing = np.broadcast_to(np.zeros((), np.int8), shape)
    if len(basic) == len(index):
        found: Shape = nothing[index].shape
        return found
    # Looking up copies the elements: slices first, on the view; then what a lookup gives, from shapes.
    return _looked_up(shape, index)


def _looked_up(shape: Shape, index: tuple[Any, ...]) -> Shape:
    full: list[Any] = []
    named = sum(1 for part in index if part is not None and part is not Ellipsis)
    for part in index:
        if part is Ellipsis:
            full.extend([slice(None)] * (len(shape) - named))
        else:
            full.append(part)
    if not any(part is Ellipsis for part in index):
        full.extend([slice(None)] * (len(shape) - named))
    arrays = [np.shape(part) for part in full if _is_lookup(part) or isinstance(part, int | np.integer)]
    together = np.broadcast_shapes(*arrays)
    places = [at for at, part in enumerate(full) if _is_lookup(part) or isinstance(part, int | np.integer)]
    adjacent = places == list(range(places[0], places[0] + len(places)))
    result: list[int] = []
    axis, put = 0, not adjacent
    if put:
        result.extend(together)
    for part in full:
        if part is None:
            result.append(1)
            continue
        if _is_lookup(part) or isinstance(part, int | np.integer):
            if not put:
                result.extend(together)
                put = True
        else:
            result.append(len(range(*part.indices(shape[axis]))))
        axis += 1
    return tuple(result)
