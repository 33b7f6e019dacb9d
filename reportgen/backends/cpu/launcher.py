"""Machine code -> samples: one visit of one point on a pinned core."""

from __future__ import annotations

import ctypes
import hashlib
import os
import statistics
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

from reportgen.backends import gates
from reportgen.backends.base import Batch, Order
from reportgen.backends.cpu import clock
from reportgen.backends.cpu.buffers import Buffer
from reportgen.backends.cpu.compiler import HEADER
from reportgen.backends.cpu.executable import Executable
from reportgen.backends.cpu.frame import MOST_SAMPLES, Frame, Stamps
from reportgen.errors import LaunchError
from reportgen.runs.schema import SAMPLE_COLUMNS, Device

BODY_SECONDS = 80e-6
"""Aim for one timed body: long against the time stamp's few ticks and the loop's end, short
against the milliseconds between interruptions."""
WARM_BODIES = 10
"""512-bit code pays 0.1-0.25 µs once after scalar code, and branch history must settle."""
RESIDENT_SLICES = 64
"""Arrays of more slices are far larger than any cache; walking them once first would only cost time."""
UNEVEN = 0.02
"""Warm-up and body run the same bytes.  Where the ratio of their times strays by more from that of the
visit's other samples, somebody was served in between, which the brackets on both sides cannot see.
(From the others, not from 1: some instruction mixes settle into another rhythm as they go on.)"""
TRIAL = 2
"""Repetitions in the trial that finds how many make `BODY_SECONDS`."""
BATCH = 16
LONGEST_STRETCH = 5.0
"""A visit may exceed its cap this many times over to reach the least number of samples."""
LEAST_SAMPLES = 8
MOST_ROWS = 192
"""Sample cap of one visit: beyond, a point is unstable however long one waits."""

Take = Callable[[int], list[list[Stamps]]]
"""samples -> one list of stamps a thread."""


@dataclass
class _Visit:
    """A prepared point: how to take samples of it, and what was granted."""

    take: Take
    repetitions: int
    facts: dict[str, int | float | str] = field(default_factory=dict)
    least: int = LEAST_SAMPLES
    cpus: tuple[int, ...] = ()
    warm: int = 0
    """Repetitions of the warm-up where its time is compared with the body's; 0: not compared."""


class CpuLauncher:
    """Runs programs on one pinned core (streams: on several).

    Raises:
        LaunchError: from `measure`, turned into status `failed` by the worker.
    """

    def __init__(self, device: Device, cpus: tuple[int, ...]) -> None:
        self.device = device
        self.cpus = cpus
        self.home = cpus[-1]  # interrupts favour the first core
        self._programs: dict[str, tuple[Executable, int]] = {}
        self._repetitions: dict[str, int] = {}
        self._frames = [Frame() for _ in cpus]
        self._rates = gates.BestRate()
        self._streams: dict[int, Buffer] = {}
        self._tick_hz = self._first_tick_rate()
        _permit_tiles(device)

    def measure(self, order: Order) -> Batch:
        """One visit: set up, sample until precise or capped, gate."""
        began = time.perf_counter()
        program = self._load(order)
        os.sched_setaffinity(0, {self.home})
        with ExitStack() as stack:
            visit = self._prepare(order, program, stack)
            setup = time.perf_counter() - began
            batch = self._sample(order, visit)
        seconds = dict(batch.seconds)
        seconds["setup"] = setup
        reading = (clock.monotonic_ns(), clock.ticks())
        return Batch(
            point=batch.point,
            columns=batch.columns,
            gates=batch.gates,
            status=batch.status,
            reason=batch.reason,
            stop=batch.stop,
            facts=visit.facts,
            canary_best=batch.canary_best,
            seconds=seconds,
            clock=reading,
        )

    # -- programs ---------------------------------------------------------------------------

    def _load(self, order: Order) -> Executable:
        kept = self._programs.get(order.sha256)
        if kept is None:
            if not order.code:
                raise LaunchError("this worker has not been sent the program")
            entry = HEADER.unpack_from(order.code)[0]
            program = Executable(order.code, entry)
            # what lies in memory must be what was inspected
            if hashlib.sha256(program.bytes(len(order.code))).hexdigest() != order.sha256:
                raise LaunchError("the machine code in memory is not the program that was inspected")
            kept = self._programs[order.sha256] = (program, entry)
        return kept[0]

    def _first_tick_rate(self) -> float:
        start, first = clock.monotonic_ns(), clock.ticks()
        while clock.monotonic_ns() - start < 2_000_000:
            pass
        end, last = clock.monotonic_ns(), clock.ticks()
        return (last - first) / (end - start) * 1e9

    # -- preparing --------------------------------------------------------------------------

    def _prepare(self, order: Order, program: Executable, stack: ExitStack) -> _Visit:
        kind = str(order.setup["kind"])
        if kind == "body":
            return self._body(order, program, BODY_SECONDS)
        if kind == "chase":
            return self._chase(order, program, stack)
        if kind == "stream":
            return self._stream(order, program)
        if kind == "library":
            from reportgen.backends.cpu.library import prepare

            take, repetitions, facts = prepare(order, program, self._frames[0], clock.ticks, self._tick_hz)
            return _Visit(take, repetitions, facts, cpus=(self.home,))
        raise LaunchError(f"this launcher does not know how to set up '{kind}'")

    def _body(self, order: Order, program: Executable, aim: float, steps: int = 0) -> _Visit:
        frame = self._frames[0]
        count = self._count(order.point, lambda: frame.run(program, 4, 1, TRIAL), aim)
        warm = max(WARM_BODIES, count // 4)
        least = LEAST_SAMPLES
        if steps:
            # one whole turn of the chase, so that no part of the working set is left out
            least = min(max(LEAST_SAMPLES, -(-steps // (int(order.setup["unroll"]) * count))), MOST_ROWS // 2)
            warm = max(1, count // 4)

        def take(samples: int) -> list[list[Stamps]]:
            return [frame.run(program, samples, warm, count)]

        return _Visit(take, count, least=least, cpus=(self.home,), warm=0 if steps else warm)

    def _count(self, point: str, trial: Callable[[], list[Stamps]], aim: float) -> int:
        """Repetitions that make one timed body last about `aim` seconds; the same on every visit."""
        count = self._repetitions.get(point)
        if count is None:
            # the median of some short trials: one may be interrupted, one may fall into a tick
            ticks = sorted(stamps.ticks - stamps.empty for stamps in trial())[1]
            count = max(1, round(aim * self._tick_hz * TRIAL / max(ticks, clock.granularity())))
            self._repetitions[point] = count
        return count

    def _chase(self, order: Order, program: Executable, stack: ExitStack) -> _Visit:
        import numpy as np

        from reportgen.backends.cpu import layouts

        setup, rng = order.setup, np.random.default_rng(order.seed)
        layout = str(setup["layout"])
        if layout == "random":
            offsets = layouts.random_cycle(int(setup["bytes"]), rng)
        elif layout == "pair":
            offsets = layouts.pairs(int(setup["offset"]), rng)
        elif layout == "conflict":
            offsets = layouts.conflict(int(setup["count"]), int(setup["stride"]), rng)
        else:
            offsets = layouts.one_a_page(int(setup["count"]), int(setup["page"]), rng)
        buffer = stack.enter_context(Buffer(layouts.span(offsets), str(setup["pages"])))
        words = np.frombuffer(buffer.view(), dtype=np.uint64)
        first = layouts.link(words, buffer.address, offsets)
        del words
        frame = self._frames[0]
        frame.buffers(first)
        turn = -(-len(offsets) // int(setup["unroll"]))
        if len(offsets) <= 1 << 16:
            frame.run(program, 1, 1, turn)  # one whole turn before the first sample
        visit = self._body(order, program, BODY_SECONDS, len(offsets))
        visit.facts |= {
            "bytes_requested": int(setup.get("bytes", buffer.size)),
            "bytes_actual": len(offsets) * layouts.LINE,
            "huge_bytes": buffer.huge_bytes(),
            "lines": len(offsets),
        }
        return visit

    def _stream(self, order: Order, program: Executable) -> _Visit:
        setup = order.setup
        cores, arrays, each = int(setup["cores"]), int(setup["arrays"]), int(setup["array_bytes"])
        if cores > len(self.cpus):
            raise LaunchError(f"{cores} cores wanted, {len(self.cpus)} are allowed")
        cpus = self.cpus[-cores:][::-1]
        meeting = ctypes.c_int64(0)
        huge = 0
        part = int(setup["slice_bytes"])
        # a page of distance keeps the arrays of one thread out of each other's sets
        stride = each + 4096
        for index in range(cores):
            buffer = self._stream_buffer(index, stride * arrays)
            starts = [buffer.address + stride * i for i in range(arrays)] + [0, 0]
            self._frames[index].buffers(starts[0], starts[1], starts[2], part, each)
            huge += buffer.huge_bytes()

        def run(samples: int, warm: int, count: int) -> list[list[Stamps]]:
            if cores == 1:
                return [self._frames[0].run(program, samples, warm, count)]
            meeting.value = 0
            results: list[list[Stamps]] = [[] for _ in range(cores)]

            def work(index: int) -> None:
                os.sched_setaffinity(0, {cpus[index]})
                frame = self._frames[index]
                frame.barrier(ctypes.addressof(meeting), cores)
                results[index] = frame.run(program, samples, warm, count)

            threads = [threading.Thread(target=work, args=(i,)) for i in range(cores)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return results

        turn = each // part
        if turn <= RESIDENT_SLICES:
            run(1, 1, turn)  # a level can only serve what it holds: one whole turn first
        count = self._count(order.point, lambda: run(4, 1, TRIAL)[0], BODY_SECONDS)
        warm = max(1, count // 4)
        facts: dict[str, int | float | str] = {
            "bytes_requested": int(setup["bytes"]),
            "bytes_actual": each * arrays,
            "huge_bytes": huge,
            "cores": cores,
            "vector_bytes": int(setup["vector_bytes"]),
            "data": "random",
        }
        return _Visit(lambda samples: run(samples, warm, count), count, facts, cpus=tuple(cpus))

    def _stream_buffer(self, index: int, size: int) -> Buffer:
        """The stream memory of one thread, kept from visit to visit.

        Placement does not matter to a stream, and filling 128 MiB takes longer than measuring them.
        """
        kept = self._streams.get(index)
        if kept is None or kept.size < size:
            kept = self._streams[index] = Buffer(size, "huge")
            _fill(kept, index)
        return kept

    # -- sampling ---------------------------------------------------------------------------

    def _sample(self, order: Order, visit: _Visit) -> Batch:
        columns: dict[str, list[int]] = {
            name: [] for name in SAMPLE_COLUMNS if name not in ("point", "gate", "pass", "order")
        }
        marks: list[str] = []
        constants = clock.constants()
        threads = len(visit.cpus)
        deadline = time.perf_counter() + order.seconds
        latest = deadline + order.seconds * (LONGEST_STRETCH - 1)
        began, taken, size = time.perf_counter(), 0, 4
        stop, best = "sample cap", 0.0
        verdicts: list[str] = []
        while taken * threads < MOST_ROWS:
            batch_began = time.perf_counter()
            per_thread = visit.take(size)
            rows = len(marks)
            self._record(columns, marks, per_thread, visit, taken)
            taken += size
            self._rates.add({name: values[rows:] for name, values in columns.items()}, constants)
            # a worker that was just started knows less than the run does
            best = self._rates.best() or order.canary_best
            verdicts = gates.judge(columns, constants, best, _mark_uneven(columns, marks, visit))
            if taken >= visit.least and gates.precise(
                _accepted(columns, verdicts, constants.calibration_cycles)
            ):
                stop = "precise"
                break
            now = time.perf_counter()
            if now > deadline and (taken >= visit.least or now > latest):
                stop = "time cap"
                break
            each = (now - batch_began) / size
            size = max(4, min(BATCH, MOST_SAMPLES, int(order.seconds / 4 / each)))
        spent = time.perf_counter() - began
        inside = sum(columns["ticks"]) + sum(columns["warmup"])
        measured = min(spent, inside / threads / self._tick_hz)
        return Batch(
            point=order.point,
            columns=columns,
            gates=verdicts,
            stop=stop,
            canary_best=best,
            seconds={"measure": measured, "calibrate": spent - measured},
        )

    def _record(
        self,
        columns: dict[str, list[int]],
        marks: list[str],
        per_thread: list[list[Stamps]],
        visit: _Visit,
        taken: int,
    ) -> None:
        for thread, stamps in enumerate(per_thread):
            for index, sample in enumerate(stamps):
                columns["sample"].append(taken + index)
                columns["thread"].append(thread)
                columns["repetitions"].append(visit.repetitions)
                columns["start"].append(sample.start)
                columns["ticks"].append(sample.ticks)
                columns["empty"].append(sample.empty)
                columns["calibration_before"].append(sample.calibration_before)
                columns["calibration_after"].append(sample.calibration_after)
                columns["canary_before"].append(sample.canary_before)
                columns["canary_after"].append(sample.canary_after)
                columns["warmup"].append(sample.warmup)
                columns["cpu"].append(sample.cpu)
                if index == 0:
                    marks.append(gates.FIRST)
                elif sample.cpu != visit.cpus[thread]:
                    marks.append(gates.MIGRATED)
                elif sample.ticks <= sample.empty:
                    marks.append(gates.STOOD_STILL)
                else:
                    marks.append(gates.ACCEPTED)


def _mark_uneven(columns: dict[str, list[int]], marks: list[str], visit: _Visit) -> list[str]:
    """The marks, with samples whose warm-up and body disagree unlike the others' of the visit."""
    if not visit.warm:
        return marks
    ratios = [
        (ticks - empty) / max(1, warmup - empty)
        for ticks, empty, warmup in zip(columns["ticks"], columns["empty"], columns["warmup"], strict=True)
    ]
    usual = statistics.median(ratios)
    margin = UNEVEN + clock.granularity() / min(columns["warmup"])
    return [
        gates.UNEVEN if mark == gates.ACCEPTED and abs(ratio / usual - 1) > margin else mark
        for ratio, mark in zip(ratios, marks, strict=True)
    ]


def _accepted(columns: dict[str, list[int]], verdicts: list[str], cycles: int) -> list[float]:
    """Body lengths of the accepted samples, in cycles."""
    return [
        (ticks - empty) / gates.ticks_per_cycle(before, after, empty, cycles)
        for ticks, empty, before, after, verdict in zip(
            columns["ticks"],
            columns["empty"],
            columns["calibration_before"],
            columns["calibration_after"],
            verdicts,
            strict=True,
        )
        if verdict == gates.ACCEPTED and before > empty
    ]


def _fill(buffer: Buffer, seed: int) -> None:
    """Random bytes: memory controllers and caches that compress equal words must not help.

    One random MiB is repeated; FP32 exponents are forced into a normal range."""
    import numpy as np

    block = np.random.default_rng(seed).integers(0, 1 << 23, size=1 << 18, dtype=np.uint32) | 0x3F800000
    words = np.frombuffer(buffer.view(), dtype=np.uint32)
    for start in range(0, len(words), len(block)):
        part = words[start : start + len(block)]
        part[:] = block[: len(part)]


_ARCH_PRCTL = 158
_ARCH_REQ_XCOMP_PERM = 0x1023
_XFEATURE_XTILEDATA = 18


def _permit_tiles(device: Device) -> None:
    """Ask Linux for the AMX tile registers (x86-64 `arch_prctl`).

    Without it the first tile instruction is illegal.
    """
    if "amx-tile" in device.features:
        ctypes.CDLL(None).syscall(_ARCH_PRCTL, _ARCH_REQ_XCOMP_PERM, _XFEATURE_XTILEDATA)
