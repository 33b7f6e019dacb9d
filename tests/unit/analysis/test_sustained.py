"""Burst and sustained rates are found again on devices whose clock falls under load, and on others."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.runs.schema import Point
from reportgen.status import Status
from tests.simulated.cpu import make_records
from tests.simulated.roofline_points import PEAK_ACCUMULATORS, peak_rate, sustained_probe
from tests.simulated.truth import CpuTruth, Held, Noise
from tests.unit.analysis.cases import QUIET, Columns, analysed, chain, covers

STEM = "peak.fp32"


def of(truth: CpuTruth, seed: int = 1, **changes: object) -> dict[str, Quantity]:
    return analysed([sustained_probe(truth)], truth, seed, **changes)  # type: ignore[arg-type]


def at_first(truth: CpuTruth) -> float:
    """True rate of all cores before the clock changes; the sampler's wobble is of each visit."""
    return truth.cores * truth.cycle_hz * peak_rate(truth, "fp32_fma_512", PEAK_ACCUMULATORS[-1])


def throttling(factor: float = 0.8, after: float = 0.6, over: float = 0.0) -> CpuTruth:
    steady = replace(QUIET.noise, wobble=0.002)
    return replace(QUIET, held=Held(factor, after, over), noise=steady)


def test_a_step_gives_two_rates_their_ratio_and_its_time() -> None:
    truth = throttling(0.8, 0.6)
    found = of(truth)
    assert found[f"{STEM}.burst"].value == pytest.approx(at_first(truth), rel=0.01)
    assert found[f"{STEM}.sustained"].value == pytest.approx(0.8 * at_first(truth), rel=0.01)
    assert found[f"{STEM}.sustained_ratio"].value == pytest.approx(0.8, rel=0.002)
    settling = found[f"{STEM}.settling_time"]
    assert settling.value == pytest.approx(0.6, abs=truth.held.window_seconds)
    assert covers(settling, 0.6)
    assert settling.status is Status.OK


def test_the_clock_beside_the_windows_falls_with_the_rate() -> None:
    found = of(throttling(0.8))
    assert found[f"{STEM}.sustained"].details["clock_ratio"] == pytest.approx(0.8, rel=0.01)
    assert of(throttling(1.0))[f"{STEM}.sustained"].details["clock_ratio"] == pytest.approx(1, rel=0.01)


def test_a_ramp_settles_when_it_has_ended() -> None:
    settling = of(throttling(0.7, 0.4, over=0.6))[f"{STEM}.settling_time"]
    # Work is asked for in windows of equal repetitions, so the clock's own time runs on.
    assert settling.low is not None
    assert 0.8 < settling.low < 1.5


def test_a_steady_rate_has_a_ratio_of_one_and_no_time() -> None:
    found = of(throttling(1.0))
    assert covers(found[f"{STEM}.sustained_ratio"], 1.0)
    assert f"{STEM}.settling_time" not in found


def test_a_rate_that_rises_is_told_as_well() -> None:
    found = of(throttling(1.1, 0.3))
    assert found[f"{STEM}.sustained_ratio"].value == pytest.approx(1.1, rel=0.002)


def test_a_rate_that_still_falls_is_not_settled() -> None:
    found = of(throttling(0.5, 0.2, over=1.8))
    settling = found[f"{STEM}.settling_time"]
    assert settling.status is Status.CENSORED
    assert settling.high is None
    assert settling.low is not None
    assert settling.low > 1.0
    assert found[f"{STEM}.sustained"].details["settled"] is False


def test_two_groups_of_windows_have_no_sustained_rate() -> None:
    def alternate(columns: Columns) -> None:
        slow = columns["sample"] % 2 == 1
        columns["ticks"] = np.where(slow, columns["ticks"] * 5 // 4, columns["ticks"])

    found = of(throttling(1.0), edit=alternate)
    sustained = found[f"{STEM}.sustained"]
    assert sustained.status is Status.UNSTABLE
    assert len(sustained.modes) == 2
    assert sustained.modes[1] / sustained.modes[0] == pytest.approx(1.25, rel=0.02)
    assert found[f"{STEM}.sustained_ratio"].value is None


def test_a_clock_that_swings_has_the_rate_between() -> None:
    """The median of windows at two steps is one of them, by chance; which one an odd window decides."""

    def swing(columns: Columns) -> None:
        late = columns["sample"] >= 20
        up = columns["sample"] % 2 == 1
        columns["ticks"] = np.where(late, columns["ticks"] * np.where(up, 0.997, 1.003), columns["ticks"])

    found = of(throttling(0.8), edit=swing)
    assert found[f"{STEM}.sustained_ratio"].value == pytest.approx(0.8, rel=0.001)


def test_a_small_change_has_a_time_though_the_windows_scatter() -> None:
    def scatter(columns: Columns) -> None:
        up = columns["sample"] % 3 - 1
        columns["ticks"] = (columns["ticks"] * (1 + 0.008 * up)).astype(np.int64)

    settling = of(throttling(0.955, 0.6), edit=scatter)[f"{STEM}.settling_time"]
    assert settling.value is not None
    assert settling.value > 0.3


def test_too_few_windows_say_so() -> None:
    def most(columns: Columns) -> None:
        columns["gate"] = np.where(columns["sample"] > 6, "migrated", columns["gate"].astype(str))

    sustained = of(throttling(), edit=most)[f"{STEM}.sustained"]
    assert sustained.status is Status.UNSTABLE
    assert "12 windows" in sustained.reason


def test_a_point_that_was_refused_says_why() -> None:
    info, timed = sustained_probe(QUIET)
    point = Point("roofline/sustained_fp32#x=1", info.id, {"x": 1}, Status.UNSUPPORTED, "no such unit")
    found = analysed([(info, [replace(timed[0], point=point, cycles=0.0)]), chain(lambda steps: steps)])
    del found["latency.x"]
    assert {one.status for one in found.values()} == {Status.UNSUPPORTED}
    assert found[f"{STEM}.sustained"].reason == "no such unit"


def test_nothing_at_the_start_of_a_visit_is_left_out_as_a_transient() -> None:
    """Samples of other points settle within a visit; what a long visit does at first is its answer."""
    found = of(replace(throttling(0.8), noise=Noise(contaminated=0, slips=0, transients=8, wobble=0.002)))
    assert len(found[f"{STEM}.sustained"].details["rate"]) == 3 * QUIET.held.windows


def test_nanosecond_starts_of_a_gpu_give_the_same() -> None:
    """Ticks that are cycles, starts that are nanoseconds of the device's timer, one row a window."""
    one = replace(throttling(0.8), cores=1)
    info, timed = sustained_probe(one)
    run, columns, _ = make_records(one, 3, lambda _: [(info, timed)])
    hertz = one.cycle_hz * one.held.factor
    seconds = columns["ticks"] / one.tick_hz
    columns["start"] = (columns["start"] / one.tick_hz * 1e9).astype(np.int64)
    columns["ticks"] = (seconds * hertz).astype(np.int64)
    columns["empty"] = np.zeros_like(columns["empty"])
    columns["calibration_before"] = np.full(len(seconds), round(hertz / 1e3))
    columns["calibration_after"] = np.full(len(seconds), 1_000_000)
    clock = msgspec.structs.replace(run.sample_clock, calibration_cycles=0)
    run = msgspec.structs.replace(run, clock=clock)
    found = {one.metric: one for one in quantities(run, pa.table(columns))}
    assert found[f"{STEM}.sustained_ratio"].value == pytest.approx(0.8, rel=0.005)
    assert found[f"{STEM}.settling_time"].value == pytest.approx(0.6, abs=0.05)


def test_the_intervals_cover() -> None:
    held = {"burst": 0, "sustained": 0, "sustained_ratio": 0, "settling_time": 0}
    runs = 60
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        factor, after = rng.uniform(0.6, 0.95), rng.uniform(0.2, 1.0)
        truth = throttling(float(factor), float(after))
        found = of(truth, seed)
        true = {
            "burst": at_first(truth), "sustained": factor * at_first(truth),
            "sustained_ratio": factor, "settling_time": after,
        }  # fmt: skip
        for name in held:
            held[name] += covers(found[f"{STEM}.{name}"], float(true[name]))
    assert min(held.values()) >= 0.9 * runs, held
