"""Single kernels, with the compulsory intensities that are known for them.

axpy 1/6 FLOP/byte in float32 and 1/12 in float64; dot close to 1/4 and 1/8; gemm of order N without reading
C N/6 and N/12, with it N/8 and N/16.  They hold when the operands start in the level whose bytes are counted.
"""

from __future__ import annotations

from reportgen.workload.builder import Builder
from reportgen.workload.graph import Graph


def axpy(n: int, dtype: str = "float32") -> Graph:
    """Vectors of n, y = a x + y: n MAC, three vectors moved.  The scalar is in a register."""
    build = Builder(f"axpy, n = {n}, {dtype}", dtype)
    x, y = build.input((n,), name="x"), build.input((n,), name="y")
    return build.graph(build.op("Axpy", x, y, shape=(n,)))


def dot(n: int, dtype: str = "float32") -> Graph:
    """Vectors of n, x . y: n MAC, two vectors and one number moved."""
    build = Builder(f"dot, n = {n}, {dtype}", dtype)
    x, y = build.input((n,), name="x"), build.input((n,), name="y")
    return build.graph(build.op("MatMul", x, y, shape=()))


def gemv(m: int, n: int, dtype: str = "float32") -> Graph:
    """A matrix [m, n] times a vector: m n MAC."""
    build = Builder(f"gemv, {m} x {n}, {dtype}", dtype)
    a, x = build.input((m, n), name="A"), build.input((n,), name="x")
    return build.graph(build.op("MatMul", a, x, shape=(m,)))


def gemm(
    m: int, n: int | None = None, k: int | None = None, dtype: str = "float32", *, beta: float = 0.0
) -> Graph:
    """C = A B + beta C with A [m, k], B [k, n]; square of order m where n and k are left out.

    With beta other than 0 the old C is read as well.
    """
    n, k = n or m, k or m
    build = Builder(f"gemm, {m} x {n} x {k}, {dtype}", dtype)
    a, b = build.input((m, k), name="A"), build.input((k, n), name="B")
    c = build.input((m, n), name="C") if beta else None
    return build.graph(build.op("Gemm", a, b, c, shape=(m, n), beta=beta))


def conv2d(
    x: tuple[int, int, int, int],
    w: tuple[int, int, int, int],
    dtype: str = "float32",
    *,
    stride: int = 1,
    pad: int = 0,
    dilation: int = 1,
    bias: bool = False,
) -> Graph:
    """Convolution of x [B, C, H, W] with w [O, C / groups, R, S]."""
    build = Builder("conv2d", dtype)
    shape = (x[0], w[0], *(conv_size(x[i], w[i], stride, pad, dilation) for i in (2, 3)))
    given = (build.input(x, name="x"), build.weight(w, name="w"), build.weight((w[0],)) if bias else None)
    return build.graph(build.op("Conv", *given, shape=shape))


def conv_size(size: int, kernel: int, stride: int = 1, pad: int = 0, dilation: int = 1) -> int:
    """Length of a convolved axis."""
    return (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1


def fft(n: int, batch: int = 1, dtype: str = "complex64") -> Graph:
    """`batch` complex transforms of length n, out of place: 5 n log2 n FLOP each."""
    build = Builder(f"fft, n = {n}, {dtype}", dtype)
    return build.graph(build.op("FFT", build.input((batch, n), name="x"), shape=(batch, n), lengths=(n,)))


def softmax(rows: int, n: int, dtype: str = "float32") -> Graph:
    """Softmax over rows of n."""
    build = Builder(f"softmax, {rows} x {n}, {dtype}", dtype)
    return build.graph(build.op("Softmax", build.input((rows, n), name="x"), shape=(rows, n)))


def layer_norm(rows: int, n: int, dtype: str = "float32") -> Graph:
    """Layer norm over rows of n, with gamma and beta."""
    build = Builder(f"layer_norm, {rows} x {n}, {dtype}", dtype)
    gamma, beta = build.weight((n,), name="gamma"), build.weight((n,), name="beta")
    x = build.input((rows, n), name="x")
    return build.graph(build.op("LayerNormalization", x, gamma, beta, shape=(rows, n)))
