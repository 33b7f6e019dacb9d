"""What numpy's functions do with traced arrays: one file a family, registered by function."""

from __future__ import annotations

from typing import Any

from reportgen.workload.numpy_functions import (
    combining,
    creating,
    linear_algebra,
    reducing,
    shaping,
    transforms,
    ufuncs,
)
from reportgen.workload.numpy_functions.registry import FUNCTIONS

__all__ = [
    "apply_function",
    "combining",
    "creating",
    "linear_algebra",
    "reducing",
    "shaping",
    "transforms",
    "ufuncs",
]


def apply_function(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the traced form of a numpy function.

    Raises:
        TypeError: there is none; the message is the recipe for one.
    """
    found = FUNCTIONS.get(func)
    if found is None:
        module = getattr(func, "__module__", "numpy").replace("numpy.", "").split(".")[-1]
        name = f"numpy.{module}.{func.__name__}" if module in ("linalg", "fft") else f"numpy.{func.__name__}"
        raise TypeError(
            f"{name} has no traced form. Add one: from reportgen.workload.numpy_functions.registry import "
            f"traces; from reportgen.workload.tracer import traced; @traces({name}) def form(x, *rest): "
            f"return traced('KindWithARule', (x,), x.shape, x.dtype)"
        )
    return found(*args, **kwargs)
