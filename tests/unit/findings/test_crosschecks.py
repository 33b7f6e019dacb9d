"""Other channels agree, disagree or are absent, and say so."""

from __future__ import annotations

import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.findings.crosschecks import (
    ABSENT,
    AGREES,
    CHANNELS,
    COMPILER_ENCODED,
    COUNTER,
    DISAGREES,
    OPERATING_SYSTEM,
    OTHER_PROBE,
    PUBLISHED,
    cross_check,
)
from reportgen.findings.finding import CrossCheck
from reportgen.runs.schema import Run
from reportgen.status import Status
from tests.unit.findings.records import MIB, changed, evidence, probe, quantity, run


def checks(one: Quantity, *others: Quantity, manifest: Run | None = None) -> dict[str, CrossCheck]:
    found = cross_check(evidence(one, *others, run=manifest or run()), one)
    return {check.channel: check for check in found}


def test_two_probes_of_a_level_agree_or_not() -> None:
    level = quantity("memory.l2.latency", 16.0)
    near, far = quantity("chase.l2.latency", 16.5), quantity("chase.l2.latency", 21.0)
    assert checks(level, near)[OTHER_PROBE].outcome == AGREES
    assert checks(level, far)[OTHER_PROBE].outcome == DISAGREES
    assert checks(far, level)[OTHER_PROBE].outcome == DISAGREES
    wide = quantity("chase.l2.latency", 21.0, 15.0, 27.0)
    assert checks(level, wide)[OTHER_PROBE].outcome == AGREES


def test_far_levels_are_allowed_more() -> None:
    pair = quantity("memory.dram.latency", 400.0), quantity("chase.dram.latency", 440.0)
    assert checks(*pair)[OTHER_PROBE].outcome == AGREES


def test_a_load_is_measured_as_an_instruction_too() -> None:
    found = cross_check(
        evidence(
            one := quantity("memory.l1.latency", 5.0),
            quantity("chase.l1.latency", 5.0),
            quantity("latency.l1_load", 5.0),
            run=run(),
        ),
        one,
    )
    assert [check.outcome for check in found if check.channel == OTHER_PROBE] == [AGREES, AGREES]
    assert checks(quantity("latency.l1_load", 4.0), one)[OTHER_PROBE].outcome == DISAGREES


def test_a_texture_load_is_checked_by_the_sweep_of_its_own_path_only() -> None:
    """It takes longer to the same level, which no other path could contradict."""
    one = quantity("chase.l1.texture.latency", 80.0)
    others = (quantity("chase.l1.latency", 40.0), quantity("memory.l1.latency", 40.0))
    assert checks(one, *others)[OTHER_PROBE].outcome == ABSENT
    agreed = checks(one, *others, quantity("memory.texture.l1.latency", 80.4))
    assert agreed[OTHER_PROBE].outcome == AGREES


def test_the_same_metric_from_two_probes_is_a_check_and_not_a_mean() -> None:
    first = quantity("interference.a.b", 1.0, 0.99, 1.01, probe="pipeline_interference/matrix")
    again = quantity("interference.a.b", 0.5, 0.49, 0.51, probe="pipeline_interference/add_vs_mul", n=100)
    found = checks(first, again)[OTHER_PROBE]
    assert found.outcome == DISAGREES
    assert found.explanation.startswith(
        "pipeline_interference/add_vs_mul measures 0.50 (0.49 … 0.51, n = 100)"
    )


def test_a_peak_is_checked_by_the_throughput_of_its_operations() -> None:
    probes = [
        probe("fma", "plateau", constants={"flop": 16.0, "precision": "fp32"}),
        probe("fma_512", "plateau", constants={"flop": 32.0, "precision": "fp32"}),
        probe("fp64_fma", "plateau", constants={"flop": 99.0, "precision": "fp64"}),
    ]
    rates = [quantity(f"throughput.{name}", 2.0) for name in ("fma", "fma_512", "fp64_fma")]
    peak = quantity("peak.fp32.per_cycle", 64.0)
    assert checks(peak, *rates, manifest=run(probes))[OTHER_PROBE].outcome == AGREES
    low = quantity("peak.fp32.per_cycle", 48.0)
    assert checks(low, *rates, manifest=run(probes))[OTHER_PROBE].outcome == DISAGREES


def test_the_operating_system_is_asked_about_sizes() -> None:
    one = quantity("memory.l3.capacity", 7.5 * MIB, 6 * MIB, 9 * MIB)
    assert checks(one, manifest=run(reported={"l3_bytes": 8 * MIB}))[OPERATING_SYSTEM].outcome == AGREES
    far = checks(one, manifest=run(reported={"l3_bytes": 300 * MIB}))[OPERATING_SYSTEM]
    assert far.outcome == DISAGREES
    assert "300 MiB for the L3 capacity; the measured boundary is 6 … 9 MiB" in far.explanation
    assert checks(one)[OPERATING_SYSTEM].outcome == ABSENT
    assert checks(quantity("latency.x", 1.0))[OPERATING_SYSTEM].outcome == ABSENT


def test_the_operating_system_is_asked_about_ways_too() -> None:
    one = quantity("memory.l1.associativity", 8.0, 8.0, 9.0)
    assert checks(one, manifest=run(reported={"l1d_ways": 8}))[OPERATING_SYSTEM].outcome == AGREES
    assert checks(one, manifest=run(reported={"l1d_ways": 12}))[OPERATING_SYSTEM].outcome == DISAGREES


def test_a_bound_agrees_with_anything_above_it() -> None:
    bound = quantity("memory.l3.capacity", low=64 * MIB, status=Status.CENSORED)
    assert checks(bound, manifest=run(reported={"l3_bytes": 96 * MIB}))[OPERATING_SYSTEM].outcome == AGREES
    assert checks(bound, manifest=run(reported={"l3_bytes": 8 * MIB}))[OPERATING_SYSTEM].outcome == DISAGREES


def test_the_line_is_checked() -> None:
    one = quantity("memory.line", 64, 56, 64)
    assert checks(one, manifest=run(reported={"line_bytes": 64}))[OPERATING_SYSTEM].outcome == AGREES
    assert checks(one, manifest=run(reported={"line_bytes": 128}))[OPERATING_SYSTEM].outcome == DISAGREES


def test_absent_channels_say_why() -> None:
    found = checks(quantity("latency.integer_add", 1.0))
    assert {check.outcome for check in found.values()} == {ABSENT}
    assert tuple(found) == CHANNELS
    assert "unsupported: the kernel offers none to this guest" in found[COUNTER].explanation
    read = checks(quantity("latency.integer_add", 1.0), manifest=run(counters="instructions, cycles"))
    assert "do not bear on it (instructions, cycles)" in read[COUNTER].explanation


def test_a_quantity_without_a_value_is_no_channel() -> None:
    level = quantity("memory.l2.latency", 16.0)
    silent = quantity("chase.l2.latency", status=Status.UNSTABLE, reason="noise")
    assert checks(level, silent)[OTHER_PROBE].outcome == ABSENT


@pytest.mark.parametrize(
    "metric", ["latency.x", "bandwidth.l1.read", "memory.l1.capacity", "peak.fp32", "odd.metric"]
)
def test_every_finding_about_a_quantity_lists_every_channel(metric: str) -> None:
    found = cross_check(evidence(one := quantity(metric, 1.0), run=run()), one)
    assert [check.channel for check in found] == list(CHANNELS)
    assert all(check.explanation for check in found)


@pytest.mark.parametrize(("measured", "outcome"), [(4.02, AGREES), (33.0, AGREES), (3.0, DISAGREES)])
def test_what_the_assembler_keeps_is_a_lower_bound(measured: float, outcome: str) -> None:
    encoded = quantity("encoded.latency.fp32_fma", 4.0)
    found = checks(quantity("latency.fp32_fma", measured), encoded)[COMPILER_ENCODED]
    assert found.outcome == outcome
    assert "keeps 4" in found.explanation
    assert ("it holds" in found.explanation) == (outcome == AGREES)


def test_a_stall_of_one_warp_does_not_bound_the_rate_of_many() -> None:
    """Four schedulers start four multiply-adds a cycle, and the assembler keeps two cycles for each warp."""
    found = checks(
        quantity("issue_interval.fp32_fma", 0.25),
        quantity("encoded.issue.fp32_fma", 2.0, unit="cycle/instruction", method="encoded"),
        manifest=gpu("NVIDIA H200", "sm_90"),
    )[COMPILER_ENCODED]
    assert found.outcome == ABSENT
    assert "one warp's" in found.explanation


def test_machine_code_without_distances_says_so() -> None:
    assert "of x86_64 holds no distances" in checks(quantity("latency.x", 1.0))[COMPILER_ENCODED].explanation
    gpu = changed(run(), device=changed(run().device, isa="sm_90"))
    assert (
        "The run holds no distance"
        in checks(quantity("latency.x", 1.0), manifest=gpu)[COMPILER_ENCODED].explanation
    )


@pytest.mark.parametrize(("counted", "outcome"), [(15.4e9, AGREES), (30e9, DISAGREES)])
def test_a_counter_that_speaks_of_a_metric_is_heard(counted: float, outcome: str) -> None:
    one = quantity("bandwidth.dram.read", 15e9)
    assert checks(one, quantity("counter.bandwidth.dram.read", counted))[COUNTER].outcome == outcome


def gpu(name: str, isa: str = "sm_80") -> Run:
    return changed(run(), device=changed(run().device, isa=isa, name=name))


def test_published_figures_of_the_architecture_support_a_latency() -> None:
    found = checks(quantity("latency.fp32_fma", 4.0), manifest=gpu("NVIDIA A100-SXM4-80GB"))[PUBLISHED]
    assert found.outcome == AGREES
    assert (
        "1 of 1 published figures lie within 5.0 % and 0.5 cycles: 4 cycles (NVIDIA A100; Abdel"
        in found.explanation
    )
    far = checks(quantity("latency.fp32_fma", 5.5), manifest=gpu("NVIDIA A100-SXM4-80GB"))[PUBLISHED]
    assert far.outcome == DISAGREES


def test_a_rate_is_compared_with_the_same_product_only() -> None:
    triad = quantity("bandwidth.dram.triad.all_cores", 1.40e12)
    assert checks(triad, manifest=gpu("NVIDIA A100-SXM4-40GB"))[PUBLISHED].outcome == AGREES
    assert checks(triad, manifest=gpu("NVIDIA A100-SXM4-80GB"))[PUBLISHED].outcome == DISAGREES
    assert checks(triad, manifest=gpu("NVIDIA A100-SXM4-80GB MIG 1g.10gb"))[PUBLISHED].outcome == ABSENT
    assert checks(triad, manifest=gpu("NVIDIA A30"))[PUBLISHED].outcome == ABSENT


def test_figures_of_the_second_tier_are_shown_and_decide_nothing() -> None:
    zen = changed(run(), toolchain={"cpu": "znver4"})
    found = checks(quantity("latency.integer_add", 7.0), manifest=zen)[PUBLISHED]
    assert found.outcome == ABSENT
    assert "none decides" in found.explanation
    assert "1 cycles (AMD Zen 4; OSACA" in found.explanation


def test_a_device_without_figures_says_so() -> None:
    assert checks(quantity("latency.integer_add", 1.0))[PUBLISHED].explanation == (
        "No published figure is on file for this device or its architecture."
    )
