"""Words at which threads meet: they hold nought before a launch, and all that was added after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.backends.cuda.binding import Argument

if TYPE_CHECKING:
    from reportgen.backends.cuda.buffers import Passed


def totals(made: Passed, rest: str) -> Argument:
    """So many words (a number, or its name in the set-up); `each` of the set-up says what a thread adds."""
    setup = made.setup
    count = int(setup[rest]) if rest in setup else int(rest)
    address = made.allocate(4 * count)
    made.counters = address, 4 * count
    if "each" in setup:
        made.added = int(setup["each"]) * int(setup["turns"]) * int(setup["unroll"])
        made.added *= made.threads * made.blocks
    return address, 8


def fault(found: bytes, added: int, launches: int) -> str:
    """What is wrong with the words behind so many launches that each added so much to them together.

    They may have begun anew at 2^32, each by itself.
    """
    total = int(np.frombuffer(found, np.uint32).sum(dtype=np.uint64)) % (1 << 32)
    wanted = added * launches % (1 << 32)
    return "" if total == wanted else f"atomic adds are missing: the words hold {total}, not {wanted}"
