"""Arrays of a validation loop: what they hold, and where they lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.backends.cpu.buffers import Buffer
from reportgen.errors import LaunchError

NAMES = ("a", "b", "c")
PADDING = 1088
"""Between arrays: they shall not begin at the same place of a page, where stores and loads alias on some
cores, nor of a cache set."""
GUARD = 4096
"""Before and behind each array, for loops that look at neighbours."""


def lay_out(setup: dict[str, int | float | str], seed: int) -> tuple[Buffer, list[int]]:
    """A buffer with the arrays of a set-up (`a`: "fp32 4096"), and their addresses; 0 for absent ones.

    Raises:
        LaunchError: a kind of contents is not known, or the memory is not to be had.
    """
    asked = [str(setup.get(name, "")).split() for name in NAMES]
    sizes = [int(words[1]) if words else 0 for words in asked]
    starts, end = [], 0
    for number, size in enumerate(sizes):
        starts.append(end + GUARD + PADDING * number)
        end = starts[-1] + size + GUARD
    buffer = Buffer(-(-end // 4096) * 4096, "huge")
    rng = np.random.default_rng(seed)
    memory = np.frombuffer(buffer.view(), dtype=np.uint8)
    memory[:] = 0
    for words, start, size in zip(asked, starts, sizes, strict=True):
        if words:
            memory[start : start + size] = np.frombuffer(
                _contents(words[0], size, rng, buffer.address + start).tobytes(), dtype=np.uint8
            )
    del memory
    return buffer, [buffer.address + start if size else 0 for start, size in zip(starts, sizes, strict=True)]


def _contents(kind: str, size: int, rng: np.random.Generator, address: int) -> np.ndarray[Any, Any]:
    """`size` bytes: numbers from 1 to 2, whole numbers, places in the array itself, or zeros."""
    if kind == "fp32":
        return rng.uniform(1.0, 2.0, size // 4).astype(np.float32)
    if kind == "fp64":
        return rng.uniform(1.0, 2.0, size // 8)
    if kind == "int":
        return rng.integers(0, 256, size, dtype=np.uint8)
    if kind == "text":
        return rng.integers(97, 123, size, dtype=np.uint8)
    if kind == "index":
        return rng.integers(0, size // 4, size // 4, dtype=np.uint32)
    if kind == "list":
        order = rng.permutation(size // 64)
        cells = np.zeros(size // 8, dtype=np.uint64)
        cells[order * 8] = (np.roll(order, -1) * 64 + address).astype(np.uint64)
        return cells
    if kind == "zero":
        return np.zeros(size, dtype=np.uint8)
    raise LaunchError(f"no array holds '{kind}'")
