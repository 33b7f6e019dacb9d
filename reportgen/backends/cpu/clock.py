"""What a tick is on a CPU without performance counters.

Ticks are those of the time-stamp counter, which runs at a fixed rate whatever the core does.  A
*cycle* is defined by the machine itself: the time of one step of a chain of dependent 64-bit
register-register additions, the shortest dependency there is.  Such a chain stands on both
sides of every sample.  `inc` and `add r, imm8` are not used: recent cores execute them at
register renaming, several a cycle.
"""

from __future__ import annotations

import ctypes
import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from reportgen.backends.base import ClockConstants
from reportgen.backends.cpu.executable import Executable
from reportgen.backends.cpu.isa import host
from reportgen.backends.gates import AGREEMENT, CANARY_SHARE
from reportgen.errors import LaunchError

LONG_CHAIN = 20480
"""Additions in one calibration, about 6 µs.  The time-stamp counter does not move tick by tick: on
some processors it jumps every 10 ns (26 ticks at 2.6 GHz; a chain of 4096 came out 0.9 % apart from
one time to the next).  Two jumps are under 0.4 % of this chain."""
CHAIN_BLOCK = 2048
"""Additions in a row, 6 KiB of code; the block's loop counter runs beside the chain."""
SHORT_CHAIN = 32
"""Additions in the window that stands for an empty one (column `empty`): enough to hide the time
stamp's own stores, as a real body does."""
CALIBRATION_CYCLES = LONG_CHAIN - SHORT_CHAIN
"""Cycles between the two: what (calibration - empty) measures."""
CANARY_INSTRUCTIONS = 40960
"""Zeroing idioms (`xor r, r`) in one canary: renaming executes them, so they flow as fast as the
front end dispatches and no execution port limits them.  A busy sibling thread halves that at once.
About 2 µs, so that a jump of the time stamp is under 1 %.  (NOPs would do, but some cores fuse them
in pairs, and then their rate is not the dispatch width.)"""
CANARY_BLOCK = 256


@dataclass(frozen=True)
class Lengths:
    """How long calibration and canary are on one ISA; their blocks are the same on all."""

    long_chain: int
    canary_instructions: int

    @property
    def calibration_cycles(self) -> int:
        """Cycles between a calibration and an empty window."""
        return self.long_chain - SHORT_CHAIN


LENGTHS = {
    "x86_64": Lengths(LONG_CHAIN, CANARY_INSTRUCTIONS),
    "aarch64": Lengths(65536, 98304),
}
"""AArch64's generic timer ticks at 1 GHz since Armv8.6, but at 24 or 25 MHz on many older cores: two of
those ticks are 80 ns, 0.4 % of 65536 cycles at 3 GHz, and one is under 1 % of 98304 canaries at 8 a cycle."""

NOTE = (
    "a cycle is one step of a dependent 64-bit register-register add chain, timed beside every sample; "
    "ticks are those of the time-stamp counter"
)


_TIME_STAMPS = {
    "x86_64": "0f31 48c1e220 4809d0 c3",  # rdtsc; shl rdx, 32; or rax, rdx; ret
    "aarch64": "df3f03d5 40e03bd5 c0035fd6",  # isb; mrs x0, cntvct_el0; ret
}

_READINGS = {
    # mov rcx, [rdi]; 1: lfence; rdtsc; shl rdx, 32; or rax, rdx; mov [rsi], rax; add rsi, 8; dec rcx; jnz 1b;
    # ret.  Without the fence, readings within one step of a Zen 4's counter are made to differ by a tick.
    "x86_64": "488b0f 0faee8 0f31 48c1e220 4809d0 488906 4883c608 48ffc9 75e8 c3",
    # ldr x2, [x0]; 1: isb; mrs x3, cntvct_el0; str x3, [x1], #8; subs x2, x2, #1; b.ne 1b; ret
    "aarch64": "020040f9 df3f03d5 43e03bd5 238400f8 420400f1 81ffff54 c0035fd6",
}
READINGS = 4096
"""Of the time stamp, one right after the other: some 50 µs, longer than any step."""


@cache
def time_stamp() -> Executable:
    """Code of this machine's ISA that returns its time-stamp counter.

    Raises:
        LaunchError: no such code is known for the ISA, or the system gives no executable memory.
    """
    code = _TIME_STAMPS.get(host())
    if code is None:
        raise LaunchError(f"no time stamp is known for {host()}")
    return Executable(bytes.fromhex(code), 0)


def ticks() -> int:
    """The time-stamp counter now."""
    return time_stamp().call(0, 0)


@cache
def granularity() -> int:
    """Ticks by which the time-stamp counter moves at a time."""
    asked, found = (ctypes.c_int64 * 1)(READINGS), (ctypes.c_int64 * READINGS)()
    Executable(bytes.fromhex(_READINGS[host()]), 0).call(ctypes.addressof(asked), ctypes.addressof(found))
    return step_of(list(found))


def step_of(readings: Sequence[int]) -> int:
    """Ticks by which a counter moves, of readings as close to each other as they can be; at least one.

    Where some are alike, the counter stood still between them, and the usual difference of the others is
    its step.  (A counter that is scaled, as that of Armv8.6 to 1 GHz, may move by 41 and by 42 ticks, which
    nothing divides.)  Where none are, it moves within the time of a reading, by what divides all of them.
    """
    differences = [after - before for before, after in pairwise(readings)]
    moved = [one for one in differences if one > 0]
    if not moved:
        return 1
    return round(statistics.median(moved)) if 0 in differences else math.gcd(*moved)


@cache
def constants() -> ClockConstants:
    """Constants of the sample frame and of its gates, with this machine's granularity."""
    lengths = LENGTHS[host()]
    return ClockConstants(
        lengths.calibration_cycles, lengths.canary_instructions, AGREEMENT, CANARY_SHARE, NOTE, granularity()
    )


def monotonic_ns() -> int:
    """Nanoseconds of the raw monotonic clock, which no time service adjusts."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
