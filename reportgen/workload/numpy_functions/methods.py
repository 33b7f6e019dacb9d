"""Methods and properties of an array, by the functions of numpy that do the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.workload.tracer import TracedArray, traced

SAME_AS_FUNCTION = {
    name: getattr(np, name)
    for name in (
        "sum mean max min prod any all var std argmax argmin cumsum cumprod ravel squeeze swapaxes dot clip "
        "repeat take trace diagonal argsort ptp round"
    ).split()
}


def method(name: str) -> Any:
    """A function or property to bind to the array, None if it has none of that name."""
    own = _OWN.get(name)
    if own is not None:
        return own
    function = SAME_AS_FUNCTION.get(name)
    if function is None:
        return None

    def call(self: TracedArray, *args: Any, **options: Any) -> Any:
        return function(self, *args, **options)

    return call


def _reshape(self: TracedArray, *shape: Any, order: str = "C") -> Any:
    sizes = shape[0] if len(shape) == 1 else shape
    return np.reshape(self, sizes)


def _transpose(self: TracedArray, *axes: Any) -> Any:
    order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
    return np.transpose(self, order)


def _astype(self: TracedArray, dtype: Any, *_: Any, **__: Any) -> TracedArray:
    name = dtype if isinstance(dtype, str) else np.dtype(dtype).name
    return traced("Cast", (self,), self.shape, name)


def _copy(self: TracedArray, order: str = "C") -> TracedArray:
    return traced("Copy", (self,), self.shape, self.tensor.dtype)


_OWN: dict[str, Any] = {
    "reshape": _reshape,
    "transpose": _transpose,
    "astype": _astype,
    "copy": _copy,
    "flatten": lambda self, order="C": np.ravel(_copy(self)),
    "conj": lambda self: np.conjugate(self),
    "conjugate": lambda self: np.conjugate(self),
    "T": property(lambda self: np.transpose(self)),
    "mT": property(lambda self: np.swapaxes(self, -1, -2)),
    "real": property(lambda self: np.real(self)),
    "imag": property(lambda self: np.imag(self)),
}
