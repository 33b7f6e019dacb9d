"""Universal functions: element by element, and their reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.workload.elementwise import ELEMENTWISE as COMMON
from reportgen.workload.graph import Shape
from reportgen.workload.numpy_functions.registry import traces
from reportgen.workload.tracer import NUMPY_TYPES, TracedArray, traced, traced_outputs

KINDS = {
    **COMMON,
    "subtract": "Sub",
    "multiply": "Mul",
    "divide": "Div",
    "true_divide": "Div",
    "negative": "Neg",
    "positive": "Identity",
    "absolute": "Abs",
    "fabs": "Abs",
    "power": "Pow",
    "float_power": "Pow",
    "logaddexp": "LogAddExp",
    "arcsin": "Asin",
    "arccos": "Acos",
    "arctan": "Atan",
    "arctan2": "Atan2",
    "arcsinh": "Asinh",
    "arccosh": "Acosh",
    "arctanh": "Atanh",
    "hypot": "Hypot",
    "expit": "Sigmoid",
    "gammaln": "Gammaln",
    "fmax": "Max",
    "fmin": "Min",
    "greater": "Greater",
    "greater_equal": "GreaterOrEqual",
    "less": "Less",
    "less_equal": "LessOrEqual",
    "equal": "Equal",
    "not_equal": "NotEqual",
    "isfinite": "IsFinite",
    "invert": "BitwiseNot",
    "left_shift": "BitShift",
    "right_shift": "BitShift",
    "rint": "Round",
    "conjugate": "Copy",
    "deg2rad": "Mul",
    "rad2deg": "Mul",
}
"""Name of a ufunc -> kind; one that is not here becomes an operation without a rule."""

REDUCED = {
    "add": "ReduceSum",
    "multiply": "ReduceProd",
    "maximum": "ReduceMax",
    "minimum": "ReduceMin",
    "logical_and": "ReduceAll",
    "logical_or": "ReduceAny",
}

PRODUCTS = frozenset({"matmul", "vecdot", "matvec", "vecmat"})


def apply_ufunc(ufunc: Any, method: str, ins: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """`ufunc(*ins)`, `ufunc.reduce(...)`, `ufunc.accumulate(...)`, `ufunc.outer(...)`."""
    out = options.pop("out", None)
    result = _called(ufunc, method, ins, options)
    if out is not None:  # an in-place operation: the array now stands for the result
        for target, value in zip(out, result if isinstance(result, tuple) else (result,), strict=False):
            if isinstance(target, TracedArray):
                target.tensor = value.tensor
                return target
    return result


def _called(ufunc: Any, method: str, ins: tuple[Any, ...], options: dict[str, Any]) -> Any:
    name = ufunc.__name__
    if method == "reduce":
        from reportgen.workload.numpy_functions.reducing import reduced

        axis = options.get("axis", 0)
        return reduced(
            REDUCED.get(name, f"{name}.reduce"), ins[0], axis, keepdims=options.get("keepdims", False)
        )
    if method == "accumulate":
        kind = {"add": "CumSum", "multiply": "CumProd"}.get(name, f"{name}.accumulate")
        return traced(kind, (ins[0],), ins[0].shape, ins[0].dtype)
    if method == "outer":
        a, b = ins
        shape = (*np.shape(a), *np.shape(b))
        return traced(KINDS.get(name, f"numpy.{name}"), (a, b), shape, _dtypes(ufunc, ins)[0])
    if method != "__call__":
        raise TypeError(f"numpy.{name}.{method} has no traced form.")
    if name in PRODUCTS:
        from reportgen.workload.numpy_functions.linear_algebra import product

        return product(name, *ins)
    return _elementwise(ufunc, name, ins)


def _elementwise(ufunc: Any, name: str, ins: tuple[Any, ...]) -> Any:
    shape: Shape = np.broadcast_shapes(*(_shape(value) for value in ins))
    dtypes = _dtypes(ufunc, ins)
    kind = KINDS.get(name, f"numpy.{name}")
    attrs: dict[str, Any] = {}
    if kind == "Pow" and isinstance(ins[1], int | float):
        attrs["exponent"] = ins[1]
    if len(dtypes) > 1:
        kinds = {"divmod": "Mod", "modf": "Trunc"}
        return traced_outputs(kinds.get(name, kind), ins, [(shape, dtype) for dtype in dtypes])
    return traced(kind, ins, shape, dtypes[0], **attrs)


def _shape(value: Any) -> Shape:
    return value.shape if isinstance(value, TracedArray) else np.shape(value)


def _dtypes(ufunc: Any, ins: tuple[Any, ...]) -> list[Any]:
    """Types of the results, as numpy promotes; a type that numpy lacks is kept if all operands have it."""
    own = {value.tensor.dtype for value in ins if isinstance(value, TracedArray)}
    samples = [
        np.ones((), value.dtype) if isinstance(value, TracedArray) or np.ndim(value) else value
        for value in ins
    ]
    samples = [np.ones((1,), value.dtype) if isinstance(value, np.ndarray) else value for value in samples]
    with np.errstate(all="ignore"):
        found = ufunc(*samples)
    results = [np.asarray(one).dtype for one in (found if isinstance(found, tuple) else (found,))]
    only = own.pop() if len(own) == 1 else ""
    if only in NUMPY_TYPES and all(result == np.dtype(NUMPY_TYPES[only]) for result in results):
        return [only for _ in results]
    return results


@traces(np.round)
def rounded(a: Any, decimals: int = 0, out: Any = None) -> TracedArray:
    """One operation an element."""
    return traced("Round", (a,), a.shape, a.tensor.dtype)
