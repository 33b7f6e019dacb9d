"""What the library probes run: numpy's BLAS, and kernels written in numpy as people write them.

Each routine says its work and its bytes by its definition and by the arrays that it passes over:

    flop       2 a multiply-accumulate, 1 an addition, multiplication, division or exponential of an
               element; comparisons, square roots of rows and address arithmetic are not counted
    bytes      what its passes over arrays read and write, each array as often as it is passed over
    footprint  distinct bytes that one call touches: decides which level they lie in

The compulsory bytes of a BLAS routine are each operand once: with beta = 0 a product writes C and does not
read it, and y = a x + y reads x and y and writes y.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Sizes = Mapping[str, int]
Array = Any
"""A numpy array; numpy is imported by the one process that measures."""

COLUMNS = 1024
"""Elements of a row of softmax and layer norm."""


@dataclass(frozen=True)
class Counts:
    """Of one call."""

    flop: float
    bytes: float
    footprint: float


@dataclass(frozen=True)
class Routine:
    """How to count a call, and how to make one."""

    count: Callable[[Sizes], Counts]
    make: Callable[[Sizes, Callable[..., Array]], Callable[[], Any]]
    """From sizes and `array(*shape)`, uniform in 0.5..1.5, to a call without arguments."""
    double: bool = False


def _product(word: int) -> Callable[[Sizes], Counts]:
    def count(sizes: Sizes) -> Counts:
        n = sizes["n"]
        return Counts(2.0 * n**3, 3.0 * word * n * n, 3.0 * word * n * n)

    return count


def _axpy(word: int) -> Callable[[Sizes], Counts]:
    def count(sizes: Sizes) -> Counts:
        n = sizes["n"]
        return Counts(2.0 * n, 3.0 * word * n, 2.0 * word * n)

    return count


def _gemv(sizes: Sizes) -> Counts:
    n = sizes["n"]
    return Counts(2.0 * n * n, 4.0 * n * n + 8.0 * n, 4.0 * n * n + 8.0 * n)


def _softmax(sizes: Sizes) -> Counts:
    n = float(sizes["rows"] * COLUMNS)
    # subtract, exponential, sum, divide; passes: max 1 read, subtract 2, exp 2, sum 1, divide 2
    return Counts(4 * n, 4 * 8 * n, 4 * 2 * n)


def _layer_norm(sizes: Sizes) -> Counts:
    n = float(sizes["rows"] * COLUMNS)
    # sum, subtract, square and sum (2), scale, gamma, beta; passes: 1 + 2 + 1 + 2 + 2 + 2
    return Counts(7 * n, 4 * 10 * n, 4 * 2 * n)


def _weights(width: int) -> float:
    """Elements: query, key, value and output matrices, and two of a perceptron four times as wide."""
    return 12.0 * width * width


def _decode(sizes: Sizes) -> Counts:
    width, batch, context = sizes["width"], sizes["batch"], sizes["context"]
    mac = batch * (_weights(width) + 2.0 * context * width)
    cache = 2.0 * batch * context * width
    size = 4 * (_weights(width) + cache + 4 * batch * width)  # input and output, one key and value written
    live = 4 * (_weights(width) + cache + batch * (10 * width + context * sizes["heads"]))
    return Counts(2 * mac, size, live)


def _prefill(sizes: Sizes) -> Counts:
    width, batch, prompt = sizes["width"], sizes["batch"], sizes["prompt"]
    tokens = batch * prompt
    mac = tokens * (_weights(width) + 2.0 * prompt * width)
    size = 4 * (_weights(width) + 4 * tokens * width)  # input and output, keys and values written
    live = 4 * (_weights(width) + tokens * (10 * width + prompt * sizes["heads"]))
    return Counts(2 * mac, size, live)


def _call_product(sizes: Sizes, array: Callable[..., Array]) -> Callable[[], Any]:
    import numpy as np

    n = sizes["n"]
    a, b, c = array(n, n), array(n, n), array(n, n)
    return lambda: np.matmul(a, b, out=c)


def _call_gemv(sizes: Sizes, array: Callable[..., Array]) -> Callable[[], Any]:
    import numpy as np

    n = sizes["n"]
    a, x, y = array(n, n), array(n), array(n)
    return lambda: np.matmul(a, x, out=y)


def _call_axpy(sizes: Sizes, array: Callable[..., Array]) -> Callable[[], Any]:
    from scipy.linalg.blas import daxpy, saxpy

    n = sizes["n"]
    x, y = array(n), array(n)
    axpy = daxpy if x.itemsize == 8 else saxpy
    return lambda: axpy(x, y, n, 1e-6)


def _call_softmax(sizes: Sizes, array: Callable[..., Array]) -> Callable[[], Any]:
    rows = sizes["rows"]
    x, y, row = array(rows, COLUMNS), array(rows, COLUMNS), array(rows, 1)
    return lambda: softmax(x, y, row)


def softmax(x: Array, y: Array, row: Array) -> None:
    """Softmax of the last axis of `x` into `y`; `row` has its shape with a last axis of 1."""
    import numpy as np

    np.max(x, axis=-1, keepdims=True, out=row)
    np.subtract(x, row, out=y)
    np.exp(y, out=y)
    np.sum(y, axis=-1, keepdims=True, out=row)
    np.divide(y, row, out=y)


def _call_layer_norm(sizes: Sizes, array: Callable[..., Array]) -> Callable[[], Any]:
    import numpy as np

    rows = sizes["rows"]
    x, y = array(rows, COLUMNS), array(rows, COLUMNS)
    gamma, beta, row = array(COLUMNS), array(COLUMNS), array(rows, 1)
    flat = row[:, 0]

    def call() -> None:
        np.mean(x, axis=-1, keepdims=True, out=row)
        np.subtract(x, row, out=y)
        np.einsum("ij,ij->i", y, y, out=flat)
        np.multiply(row, 1 / COLUMNS, out=row)
        np.sqrt(row, out=row)
        np.divide(1.0, row, out=row)
        np.multiply(y, row, out=y)
        np.multiply(y, gamma, out=y)
        np.add(y, beta, out=y)

    return call


class Block:
    """One transformer block in FP32: a norm, attention, and a perceptron with ReLU.

    Weights are scaled so that activations stay near one; there are no biases and no mask.
    """

    def __init__(self, width: int, heads: int, tokens: int, array: Callable[..., Array]) -> None:
        scale = (2.0 / width) ** 0.5
        self.qkv, self.out = (scale * (array(width, many * width) - 1) for many in (3, 1))
        self.up, self.down = scale * (array(width, 4 * width) - 1), scale * (array(4 * width, width) - 1)
        self.heads, self.width = heads, width
        self.x, self.normed, self.mixed = (array(tokens, width) for _ in range(3))
        self.projected, self.hidden = array(tokens, 3 * width), array(tokens, 4 * width)
        self.row = array(tokens, 1)

    def norm(self) -> None:
        """Root-mean-square norm of the residual stream."""
        import numpy as np

        np.einsum("ij,ij->i", self.x, self.x, out=self.row[:, 0])
        np.divide(self.width, self.row, out=self.row)
        np.sqrt(self.row, out=self.row)
        np.multiply(self.x, self.row, out=self.normed)

    def project(self) -> None:
        """Queries, keys and values of every token."""
        import numpy as np

        self.norm()
        np.matmul(self.normed, self.qkv, out=self.projected)

    def finish(self) -> None:
        """From `mixed` to the block's output, in `normed`; `x` stays as it is for the next call."""
        import numpy as np

        np.matmul(self.mixed, self.out, out=self.normed)
        np.matmul(self.normed, self.up, out=self.hidden)
        np.maximum(self.hidden, 0, out=self.hidden)
        np.matmul(self.hidden, self.down, out=self.normed)


def _call_decode(sizes: Sizes, array: Callable[..., Array]) -> Callable[[], Any]:
    import numpy as np

    width, heads, batch, context = (sizes[name] for name in ("width", "heads", "batch", "context"))
    block = Block(width, heads, batch, array)
    each = width // heads
    keys = array(batch, heads, each, context)
    values = array(batch, heads, context, each)
    scores, weights = array(batch, heads, 1, context), array(batch, heads, 1, context)
    row, mixed = array(batch, heads, 1, 1), array(batch, heads, 1, each)

    def call() -> None:
        block.project()
        parts = block.projected.reshape(batch, 3, heads, each)
        keys[:, :, :, -1] = parts[:, 1]
        values[:, :, -1, :] = parts[:, 2]
        np.matmul(parts[:, 0, :, None, :], keys, out=scores)
        softmax(scores, weights, row)
        np.matmul(weights, values, out=mixed)
        block.mixed[:] = mixed.reshape(batch, width)
        block.finish()

    return call


def _call_prefill(sizes: Sizes, array: Callable[..., Array]) -> Callable[[], Any]:
    import numpy as np

    width, heads, batch, prompt = (sizes[name] for name in ("width", "heads", "batch", "prompt"))
    block = Block(width, heads, batch * prompt, array)
    each = width // heads
    scores, weights = array(batch, heads, prompt, prompt), array(batch, heads, prompt, prompt)
    row, mixed = array(batch, heads, prompt, 1), array(batch, heads, prompt, each)

    def call() -> None:
        block.project()
        parts = block.projected.reshape(batch, prompt, 3, heads, each).transpose(2, 0, 3, 1, 4)
        np.matmul(parts[0], parts[1].swapaxes(-1, -2), out=scores)
        softmax(scores, weights, row)
        np.matmul(weights, parts[2], out=mixed)
        block.mixed.reshape(batch, prompt, heads, each)[:] = mixed.transpose(0, 2, 1, 3)
        block.finish()

    return call


ROUTINES: dict[str, Routine] = {
    "sgemm": Routine(_product(4), _call_product),
    "dgemm": Routine(_product(8), _call_product, double=True),
    "saxpy": Routine(_axpy(4), _call_axpy),
    "daxpy": Routine(_axpy(8), _call_axpy, double=True),
    "sgemv": Routine(_gemv, _call_gemv),
    "softmax": Routine(_softmax, _call_softmax),
    "layer_norm": Routine(_layer_norm, _call_layer_norm),
    "llm_prefill": Routine(_prefill, _call_prefill),
    "llm_decode": Routine(_decode, _call_decode),
}
"""By the name after `library:` in a definition."""


def call(name: str, sizes: Sizes, seed: int) -> Callable[[], Any]:
    """A call of the routine on arrays of its own."""
    import numpy as np

    routine = ROUTINES[name]
    rng = np.random.default_rng(seed)
    kind = np.float64 if routine.double else np.float32

    def array(*shape: int) -> Array:
        return rng.random(shape, dtype=kind) + kind(0.5)

    return routine.make(sizes, array)
