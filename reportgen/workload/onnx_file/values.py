"""Small constants and what follows from them: the arithmetic that exporters write around shapes.

Only what has at most `LARGEST` elements is followed; weights are never turned into numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

LARGEST = 1024

Value = np.ndarray[Any, Any]
Attrs = Mapping[str, Any]
Evaluator = Callable[[list[Value | None], Attrs], Value]


def _binary(function: Callable[..., Any]) -> Evaluator:
    return lambda ins, attrs: np.asarray(function(ins[0], ins[1]))


def _unary(function: Callable[..., Any]) -> Evaluator:
    return lambda ins, attrs: np.asarray(function(ins[0]))


def _div(ins: list[Value | None], attrs: Attrs) -> Value:
    a, b = _two(ins)
    if np.issubdtype(a.dtype, np.integer):
        return np.asarray(np.trunc(a / b)).astype(a.dtype)  # ONNX truncates, Python floors
    return np.asarray(a / b)


def _two(ins: list[Value | None]) -> tuple[Value, Value]:
    a, b = ins[0], ins[1]
    if a is None or b is None:
        raise ValueError("not constant")
    return a, b


def _one(ins: list[Value | None]) -> Value:
    if ins[0] is None:
        raise ValueError("not constant")
    return ins[0]


def _axes(ins: list[Value | None], attrs: Attrs, place: int = 1) -> tuple[int, ...] | None:
    given = ins[place] if len(ins) > place else None
    found = given.reshape(-1).tolist() if given is not None else attrs.get("axes")
    return tuple(int(axis) for axis in found) if found is not None else None


def _squeeze(ins: list[Value | None], attrs: Attrs) -> Value:
    return np.squeeze(_one(ins), _axes(ins, attrs))


def _unsqueeze(ins: list[Value | None], attrs: Attrs) -> Value:
    return np.expand_dims(_one(ins), _axes(ins, attrs) or ())


def _slice(ins: list[Value | None], attrs: Attrs) -> Value:
    data = _one(ins)
    index = [slice(None)] * data.ndim
    starts, ends, axes, steps = slice_arguments(ins, attrs, data.ndim)
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        index[axis] = slice(*slice_bounds(start, end, step, data.shape[axis]))
    return data[tuple(index)]


def slice_bounds(start: int, end: int, step: int, size: int) -> tuple[int, int | None, int]:
    """ONNX's bounds as Python's: clamped, and a negative step may run to before the first element."""
    low, high, step = slice(start, end, step).indices(size)
    return low, (high if high >= 0 else None), step


def slice_arguments(
    ins: list[Value | None], attrs: Attrs, rank: int
) -> tuple[list[int], list[int], list[int], list[int]]:
    """(starts, ends, axes, steps) of a Slice, from inputs or (before opset 10) attributes.

    Raises:
        ValueError: they are not constants.
    """
    if "starts" in attrs:
        starts, ends = list(attrs["starts"]), list(attrs["ends"])
        return starts, ends, list(attrs.get("axes", range(len(starts)))), [1] * len(starts)
    if len(ins) < 3 or ins[1] is None or ins[2] is None:
        raise ValueError("the bounds are not constant")
    starts, ends = _numbers(ins[1]), _numbers(ins[2])
    axes = _numbers(ins[3]) if len(ins) > 3 and ins[3] is not None else list(range(len(starts)))
    steps = _numbers(ins[4]) if len(ins) > 4 and ins[4] is not None else [1] * len(starts)
    return starts, ends, [axis % rank for axis in axes], steps


def _numbers(value: Value) -> list[int]:
    return [int(number) for number in value.reshape(-1)]


def _gather(ins: list[Value | None], attrs: Attrs) -> Value:
    data, indices = _two(ins)
    return np.asarray(np.take(data, indices, axis=int(attrs.get("axis", 0))))


def _reshape(ins: list[Value | None], attrs: Attrs) -> Value:
    data, target = _two(ins)
    sizes = [data.shape[i] if size == 0 else int(size) for i, size in enumerate(target)]
    return data.reshape(sizes)


def _range(ins: list[Value | None], attrs: Attrs) -> Value:
    start, limit, delta = (np.asarray(one).item() for one in ins[:3])
    if delta == 0 or (limit - start) / delta > LARGEST:
        raise ValueError("too long")
    return np.arange(start, limit, delta, dtype=_one(ins).dtype)


def _fill(ins: list[Value | None], attrs: Attrs) -> Value:
    shape = tuple(_numbers(_one(ins)))
    if np.prod(shape) > LARGEST:
        raise ValueError("too large")
    value = attrs.get("value")
    return np.full(shape, value.reshape(-1)[0] if value is not None else np.float32(0))


def _reduce(function: Callable[..., Any]) -> Evaluator:
    def evaluate(ins: list[Value | None], attrs: Attrs) -> Value:
        keep = bool(attrs.get("keepdims", 1))
        return np.asarray(function(_one(ins), axis=_axes(ins, attrs), keepdims=keep))

    return evaluate


def _where(ins: list[Value | None], attrs: Attrs) -> Value:
    chosen, other = ins[1], ins[2]
    if chosen is None or other is None:
        raise ValueError("not constant")
    return np.where(_one(ins), chosen, other)


def _expand(ins: list[Value | None], attrs: Attrs) -> Value:
    data, target = _two(ins)
    shape = np.broadcast_shapes(data.shape, tuple(_numbers(target)))
    if np.prod(shape) > LARGEST:
        raise ValueError("too large")
    return np.broadcast_to(data, shape)


def _concat(ins: list[Value | None], attrs: Attrs) -> Value:
    return np.concatenate([np.atleast_1d(one) for one in ins if one is not None], int(attrs["axis"]))


def _cast(ins: list[Value | None], attrs: Attrs) -> Value:
    from onnx import helper

    return _one(ins).astype(helper.tensor_dtype_to_np_dtype(int(attrs["to"])))


EVALUATORS: dict[str, Evaluator] = {
    "Add": _binary(np.add),
    "Sub": _binary(np.subtract),
    "Mul": _binary(np.multiply),
    "Div": _div,
    "Mod": _binary(np.mod),
    "Pow": _binary(np.power),
    "Min": _binary(np.minimum),
    "Max": _binary(np.maximum),
    "Equal": _binary(np.equal),
    "Greater": _binary(np.greater),
    "GreaterOrEqual": _binary(np.greater_equal),
    "Less": _binary(np.less),
    "LessOrEqual": _binary(np.less_equal),
    "And": _binary(np.logical_and),
    "Or": _binary(np.logical_or),
    "Not": _unary(np.logical_not),
    "Neg": _unary(np.negative),
    "Abs": _unary(np.abs),
    "Floor": _unary(np.floor),
    "Ceil": _unary(np.ceil),
    "Round": _unary(np.rint),
    "Sqrt": _unary(np.sqrt),
    "Identity": _unary(np.asarray),
    "Where": _where,
    "Cast": _cast,
    "Concat": _concat,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "Slice": _slice,
    "Gather": _gather,
    "Reshape": _reshape,
    "Range": _range,
    "ConstantOfShape": _fill,
    "Expand": _expand,
    "ReduceProd": _reduce(np.prod),
    "ReduceSum": _reduce(np.sum),
    "ReduceMax": _reduce(np.max),
    "ReduceMin": _reduce(np.min),
    "Transpose": lambda ins, attrs: np.transpose(_one(ins), attrs.get("perm")),
}


def evaluate(kind: str, ins: list[Value | None], attrs: Attrs) -> Value | None:
    """The result of a node whose inputs are constants; None if it is not followed."""
    evaluator = EVALUATORS.get(kind)
    if evaluator is None or not ins or any(one is None for one in ins[:2]):
        return None
    try:
        with np.errstate(all="ignore"):
            result = evaluator(ins, attrs)
    except (ValueError, TypeError, IndexError, KeyError, OverflowError):
        return None
    return result if result.size <= LARGEST else None
