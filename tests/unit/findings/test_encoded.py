"""Findings of a run in which nothing ran: worded as read, never as measured."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from reportgen.analysis.encoded import encoded
from reportgen.findings import confidence
from reportgen.findings.crosschecks import ABOVE, ABSENT, AGREES, BELOW, MEASURED, PUBLISHED, cross_check
from reportgen.findings.derive import derive
from reportgen.findings.evidence import gather
from reportgen.findings.finding import Claim, Finding, Verdict
from reportgen.findings.hypotheses import conclude
from reportgen.findings.lint import offences
from reportgen.findings.published import matching
from reportgen.findings.published.library import Figure, Origin, Tier
from reportgen.model.build import build
from reportgen.status import Status
from tests.unit.analysis.targets import Made, chain, issue, run_of

MADE = (
    chain("fp32_fma", "FFMA", 4),
    chain("fp16_fma", "HFMA2", 8, opcodes=("HFMA2", "HFMA2.MMA")),
    chain("integer_select", "ISETP", 8, opcodes=("ISETP.GE.AND", "SEL"), constants={"repeat": 1}),
    chain("popcnt", "POPC", None, edges="POPC>POPC sb x127"),
    issue("fp32_fma", "FFMA", {1: 4, 8: 1}),
)


def findings(*made: Made) -> dict[str, Finding]:
    run, programs = run_of(*made)
    return {finding.id: finding for finding in derive(run, encoded(run, programs))}


FOUND = findings(*MADE)


def test_a_latency_says_who_keeps_it_for_what_and_that_nothing_was_measured() -> None:
    found = FOUND["encoded.latency.fp32_fma"]
    assert found.claim is Claim.COMPILER_ENCODED
    assert found.sentence == (
        "The assembler of CUDA 13.5 schedules a dependent FFMA (fp32 fma) 4 cycles after the one before on "
        "sm_90: read from the stall counts of its machine code, not measured on a device."
    )


def test_alternating_instructions_and_steps_of_several_are_told_apart() -> None:
    assert "a dependent HFMA2 or HFMA2.MMA (fp16 fma) 8 cycles" in FOUND["encoded.latency.fp16_fma"].sentence
    several = findings(chain("select", "ISETP", 8, opcodes=("ISETP", "SEL")))
    assert "dependent ISETP or SEL" in several["encoded.latency.select"].sentence


def test_hints_and_windows_are_worded_as_such() -> None:
    assert "waits 1 cycle after each FFMA" in FOUND["encoded.issue.fp32_fma"].sentence
    assert "a hint of how often it may issue, not a rate" in FOUND["encoded.issue.fp32_fma"].sentence
    assert "add up to 128 cycles between the two clock reads" in FOUND["encoded.window.fp32_fma"].sentence
    registers = FOUND["resource.registers.instruction_latency.fp32_fma"]
    assert "at most 14 registers on sm_90" in registers.sentence


def test_nothing_is_called_measured() -> None:
    for found in FOUND.values():
        assert found.claim in (Claim.COMPILER_ENCODED, Claim.NOMINAL), found.id
        assert not re.search(r"(?<!not )(?<!Nothing was )\bmeasured\b", found.sentence), found.sentence
        assert offences(found.sentence) == ()


def test_what_waits_on_a_scoreboard_has_no_finding() -> None:
    assert "encoded.latency.popcnt" not in FOUND


def test_the_run_says_what_it_cannot_decide_and_what_that_takes() -> None:
    sentence = FOUND["untimed:run"].sentence
    assert "the hypotheses of its 5 probes stay undecided" in sentence
    assert "a GPU of sm_90 with its driver" in sentence
    assert {found.verdict for found in FOUND.values()} == {Verdict.UNDECIDED}
    assert not [found for found in FOUND.values() if found.hypothesis]


def test_every_hypothesis_is_undecided_with_the_reason() -> None:
    run, programs = run_of(*MADE)
    ends = conclude(gather(run, encoded(run, programs)))
    assert {end.verdict for end in ends.values()} == {Verdict.UNDECIDED}
    assert {end.reason for end in ends.values()} == {
        "nothing was measured on a device; deciding it takes a run on a GPU of sm_90"
    }


def test_the_model_claims_no_measurement_either() -> None:
    run, programs = run_of(*MADE)
    quantities = encoded(run, programs)
    model = build(run, quantities, derive(run, quantities))
    assert {fact.claim for fact in model.facts} == {Claim.COMPILER_ENCODED}
    assert model.fact("encoded.latency.popcnt").status is Status.UNSUPPORTED
    assert [row.operation for row in model.instructions] == [
        "fp32_fma",
        "fp16_fma",
        "integer_select",
        "popcnt",
    ]


def figure(value: float, **fields: object) -> Figure:
    given: dict[str, object] = {
        "device": "NVIDIA H100", "architecture": "sm_90", "quantity": "latency", "metric": "latency.fp32_fma",
        "value": value, "low": None, "high": None, "unit": "cycle", "printed": f"{value:g} cycles",
        "kind": Origin.MEASURED, "tier": Tier.COUNTS, "conditions": "", "source": "jarmusch-2025",
        "address": "x",
    }  # fmt: skip
    return Figure(**(given | fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "outcome", "told"),
    [
        ((4.0,), AGREES, "1 of 1 published figures agree with it"),
        ((4.4,), AGREES, "agree with it"),
        ((6.0,), ABOVE, "lie above it, which a lower bound allows"),
        ((3.0,), BELOW, "which a lower bound of the same code would not allow"),
        ((4.0, 6.0), AGREES, "1 of 2 published figures lie above it"),
        ((3.0, 6.0, 6.0), ABOVE, "1 of 3 published figures lie below it"),
        ((), ABSENT, "No published figure is on file"),
    ],
)
def test_published_measurements_agree_or_lie_above_or_below(
    monkeypatch: pytest.MonkeyPatch, values: tuple[float, ...], outcome: str, told: str
) -> None:
    monkeypatch.setattr(matching, "about", lambda run: tuple(figure(value) for value in values))
    monkeypatch.setattr("reportgen.findings.crosschecks.library", lambda: _Sources())
    found = findings(chain("fp32_fma", "FFMA", 4))["encoded.latency.fp32_fma"]
    published, measured = found.checks
    assert (published.channel, published.outcome) == (PUBLISHED, outcome)
    assert told in published.explanation
    assert (measured.channel, measured.outcome) == (MEASURED, ABSENT)
    assert "takes a GPU of sm_90" in measured.explanation


class _Sources:
    class _Any(dict[str, object]):
        def __missing__(self, key: str) -> object:
            return type("Source", (), {"short": "Somebody, 2025"})()

    sources = _Any()


def test_a_figure_that_decides_nothing_is_shown() -> None:
    run, programs = run_of(chain("fp32_fma", "FFMA", 4))
    evidence = gather(run, encoded(run, programs))
    shown = replace(evidence, figures=(figure(9.0, tier=Tier.SHOWN),))
    (published, _) = cross_check(shown, evidence.by_metric["encoded.latency.fp32_fma"])
    assert published.outcome == ABSENT
    assert "9 cycles" in published.explanation


def test_confidence_is_that_of_the_sentence() -> None:
    sure = FOUND["encoded.latency.fp32_fma"]
    assert set(sure.confidence_inputs) <= {
        *confidence.CODE_SCALES, "linearity", "cross_checks", "machine_code", "contradictions", "limits",
        "denied", "alternatives", "unknown",
    }  # fmt: skip
    assert sure.confidence >= 0.96
    hazards = findings(chain("fp32_fma", "FFMA", 4, edges="FFMA>FFMA 4 x100, 6 x27"))
    assert (
        hazards["encoded.latency.fp32_fma"].confidence == sure.confidence
    )  # mode of its pair: no hazard named
    assert confidence.confidence({"lengths": 1.0}) < confidence.confidence({"lengths": 3.0})
    assert confidence.confidence({"hazards": 0.5}) < confidence.confidence({"hazards": 0.0})
