"""Every builder of sentences, word for word."""

from __future__ import annotations

import pytest

from reportgen.findings.evidence import gather
from reportgen.findings.finding import Claim
from reportgen.findings.lint import offences
from reportgen.findings.metric import parse
from reportgen.findings.wording import general, instructions, memory, names
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
    assert amount(quantity("latency.x", 1.0, 0.9, 1.1, n=2)) == "1 cycle (n = 2)"


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
