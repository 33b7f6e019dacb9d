"""How a machine disturbs the samples of a simulated GPU, and the samples that come of it.

Cycles of a multiprocessor that has its own data are hardly disturbed; what goes through the caches, through
memory or over the link differs from visit to visit.  Whole launches are timed by events, which move in steps,
and become cycles by a pace that is read beside them; while the clock moves, what memory or the host bounds
takes as many seconds as before, and other cycles.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.backends.gates import THROTTLED
from reportgen.runs.schema import ACCEPTED
from tests.simulated.gpu_truth import EMPTY, GpuTruth, Simulated

Columns = dict[str, NDArray[Any]]
WAIT_SECONDS = 1e-4
"""Of the kernel whose cycles and nanoseconds are the pace."""
EVENT_SECONDS, MOST_LAUNCHES = 3e-4, 128
"""Launches are repeated until a sample takes so long, up to so many; arrays are gone through in rounds."""
CHOSEN_APART = 37
HELD_WINDOWS = 200
"""Of a load of seconds."""

CORE, MEMORY, DEVICE, HOST = "core", "memory", "device", "host"
_MEMORY = (
    "working_set_sweep", "pointer_chasing", "tlb_reach", "sector_trace", "l2_matrix", "stride_sweep",
    "cache_conflict", "distributed_shared", "bulk_copy", "tile_swizzle", "tile_promotion", "fence",
    "atomic_conflict", "cluster_barrier", "mapped_read",
)  # fmt: skip
_DEVICE = (
    "bandwidth_saturation", "bandwidth_first_level", "l2_capacity_all", "vendor_copy", "atomic_rate",
    "register_pressure", "shared_memory_pressure", "intensity_sweep", "gemm_sweep",
)  # fmt: skip
_HOST = ("launch_overhead", "copy", "mapped_stream")


def kind_of(probe: str) -> str:
    """What the time of a probe hangs on: a multiprocessor, its memory, the whole device, or the host."""
    name = probe.rpartition("/")[2]
    if name in _HOST:
        return HOST
    if name in _DEVICE or name.startswith("vendor_gemm"):
        return DEVICE
    return MEMORY if name in _MEMORY else CORE


@dataclass(frozen=True)
class GpuNoise:
    """Relative standard deviations, and shares of samples or visits."""

    jitter: float = 3e-4
    """From sample to sample."""
    core: float = 1e-4
    """From visit to visit, of a multiprocessor by itself ..."""
    memory: float = 2e-3
    """... of loads that leave it ..."""
    device: float = 4e-3
    """... of launches over the whole device ..."""
    host: float = 1e-2
    """... and of what goes over the link or waits for the host."""
    interrupted: float = 0.0
    """Share of the samples into which something else of the device falls."""
    held: float = 0.0
    """Share of the visits beside another user of the device, from end to end."""
    wobble: float = 0.0
    """Of the clock from visit to visit."""
    drift: float = 0.0
    """What the clock gains over the run."""
    throttled: float = 0.0
    """Share of the visits in which heat or power takes 10 to 30 % of the clock ..."""
    told: float = 1.0
    """... and share of these that the device tells of."""
    event_ns: int = 500
    """Step of the events."""
    transient: float = 0.0
    """Share by which the first sample of a visit takes longer."""

    def visit(self, kind: str) -> float:
        """From visit to visit, of a kind of probe."""
        return {CORE: self.core, MEMORY: self.memory, DEVICE: self.device, HOST: self.host}[kind]


@dataclass(frozen=True)
class _Visit:
    """What is the same for all samples of one visit."""

    clock: float
    """Clock over that of the truth."""
    slower: float
    gate: str


def _visits(noise: GpuNoise, count: int, rng: np.random.Generator) -> list[_Visit]:
    at = np.arange(count) / max(1, count - 1) - 0.5
    clock = (1 + noise.drift * at) * np.exp(noise.wobble * rng.standard_normal(count))
    throttled = rng.random(count) < noise.throttled
    clock = np.where(throttled, clock * rng.uniform(0.7, 0.9, count), clock)
    told = throttled & (rng.random(count) < noise.told)
    slower = np.where(rng.random(count) < noise.held, rng.uniform(1.1, 2.0, count), 1.0)
    return [
        _Visit(float(c), float(s), THROTTLED if t else ACCEPTED)
        for c, s, t in zip(clock, slower, told, strict=True)
    ]


def draw(
    simulated: list[Simulated], truth: GpuTruth, noise: GpuNoise, passes: int, samples: int, seed: int
) -> Columns:
    """Columns of `SAMPLE_COLUMNS`: each pass visits all points, in an order of its own."""
    rng = np.random.default_rng(seed)
    rows: dict[str, list[NDArray[Any]]] = {}
    states = _visits(noise, passes * len(simulated), rng)
    order = 0
    for number in range(passes):
        for at in rng.permutation(len(simulated)):
            one = simulated[int(at)]
            take = _held if one.windows else _visit
            drawn = take(one, states[order], truth, noise, samples, rng)
            for name, column in drawn.items():
                rows.setdefault(name, []).append(column)
            count = len(rows["ticks"][-1])
            rows.setdefault("pass", []).append(np.full(count, number))
            rows.setdefault("order", []).append(np.full(count, order))
            if "start" not in drawn:
                rows.setdefault("start", []).append(np.full(count, order * 1_000_000))
            rows.setdefault("point", []).append(np.full(count, one.point.id, dtype=object))
            order += 1
    return {name: np.concatenate(columns) for name, columns in rows.items()}


def _visit(
    one: Simulated, state: _Visit, truth: GpuTruth, noise: GpuNoise, samples: int, rng: np.random.Generator
) -> Columns:
    kind = kind_of(one.point.probe)
    place = (rng.integers(1 << 16) + np.arange(samples)) * CHOSEN_APART % truth.multiprocessors
    if one.placed is not None:
        true = np.array([one.placed(int(where)) for where in place])
    else:
        cycles = one.drawn(rng) if one.drawn is not None else one.cycles
        true = np.tile(np.array(cycles), (samples, 1))
    own = 0.0 if one.drawn is not None else noise.visit(kind)  # those draw their scatter themselves
    true = true * np.exp(own * rng.standard_normal()) * (state.slower if kind != CORE else 1.0)
    threads = true.shape[1]
    longer = np.exp(noise.jitter * rng.standard_normal((samples, threads)))
    hit = (rng.random(samples) < noise.interrupted)[:, None]
    longer = np.where(hit, longer * rng.uniform(1.03, 2.0, (samples, 1)), longer)
    longer[0] *= 1 + noise.transient
    base = one.clock_hz or truth.clock_hz
    clock = base * state.clock
    if bounded_by_seconds(one, kind, truth):
        true = true * state.clock
    taken, launches = true * longer, 1
    if kind in (DEVICE, HOST):
        seconds = (taken - EMPTY) / clock
        launches = max(1, round(EVENT_SECONDS / float(seconds.mean())))
        if "bytes" not in one.point.work:  # those go through their arrays in rounds
            launches = min(launches, MOST_LAUNCHES)
        steps = seconds * launches * 1e9 / noise.event_ns
        taken = np.floor(steps + rng.random(steps.shape)) * noise.event_ns * 1e-9 * clock + EMPTY
    waited = clock * WAIT_SECONDS * np.exp(1e-4 * rng.standard_normal(samples))
    gate = np.full(samples * threads, state.gate, dtype=object)
    return {
        "sample": np.repeat(np.arange(samples), threads),
        "thread": np.tile(np.arange(threads), samples),
        "ticks": np.maximum(EMPTY + 1, np.rint(taken).reshape(-1)).astype(np.int64),
        "empty": np.full(samples * threads, EMPTY),
        "calibration_before": np.repeat(np.rint(waited).astype(np.int64), threads),
        "calibration_after": np.full(samples * threads, round(WAIT_SECONDS * 1e9)),
        "canary_before": np.zeros(samples * threads, dtype=np.int64),
        "canary_after": np.zeros(samples * threads, dtype=np.int64),
        "warmup": np.rint(taken).reshape(-1).astype(np.int64),
        "repetitions": np.full(samples * threads, one.repetitions * launches),
        "cpu": np.repeat(place, threads),
        "gate": gate,
    }


def _held(
    one: Simulated, state: _Visit, truth: GpuTruth, noise: GpuNoise, _: int, rng: np.random.Generator
) -> Columns:
    """Windows of a load of seconds, one after the other; each tells its own clock."""
    assert one.windows is not None
    count = HELD_WINDOWS
    longer = np.exp(noise.core * rng.standard_normal() + noise.jitter * rng.standard_normal(count))
    hit = rng.random(count) < noise.interrupted
    longer *= np.where(hit, rng.uniform(1.03, 2.0, count), 1.0) * state.slower
    longer[0] *= 1 + noise.transient
    began, lasting, cycles = one.windows(longer / state.clock)
    step = noise.event_ns
    ns = np.maximum(step, np.floor(lasting * 1e9 / step + rng.random(count)) * step).astype(np.int64)
    ticks = np.rint(cycles * state.clock).astype(np.int64)
    same = {
        name: np.zeros(count, dtype=np.int64) for name in ("thread", "canary_before", "canary_after", "cpu")
    }
    return same | {
        "sample": np.arange(count),
        "start": np.rint(began * 1e9).astype(np.int64),
        "ticks": ticks,
        "empty": np.zeros(count, dtype=np.int64),
        "calibration_before": ticks,
        "calibration_after": ns,
        "warmup": ticks,
        "repetitions": np.full(count, one.repetitions),
        "gate": np.full(count, state.gate, dtype=object),
    }


def bounded_by_seconds(one: Simulated, kind: str, truth: GpuTruth) -> bool:
    """Whether something else than the clock of the multiprocessors sets the pace."""
    size = one.point.facts.get("bytes_actual", 0)
    moved = kind == DEVICE and "flop" not in one.point.work and "op" not in one.point.work
    return kind == HOST or (moved and isinstance(size, int) and size > truth.l2_bytes)


def counts(columns: Columns) -> dict[str, tuple[int, int]]:
    """Accepted and all samples of each point."""
    lead = columns["thread"] == 0
    found: dict[str, tuple[int, int]] = {}
    for name, gate in _pairs(columns["point"][lead], columns["gate"][lead]):
        accepted, total = found.get(name, (0, 0))
        found[name] = (accepted + (gate == ACCEPTED), total + 1)
    return found


def _pairs(names: NDArray[Any], gates: NDArray[Any]) -> Iterable[tuple[str, str]]:
    return zip(names.tolist(), gates.tolist(), strict=True)
