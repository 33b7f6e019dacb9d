"""Clocks that were read once, in the wrong unit, or not at all; samples of a disturbed core."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reportgen.backends import gates
from reportgen.runs.schema import ACCEPTED, SAMPLE_COLUMNS
from reportgen.status import Status
from tests.field_cases.told import QUIET, Columns, told
from tests.simulated.asked import Asked
from tests.simulated.instruction_points import latency_probes, throughput_probes
from tests.simulated.memory_points import working_set_probe
from tests.simulated.roofline_points import sustained_probe
from tests.simulated.truth import CpuTruth, Held, Noise
from tests.unit.backends.test_gates import CLOCK, columns


def instructions(truth: CpuTruth) -> list[Asked]:
    return [*latency_probes(truth), *throughput_probes(truth)]


def test_the_first_samples_are_slower() -> None:
    """Seen: first 100 samples mean 1012 cycles, the whole trace 786.

    Right: transients found and marked; the warm-up is verified to have run.
    """
    noise = Noise(contaminated=0.0, slips=0.0, transients=3, transient=1012 / 786 - 1)
    found = told(instructions, replace(QUIET, noise=noise, samples=20))
    for operation in ("integer_mul", "fp32_fma", "l1_load"):
        truth = QUIET.operations[operation].latency
        assert found.quantities[f"latency.{operation}"].value == pytest.approx(truth, rel=0.01)
    assert found.findings["transients:run"].sentence.startswith("The first 3 samples of a visit took longer")
    first = found.columns["sample"] == 0
    assert set(found.columns["gate"][first]) == {gates.FIRST}
    assert (found.columns["warmup"] > found.columns["ticks"] / found.columns["repetitions"]).all()


def test_a_warm_up_that_did_not_run_is_a_gate_of_its_own() -> None:
    """Seen: first 100 samples mean 1012 cycles, the whole trace 786 (the warm-up had not run).

    Right: transients found and marked; the warm-up is verified to have run.
    """
    assert gates.UNEVEN == "warm-up and body disagree"
    marks = [ACCEPTED, gates.UNEVEN, ACCEPTED, ACCEPTED]
    assert gates.judge(columns(), CLOCK, 6.144, marks) == marks


def calibrated_once(columns: Columns) -> None:
    """The calibration of the first sample stands beside every one; then the clock rose by 14.6 %."""
    for name in ("calibration_before", "calibration_after"):
        columns[name] = np.full_like(columns[name], columns[name][0])
    columns["ticks"] = ((columns["ticks"] - columns["empty"]) / 1.146 + columns["empty"]).astype(np.int64)


def test_a_clock_calibrated_once_at_the_start() -> None:
    """Seen: clock calibrated once at the start, then it rose: multiply latency 2.62 cycles (3), FMA rate
    2.36 a clock (2).

    Right: a calibration beside every sample; values past a known limit are contradictions.
    """
    fooled = told(instructions, edit=calibrated_once)
    add = fooled.facts["latency.integer_add"]
    assert (add.status, add.value) == (Status.INVALID, None)
    assert "the calibration beside the samples ran at another clock" in add.reason
    rising = replace(QUIET, noise=replace(QUIET.noise, drift=0.146))
    honest = told(instructions, rising)
    assert honest.quantities["latency.integer_mul"].value == pytest.approx(3.0, rel=0.01)
    assert honest.quantities["throughput.fp32_fma"].value == pytest.approx(2.0, rel=0.01)
    assert "moved by" in honest.findings["drift:run"].sentence


def test_a_clock_that_falls_within_the_run() -> None:
    """Seen: 1965 -> 1580 MHz within 100 iterations, throughput -15 %.

    Right: burst and sustained are two quantities; a clock per sample.
    """
    noise = replace(QUIET.noise, throttle=1580 / 1965, throttled_from=0.5)
    found = told(instructions, replace(QUIET, noise=noise))
    assert found.quantities["latency.fp32_fma"].value == pytest.approx(4.0, rel=0.01)
    assert found.quantities["throughput.fp32_fma"].value == pytest.approx(2.0, rel=0.01)
    drift = found.findings["drift:run"]
    assert "The core clock seen by the canary moved by 19" in drift.sentence
    assert "every sample carries its own calibration" in drift.sentence
    assert {"calibration_before", "calibration_after"} <= set(SAMPLE_COLUMNS)


def test_a_rate_that_falls_after_a_burst() -> None:
    """Seen: 1965 -> 1580 MHz within 100 iterations, throughput -15 %.

    Right: burst and sustained are two quantities; a clock per sample.
    """
    held = Held(factor=1580 / 1965, after=0.4)
    found = told(lambda truth: [sustained_probe(truth)], replace(QUIET, held=held))
    burst, last = found.facts["peak.fp32.burst"], found.facts["peak.fp32.sustained"]
    assert burst.value is not None
    assert last.value is not None
    assert last.value / burst.value == pytest.approx(1580 / 1965, rel=0.01)
    assert found.facts["peak.fp32.settling_time"].value == pytest.approx(0.4, abs=0.05)
    clocks = found.quantities["peak.fp32.sustained"].details["clock"]
    assert min(clocks) / max(clocks) == pytest.approx(1580 / 1965, rel=0.06)
    assert "consistent with a limit of power" in found.findings["slowing:peak.fp32.sustained_ratio"].sentence


@pytest.mark.parametrize("share", [0.7, 0.97, 1.0])
def test_a_number_printed_beside_a_busy_neighbour(share: float) -> None:
    """Seen: FMA latency 10.4 cycles printed beside a busy neighbour, no warning.

    Right: gated out, or `unstable` with the reason.
    """
    truth = replace(QUIET, noise=Noise(contaminated=share, slips=0.0), samples=12)
    found = told(latency_probes, truth)
    one = found.quantities["latency.fp32_fma"]
    if one.value is not None:
        assert one.value == pytest.approx(4.0, rel=0.01)
    else:
        assert one.status is Status.UNSTABLE
        assert "samples passed the gates" in one.reason
    assert (one.value is None) == (share == 1.0 or one.status is Status.UNSTABLE)


def test_ticks_that_are_called_cycles() -> None:
    """Seen: "cycles" that are time-stamp ticks at 2.1 GHz on a 2.7 GHz core.

    Right: ticks are named ticks.
    """
    truth = replace(QUIET, tick_hz=2.1e9, cycle_hz=2.7e9)
    found = told(instructions, truth)
    assert found.quantities["latency.fp32_fma"].value == pytest.approx(4.0, rel=0.01)
    assert "ticks" in SAMPLE_COLUMNS
    assert not any("cycle" in name for name in SAMPLE_COLUMNS)

    def a_tick_a_cycle(columns: Columns) -> None:
        """As if a cycle were a tick."""
        for name in ("calibration_before", "calibration_after"):
            columns[name] = columns["empty"] + 20448

    mistaken = told(lambda truth: [working_set_probe(truth)], truth, edit=a_tick_a_cycle)
    finding = mistaken.findings["memory.l1.latency"]
    assert finding.contradictions
    assert "ticks of the time-stamp counter were taken for cycles" in finding.contradictions[0]


def test_an_affinity_that_was_accepted_and_not_applied() -> None:
    """Seen: affinity call accepted and not applied.

    Right: the CPU is read back after the sample.
    """
    assert "cpu" in SAMPLE_COLUMNS
    marks = [ACCEPTED, gates.MIGRATED, ACCEPTED, ACCEPTED]
    assert gates.judge(columns(), CLOCK, 6.144, marks) == marks, "a second judgement leaves it"

    def edit(columns: Columns) -> None:
        """Half of the samples were found on another CPU, where they took twice as long."""
        moved = columns["sample"] % 2 == 1
        columns["ticks"] = np.where(moved, columns["ticks"] * 2, columns["ticks"])
        columns["cpu"] = np.where(moved, 7, columns["cpu"])
        columns["gate"] = np.where(moved, gates.MIGRATED, columns["gate"]).astype(object)

    found = told(latency_probes, replace(QUIET, samples=14), edit=edit)
    assert found.quantities["latency.fp32_fma"].value == pytest.approx(4.0, rel=0.01)
