"""Products, factorisations and einsum.

A product counts one MAC for each pair it multiplies: output elements x length of the sum.  A complex
MAC is four real ones.  Factorisations have the leading term of the usual dense algorithm (Golub and
Van Loan, *Matrix Computations*, 4th ed.), as other FLOP.
"""

from __future__ import annotations

from math import prod

from reportgen.workload.dtypes import is_complex
from reportgen.workload.graph import Op, Shape
from reportgen.workload.rules.einsum import contraction_steps
from reportgen.workload.rules.registry import Uncountable, rule
from reportgen.workload.work import Work

COMPLEX_MAC = 4
"""Real MACs in a complex one."""


def macs(op: Op, pairs: int) -> int:
    """`pairs` products in the type of the output, as real MACs."""
    return pairs * (COMPLEX_MAC if is_complex(op.outs[0].dtype) else 1)


@rule("MatMul")
def matmul(op: Op) -> Work:
    """Batched, broadcast, vector or matrix: output elements x K."""
    return Work(mac=macs(op, op.outs[0].size * contracted(op.input(0).shape)))


def contracted(shape: Shape) -> int:
    """K of a product whose left operand has `shape`; a scalar has none."""
    return shape[-1] if shape else 1


@rule("Linear")
def linear(op: Op) -> Work:
    """Inputs x, W, b: x W^T + b."""
    size = op.outs[0].size
    bias = size if op.has_input(2) else 0
    return Work(mac=macs(op, size * contracted(op.input(0).shape)), flop=bias)


@rule("Contraction")
def contraction(op: Op) -> Work:
    """Any product of two operands, with the length of its sum in attribute `k`; `bias` adds one each."""
    size = op.outs[0].size
    return Work(mac=macs(op, size * int(op.attrs["k"])), flop=size if op.attrs.get("bias") else 0)


@rule("Gemm")
def gemm(op: Op) -> Work:
    """Inputs A, B, C: alpha A B + beta C; the addition and each factor but one cost an operation each."""
    size = op.outs[0].size
    left = op.input(0).shape
    k = left[0] if op.attrs.get("transA", 0) else left[-1]
    alpha, beta = op.attrs.get("alpha", 1.0), op.attrs.get("beta", 1.0)
    extra = size * (alpha != 1.0)
    if op.has_input(2) and beta != 0.0:
        extra += size + size * (beta != 1.0)
    return Work(mac=macs(op, size * k), flop=extra)


@rule("Axpy")
def axpy(op: Op) -> Work:
    """One MAC an element: a x + y."""
    return Work(mac=macs(op, op.outs[0].size))


@rule("Einsum")
def einsum(op: Op) -> Work:
    """The product of all index sizes of each pairwise step; several operands in the stated order."""
    steps = contraction_steps(str(op.attrs["equation"]), [tensor.shape for tensor in op.given])
    complex_ = is_complex(op.outs[0].dtype)
    mac = sum(step.mac for step in steps) * (COMPLEX_MAC if complex_ else 1)
    # Without a sum there is nothing to accumulate: a product alone is a multiplication (six if complex).
    flop = sum(6 * step.multiply if complex_ else step.multiply for step in steps)
    return Work(mac=mac, flop=flop + sum(2 * step.add if complex_ else step.add for step in steps))


def square(op: Op) -> tuple[int, int]:
    """(matrices in the batch, order n) of a square first input."""
    shape = op.input(0).shape
    if len(shape) < 2:
        raise Uncountable("no matrix")
    return prod(shape[:-2]), shape[-1]


def real(op: Op, flop: float) -> Work:
    """`flop` as a whole number; complex arithmetic costs four times as much."""
    return Work(flop=round(flop) * (COMPLEX_MAC if is_complex(op.input(0).dtype) else 1))


@rule("Inv")
def inverse(op: Op) -> Work:
    """2 n^3: factorise and solve for the unit matrix."""
    batch, n = square(op)
    return real(op, batch * 2 * n**3)


@rule("Det", "LU")
def determinant(op: Op) -> Work:
    """2/3 n^3: an LU factorisation."""
    batch, n = square(op)
    return real(op, batch * 2 * n**3 / 3)


@rule("Cholesky")
def cholesky(op: Op) -> Work:
    """1/3 n^3."""
    batch, n = square(op)
    return real(op, batch * n**3 / 3)


@rule("Solve")
def solve(op: Op) -> Work:
    """LU factorisation 2/3 n^3, and 2 n^2 a right-hand side."""
    batch, n = square(op)
    return real(op, batch * 2 * n**3 / 3 + 2 * n * op.outs[0].size)


@rule("TriangularSolve")
def triangular_solve(op: Op) -> Work:
    """n^2 a right-hand side; the matrix comes first."""
    _, n = square(op)
    return real(op, n * op.outs[0].size)


@rule("QR")
def qr(op: Op) -> Work:
    """Householder: 2 n^2 (m - n/3) for m >= n, and as much again to form Q."""
    shape = op.input(0).shape
    m, n = max(shape[-2:]), min(shape[-2:])
    factors = 2 if len(op.outs) > 1 else 1
    return real(op, prod(shape[:-2]) * factors * 2 * n * n * (m - n / 3))


@rule("Eigh")
def eigh(op: Op) -> Work:
    """Symmetric eigenproblem: 4/3 n^3 for values alone, 9 n^3 with vectors."""
    batch, n = square(op)
    return real(op, batch * (9 * n**3 if len(op.outs) > 1 else 4 * n**3 / 3))


@rule("SVD")
def svd(op: Op) -> Work:
    """Golub-Reinsch, m >= n: 4 m n^2 - 4/3 n^3 for values alone, 14 m n^2 + 8 n^3 with vectors."""
    shape = op.input(0).shape
    m, n = max(shape[-2:]), min(shape[-2:])
    one = 14 * m * n * n + 8 * n**3 if len(op.outs) > 1 else 4 * m * n * n - 4 * n**3 / 3
    return real(op, prod(shape[:-2]) * one)
