"""What a tick is on a GPU: one cycle of the multiprocessor that ran the block.

`%clock` and `%clock64` count cycles, so ticks need no calibration to become cycles: `calibration_cycles`
is 0 and rows say how cycles become *time* instead.  Their columns on a GPU:

`start`               `%globaltimer` beside the launch, nanoseconds
`ticks`               cycles from the first clock read of a block to its last
`empty`               the same of a window with nothing in it
`calibration_before`  cycles of a kernel that only waits, run beside the samples; 0: not taken
`calibration_after`   nanoseconds of `%globaltimer` that the same wait took; 0: not taken
                      Of loads that lower the clock (`saturated`, `held`) both are of the launch itself:
                      cycles of one block, nanoseconds between the events round it
`canary_before`       0: not taken (nobody shares the issue slots of a multiprocessor)
`canary_after`        0: not taken
`warmup`              cycles of the first launch of the visit, which loads code and data
`repetitions`         warps whose windows lie side by side in `ticks`; 1 for chains
`cpu`                 the multiprocessor (`%smid`); -1 where the kernel does not tell
"""

from __future__ import annotations

import struct
import time
from dataclasses import dataclass

from reportgen.backends.base import ClockConstants
from reportgen.backends.cuda import compiler
from reportgen.backends.cuda.binding import Argument, Binding
from reportgen.errors import LaunchError

NOTE = (
    "a tick is a cycle of the multiprocessor; beside the samples a kernel that waits reads cycles and "
    "%globaltimer together, which gives seconds"
)
WAIT_CYCLES = 200_000
"""About 0.1 ms: `%globaltimer` moves on every 32 ns to 1 µs."""
HOLD_CYCLES, MOST_CYCLES = 2000, 4000
"""Of a microsecond, as long as the clock has not been looked at, and whatever a faulty timer says of it."""
LAUNCH_US, MOST_LAUNCH_US, LONGER = 15.0, 60.0, 1.5
"""Microseconds in which a launch from Python is queued: of a fast host, and the most; and how many times as
long is allowed from then on where that was too short."""
LOOK_US, MOST_LOOKS, STILL_RISING = 20_000.0, 12, 0.01
"""Microseconds from one look at a clock that rises to the next, how many, and by what share it rises."""
CONSTANTS = ClockConstants(
    calibration_cycles=0, canary_instructions=0, agreement=0.0, canary_share=0.0, note=NOTE, granularity=1
)

_WAIT = """
extern "C" __global__ void frame_wait(unsigned long long *out, unsigned long long cycles) {
  unsigned long long before, first, begun, start, last, stop;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(begun) :: "memory");
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before) :: "memory");
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(first) :: "memory");
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(start) :: "memory");
  } while (first == before && start - begun < PATIENCE);
  do {
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(stop) :: "memory");
  } while (stop - start < cycles);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before) :: "memory");
  begun = stop;
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(last) :: "memory");
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(stop) :: "memory");
  } while (last == before && stop - begun < PATIENCE);
  out[0] = start;
  out[1] = stop;
  out[2] = first;
  out[3] = last;
}
""".replace("PATIENCE", "20000000ull")
"""Both ends lie just behind a step of `%globaltimer`; one that stands still is waited for some 10 ms."""

_EMPTY = """
extern "C" __global__ void frame_empty_{bits}({counter} *out) {{
  {counter} start, stop;
  asm volatile("{read}(start) :: "memory");
  asm volatile("{read}(stop) :: "memory");
  out[2 * threadIdx.x] = start;
  out[2 * threadIdx.x + 1] = stop;
}}
"""
_READS = {
    32: ("unsigned", 'mov.u32 %0, %%clock;" : "=r"'),
    64: ("unsigned long long", 'mov.u64 %0, %%clock64;" : "=l"'),
}
MARK = "frame_mark"
_MARK = f'extern "C" __global__ void {MARK}(unsigned *out) {{ out[threadIdx.x] = 0; }}'
_OUT_BYTES = 4096
_TRIALS = 5
_FILLED = 0xFFFFFFFF


@dataclass(frozen=True)
class Pace:
    """Cycles and nanoseconds of one wait."""

    cycles: int
    nanoseconds: int
    stamp: int
    """`%globaltimer` at its end, nanoseconds."""


class Frame:
    """The launcher's own kernels on one device.

    Args:
        binding: with its context open.
        target: `sm_90`.

    Raises:
        LaunchError: a kernel did not run, or the clock stands still.
    """

    def __init__(self, binding: Binding, target: str) -> None:
        self._binding = binding
        names = {"frame_wait": _WAIT, MARK: _MARK}
        for bits, (counter, read) in _READS.items():
            names[f"frame_empty_{bits}"] = _EMPTY.format(bits=bits, counter=counter, read=read)
        made = compiler.compile_kernels([compiler.Kernel(*pair) for pair in names.items()], target)
        self._functions = {}
        for name, cubin in made.items():
            if not isinstance(cubin, bytes):
                raise LaunchError(f"the launcher's own kernel does not compile: {cubin}")
            self._functions[name] = binding.function(binding.load(cubin), name)
        self._out = binding.allocate(_OUT_BYTES)
        self._cycles_of_us: float = HOLD_CYCLES
        self._launch_us = LAUNCH_US
        self._held = 0.0, 0.0
        """When the device was last held up for launches, and for how many seconds."""
        self.empty = {bits: self._empty(bits) for bits in _READS}
        """Cycles of an empty window, by the bits of its clock reads."""

    def pace(self) -> Pace:
        """Cycles against nanoseconds, now.

        Raises:
            LaunchError: one of the two stood still.
        """
        found = self._run("frame_wait", "<4Q", [(self._out, 8), (WAIT_CYCLES, 8)])
        start, stop, first, last = found
        pace = Pace(stop - start, last - first, last)
        if pace.cycles <= 0 or pace.nanoseconds <= 0:
            raise LaunchError(
                f"the clock stood still: a wait took {pace.cycles} cycles, {pace.nanoseconds} ns of the timer"
            )
        self._cycles_of_us = min(MOST_CYCLES, 1e3 * pace.cycles / pace.nanoseconds)
        return pace

    def hold(self, microseconds: float) -> None:
        """Keep the device busy for about so long, and return at once: launches meanwhile queue up."""
        cycles = round(microseconds * self._cycles_of_us)
        self._binding.launch(
            self._functions["frame_wait"], (1, 1, 1), (1, 1, 1), 0, [(self._out, 8), (cycles, 8)]
        )

    def hold_up(self, launches: int) -> None:
        """Keep the device busy while so many launches are queued."""
        seconds = self._launch_us * (2 + launches) * 1e-6
        self._held = time.perf_counter(), seconds
        self.hold(seconds * 1e6)

    def queued(self) -> None:
        """They are queued: where that took longer than the device was busy, those to come have more time."""
        begun, seconds = self._held
        if time.perf_counter() - begun > seconds:
            self._launch_us = min(MOST_LAUNCH_US, self._launch_us * LONGER)

    def settle(self) -> None:
        """Keep the device busy until its clock rises no more: idling, it may be a fifth of the full one.

        Where it rises at every look that takes a second at most.  Of a clock that stands still the points
        tell.
        """
        try:
            before = self.pace()
            for _ in range(MOST_LOOKS):
                self.hold(LOOK_US)
                now = self.pace()
                if now.cycles * before.nanoseconds <= before.cycles * now.nanoseconds * (1 + STILL_RISING):
                    return
                before = now
        except LaunchError:
            return

    def mark(self) -> None:
        """A launch that whoever watches from outside can tell from all others."""
        self._run(MARK, "<I", [(self._out, 8)])

    def _empty(self, bits: int) -> int:
        reads = []
        for _ in range(_TRIALS):
            start, stop = self._run(f"frame_empty_{bits}", "<2I" if bits == 32 else "<2Q", [(self._out, 8)])
            reads.append((stop - start) % (1 << bits))
        return sorted(reads)[_TRIALS // 2]

    def _run(self, name: str, layout: str, arguments: list[Argument]) -> tuple[int, ...]:
        binding = self._binding
        binding.fill(self._out, _FILLED, _OUT_BYTES // 4)
        binding.launch(self._functions[name], (1, 1, 1), (1, 1, 1), 0, arguments)
        binding.synchronize()
        data = binding.read(self._out, struct.calcsize(layout))
        if data == b"\xff" * len(data):
            raise LaunchError(f"the launcher's own kernel {name} did not run")
        return struct.unpack(layout, data)
