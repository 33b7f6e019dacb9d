"""What stands in device memory before a launch: random values by C type, words that are their own address."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.backends.cuda.binding import Writer
from reportgen.errors import LaunchError

BLOCK_BYTES = 1 << 20
"""Random data of large arrays: one such block, repeated."""
CELL_BYTES = 16
"""Distance of two words that are their own address."""
TYPES: dict[str, type[np.generic]] = {
    "unsigned short": np.uint16,
    "int": np.int32,
    "unsigned": np.uint32,
    "long long": np.int64,
    "unsigned long long": np.uint64,
    "float": np.float32,
    "double": np.float64,
}


def typed(kind: str) -> np.dtype[np.generic]:
    """The type of an array's elements.

    Raises:
        LaunchError: the C type is none of those above.
    """
    if kind not in TYPES:
        raise LaunchError(f"this launcher knows no C type '{kind}'")
    return np.dtype(TYPES[kind])


def random_values(kind: str, count: int, rng: np.random.Generator) -> NDArray[np.generic]:
    """Random values of a C type: floats in [0.5, 1), words of finite halves and bytes, of either sign."""
    dtype = typed(kind)
    if dtype.kind == "f":
        return (0.5 + rng.random(count) / 2).astype(dtype)
    words = rng.integers(0, 1 << 32, size=(count + 1) * dtype.itemsize // 4 + 2, dtype=np.uint32) & 0xBFBFBFBF
    words = words[: len(words) // 2 * 2]
    return words.view(dtype)[:count]


def own_addresses(address: int, size: int) -> NDArray[np.uint64]:
    """64-bit words; every other one, 16 bytes apart, is its own address."""
    words = np.zeros(size // 8, dtype=np.uint64)
    words[::2] = np.arange(address, address + size, CELL_BYTES, dtype=np.uint64)
    return words


def fill(writer: Writer, address: int, block: bytes, size: int) -> None:
    """`size` bytes from `address` on hold the block again and again."""
    writer.write(address, block[:size])
    for start in range(len(block), size, len(block)):
        writer.copy(address + start, address, min(len(block), size - start))
