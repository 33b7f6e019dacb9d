"""What a tick is on a CPU without performance counters.

Ticks are those of the time-stamp counter, which runs at a fixed rate whatever the core does.  A
*cycle* is defined by the machine itself: the time of one step of a chain of dependent 64-bit
register-register additions, the shortest dependency there is.  Such a chain stands on both
sides of every sample.  `inc` and `add r, imm8` are not used: recent cores execute them at
register renaming, several a cycle.
"""

from __future__ import annotations

import time

from reportgen.backends.base import ClockConstants
from reportgen.backends.gates import AGREEMENT, CANARY_SHARE

CALIBRATION_CYCLES = 4096
"""Straight-line additions in one calibration: about 1 µs, so the time stamp's own jitter of a few
ticks stays under 0.2 %; 12 KiB of code, which fits every first-level instruction cache."""
CANARY_INSTRUCTIONS = 8192
"""NOPs in one canary: they issue as fast as the front end allows, so a busy sibling thread, which
halves the front end, shows at once."""

NOTE = (
    "a cycle is one step of a dependent 64-bit register-register add chain, timed beside every sample; "
    "ticks are those of the time-stamp counter"
)


def constants() -> ClockConstants:
    """Constants of the sample frame and of its gates."""
    return ClockConstants(CALIBRATION_CYCLES, CANARY_INSTRUCTIONS, AGREEMENT, CANARY_SHARE, NOTE)


def monotonic_ns() -> int:
    """Nanoseconds of the raw monotonic clock, which no time service adjusts."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
