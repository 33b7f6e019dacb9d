"""New arrays like a traced one."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.workload.numpy_functions.registry import traces
from reportgen.workload.tracer import TracedArray, traced


@traces(np.zeros_like, np.ones_like, np.empty_like)
def like(
    a: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, **_: Any
) -> TracedArray:
    """Filled with a constant."""
    sizes = a.shape if shape is None else (shape,) if isinstance(shape, int) else tuple(shape)
    return traced("Fill", (), sizes, dtype or a.tensor.dtype)


@traces(np.full_like)
def full_like(a: Any, fill_value: Any, dtype: Any = None, *_: Any, **__: Any) -> TracedArray:
    """Filled with a number."""
    return traced("Fill", (), a.shape, dtype or a.tensor.dtype)


@traces(np.result_type)
def result(*arrays: Any) -> Any:
    """Type promotion."""
    return np.result_type(*(one.dtype if isinstance(one, TracedArray) else one for one in arrays))


@traces(np.iscomplexobj)
def is_complex_object(x: Any) -> bool:
    """Whether the type is complex."""
    return bool(np.issubdtype(x.dtype, np.complexfloating))
