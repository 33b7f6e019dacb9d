"""One call into a program of the timed frame: its argument block and its output block.

The layout must match `probes/frames/timed.<isa>.s.j2`.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.backends.cpu.accesses import BOUNDARY
from reportgen.backends.cpu.executable import Executable

SLOTS = 12
"""Words the frame writes per sample: eleven time stamps and the CPU number."""
MOST_SAMPLES = 64
SCRATCH_BYTES = 24576
"""Of which a program's own accesses reach 16 KiB and a word."""

_SAMPLES, _WARM, _REPETITIONS, _A, _B, _C, _BYTES, _BARRIER, _THREADS, _TARGET, _SCRATCH, _OFFSET, _TOTAL = (
    range(13)
)


@dataclass(frozen=True)
class Stamps:
    """Durations of one sample in ticks, as the frame recorded them."""

    start: int
    ticks: int
    empty: int
    calibration_before: int
    calibration_after: int
    canary_before: int
    canary_after: int
    warmup: int
    cpu: int
    answered: bool = True
    """Whether every other thread that it waited for came."""


class Frame:
    """Argument and output blocks for one thread; reused from call to call."""

    def __init__(self) -> None:
        self.arguments = (ctypes.c_int64 * 16)()
        self.out = (ctypes.c_int64 * (SLOTS * MOST_SAMPLES))()
        page = max(mmap.PAGESIZE, BOUNDARY)
        self._scratch = ctypes.create_string_buffer(SCRATCH_BYTES + page)
        # accesses across two pages are made at the boundary, wherever pages end here
        boundary = -(-(ctypes.addressof(self._scratch) + BOUNDARY) // page) * page
        self.arguments[_SCRATCH] = boundary - BOUNDARY

    def buffers(self, a: int, b: int = 0, c: int = 0, part: int = 0, total: int = 0) -> None:
        """Addresses of up to three arrays of `total` bytes, walked in slices of `part` bytes."""
        self.arguments[_A], self.arguments[_B], self.arguments[_C] = a, b, c
        self.arguments[_BYTES], self.arguments[_OFFSET], self.arguments[_TOTAL] = part, 0, total

    def in_turn(self, starts: Sequence[int]) -> int:
        """A ring of chases in the scratch page: where each is, and where the words of the next one lie.

        Returns:
            The address of the first one's words.
        """
        ring = self.arguments[_SCRATCH]
        following = [ring + 16 * ((at + 1) % len(starts)) for at in range(len(starts))]
        self.scratch([word for pair in zip(starts, following, strict=True) for word in pair])
        return ring

    def scratch(self, words: Sequence[int]) -> None:
        """What the scratch page begins with, 8-byte words."""
        held = (ctypes.c_int64 * len(words))(*words)
        ctypes.memmove(self.arguments[_SCRATCH], held, ctypes.sizeof(held))

    def scratched(self, index: int) -> int:
        """A word of the scratch page."""
        return ctypes.c_int64.from_address(self.arguments[_SCRATCH] + 8 * index).value

    def barrier(self, address: int, threads: int) -> None:
        """Threads meet before each warm-up and each timed round at the counter at `address`."""
        self.arguments[_BARRIER], self.arguments[_THREADS], self.arguments[_TARGET] = address, threads, 0

    def run(self, program: Executable, samples: int, warm: int, repetitions: int) -> list[Stamps]:
        """Take `samples` samples in one call; the GIL is released meanwhile."""
        self.arguments[_SAMPLES], self.arguments[_WARM], self.arguments[_REPETITIONS] = (
            samples,
            warm,
            repetitions,
        )
        program.call(ctypes.addressof(self.arguments), ctypes.addressof(self.out))
        return [self._stamps(self.out[i * SLOTS : (i + 1) * SLOTS]) for i in range(samples)]

    @staticmethod
    def _stamps(row: list[int]) -> Stamps:
        return Stamps(
            start=row[6],
            ticks=row[7] - row[6],
            empty=row[1] - row[0],
            calibration_before=row[2] - row[1],
            calibration_after=row[10] - row[9],
            canary_before=row[3] - row[2],
            canary_after=row[9] - row[8],
            warmup=row[5] - row[4],
            cpu=row[11] & 0xFFF,
        )
