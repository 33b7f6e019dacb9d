"""Other channels agree, disagree or are absent, and say so."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.crosschecks import (
    ABSENT,
    AGREES,
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
from tests.unit.findings.records import MIB, evidence, probe, quantity, run


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
    assert OPERATING_SYSTEM not in checks(quantity("latency.x", 1.0))


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
    assert set(found) == {OTHER_PROBE, COUNTER, PUBLISHED}
    assert "unsupported: the kernel offers none to this guest" in found[COUNTER].explanation
    read = checks(quantity("latency.integer_add", 1.0), manifest=run(counters="instructions, cycles"))
    assert "do not bear on it (instructions, cycles)" in read[COUNTER].explanation


def test_a_quantity_without_a_value_is_no_channel() -> None:
    level = quantity("memory.l2.latency", 16.0)
    silent = quantity("chase.l2.latency", status=Status.UNSTABLE, reason="noise")
    assert checks(level, silent)[OTHER_PROBE].outcome == ABSENT
