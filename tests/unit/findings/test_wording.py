"""Every builder of sentences, word for word."""

from __future__ import annotations

import pytest

from reportgen.findings.evidence import gather
from reportgen.findings.finding import Claim
from reportgen.findings.lint import offences
from reportgen.findings.metric import parse
from reportgen.findings.published.library import library
from reportgen.findings.wording import checks, contradictions, general, instructions, memory, names, rules
from reportgen.findings.wording.numbers import amount, decimals, listed, span
from reportgen.findings.wording.quantity import sentence
from reportgen.status import Status
from tests.unit.findings.records import KIB, MIB, healthy, point, probe, quantity, run


def test_numbers_show_the_first_digit_of_their_interval() -> None:
    assert amount(quantity("latency.x", 1.0)) == "1.000 cycles (0.999 … 1.001, n = 240)"
    assert amount(quantity("latency.x", 420.0, 408.0, 432.0)) == "420 cycles (408 … 432, n = 240)"
    assert amount(quantity("latency.x", 3.5, 3.46, 3.54)) == "3.50 cycles (3.46 … 3.54, n = 240)"
    assert amount(quantity("peak.fp32", 224e9, 223e9, 225e9)) == "224 GFLOP/s (223 … 225 GFLOP/s, n = 240)"
    assert amount(quantity("memory.l1.latency_time", 1.43e-9, 1.42e-9, 1.44e-9)) == (
        "1.43 ns (1.42 … 1.44 ns, n = 240)"
    )


@pytest.mark.parametrize(("half", "places"), [(0, 3), (0.0001, 3), (0.001, 3), (0.03, 2), (0.97, 1), (12, 0)])
def test_decimals(half: float, places: int) -> None:
    assert decimals(5.0, 5.0 - half, 5.0 + half) == places


def test_a_spread_of_two_samples_is_left_out_and_n_is_shown() -> None:
    assert amount(quantity("latency.x", 1.0, 0.9, 1.1, n=2)) == "1 cycles (n = 2)"


def test_spans_and_lists() -> None:
    assert span(46 * KIB, 50 * KIB, "byte") == "46 … 50 KiB"
    assert span(0.999, 1.001, "cycle") == "0.999 … 1.001 cycles"
    assert [listed([]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == [
        "", "a", "a and b", "a, b and c",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("title", "subject"),
    [
        ("64-bit integer add", "A 64-bit integer add"),
        ("8-bit to 32-bit zero extension", "An 8-bit to 32-bit zero extension"),
        ("FP32 add", "An FP32 add"),
        ("AES round", "An AES round"),
        ("BF16 dot product", "A BF16 dot product"),
        ("MUL", "A MUL"),
        ("population count", "A population count"),
        ("address of two components", "An address of two components"),
    ],
)
def test_articles(title: str, subject: str) -> None:
    assert names.with_article(title) == subject


# measured: instructions


def test_latency() -> None:
    assert instructions.latency("64-bit integer add", quantity("latency.integer_add", 1.0)) == (
        "A 64-bit integer add whose operand is the previous result can start every 1.000 cycles "
        "(0.999 … 1.001, n = 240)."
    )
    assert instructions.latency(
        "FP64 divide, operands one", quantity("latency.x", 13.0), "trivial", ["FP64 multiply"]
    ) == (
        "An FP64 divide, operands one, whose operand is the previous result can start every 13.00 cycles "
        "(12.99 … 13.01, n = 240) on trivial operands. A step of the chain also holds “FP64 multiply”, "
        "whose own latency is subtracted."
    )


def test_throughput() -> None:
    one = quantity("throughput.x", 2.0)
    assert instructions.throughput("FP32 add", one, knee=8) == (
        "Independent instructions of the kind “FP32 add” start at 2.000 per cycle (1.998 … 2.002, n = 240), "
        "reached with 8 independent chains."
    )
    assert instructions.throughput("NOP", quantity("throughput.x", 5.6), at_front_end=True) == (
        "Independent instructions of the kind “NOP” start at 5.600 per cycle (5.594 … 5.606, n = 240). The "
        "front end issues no faster, so what lies behind it may be."
    )


def test_a_throughput_without_a_plateau_is_a_bound() -> None:
    rising = quantity("throughput.x", 2.0, 1.99, None, status=Status.CENSORED)
    assert instructions.throughput_bound("AES round", rising) == (
        "Independent instructions of the kind “AES round” start at a rate of at least 1.99 per cycle "
        "(n = 240): the rate still rose with the most chains that were tried."
    )
    assert "of at least 1.99 per cycle" in sentence(gather(run(), [rising]), rising)
    assert "reached with one chain." in instructions.throughput("x", quantity("throughput.x", 2.0), knee=1)


def test_issue_interval() -> None:
    assert instructions.issue_interval("FP32 add", quantity("issue_interval.x", 0.5, 0.49, 0.51)) == (
        "An FP32 add that waits for no recent result can start every 0.50 cycles (0.49 … 0.51, n = 240)."
    )


def test_operand_dependence() -> None:
    pair = quantity("latency.a", 13.0), quantity("latency.b", 14.0)
    assert instructions.operand_dependence("FP64 divide", *pair) == (
        "The latency of “FP64 divide” depends on its operands: 13.00 cycles (12.99 … 13.01, n = 240) on "
        "trivial ones, 14.00 cycles (13.99 … 14.01, n = 240) on others, which take longer."
    )


# measured, not detected, inferred: pairs

INDEX = quantity("interference.a.b", 1.0, 0.98, 1.02)


def test_an_index_is_measured() -> None:
    assert instructions.interference("ADD", "MUL", INDEX) == (
        "“ADD” and “MUL” together score an interference index of 1.00 (0.98 … 1.02, n = 240), on a scale "
        "where 0 is independent and 1 is serialised."
    )
    assert "the control for all pairs with it" in instructions.interference("ADD", "ADD", INDEX)


def test_independence_is_only_ever_not_detected() -> None:
    text = instructions.interference_not_detected("ADD", "MUL", quantity("interference.a.b", 0, -0.02, 0.03))
    assert text == (
        "No interference of “ADD” with “MUL” was detected: the index is 0.00 (-0.02 … 0.03, n = 240), on a "
        "scale where 0 is independent and 1 is serialised. A resource that this mix does not fill may still "
        "serve both."
    )


def test_what_cannot_be_told_says_why() -> None:
    text = instructions.interference_undecided("ADD", "MUL", INDEX, "the mix runs as fast as it can")
    assert text.startswith(
        "Whether “ADD” and “MUL” interfere cannot be told from this run: the index is 1.00"
    )
    assert text.endswith("and the mix runs as fast as it can.")


def test_sharing_is_consistent_with_and_no_more() -> None:
    assert instructions.sharing("ADD", "MUL", INDEX) == (
        "Adding “MUL” to “ADD” reduced throughput in a way consistent with competition for a shared internal "
        "resource: the interference index is 1.00 (0.98 … 1.02, n = 240)."
    )
    assert "reduced part of the throughput in a way consistent with" in instructions.sharing(
        "ADD", "MUL", INDEX, partly=True
    )


def test_a_sentence_says_which_evidence_ruled_out_what() -> None:
    excluded = ("power or clock limit (the clock stood still)", "front end (it was idle)")
    assert instructions.sharing("ADD", "MUL", INDEX, excluded=excluded).endswith(
        "n = 240). Ruled out as an explanation: power or clock limit (the clock stood still); front end "
        "(it was idle)."
    )


def test_competitors_name_their_alternatives() -> None:
    assert instructions.competitors(["integer_mul", "popcnt"], ("issue port", "scheduler")) == (
        "competes with integer_mul, popcnt; alternatives not excluded: issue port, scheduler"
    )
    assert instructions.competitors([], ("issue port",)) == ""


def test_evidence_against_an_alternative() -> None:
    assert instructions.steady_clock(240, 0.004) == (
        "both calibrations beside each of the 240 accepted samples agree within 0.4 %, and times are in "
        "cycles of that clock"
    )
    assert instructions.front_end_idle(2.5) == (
        "the mix takes 2.50 times what the front end needs to issue it"
    )


# measured: memory


def test_a_boundary_is_an_interval() -> None:
    one = quantity("memory.l1.capacity", 48 * KIB, 46 * KIB, 50 * KIB)
    assert memory.capacity(parse(one.metric), one) == (
        "A working set of 46 KiB still runs at the L1 latency and one of 50 KiB no longer does (n = 240): "
        "the end of L1 lies between them."
    )
    small = quantity("memory.l1.capacity_4k", 48 * KIB, 46 * KIB, 50 * KIB)
    assert "L1 latency on 4 KiB pages and one of" in memory.capacity(parse(small.metric), small)


def test_levels() -> None:
    one = quantity("memory.l2.latency_4k", 16.0)
    assert memory.level_latency(parse(one.metric), one) == (
        "A dependent load whose working set is in the L2 range on 4 KiB pages takes 16.00 cycles "
        "(15.98 … 16.02, n = 240)."
    )
    chase = quantity("chase.dram.latency", 420.0)
    assert memory.chase(parse(chase.metric), chase) == (
        "A pointer chase over one random cycle in the DRAM range takes 420.0 cycles (419.6 … 420.4, n = 240) "
        "a step."
    )


def test_line_ways_and_pages() -> None:
    assert memory.line(quantity("memory.line", 64, 56, 64)) == (
        "A second access is still served together with the first at an offset of 56 B and no longer at 64 B "
        "(n = 240)."
    )
    ways = quantity("memory.l1.associativity", 12, 12, 13)
    assert memory.associativity(parse(ways.metric), ways) == (
        "At least 12 and fewer than 13 lines that fall into one set stay in L1 (n = 240)."
    )
    exact = quantity("memory.l1.associativity", 12, 12, 12)
    assert memory.associativity(parse(exact.metric), exact) == (
        "Lines that fall into one set stay in L1 up to a count of 12 (n = 240)."
    )
    reach = quantity("memory.dtlb1.reach", 96, 92, 104)
    assert memory.tlb_reach(parse(reach.metric), reach) == (
        "At least 92 and fewer than 104 pages, one load each, are touched before the first slowdown of the "
        "first-level data TLB (n = 240)."
    )


@pytest.mark.parametrize("kernel", names.COUNTED)
def test_every_bandwidth_says_what_it_counts(kernel: str) -> None:
    one = quantity(f"bandwidth.dram.{kernel}", 15e9)
    text = memory.bandwidth(parse(one.metric), one, cores=1)
    assert "counted" in text
    assert "stores" in text
    assert text.endswith("write-allocate traffic is not counted.")
    assert ("non-temporal" in text) is kernel.startswith("nt_")


def test_bandwidth() -> None:
    one = quantity("bandwidth.l2.copy.all_cores", 140e9)
    assert memory.bandwidth(parse(one.metric), one, cores=2) == (
        "All 2 cores together moved 140 GB/s (139.9 … 140.1 GB/s, n = 240) in the L2 range with the copy "
        "kernel; the bytes loaded and the bytes stored are both counted; the stores are ordinary ones, and "
        "write-allocate traffic is not counted."
    )


def test_peaks_libraries_and_ridges() -> None:
    peak = quantity("peak.fp32", 224e9)
    assert memory.peak(parse(peak.metric), peak, "512-bit FP32 fused multiply-add") == (
        "The best FP32 rate of one core was 224 GFLOP/s (223.8 … 224.2 GFLOP/s, n = 240) with “512-bit FP32 "
        "fused multiply-add”, at the clock that the core had then."
    )
    cycle = quantity("peak.fp32.per_cycle", 64.0)
    assert memory.peak(parse(cycle.metric), cycle) == (
        "The most FP32 work that one core did per cycle was 64.00 FLOP/cycle (63.94 … 64.06, n = 240)."
    )
    routine = quantity("kernel.sgemm.512", 130e9)
    assert memory.library(parse(routine.metric), routine) == (
        "The library routine sgemm ran at 130 GFLOP/s (129.9 … 130.1 GFLOP/s, n = 240) for n = 512, counted "
        "by the work of the definition; its machine code was not inspected."
    )
    ridge = quantity("ridge.fp32.dram", 12.8)
    assert memory.ridge(parse(ridge.metric), ridge, "read") == (
        "The measured FP32 peak divided by the measured DRAM bandwidth (read) is 12.80 FLOP/byte "
        "(12.79 … 12.81, n = 240): the roofline model puts the ridge there."
    )


def test_a_routine_is_sized_by_what_it_counts() -> None:
    assert names.noun("kernel.sgemm.512", str) == "the rate of sgemm at n = 512"
    assert names.noun("kernel.llm_decode.16", str) == "the rate of llm_decode at batch = 16"
    assert names.noun("kernel.softmax.64", str) == "the rate of softmax at rows = 64"


# any quantity


def test_a_censored_quantity_is_a_bound() -> None:
    one = quantity("memory.l3.capacity", 64 * KIB, 64 * KIB, status=Status.CENSORED)
    assert general.at_least("the L3 capacity", one) == (
        "The L3 capacity is at least 64 KiB (n = 240): the range of the probe ended there, and no end was "
        "seen within it."
    )
    assert sentence(gather(run(), [one]), one).startswith("The L3 capacity is at least 64 KiB")


def test_two_modes_are_two_modes() -> None:
    one = quantity("memory.l2.latency", status=Status.UNSTABLE, modes=(169.0, 303.0))
    assert sentence(gather(run(), [one]), one) == (
        "The samples for the L2 latency fall into 2 groups, at 169 cycles and 303 cycles (n = 240); no mean "
        "is given."
    )
    body = quantity(
        "latency.x",
        status=Status.UNSTABLE,
        modes=(96.0, 192.0),
        reason="two (cycles per repetition of the body)",
    )
    assert "at 96 cycles and 192 cycles per repetition of the body (n = 240)" in sentence(
        gather(run(), [body]), body
    )


def test_an_unknown_metric_still_has_a_sentence() -> None:
    one = quantity("throughput.warps.x", 3.0)
    assert sentence(gather(run(), [one]), one) == (
        "Throughput.warps.x is measured as 3.000 (2.997 … 3.003, n = 240)."
    )


def test_a_contradiction_is_no_result() -> None:
    text = general.contradicted("the throughput of x", quantity("throughput.x", 9.0), ("It is too much.",))
    assert text == (
        "The samples for the throughput of x give 9.000 per cycle (8.991 … 9.009, n = 240), which is shown "
        "as a contradiction and not as a result: It is too much."
    )


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
        "measured is 1 cycles below, with 0.25 cycles allowed: a lower bound, and it does not hold."
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
        "600 of 1000 samples (60.0 %) passed the gates of clock and issue rate; the others are kept in the "
        "raw data, marked with the reason."
    )


def test_pages() -> None:
    small, huge = quantity("memory.l2.latency_4k", 20.0), quantity("memory.l2.latency", 16.0)
    assert rules.small_pages("l2", small, huge) == (
        "In the L2 range a dependent load takes 20.00 cycles (19.98 … 20.02, n = 240) on 4 KiB pages and "
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


# all together


def test_no_sentence_of_a_run_offends() -> None:
    from reportgen.findings.derive import derive

    manifest, quantities = healthy()
    broken = (
        quantity("throughput.integer_add", 9.0),
        quantity("interference.popcnt.fp32_fma", 0.4, 0.38, 0.42),
        quantity("memory.l4.latency", 3.0),
        quantity("bandwidth.dram.triad", 900e9),
    )
    extra = run(
        (*manifest.probes, probe("aes_round")),
        [point("p#1", {"length": 1}, accepted=5, total=9)],
        manifest.device.reported,
    )
    for finding in derive(extra, (*quantities, *broken)):
        for text in (finding.sentence, *finding.contradictions, *finding.alternatives, *finding.excluded):
            assert offences(text) == (), text
        for check in finding.checks:
            assert offences(check.explanation) == ()
        if finding.claim is Claim.INFERRED:
            assert "consistent with" in finding.sentence
            assert finding.alternatives


def test_a_fitted_capacity_tells_where_the_rise_lies_and_what_fits_it() -> None:
    details = {"shape": "smeared", "begins": 0.5 * MIB, "ends": 1.5 * MIB}
    one = quantity("memory.l2.capacity", 1.0 * MIB, 0.8 * MIB, 1.25 * MIB, details=details)
    text = memory.capacity(parse("memory.l2.capacity"), one)
    assert text == (
        "From a working set of 512 KiB on some loads are slower than the L2 latency, from 1.5 MiB on nearly "
        "all: the rise between fits an end of L2 at 1 MiB (819.2 KiB … 1.25 MiB, n = 240)."
    )
    assert offences(text) == ()
