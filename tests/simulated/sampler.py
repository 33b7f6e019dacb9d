"""Turns true times into samples, with calibrations, canaries, neighbours and gates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reportgen.runs.schema import ACCEPTED, Point
from tests.simulated.truth import CpuTruth

CALIBRATION_CYCLES = 4096
CANARY_INSTRUCTIONS = 2048
CANARY_SHARE_OF_FRONT_END = 0.942
WINDOW_TICKS = 26_000
"""A timed body lasts about this long: 10 us."""

_GATES = np.array([ACCEPTED, "first of batch", "issue rate low", "calibrations disagree"], dtype=object)


@dataclass(frozen=True)
class Timed:
    """A point with the true duration of one repetition of its body: `cycles` of the core clock,
    or `seconds` where the core clock does not matter (memory outside the core, libraries)."""

    point: Point
    cycles: float = 0.0
    seconds: float = 0.0
    threads: int = 1
    visit: float | None = None
    """Standard deviation from visit to visit, when not the noise model's."""
    accepted: float = 1.0
    """Share of otherwise acceptable samples that pass; below 1 for a point that is disturbed."""


def draw(truth: CpuTruth, timed: list[Timed], seed: int) -> dict[str, np.ndarray[Any, Any]]:
    """Columns of `SAMPLE_COLUMNS` for every point, in the run's random order.

    One row a thread of each of `truth.samples` samples in each of `truth.passes` visits.
    """
    rng = np.random.default_rng(seed)
    noise = truth.noise
    visits = len(timed) * truth.passes
    order_of_point = np.concatenate([rng.permutation(len(timed)) for _ in range(truth.passes)])
    threads = np.array([one.threads for one in timed])[order_of_point]
    per_visit = truth.samples * threads
    visit = np.repeat(np.arange(visits), per_visit)
    within = np.arange(len(visit)) - np.repeat(np.cumsum(per_visit) - per_visit, per_visit)
    sample, thread = within // threads[visit], within % threads[visit]
    first_row = np.cumsum(per_visit) - per_visit
    shared = first_row[visit] + sample * threads[visit]  # one draw for all threads of a sample

    cycle_hz = truth.cycle_hz * np.exp(noise.wobble * rng.standard_normal(visits))
    ticks_per_cycle = (truth.tick_hz / cycle_hz)[visit]
    by_cycles = np.array([one.cycles for one in timed])[order_of_point]
    by_seconds = np.array([one.seconds for one in timed])[order_of_point]
    body = (by_cycles * truth.tick_hz / cycle_hz + by_seconds * truth.tick_hz)[visit]
    scatter = np.array([noise.visit if one.visit is None else one.visit for one in timed])
    body *= np.exp(scatter[order_of_point] * rng.standard_normal(visits))[visit]
    repetitions = np.maximum(1, np.rint(WINDOW_TICKS / np.maximum(body, 1e-9))).astype(np.int64)

    rows = len(visit)
    contaminated = (rng.random(rows) < noise.contaminated)[shared]
    slowdown = np.where(contaminated, rng.uniform(1.2, 2.2, rows)[shared], 1.0)
    transient = np.where(sample == 0, 1.02, 1.0)
    jitter = np.exp(noise.jitter * rng.standard_normal(rows))
    empty = rng.integers(24, 37, rows)
    ticks = body * repetitions * slowdown * transient * jitter + empty + rng.integers(-2, 3, rows)

    calibration = CALIBRATION_CYCLES * ticks_per_cycle
    canary = CANARY_INSTRUCTIONS / (truth.front_end * CANARY_SHARE_OF_FRONT_END) * ticks_per_cycle
    bias = noise.window * rng.standard_normal()
    bracket_jitter = noise.jitter * 0.5

    def bracket(length: np.ndarray[Any, Any], factor: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.asarray(length * factor * np.exp(bracket_jitter * rng.standard_normal(rows)) + empty)

    caught = contaminated & (rng.random(rows) >= noise.slips)[shared]
    neighbour = np.where(caught, slowdown, 1.0)
    disturbed = (rng.random(rows) >= np.array([one.accepted for one in timed])[order_of_point][visit])[shared]
    gate = np.where(disturbed, 3, 0)
    gate = np.where(caught, np.where(rng.random(rows)[shared] < 0.85, 2, 3), gate)
    gate = np.where(sample == 0, 1, gate)

    start = np.cumsum(np.full(rows, 2.6 * WINDOW_TICKS)) + 1_000_000_000
    columns: dict[str, np.ndarray[Any, Any]] = {
        "point": np.array([one.point.id for one in timed], dtype=object)[order_of_point[visit]],
        "pass": visit // len(timed),
        "order": visit,
        "sample": sample,
        "thread": thread,
        "start": np.where(thread > 0, start[shared] + rng.integers(0, 60, rows), start),
        "ticks": np.maximum(1, np.rint(ticks)),
        "empty": empty,
        "calibration_before": np.rint(bracket(calibration, np.ones(rows)) + bias),
        "calibration_after": np.rint(bracket(calibration, np.where(gate == 3, 1.05, 1.0)) + bias),
        "canary_before": np.rint(bracket(canary, neighbour)),
        "canary_after": np.rint(bracket(canary, neighbour)),
        "warmup": np.rint(10 * body * slowdown),
        "repetitions": repetitions,
        "cpu": thread,
        "gate": _GATES[gate],
    }
    integer = {name for name in columns if name not in ("point", "gate")}
    return {name: column.astype(np.int64) if name in integer else column for name, column in columns.items()}


def counts(columns: dict[str, np.ndarray[Any, Any]]) -> dict[str, tuple[int, int]]:
    """Accepted and all samples of each point; the rows of one sample's threads count once."""
    lead = columns["thread"] == 0
    ids, inverse = np.unique(columns["point"][lead].astype(str), return_inverse=True)
    accepted = np.bincount(inverse, weights=columns["gate"][lead] == ACCEPTED)
    total = np.bincount(inverse)
    return {str(name): (int(a), int(t)) for name, a, t in zip(ids, accepted, total, strict=True)}
