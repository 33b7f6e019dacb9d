"""Tiles for the copy unit: where their rows lie in memory, and how they have to lie in shared memory.

With a swizzle the 16-byte pieces of a row change places by the number of the 128 bytes of shared memory that
they lie in, so that pieces above each other lie in different banks: of a pattern over 2, 4 or 8 pieces (32,
64, 128 bytes) the lowest 1, 2 or 3 bits of that number are added to those of the piece, without carry.
Source: CUDA C++ Programming Guide, "The Swizzle Modes" of tensor maps; CUTLASS, `Swizzle<B, 4, 3>`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.backends.cuda.chase import Setup

WORD_BYTES, PIECE_BYTES, LINE_BYTES = 4, 16, 128
MOST = 256
"""Elements of a tile, in each direction (CUDA Driver API, `cuTensorMapEncodeTiled`, `boxDim`)."""
APART = 2
"""Rows of a tile that stays where it is lie so many of their lengths apart: it is part of a matrix."""

Words = NDArray[np.uint32]


@dataclass(frozen=True)
class Tile:
    """A tile, and the matrix that it is cut out of."""

    columns: int
    """Of the tile, words."""
    rows: int
    """Of both."""
    width: int
    """Columns that the tile may be moved over, words."""
    pitch: int
    """Bytes from one row to the next."""
    step: int
    """Columns to the tile that is copied next, words."""
    swizzle: int
    """Bytes of a row whose pieces change places; 0: none do."""
    promotion: int
    """Bytes that a miss brings into the second level; 0: what it asks for."""

    @property
    def matrix_bytes(self) -> int:
        """Memory that holds it."""
        return self.rows * self.pitch

    def after(self, matrix: bytes, copies: int) -> Words:
        """The words of shared memory after so many copies, one tile over the other."""
        whole = np.frombuffer(matrix, np.uint32).reshape(self.rows, self.pitch // WORD_BYTES)
        first = self.step * (copies - 1)
        return lain(np.ascontiguousarray(whole[:, first : first + self.columns]), self.swizzle)


def shape(setup: Setup, copies: int) -> Tile:
    """The tile of a set-up with `bytes`; `row`, `swizzle`, `promotion` and `step` may be in it too.

    Args:
        setup: of the source.
        copies: of a launch.
    """
    words = int(setup["bytes"]) // WORD_BYTES
    columns = int(setup["row"]) // WORD_BYTES if "row" in setup else min(words, MOST)
    step = int(setup.get("step", 0))
    width = columns + step * (copies - 1)
    return Tile(
        columns=columns,
        rows=words // columns,
        width=width,
        pitch=WORD_BYTES * (width if step else APART * columns),
        step=step,
        swizzle=int(setup.get("swizzle", 0)),
        promotion=int(setup.get("promotion", 0)),
    )


def lain(tile: Words, swizzle: int) -> Words:
    """The words of a tile (rows x columns) in the order in which they lie from its first address on.

    Args:
        tile: whose rows are as long as the pattern, where there is one.
        swizzle: bytes of the pattern; 0: none.
    """
    words = tile.reshape(-1)
    if not swizzle:
        return words
    at = np.arange(words.size) * WORD_BYTES
    turned = at // LINE_BYTES % (swizzle // PIECE_BYTES)
    there = np.empty_like(words)
    there[(at ^ (turned * PIECE_BYTES)) // WORD_BYTES] = words
    return there
