"""Products, einsum, factorisations, convolution."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from reportgen.workload.graph import Shape
from reportgen.workload.numpy_functions.registry import traces
from reportgen.workload.rules.einsum import describe_path, parse
from reportgen.workload.tracer import TracedArray, traced, traced_outputs


def result_type(*values: Any) -> str:
    """Type of a product; one that numpy lacks stays if all operands have it."""
    own = {value.tensor.dtype for value in values if isinstance(value, TracedArray)}
    others = [value for value in values if not isinstance(value, TracedArray)]
    if len(own) == 1 and not others:
        return own.pop()
    found: str = np.result_type(
        *(value.dtype if isinstance(value, TracedArray) else value for value in values)
    ).name
    return found


def contraction(a: Any, b: Any, shape: Shape, k: int) -> TracedArray:
    """Record a product whose sums have `k` terms; without a sum it is a multiplication."""
    kind = "Contraction" if k != 1 else "Mul"
    return traced(kind, (a, b), shape, result_type(a, b), **({"k": k} if k != 1 else {}))


def product(name: str, a: Any, b: Any) -> TracedArray:
    """matmul, vecdot, matvec, vecmat."""
    x, y = np.shape(a), np.shape(b)
    if name == "vecdot":
        return contraction(a, b, np.broadcast_shapes(x[:-1], y[:-1]), x[-1])
    if name == "matvec":
        stack = np.broadcast_shapes(x[:-2], y[:-1])
        return contraction(a, b, (*stack, x[-2]), x[-1])
    if name == "vecmat":
        stack = np.broadcast_shapes(x[:-1], y[:-2])
        return contraction(a, b, (*stack, y[-1]), x[-1])
    left, right = (x if len(x) > 1 else (1, *x)), (y if len(y) > 1 else (*y, 1))
    if not x or not y or left[-1] != right[-2]:
        raise ValueError(f"matmul: shapes {x} and {y} do not fit")
    stack = np.broadcast_shapes(left[:-2], right[:-2])
    shape = (*stack, *(left[-2:-1] if len(x) > 1 else ()), *(right[-1:] if len(y) > 1 else ()))
    return traced("MatMul", (a, b), shape, result_type(a, b))


@traces(np.dot)
def dot(a: Any, b: Any, out: Any = None) -> TracedArray:
    """The last axis of a with the last but one of b; numbers multiply."""
    x, y = np.shape(a), np.shape(b)
    if not x or not y:
        scaled: TracedArray = np.multiply(a, b)
        return scaled
    shape = (*x[:-1], *(y[:-2] + y[-1:] if len(y) > 1 else ()))
    return contraction(a, b, shape, x[-1])


@traces(np.vdot)
def vdot(a: Any, b: Any) -> TracedArray:
    """All elements."""
    return contraction(a, b, (), prod(np.shape(a)))


@traces(np.inner)
def inner(a: Any, b: Any) -> TracedArray:
    """Last axes."""
    x, y = np.shape(a), np.shape(b)
    return contraction(a, b, (*x[:-1], *y[:-1]), x[-1])


@traces(np.outer)
def outer(a: Any, b: Any, out: Any = None) -> TracedArray:
    """A multiplication an element."""
    return traced("Mul", (a, b), (prod(np.shape(a)), prod(np.shape(b))), result_type(a, b))


@traces(np.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> TracedArray:
    """Given axes are summed over."""
    x, y = np.shape(a), np.shape(b)
    if isinstance(axes, int):
        first, second = list(range(len(x) - axes, len(x))), list(range(axes))
    else:
        first, second = ([one] if isinstance(one, int) else list(one) for one in axes)
    gone_a, gone_b = {axis % len(x) for axis in first}, {axis % len(y) for axis in second}
    shape = tuple(size for at, size in enumerate(x) if at not in gone_a)
    shape += tuple(size for at, size in enumerate(y) if at not in gone_b)
    return contraction(a, b, shape, prod(x[axis] for axis in gone_a))


@traces(np.einsum)
def einsum(equation: str, *operands: Any, **_: Any) -> TracedArray:
    """In the order of least work, which attribute `path` states."""
    shapes = [np.shape(one) for one in operands]
    attrs = {"equation": equation, "path": describe_path(equation, shapes)}
    return traced("Einsum", operands, parse(equation, shapes).shape, result_type(*operands), **attrs)


@traces(np.kron)
def kron(a: Any, b: Any) -> TracedArray:
    """A multiplication an element."""
    x, y = np.shape(a), np.shape(b)
    rank = max(len(x), len(y))
    x, y = (1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y
    return traced("Mul", (a, b), tuple(p * q for p, q in zip(x, y, strict=True)), result_type(a, b))


@traces(np.trace)
def trace(a: Any, *_: Any, **__: Any) -> TracedArray:
    """Of the first two axes."""
    diagonal = traced("Slice", (a,), (*a.shape[2:], min(a.shape[:2])), a.tensor.dtype)
    return traced("ReduceSum", (diagonal,), a.shape[2:], a.tensor.dtype)


@traces(np.linalg.inv, np.linalg.pinv)
def inverse(a: Any, *_: Any, **__: Any) -> TracedArray:
    """A pseudo-inverse is counted as an inverse."""
    return traced("Inv", (a,), (*a.shape[:-2], a.shape[-1], a.shape[-2]), a.tensor.dtype)


@traces(np.linalg.det)
def determinant(a: Any) -> TracedArray:
    """One number a matrix."""
    return traced("Det", (a,), a.shape[:-2], a.tensor.dtype)


@traces(np.linalg.slogdet)
def slogdet(a: Any) -> tuple[TracedArray, ...]:
    """Sign and logarithm."""
    return traced_outputs("Det", (a,), [(a.shape[:-2], a.tensor.dtype)] * 2)


@traces(np.linalg.cholesky)
def cholesky(a: Any, *_: Any, **__: Any) -> TracedArray:
    """A triangle."""
    return traced("Cholesky", (a,), a.shape, a.tensor.dtype)


@traces(np.linalg.solve)
def solve(a: Any, b: Any) -> TracedArray:
    """As many right-hand sides as b has columns."""
    return traced("Solve", (a, b), np.shape(b), result_type(a, b))


@traces(np.linalg.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    """Q and R, or R alone."""
    m, n = a.shape[-2:]
    stack, small = a.shape[:-2], min(m, n)
    if mode == "r":
        return traced("QR", (a,), (*stack, small, n), a.tensor.dtype)
    rows = m if mode == "complete" else small
    return traced_outputs(
        "QR", (a,), [((*stack, m, rows), a.tensor.dtype), ((*stack, rows, n), a.tensor.dtype)]
    )


@traces(np.linalg.svd)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, *_: Any, **__: Any) -> Any:
    """U, singular values, V, or the values alone."""
    m, n = a.shape[-2:]
    stack, small, dtype = a.shape[:-2], min(m, n), a.tensor.dtype
    if not compute_uv:
        return traced("SVD", (a,), (*stack, small), dtype)
    u, v = (m, n) if full_matrices else (small, small)
    return traced_outputs(
        "SVD", (a,), [((*stack, m, u), dtype), ((*stack, small), dtype), ((*stack, v, n), dtype)]
    )


@traces(np.linalg.eigh)
def eigh(a: Any, *_: Any, **__: Any) -> tuple[TracedArray, ...]:
    """Values and vectors."""
    return traced_outputs("Eigh", (a,), [(a.shape[:-1], a.tensor.dtype), (a.shape, a.tensor.dtype)])


@traces(np.linalg.eigvalsh)
def eigvalsh(a: Any, *_: Any, **__: Any) -> TracedArray:
    """Values alone."""
    return traced("Eigh", (a,), a.shape[:-1], a.tensor.dtype)


@traces(np.convolve, np.correlate)
def convolve(a: Any, v: Any, mode: str = "full") -> TracedArray:
    """Directly: every pair of elements that meet; at the edges there are fewer."""
    n, m = max(np.shape(a)[0], np.shape(v)[0]), min(np.shape(a)[0], np.shape(v)[0])
    length = {"full": n + m - 1, "same": n, "valid": n - m + 1}[mode]
    return traced("Conv", (a, v), (length,), result_type(a, v), taps=m)
