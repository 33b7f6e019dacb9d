"""Launch after launch of one prepared point: which launches count, and when to stop."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from reportgen.backends import gates
from reportgen.backends.base import Batch, Order, empty_columns
from reportgen.backends.cuda import nvml, rows
from reportgen.backends.cuda.binding import Binding
from reportgen.backends.cuda.clock import Frame, Pace
from reportgen.backends.cuda.marks import marks
from reportgen.backends.cuda.shots import NS_OF_MS, OWN_CLOCK, Outside, Prepared, Shot, shoot

LEAST_SAMPLES = 8
MOST_SAMPLES = 192
MOST_ROWS = 8192
"""Kinds with a row for every load fill these with a few launches."""
BATCH = 16
PACE_SECONDS = 0.005
"""How long a reading of the pace holds; the clock of a GPU moves within tens of milliseconds."""
WHOLE_MS = 0.3
"""Least time of a sample that is timed from outside: events are read to about a microsecond."""
SHORT = 0.5
"""Share of it below which a sample is made of more launches.  The first launch of a kernel also loads it,
since drivers load none before it is asked for, and its length tells little of the next ones'."""
MOST_LAUNCHES = 128
CLOCK_MOVED = 0.03
"""Change of the clock within a visit, relative, from which on it is told: load, or somebody who sets it."""


@dataclass
class Reading:
    """What became of one visit so far."""

    columns: dict[str, list[int]] = field(default_factory=empty_columns)
    marks: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """What was wrong with launches whose results are not right."""
    shots: list[Shot] = field(default_factory=list)


class Pacer:
    """The latest reading of cycles against nanoseconds, renewed when it is old."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._read = 0.0
        self._pace: Pace | None = None
        self.spent = 0.0
        """Seconds that reading took."""

    def __call__(self) -> Pace:
        """The pace now."""
        at = time.perf_counter()
        if self._pace is None or at - self._read > PACE_SECONDS:
            self._pace = self._frame.pace()
            self._read = time.perf_counter()
            self.spent += self._read - at
        return self._pace


def sample(order: Order, prepared: Prepared, binding: Binding, frame: Frame) -> Batch:
    """Launches until enough accepted ones are precise, or a cap is reached.

    Raises:
        LaunchError: the kernel did not run, or a clock of the device stands still.
        DeviceLost: the context is spoilt.
    """
    if not prepared.whole:
        return _sample(order, prepared, binding, frame, None)
    with marks(binding, 2) as (start, end):
        return _sample(order, prepared, binding, frame, Outside(start, end, frame.hold_up, frame.queued))


def _sample(
    order: Order, prepared: Prepared, binding: Binding, frame: Frame, outside: Outside | None
) -> Batch:
    reading, pacer = Reading(), Pacer(frame)
    warm = shoot(binding, prepared, 0, outside)
    if prepared.whole:
        prepared.launches = _launches(warm.milliseconds)
        warm = shoot(binding, prepared, 1, outside)
        if warm.milliseconds < SHORT * WHOLE_MS:  # loading took most of the first one
            prepared.launches = _launches(warm.milliseconds / prepared.launches)
            warm = shoot(binding, prepared, 1, outside)
    began = time.perf_counter()
    deadline = began + order.seconds
    stop, taken = "sample cap", 0
    empty = prepared.windows * frame.empty[prepared.passed.clock_bits]
    each = len(warm.ticks)
    most = min(MOST_SAMPLES, max(1, MOST_ROWS // each))
    least = min(LEAST_SAMPLES, most)
    while taken < most:
        for _ in range(min(BATCH, most - taken)):
            pace = pacer()
            shot = shoot(binding, prepared, taken + 1, outside)
            _record(reading, taken, shot, warm, pace, prepared, empty)
            taken += 1
            if time.perf_counter() > deadline and taken >= least:
                break
        if each == 1 and taken >= least and gates.precise(_accepted(reading, empty)):
            stop = "precise"
            break
        if time.perf_counter() > deadline and taken >= least:
            stop = "time cap"
            break
    spent = time.perf_counter() - began
    return Batch(
        point=order.point,
        columns=reading.columns,
        gates=reading.marks,
        stop=stop,
        facts=_facts(reading, prepared),
        seconds={"measure": spent - pacer.spent, "calibrate": pacer.spent},
        **_verdict(reading),
    )


def watched(batch: Batch, before: Mapping[str, float], after: Mapping[str, float]) -> Batch:
    """A visit with what NVML said before and after it; where that was throttled, no sample of it counts.

    Facts `visit.<name>` are `before-after`; the run keeps those of every visit.
    """
    shared = [name for name in before if name in after and name != "throttle_bits"]
    facts: dict[str, int | float | str] = {
        f"visit.{name}": f"{before[name]:g}-{after[name]:g}" for name in shared
    }
    bits = int(before.get("throttle_bits", 0)) | int(after.get("throttle_bits", 0))
    if nvml.throttle(bits) != "none":
        facts["visit.gpu_throttle"] = nvml.throttle(bits)
    marks = batch.gates
    if bits & nvml.HARMFUL and "windows" not in batch.facts:  # else its course is what was asked
        marks = [gates.THROTTLED if mark == gates.ACCEPTED else mark for mark in marks]
    return msgspec.structs.replace(batch, gates=marks, facts=batch.facts | facts)


def _launches(milliseconds: float) -> int:
    """Launches of so long each that make a sample long enough to be timed from outside."""
    return max(1, min(MOST_LAUNCHES, round(WHOLE_MS / max(milliseconds, 1e-3))))


def _accepted(reading: Reading, empty: int) -> list[float]:
    return [
        float(ticks - empty)
        for ticks, mark in zip(reading.columns["ticks"], reading.marks, strict=True)
        if mark == gates.ACCEPTED
    ]


def _record(
    reading: Reading, number: int, shot: Shot, warm: Shot, pace: Pace, prepared: Prepared, empty: int
) -> None:
    wrong = shot.wrong
    if not wrong and prepared.compare and shot.results != warm.results:
        wrong = "a launch left other results than the first (checksum)"
    if wrong:
        reading.wrong.append(wrong)
    reading.shots.append(shot)
    cycles_per_ms = pace.cycles / pace.nanoseconds * NS_OF_MS
    each, first, paced = shot.ticks, warm.ticks, (pace.cycles, pace.nanoseconds)
    if prepared.kind in OWN_CLOCK and shot.milliseconds > 0:
        each = (shot.ticks[0] * prepared.launches,)
        paced = (each[0], round(shot.milliseconds * NS_OF_MS))
    elif prepared.whole:
        each = (round(shot.milliseconds * cycles_per_ms),)
        first = (round(warm.milliseconds * cycles_per_ms),)
    for thread, ticks in enumerate(each):
        rows.add(
            reading.columns, sample=number, thread=thread, start=pace.stamp, ticks=ticks, empty=empty,
            pace=paced, warmup=first[thread],
            repetitions=prepared.repetitions * prepared.launches, multiprocessor=shot.multiprocessor,
        )  # fmt: skip
        still = gates.STOOD_STILL if ticks <= empty else gates.ACCEPTED
        reading.marks.append(gates.WRONG if wrong else still)


def _verdict(reading: Reading) -> dict[str, Any]:
    """Status and reason: wrong results or a clock that never moves spoil the point, not one sample."""
    if reading.wrong:
        share = f"{len(reading.wrong)} of {len(reading.shots)} launches"
        return {"status": "invalid", "reason": f"wrong result in {share}: {reading.wrong[0]}"}
    if all(mark == gates.STOOD_STILL for mark in reading.marks):
        return {
            "status": "invalid",
            "reason": f"the clock stood still in all of {len(reading.shots)} launches: "
            "they took no longer than an empty window",
        }
    return {}


def _facts(reading: Reading, prepared: Prepared) -> dict[str, int | float | str]:
    shots = reading.shots
    facts: dict[str, int | float | str] = {
        "threads": prepared.threads,
        "blocks": prepared.blocks,
        "dynamic_bytes": prepared.shared,
        "multiprocessors": len(frozenset[int]().union(*(shot.places for shot in shots))),
        "launches": prepared.launches,
    }
    if prepared.blocks > 1 and prepared.kind == "body":
        facts["fastest_block"] = min(shot.fastest for shot in shots)
        facts["slowest_block"] = max(shot.slowest for shot in shots)
    paces = [
        cycles / ns
        for cycles, ns in zip(
            reading.columns["calibration_before"], reading.columns["calibration_after"], strict=True
        )
    ]
    if max(paces) > min(paces) * (1 + CLOCK_MOVED):
        facts["visit.clock_ghz"] = f"{min(paces):.3f}-{max(paces):.3f}"
    if prepared.passed.added:
        facts["results"] = "what was added is counted, launch by launch"
    elif not prepared.compare and prepared.passed.chase is None:
        facts["results"] = "not compared: threads meet in memory, in any order"
    return facts | prepared.passed.facts
