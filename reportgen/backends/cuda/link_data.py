"""What copies between host and device carry: random bytes of which no two pages are alike."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from reportgen.backends.cuda.binding import HostMemory

PAGE = 4096
BLOCK = 1 << 20
"""Random bytes are drawn for so much and repeated; the first word of every page is turned by its number."""
WORD = 8
WIPED = 0xFF

Words = NDArray[np.uint64]


class Pattern:
    """The contents of a buffer; a copy that leaves out, repeats or misplaces a page does not look like it.

    Args:
        size: bytes, a multiple of a page.
        rng: draws the block.

    Raises:
        ValueError: it is none.
    """

    def __init__(self, size: int, rng: np.random.Generator) -> None:
        if size <= 0 or size % PAGE:
            raise ValueError(f"{size} bytes are no whole pages")
        self.size = size
        words = rng.integers(0, 1 << 64, size=min(size, BLOCK) // WORD, dtype=np.uint64)
        self._block: Words = words.reshape(-1, PAGE // WORD)

    def write(self, memory: HostMemory) -> None:
        """Put it into memory of its size."""
        pages = _pages(memory)
        for start in range(0, len(pages), len(self._block)):
            part = pages[start : start + len(self._block)]
            part[:] = self._block[: len(part)]
            part[:, 0] ^= np.arange(start, start + len(part), dtype=np.uint64)

    def wrong(self, memory: HostMemory) -> int:
        """Pages of a memory that do not hold what they have to."""
        pages = _pages(memory)
        off = 0
        for start in range(0, len(pages), len(self._block)):
            part = pages[start : start + len(self._block)]
            same = part == self._block[: len(part)]
            numbers = np.arange(start, start + len(part), dtype=np.uint64)
            same[:, 0] = part[:, 0] == self._block[: len(part), 0] ^ numbers
            off += int(np.count_nonzero(~same.all(axis=1)))
        return off


def wipe(memory: HostMemory) -> None:
    """Have memory hold nothing of a pattern."""
    ctypes.memset(memory.address, WIPED, memory.size)


def pageable(size: int) -> HostMemory:
    """Memory as any program of the host has it, with its pages in place."""
    array = np.full(size + PAGE, WIPED, dtype=np.uint8)
    return HostMemory(-(-int(array.ctypes.data) // PAGE) * PAGE, size, array)


def _pages(memory: HostMemory) -> Words:
    words = np.ctypeslib.as_array((ctypes.c_uint64 * (memory.size // WORD)).from_address(memory.address))
    return words.reshape(-1, PAGE // WORD)
