"""Sentences that set a number beside other channels, and contradictions."""

from __future__ import annotations

from reportgen.findings.published.library import library
from reportgen.findings.wording import checks, contradictions, rules
from reportgen.status import Status
from tests.unit.findings.records import MIB, quantity

# other channels, rules


def test_the_operating_system_and_the_measurement_stand_side_by_side() -> None:
    one = quantity("memory.l3.capacity", 7.5 * MIB, 6 * MIB, 9 * MIB)
    assert rules.reported_capacity("L3", 32 * MIB, one, agrees=False) == (
        "The operating system reports 32 MiB of L3; the measured boundary is between 6 MiB and 9 MiB "
        "(n = 240). The two disagree."
    )
    bound = quantity("memory.l3.capacity", 64 * MIB, 64 * MIB, status=Status.CENSORED)
    assert rules.reported_capacity("L3", 96 * MIB, bound, agrees=True) == (
        "The operating system reports 96 MiB of L3; the measured boundary is at least 64 MiB (n = 240). The "
        "two agree."
    )
    assert rules.reported_line(64, quantity("memory.line", 64, 56, 64), agrees=True) == (
        "The operating system reports a line of 64 B; measured is 64 B (n = 240). The two agree."
    )
    assert checks.reported("the L3 capacity", 32 * MIB, one, agrees=False) == (
        "The operating system reports 32 MiB for the L3 capacity; the measured boundary is 6 … 9 MiB "
        "(n = 240): they disagree."
    )


def test_channels_that_are_absent_say_so() -> None:
    assert checks.no_other_probe() == "No other probe of this run measures it."
    assert checks.no_counter("unsupported: none") == (
        "No hardware counter was read for it (unsupported: none)."
    )
    assert checks.no_figure() == "No published figure is on file for this device or its architecture."
    assert checks.not_reported() == "The operating system or driver reports nothing about it."
    assert checks.nothing_to_encode() == (
        "Machine code can hold distances between instructions, and nothing about this."
    )


def test_published_figures_are_cited_with_their_device() -> None:
    first, second = library().figures[:2]
    near, far = [(first, "Somebody, 2020")], [(second, "Another, 2021")]
    assert checks.figures(near, far, [], 0.1, 0.0) == (
        "1 of 2 published figures lie within 10.0 %: 33.4 cycles (NVIDIA A100 80GB; Somebody, 2020); "
        "1 of 2 lie further away than 10.0 %: 205.8 cycles (NVIDIA A100 80GB; Another, 2021)."
    )
    many = checks.figures(near * 7, [], far, 0.05, 0.5)
    assert many.startswith("7 of 7 published figures lie within 5.0 % and 0.5 cycles: 33.4 cycles")
    assert many.endswith("and 2 more; shown only: 205.8 cycles (NVIDIA A100 80GB; Another, 2021).")


def test_a_bound_of_the_machine_code_holds_or_does_not() -> None:
    bound = quantity("encoded.latency.fp32_fma", 4.0, unit="cycle")
    assert checks.encoded(bound, 0.02, 0.25, agrees=True) == (
        "The machine code keeps 4 cycles between the two; measured is 0.02 cycles above, with 0.25 cycles "
        "allowed: a lower bound, and it holds."
    )
    assert checks.encoded(bound, -1.0, 0.25, agrees=False).endswith(
        "measured is 1 cycle below, with 0.25 cycles allowed: a lower bound, and it does not hold."
    )


def test_other_probes() -> None:
    other = quantity("chase.l1.latency", 5.0)
    assert checks.other_probe("memory_hierarchy/pointer_chasing", other, 0.001, 0.03, agrees=True) == (
        "memory_hierarchy/pointer_chasing measures 5.000 cycles (4.995 … 5.005, n = 240), 0.1 % away, within "
        "the 3.0 % or the overlap of intervals that count as agreement."
    )
    assert checks.throughput_times_work("fp32_fma", 64, "FLOP/cycle", 0.002, 0.03) == (
        "The throughput of fp32_fma times its work per instruction is 64 FLOP/cycle, 0.2 % away; up to 3.0 % "
        "counts as agreement."
    )
    assert rules.probes_disagree("the L1 latency", quantity("memory.l1.latency", 6.0), other) == (
        "Two probes disagree about the L1 latency: probe/memory gives 6.000 cycles (5.994 … 6.006, n = 240), "
        "probe/chase gives 5.000 cycles (4.995 … 5.005, n = 240). No mean is taken."
    )


def test_drift_and_acceptance() -> None:
    assert rules.drift(0.021, 3.43e9, 3.5e9, noticed=True) == (
        "The core clock seen by the canary moved by 2.1 % over the run, from 3.43 GHz to 3.5 GHz; every "
        "sample carries its own calibration."
    )
    assert rules.drift(0.01, 3.49e9, 3.5e9, noticed=False) == (
        "No drift of the core clock beyond 1.0 % was detected over the run (canary marks from 3.49 GHz to "
        "3.5 GHz)."
    )
    assert rules.acceptance(600, 1000) == (
        "600 of 1,000 samples (60.0 %) passed the gates of clock and issue rate; the others are kept in the "
        "raw data, marked with the reason."
    )


def test_pages() -> None:
    small, huge = quantity("memory.l2.latency_4k", 20.0), quantity("memory.l2.latency", 16.0)
    assert rules.small_pages("l2", small, huge) == (
        "In the L2 range a dependent load takes 20.00 cycles (19.98 … 20.02, n = 240) on small pages and "
        "16.00 cycles (15.98 … 16.02, n = 240) with huge pages requested, a difference consistent with the "
        "cost of address translation."
    )
    assert "no influence of the page size was detected" in rules.small_pages_not_detected("l2", huge, huge)


def test_scaling() -> None:
    pair = quantity("bandwidth.l2.read", 100e9), quantity("bandwidth.l2.read.all_cores", 200e9)
    text = rules.scaling("l2", "read", *pair, cores=2)
    assert text.startswith(
        "All 2 cores together reach 2 times the read bandwidth of one core in the L2 range,"
    )
    assert text.endswith("write-allocate traffic is not counted.")


# contradictions


def test_contradictions_name_both_sides() -> None:
    assert contradictions.above_limit("the peak", 107e12, 240e9, "FLOP/second", "so much and no more") == (
        "The peak comes out as 107 TFLOP/s, above 240 GFLOP/s: so much and no more."
    )
    assert contradictions.wrong_order("the L1 latency", 5, "the L2 latency", 4, "cycle", "they rise") == (
        "The L1 latency (5 cycles) and the L2 latency (4 cycles) do not fit each other: they rise."
    )
    assert contradictions.not_symmetric("A", "B", 1.0, 0.4) == (
        "“A” with “B” scores 1, “B” with “A” scores 0.4: an index does not depend on the order."
    )
