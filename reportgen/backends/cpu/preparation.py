"""Setting up a visit: memory, arguments, and how often the body runs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reportgen.backends.base import Order
from reportgen.backends.cpu import outcomes
from reportgen.backends.cpu.buffers import Buffer
from reportgen.backends.cpu.executable import Executable
from reportgen.backends.cpu.frame import MOST_SAMPLES, Frame, Stamps
from reportgen.backends.cpu.repetitions import BODY_SECONDS, Repetitions
from reportgen.backends.cpu.together import in_step
from reportgen.errors import LaunchError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WINDOW_SECONDS = 40e-3
"""Aim for one window of a long visit: above a scheduler's time slice, below the time in which a clock limit
sets in."""
TRIAL_SECONDS = 10e-3
"""Length of the window in the trial that finds how many repetitions make `WINDOW_SECONDS`."""
WARM_BODIES = 10
"""512-bit code pays 0.1-0.25 µs once after scalar code, and branch history must settle."""
RESIDENT_SLICES = 64
"""Arrays of more slices are far larger than any cache; walking them once first would only cost time."""
PLACES = 256
"""At any of which a body may begin, 4 KiB apart: addresses that differ in the bits that choose sets of caches
and of buffers of branch targets."""
MOST_WALKED = 1 << 18
"""Lines of a chase that is walked once before its first sample; more do not fit in what could hold them."""
WALKS = 8
"""Turns in which chases that are compared do so; of eight, as many as a line has words, one call can hold."""
LEAST_SAMPLES = 8
MOST_ROWS = 192
"""Sample cap of one visit: beyond, a point is unstable however long one waits."""

Take = Callable[[int], list[list[Stamps]]]
"""samples of each -> one list of stamps a thread, or a point of those that take turns."""


@dataclass
class Visit:
    """A prepared point: how to take samples of it, and what was granted."""

    take: Take
    repetitions: int
    facts: dict[str, int | float | str] = field(default_factory=dict)
    least: int = LEAST_SAMPLES
    cpus: tuple[int, ...] = ()
    warm: int = 0
    """Repetitions of the warm-up where its time is compared with the body's; 0: not compared."""
    windows: int = 0
    """Samples of a visit that is one stretch of load, all taken in one call; 0: batches until precise."""
    arms: int = 1
    """Points that take turns sample by sample; of more than one, `take` gives a list each."""


class Preparation:
    """What stays from visit to visit: frames, stream memory, repetitions of each point.

    Args:
        cpus: the cores that may be used; the last one measures what needs one core.
        tick_hz: ticks of the time-stamp counter a second, roughly.
    """

    def __init__(self, cpus: tuple[int, ...], tick_hz: float) -> None:
        self.cpus = cpus
        self.tick_hz = tick_hz
        self.frames = [Frame() for _ in cpus]
        self._repetitions = Repetitions(tick_hz)
        self._streams: dict[int, Buffer] = {}
        self._list: NDArray[np.uint32] | None = None
        self._cycle: tuple[Buffer, NDArray[np.int64]] | None = None
        self._trail: Buffer | None = None

    def body(self, order: Order, program: Executable, steps: int = 0) -> Visit:
        """A program that needs nothing but registers and a scratch page, or a chase of `steps` cells."""
        frame = self.frames[0]
        count = self._repetitions.of(order.point, lambda count: frame.run(program, 4, 1, count))
        warm = max(WARM_BODIES, count // 4)
        least = LEAST_SAMPLES
        if steps:
            # one whole turn of the chase, so that no part of the working set is left out
            least = min(max(LEAST_SAMPLES, -(-steps // (int(order.setup["unroll"]) * count))), MOST_ROWS // 2)
            warm = max(1, count // 4)

        def take(samples: int) -> list[list[Stamps]]:
            return [frame.run(program, samples, warm, count)]

        return Visit(take, count, least=least, cpus=(self.cpus[-1],), warm=0 if steps else warm)

    def placed(self, order: Order, program: Executable) -> Visit:
        """A body whose time may depend on where it lies, at another address in every visit."""
        import numpy as np

        copy = program.elsewhere(int(np.random.default_rng(order.seed).integers(PLACES)))
        # time stamps of a page that was never executed cost more, and a canary would come out too fast
        self.frames[0].run(copy, 2, 1, 1)
        return self.body(order, copy)

    def outcomes(self, order: Order, program: Executable) -> Visit:
        """Conditional branches whose outcomes are planned, and counted: they must come out as planned."""
        random, others = int(order.setup["random"]), str(order.setup["others"])
        frame = self.frames[0]
        frame.scratch(outcomes.words(random, others, order.seed))
        visit = self.body(order, program)

        def take(samples: int) -> list[list[Stamps]]:
            before = frame.scratched(outcomes.COUNTER)
            stamps = visit.take(samples)
            executed = samples * (visit.warm + visit.repetitions) * outcomes.SITES
            not_taken = frame.scratched(outcomes.COUNTER) - before
            visit.facts["taken_share"] = outcomes.check(random, others, executed, not_taken)
            return stamps

        return replace(visit, take=take)

    def footprint(self, order: Order, program: Executable) -> Visit:
        """Straight code of any size; a pass before each sample brings it to where it fits.

        Warm-up and body are not compared: with large code the first pass finds less of it near.
        """
        frame = self.frames[0]
        count = self._repetitions.of(order.point, lambda count: frame.run(program, 4, 1, count))
        warm = max(1, count // 4)
        return Visit(lambda samples: [frame.run(program, samples, warm, count)], count, cpus=(self.cpus[-1],))

    def chase(self, order: Order, program: Executable, stack: ExitStack) -> Visit:
        """A pointer chase over a fresh buffer, which `stack` gives back."""
        import numpy as np

        from reportgen.backends import layouts

        setup, rng = order.setup, np.random.default_rng(order.seed)
        layout = str(setup["layout"])
        if layout == "random":
            offsets = layouts.random_cycle(int(setup["bytes"]), rng)
        elif layout == "pair":
            offsets = layouts.pairs(int(setup["offset"]), rng, int(setup["slots"]))
        elif layout == "conflict":
            offsets = layouts.conflict(int(setup["count"]), int(setup["stride"]), rng)
        elif layout == "sequence":
            visited = [int(line) for line in str(setup["lines"]).split()]
            offsets = layouts.in_one_set(visited, int(setup["stride"]), rng, int(setup["inner"]))
        else:
            offsets = layouts.one_a_page(int(setup["count"]), int(setup["page"]), rng)
        buffer = stack.enter_context(Buffer(layouts.span(offsets), str(setup["pages"])))
        words = np.frombuffer(buffer.view(), dtype=np.uint64)
        first = layouts.link(words, buffer.address, offsets)
        del words
        frame = self.frames[0]
        frame.buffers(first)
        turn = -(-len(offsets) // int(setup["unroll"]))
        if len(offsets) <= 1 << 16:
            frame.run(program, 1, 1, turn)  # one whole turn before the first sample
        visit = self.body(order, program, len(offsets))
        # of a sequence several cells lie in one line, of the line probe two may
        distinct = len(np.unique(offsets // layouts.LINE)) if layout == "sequence" else len(offsets)
        visit.facts |= {
            "bytes_requested": int(setup.get("bytes", buffer.size)),
            "bytes_actual": distinct * layouts.LINE,
            "huge_bytes": buffer.huge_bytes(),
            "lines": distinct,
        }
        return visit

    def trail(self, order: Order, program: Executable) -> Visit:
        """Chases over lines in the orders that the set-up names, sample by sample in turn.

        The memory is kept from visit to visit, so that layouts which are compared have the same pages.
        """
        import numpy as np

        from reportgen.backends import layouts, trails

        setup, loads = order.setup, int(order.setup["loads"])
        turns = trails.in_turn(setup, order.seed)
        span, lines = max(layouts.span(own) for own in turns), len(turns[0])
        if self._trail is None or self._trail.size < span:
            self._trail = Buffer(span, "huge")
        buffer, frame, arms = self._trail, self.frames[0], len(turns)
        words = np.frombuffer(buffer.view(), dtype=np.uint64)
        ring = frame.in_turn([layouts.link(words, buffer.address, own) for own in turns])

        def run(samples: int, warm: int, count: int) -> list[Stamps]:
            frame.buffers(ring)  # each call begins with the first
            return frame.run(program, samples, warm, count)

        if lines <= MOST_WALKED:
            # what wrote the lines left some of them near: all of them once, in turn as they will be
            run(WALKS * arms, 1, -(-lines // loads // arms // WALKS))
        # as many steps for all, lest one catch up with another
        count = self._repetitions.of(
            str(setup["together"]), lambda count: run(4 * arms, 1, count)[arms - 1 :: arms]
        )
        warm = max(WARM_BODIES, count // 4)

        def take(samples: int) -> list[list[Stamps]]:
            stamps = run(samples * arms, warm, count)
            return [stamps[at::arms] for at in range(arms)]

        facts: dict[str, int | float | str] = {
            "bytes_requested": int(setup["size"]),
            "bytes_actual": lines * layouts.LINE,
            "bytes_spanned": span,
            "huge_bytes": buffer.huge_bytes(),
            "turns": str(setup["turns"]),
        }
        return Visit(take, count, facts, cpus=(self.cpus[-1],), arms=arms)

    def window(self, order: Order, program: Executable) -> Visit:
        """Two chases over one random cycle, half of it apart, so that none finds what the other brought."""
        import numpy as np

        size = int(order.setup["bytes"])
        buffer, offsets = self._random_cycle(size)
        first = int(np.random.default_rng(order.seed).integers(len(offsets)))
        second = (first + len(offsets) // 2) % len(offsets)
        self.frames[0].buffers(*(buffer.address + int(offsets[at]) for at in (first, second)))
        return self._through(order, program, size, buffer, len(offsets))

    def misses(self, order: Order, program: Executable) -> Visit:
        """Chases over one random cycle, evenly apart; or loads of a list of its lines, in its order."""
        import numpy as np

        size, chains, loads = (int(order.setup[name]) for name in ("bytes", "chains", "loads"))
        buffer, offsets = self._random_cycle(size)
        first = int(np.random.default_rng(order.seed).integers(len(offsets)))
        if chains:
            places = [(first + at * len(offsets) // chains) % len(offsets) for at in range(chains)]
            self.frames[0].scratch([buffer.address + int(offsets[at]) for at in places])
        else:
            if self._list is None or len(self._list) < len(offsets) // loads * loads:
                self._list = offsets[: len(offsets) // loads * loads].astype(np.uint32)
            start = int(self._list.ctypes.data)
            now = start + 4 * (first // loads * loads % len(self._list))
            self.frames[0].scratch([now, start + self._list.nbytes, start, buffer.address])
        return self._through(order, program, size, buffer, len(offsets))

    def _through(self, order: Order, program: Executable, size: int, buffer: Buffer, lines: int) -> Visit:
        """A body that walks the random cycle, with what was granted of it."""
        from reportgen.backends import layouts

        visit = self.body(order, program)
        visit.facts |= {
            "bytes_requested": size,
            "bytes_actual": lines * layouts.LINE,
            "huge_bytes": buffer.huge_bytes(),
        }
        return visit

    def _random_cycle(self, size: int) -> tuple[Buffer, NDArray[np.int64]]:
        """A cycle through memory, kept from visit to visit: where its lines lie does not matter here."""
        import numpy as np

        from reportgen.backends import layouts

        if self._cycle is None or self._cycle[0].size < size:
            offsets = layouts.random_cycle(size, np.random.default_rng(size))
            buffer = Buffer(layouts.span(offsets), "huge")
            layouts.link(np.frombuffer(buffer.view(), dtype=np.uint64), buffer.address, offsets)
            self._cycle = buffer, offsets
        return self._cycle

    def stream(self, order: Order, program: Executable) -> Visit:
        """A stream over arrays of its own for each core, the cores in step."""
        setup = order.setup
        cores, arrays, each = int(setup["cores"]), int(setup["arrays"]), int(setup["array_bytes"])
        if cores > len(self.cpus):
            raise LaunchError(f"{cores} cores wanted, {len(self.cpus)} are allowed")
        cpus = self.cpus[-cores:][::-1]
        huge = 0
        part = int(setup["slice_bytes"])
        # a page of distance keeps the arrays of one thread out of each other's sets
        stride = each + 4096
        for index in range(cores):
            buffer = self._stream_buffer(index, stride * arrays)
            starts = [buffer.address + stride * i for i in range(arrays)] + [0, 0]
            self.frames[index].buffers(starts[0], starts[1], starts[2], part, each)
            huge += buffer.huge_bytes()

        def run(samples: int, warm: int, count: int) -> list[list[Stamps]]:
            return self._together(program, cpus, samples, warm, count)

        turn = each // part
        if turn <= RESIDENT_SLICES:
            run(1, 1, turn)  # a level can only serve what it holds: one whole turn first
        count = self._repetitions.of(order.point, lambda count: run(4, 1, count)[0])
        warm = max(1, count // 4)
        facts: dict[str, int | float | str] = {
            "bytes_requested": int(setup["bytes"]),
            "bytes_actual": each * arrays,
            "huge_bytes": huge,
            "cores": cores,
            "vector_bytes": int(setup["vector_bytes"]),
            "data": "random",
        }
        return Visit(lambda samples: run(samples, warm, count), count, facts, cpus=cpus)

    def windows(self, order: Order, program: Executable) -> Visit:
        """A body on every core at once, for as long as the visit lasts, in windows of equal work."""
        cores = int(order.setup["cores"])
        if cores > len(self.cpus):
            raise LaunchError(f"{cores} cores wanted, {len(self.cpus)} are allowed")
        cpus = self.cpus[-cores:][::-1]
        windows = max(LEAST_SAMPLES, min(MOST_SAMPLES, round(order.seconds / WINDOW_SECONDS)))
        count = self._windows(order, program, cpus, order.seconds / windows)

        def take(samples: int) -> list[list[Stamps]]:
            return self._together(program, cpus, samples, 1, count)

        facts: dict[str, int | float | str] = {"cores": cores, "windows": windows}
        return Visit(take, count, facts, cpus=cpus, windows=windows)

    def shared(self, order: Order, program: Executable, stack: ExitStack) -> Visit:
        """Threads that share lines, which `stack` gives back; see `communication`.

        Warm-up and body are not compared: a partner that comes late makes either longer.
        """
        from reportgen.backends.cpu import communication

        cpus = communication.chosen(order, self.cpus)
        run = communication.runner(order, program, self.frames, cpus, stack)
        count = self._repetitions.of(order.point, lambda count: run(4, 1, count)[0])
        facts: dict[str, int | float | str] = {"cores": len(cpus), "cpus": " ".join(map(str, cpus))}
        return Visit(lambda samples: run(samples, max(1, count // 4), count), count, facts, cpus=cpus)

    def _windows(self, order: Order, program: Executable, cpus: tuple[int, ...], window: float) -> int:
        """Repetitions that make one window last about `window` seconds on all cores; the same every visit.

        The trial is itself a stretch of load: a body of microseconds does not tell how long milliseconds
        take on cores that are shared.
        """
        count = self._repetitions.known.get(order.point)
        if count is None:
            first = self._repetitions.of(
                order.point, lambda tried: self._together(program, cpus, 4, 1, tried)[0]
            )
            some = max(1, round(first * TRIAL_SECONDS / BODY_SECONDS))
            slowest = max(stamps[-1].ticks for stamps in self._together(program, cpus, 2, 1, some))
            count = max(1, round(some * window * self.tick_hz / max(slowest, 1)))
            self._repetitions.known[order.point] = count
        return count

    def _together(
        self, program: Executable, cpus: tuple[int, ...], samples: int, warm: int, count: int
    ) -> list[list[Stamps]]:
        """Samples of one program on several cores in step, a list for each core."""
        if len(cpus) == 1:
            return [self.frames[0].run(program, samples, warm, count)]
        meeting = ctypes.c_int64(0)

        def run(index: int) -> list[Stamps]:
            frame = self.frames[index]
            frame.barrier(ctypes.addressof(meeting), len(cpus))
            return frame.run(program, samples, warm, count)

        return in_step(cpus, run)

    def _stream_buffer(self, index: int, size: int) -> Buffer:
        """The stream memory of one thread, kept from visit to visit.

        Placement does not matter to a stream, and filling 128 MiB takes longer than measuring them.
        """
        kept = self._streams.get(index)
        if kept is None or kept.size < size:
            kept = self._streams[index] = Buffer(size, "huge")
            _fill(kept, index)
        return kept


def _fill(buffer: Buffer, seed: int) -> None:
    """Random bytes: memory controllers and caches that compress equal words must not help.

    One random MiB is repeated; FP32 exponents are forced into a normal range."""
    import numpy as np

    block = np.random.default_rng(seed).integers(0, 1 << 23, size=1 << 18, dtype=np.uint32) | 0x3F800000
    words = np.frombuffer(buffer.view(), dtype=np.uint32)
    for start in range(0, len(words), len(block)):
        part = words[start : start + len(block)]
        part[:] = block[: len(part)]
