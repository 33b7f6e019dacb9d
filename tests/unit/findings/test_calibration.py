"""Confidence means what it says: on devices of known truth, nine in ten findings of 0.9 hold.

A quantity's finding holds when its interval contains the truth; a statement about a pair holds when
the true index is on the side of the border that it says.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.findings import gates
from reportgen.findings.derive import derive
from reportgen.findings.evidence import gather, interval
from reportgen.findings.finding import Claim, Finding, Verdict
from reportgen.findings.interference import INDEPENDENT_BELOW
from reportgen.findings.lint import offences
from reportgen.findings.metric import Kind, parse
from reportgen.model.build import build
from reportgen.model.exports.finite import non_finite
from reportgen.runs.schema import Run
from tests.simulated.cpu import make_records
from tests.simulated.expected import true_value
from tests.simulated.truth import CpuTruth, Noise

DEVICES = {
    "a busy neighbour": (CpuTruth(), 3),
    "a quiet machine": (CpuTruth().quiet(), 4),
    "a very busy neighbour": (CpuTruth(noise=Noise(contaminated=0.7, slips=0.04)), 5),
    "another core": (replace(CpuTruth(), front_end=4.0, line=128, dtlb1=64, reported_l3=8 << 20), 6),
}


@cache
def derived(name: str) -> tuple[Run, dict[str, Quantity], tuple[Finding, ...]]:
    truth, seed = DEVICES[name]
    run, columns, _ = make_records(truth, seed)
    table = pa.table(
        {key: pa.array(column).dictionary_encode() if column.dtype.kind in "OU" else column
         for key, column in columns.items()}
    )  # fmt: skip
    found = quantities(run, table)
    return run, dict(gather(run, found).by_metric), derive(run, found)


def judged(name: str) -> list[tuple[float, bool]]:
    """(confidence, whether it holds) of every finding whose truth the simulation defines."""
    truth, _ = DEVICES[name]
    _, measured, findings = derived(name)
    result = []
    for finding in findings:
        rule, _, metric = finding.id.rpartition(":")
        if rule == "sharing":
            value = true_value(truth, measured[metric])
            assert value is not None
            result.append((finding.confidence, value >= INDEPENDENT_BELOW))
        elif not rule:
            value = true_value(truth, measured[metric])
            if value is None or parse(metric).kind is Kind.OTHER:
                continue
            low, high = interval(measured[metric])
            result.append((finding.confidence, low <= value <= high or low == pytest.approx(value)))
    return result


def test_of_the_findings_given_0_9_nine_in_ten_hold() -> None:
    every = [one for name in DEVICES for one in judged(name)]
    sure = [holds for confidence, holds in every if confidence >= 0.9]
    assert len(sure) > 300
    assert sum(sure) / len(sure) >= 0.9


@pytest.mark.parametrize("name", DEVICES)
def test_a_pair_said_to_be_undetected_does_not_compete(name: str) -> None:
    truth, _ = DEVICES[name]
    said = [f for f in derived(name)[2] if f.sentence.startswith("No interference")]
    assert said
    for finding in said:
        value = true_value(truth, derived(name)[1][finding.id])
        assert value is not None
        assert value < INDEPENDENT_BELOW


@pytest.mark.parametrize("name", DEVICES)
def test_a_true_device_breaks_no_limit(name: str) -> None:
    run, measured, _ = derived(name)
    found = gates.check(gather(run, measured.values()))
    assert [one.sentence() for one in found if one.severity is gates.Severity.LIMIT] == []


@pytest.mark.parametrize("name", DEVICES)
def test_every_text_passes_the_lint_and_every_number_is_finite(name: str) -> None:
    run, measured, findings = derived(name)
    for finding in findings:
        texts = (finding.sentence, *finding.contradictions, *finding.excluded, *finding.alternatives)
        for text in (*texts, *(check.explanation for check in finding.checks)):
            assert offences(text) == (), text
    assert non_finite(findings) == []
    model = build(run, measured.values(), findings)
    assert non_finite(model) == []
    for instruction in model.instructions:
        assert offences(instruction.likely_pipeline) == ()


@pytest.mark.parametrize("name", DEVICES)
def test_every_probe_with_a_number_says_how_its_hypothesis_ends(name: str) -> None:
    run, measured, findings = derived(name)
    told = {probe for f in findings if f.hypothesis for probe in f.probes}
    assert told == {probe for f in findings if ":" not in f.id for probe in f.probes} | {
        probe.id for probe in run.probes if probe.id.startswith("pipeline_interference/")
    }
    latencies = [f for f in findings if parse(f.id).kind is Kind.LATENCY]
    assert {f.verdict for f in latencies} == {Verdict.SUPPORTED}
    assert len(measured) < len(findings)


def test_pairs_with_names_corroborate_the_matrix() -> None:
    _, _, findings = derived("a quiet machine")
    found = {finding.id: finding for finding in findings}
    for first, second in (("integer_mul", "fp64_mul"), ("fp32_fma", "l1_load")):
        checks = found[f"interference.{first}.{second}"].checks
        assert [check.outcome for check in checks if check.channel == "other probe"] == ["agrees"]


def test_the_l3_that_the_guest_is_told_of_is_not_the_one_it_gets() -> None:
    _, _, findings = derived("a busy neighbour")
    found = {finding.id: finding for finding in findings}
    assert "The operating system reports 32 MiB of L3" in found["reported:memory.l3.capacity"].sentence
    assert "The two disagree." in found["reported:memory.l3.capacity"].sentence
    assert found["reported:memory.l1.capacity"].claim is Claim.MEASURED
