"""How a stream goes through its arrays: turns, rounds, and which block takes over from which."""

from __future__ import annotations

from reportgen.backends.cuda.chase import Setup
from reportgen.errors import Unsupported

MOVED = 1 << 31
"""Bytes that a stream moves in a launch, or little less: 0.2 ms at 10 TB/s, of which the start and the end of
the launch, some microseconds, are one or two per cent."""
BY_BLOCK = 1 << 26
"""Bytes that one block moves in a launch at most, but for arrays that are larger: half a millisecond."""
SHIFT = 67
"""From round to round of a stream a block takes over from the one so many numbers on.  Blocks of one
multiprocessor are neighbours, or as far apart as there are multiprocessors; on few devices that is 67, or
two, three or four times as much."""


def turns(setup: Setup, threads: int, blocks: int) -> int:
    """Times that all threads together move `unroll` vectors of each array, to go through it once.

    Raises:
        Unsupported: the arrays are smaller than that.
    """
    each = int(setup["unroll"]) * int(setup["vector_bytes"]) * threads * blocks
    found = int(setup["bytes"]) // each
    if not found:
        raise Unsupported(f"{setup['bytes']} bytes are less than {blocks} blocks move at a time")
    return found


def rounds(setup: Setup, blocks: int) -> int:
    """Times that a launch goes through its arrays."""
    return max(1, min(MOVED, BY_BLOCK * blocks) // (int(setup["bytes"]) * int(setup["arrays"])))


def shift(setup: Setup, blocks: int) -> int:
    """Numbers from a block to the one whose bytes it moves in the next round; 0 where all keep their own."""
    return 0 if setup.get("own") else SHIFT % blocks


def of_one_multiprocessor(setup: Setup, blocks: int, multiprocessors: int, fitting: int) -> int:
    """Bytes that the blocks of one multiprocessor go through side by side, each its own.

    Args:
        setup: of the source.
        blocks: of the launch.
        multiprocessors: that share them.
        fitting: blocks that one of them has threads for.
    """
    side_by_side = max(1, min(-(-blocks // max(1, multiprocessors)), fitting))
    return int(setup["bytes"]) * int(setup["arrays"]) // blocks * side_by_side
