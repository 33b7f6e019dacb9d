"""Turns true times into samples, with calibrations, canaries, neighbours and gates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from reportgen.runs.schema import ACCEPTED, Point
from tests.simulated.truth import CpuTruth

CALIBRATION_CYCLES = 20448
CANARY_INSTRUCTIONS = 40960
CANARY_SHARE_OF_FRONT_END = 0.942

_GATES = np.array([ACCEPTED, "first of batch", "issue rate low", "calibrations disagree"], dtype=object)


@dataclass(frozen=True)
class Timed:
    """A point with the true duration of one repetition of its body: `cycles` of the core clock,
    or `seconds` where the core clock does not matter (memory outside the core, libraries)."""

    point: Point
    cycles: float = 0.0
    seconds: float = 0.0
    threads: int = 1
    draw: Callable[[np.random.Generator], float] | None = None
    """Duration in one visit relative to `cycles` or `seconds`, where each visit differs (placement)."""
    visit: float | None = None
    """Standard deviation from visit to visit, when not the noise model's."""
    far: float = 1.0
    """Half of the samples take this many times as long (the far partition of a level)."""
    windows: int = 0
    """Windows of a visit that is one stretch of load, instead of the truth's samples; each then lasts
    `window_seconds`, none is the first of a batch, and the clock falls as `Held` says."""
    samples: int = 0
    """Samples of a visit, when not the truth's."""
    company: str = ""
    """Points of one company are sampled in turn: what a visit differs by is the same for all of them."""
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
    windows = np.array([one.windows for one in timed])[order_of_point]
    samples = np.array([one.samples or truth.samples for one in timed])[order_of_point]
    per_visit = np.where(windows > 0, windows, samples) * threads
    visit = np.repeat(np.arange(visits), per_visit)
    within = np.arange(len(visit)) - np.repeat(np.cumsum(per_visit) - per_visit, per_visit)
    sample, thread = within // threads[visit], within % threads[visit]
    first_row = np.cumsum(per_visit) - per_visit
    shared = first_row[visit] + sample * threads[visit]  # one draw for all threads of a sample

    at = np.array([noise.clock_at(order / max(1, visits - 1)) for order in range(visits)])
    cycle_hz = truth.cycle_hz * at * np.exp(noise.wobble * rng.standard_normal(visits))
    held = (windows > 0)[visit]
    window_ticks = truth.held.window_seconds * truth.tick_hz
    slowed = np.where(held, truth.held.slowdown(sample * truth.held.window_seconds), 1.0)
    ticks_per_cycle = (truth.tick_hz / cycle_hz)[visit] * slowed
    by_cycles = np.array([one.cycles for one in timed])[order_of_point]
    by_seconds = np.array([one.seconds for one in timed])[order_of_point]
    duration = by_cycles * truth.tick_hz / cycle_hz + by_seconds * truth.tick_hz
    duration *= _placed(timed, order_of_point, np.random.default_rng([seed, 1]))
    scatter = np.array([noise.visit if one.visit is None else one.visit for one in timed])
    leader = _leaders(timed, order_of_point)
    duration *= np.exp(scatter[order_of_point] * rng.standard_normal(visits)[leader])
    if noise.held:
        duration *= np.where(rng.random(visits) < noise.held, rng.uniform(1.1, 2.0, visits), 1.0)[leader]
    body = duration[visit] * slowed
    lasting = np.where(held, window_ticks * slowed, truth.body_ticks)
    repetitions = np.maximum(1, np.rint(lasting / np.maximum(body, 1e-9))).astype(np.int64)

    rows = len(visit)
    contaminated = (rng.random(rows) < noise.contaminated)[shared]
    slowdown = np.where(contaminated, rng.uniform(1.2, 2.2, rows)[shared], 1.0)
    transient = 1 + np.where(sample < noise.transients, noise.transient / 2.0**sample, 0.0)
    jitter = np.exp(noise.jitter * rng.standard_normal(rows))
    far = np.array([one.far for one in timed])[order_of_point][visit]
    if (far != 1.0).any():
        far = np.where((rng.random(rows) < 0.5)[shared], far, 1.0)
    empty = rng.integers(24, 37, rows)
    ticks = body * repetitions * slowdown * transient * jitter * far + empty + rng.integers(-2, 3, rows)

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
    gate = np.where(held, 0, gate)

    def read(true: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """What the counter shows of a duration: it moves in steps, and began anywhere between two."""
        step = noise.granularity
        if step == 1:
            return np.rint(true)
        return step * np.floor(true / step + rng.random(rows))

    # Windows follow on each other, their threads beside each other; the other samples lie apart.
    apart = np.where(held, lasting / threads[visit], 2.6 * truth.body_ticks)
    start = np.cumsum(apart) + 1_000_000_000
    start = np.where(thread > 0, start[shared] + rng.integers(0, 60, rows), start).astype(np.int64)
    start += (start[first_row[leader]] - start[first_row])[visit]
    shown = np.maximum(1, read(ticks)).astype(np.int64)
    wrap = 1 << noise.counter_bits
    columns: dict[str, np.ndarray[Any, Any]] = {
        "point": np.array([one.point.id for one in timed], dtype=object)[order_of_point[visit]],
        "pass": visit // len(timed),
        "order": visit,
        "sample": sample,
        "thread": thread,
        "start": start % wrap,
        "ticks": (start + shown) % wrap - start % wrap,
        "empty": read(empty),
        "calibration_before": read(bracket(calibration, np.ones(rows)) + bias),
        "calibration_after": read(bracket(calibration, np.where(gate == 3, 1.05, 1.0)) + bias),
        "canary_before": read(bracket(canary, neighbour)),
        "canary_after": read(bracket(canary, neighbour)),
        "warmup": np.rint(10 * body * slowdown),
        "repetitions": repetitions,
        "cpu": thread,
        "gate": _GATES[gate],
    }
    integer = {name for name in columns if name not in ("point", "gate")}
    return {name: column.astype(np.int64) if name in integer else column for name, column in columns.items()}


def _leaders(timed: list[Timed], order_of_point: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """For each visit the first one of its company in the same pass; itself where it has none."""
    leaders = np.arange(len(order_of_point))
    first: dict[tuple[int, str], int] = {}
    for visit, point in enumerate(order_of_point):
        if timed[point].company:
            leaders[visit] = first.setdefault((visit // len(timed), timed[point].company), visit)
    return leaders


def _placed(
    timed: list[Timed], order_of_point: np.ndarray[Any, Any], rng: np.random.Generator
) -> np.ndarray[Any, Any]:
    """Factor of each visit for the pages that it was given."""
    factors = np.ones(len(order_of_point))
    for at, point in enumerate(order_of_point):
        drawn = timed[point].draw
        if drawn is not None:
            factors[at] = drawn(rng)
    return factors


def counts(columns: dict[str, np.ndarray[Any, Any]]) -> dict[str, tuple[int, int]]:
    """Accepted and all samples of each point; the rows of one sample's threads count once."""
    lead = columns["thread"] == 0
    ids, inverse = np.unique(columns["point"][lead].astype(str), return_inverse=True)
    accepted = np.bincount(inverse, weights=columns["gate"][lead] == ACCEPTED)
    total = np.bincount(inverse)
    return {str(name): (int(a), int(t)) for name, a, t in zip(ids, accepted, total, strict=True)}
