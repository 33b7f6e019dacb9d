"""A stream that computes: loads of all multiprocessors with multiply-adds between them.

How many multiply-adds, and on how much memory, are settings of a launch: all intensities share one program.
"""

from __future__ import annotations

from reportgen.backends.cuda.generator_memory import STREAM_OTHERS, STREAM_THREADS, STREAM_UNROLL
from reportgen.backends.cuda.generator_parts import Parts, Request

WORDS = 4 * STREAM_UNROLL
"""Words that a thread loads in a turn, with an accumulator for each: as many chains as a multiprocessor of
few warps needs."""
LONG = 8
"""Multiply-adds of each word in the long stretch: with all words 128, of which what counts them is 3 %."""
BLOCKS_EACH = 4
"""Blocks of a multiprocessor, all there at once: half of its warps, which have room for their registers."""
BYTES_EACH = {"l2": 16384, "dram": 2 << 20}
"""Level -> bytes of each block.  Of the one they are 64 KiB a multiprocessor in all: what a first level still
holds of it was brought for other blocks, and a second level has room for it.  Of the other they are several
times any second level."""


def intensity(request: Request) -> Parts:
    """A turn loads 64 bytes a thread, and does as many multiply-adds as the point asks for."""
    count = request.setting("multiply_adds")
    many, rest = divmod(count, LONG * WORDS)
    few, rest = divmod(rest, WORDS)
    if rest:
        raise ValueError(f"{count} multiply-adds are no multiple of {WORDS}")
    turn = f"{STREAM_UNROLL} load, {(LONG + 1) * WORDS} fma"
    expect: dict[str, int | str] = {
        "kind": "memory",
        "chains": 0,
        "want.load": STREAM_UNROLL,
        "match.load": "LDG\\.E\\.128(\\.SYS)?",
        "want.fma": (LONG + 1) * WORDS,
        "match.fma": "FFMA",
        # the two stretches, the turn that holds both, and the rounds of turns
        "loops": f"{LONG * WORDS} fma; {WORDS} fma; {turn}; {turn}",
        "allow": STREAM_OTHERS,
    }
    parameters = [
        ("const char *a", "array:float"),
        *((f"unsigned {name}", f"count:{name}") for name in ("turns", "rounds", "shift")),
        *((f"unsigned {name}", f"setting:{name}") for name in ("many", "few")),
        ("float *out", "output:float"),
    ]
    setup: dict[str, int | float | str] = {
        "kind": "stream",
        "threads": STREAM_THREADS,
        "blocks_each": BLOCKS_EACH,
        "bytes_each": BYTES_EACH[request.chosen("level")],
        "unroll": STREAM_UNROLL,
        "arrays": 1,
        "vector_bytes": 16,
        "many": many,
        "few": few,
    }
    work = {"bytes": 4.0 * WORDS, "flop": 2.0 * count}
    return Parts({"unroll": STREAM_UNROLL, "long": LONG}, parameters, expect, work, setup)
