"""What is said of waiting and sharing, and how its hypotheses end."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.findings import lint
from reportgen.findings.derive import derive
from reportgen.findings.finding import Claim, Finding, Verdict
from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.names import noun
from reportgen.findings.wording.synchronisation import KINDS
from reportgen.model.exports.dictionary import lookup
from tests.simulated.gpu import make
from tests.simulated.gpu_synchronisation import QUESTIONS
from tests.simulated.gpu_truth import GpuTruth

TRUTH = GpuTruth()


@cache
def found(truth: GpuTruth = TRUTH) -> dict[str, Finding]:
    run, rows = make(truth, asked=[question(truth) for question in QUESTIONS])
    return {one.id: one for one in derive(run, quantities(run, pa.table(rows)))}


def ends(truth: GpuTruth, probe: str) -> Verdict:
    return found(truth)[f"hypothesis:gpu_synchronisation/{probe}"].verdict


def test_every_metric_has_a_sentence_a_noun_and_an_entry() -> None:
    metrics = [name for name in found() if parse(name).kind in KINDS]
    assert {parse(name).kind for name in metrics} == KINDS
    for name in metrics:
        finding = found()[name]
        assert finding.claim is Claim.MEASURED
        assert lint.offences(finding.sentence) == ()
        assert noun(name, str) != name
        assert lookup(name).method == "synchronisation"


def test_sentences_name_what_was_measured_with_interval_and_samples() -> None:
    findings = found()
    assert findings["barrier.block.1"].sentence.startswith(
        "A barrier of a block at which 1 warp meets takes "
    )
    assert "between 1 and 32 warps" in findings["barrier.block.further"].sentence
    assert "fence that is part of it included" in findings["barrier.cluster.2"].sentence
    assert findings["fence.device.behind_store"].sentence.endswith("the store included.")
    assert findings["atomic.global.together"].sentence.endswith(": no difference was detected.")
    assert "one after the other" in findings["divergence.factor"].sentence
    assert all("n = " in one.sentence for name, one in findings.items() if parse(name).kind in KINDS)


def test_a_factor_below_one_is_not_called_serial() -> None:
    sentence = found(replace(TRUTH, path_again=0.4))["divergence.factor"].sentence
    assert "one after the other" not in sentence


@pytest.mark.parametrize(
    ("probe", "against"),
    [
        ("block_barrier", {"barrier_warp": 0.0}),
        ("memory_barrier", {"memory_barrier": 10.0}),
        ("cluster_barrier", {"cluster_block": 0.0}),
        ("fence", {"fences_behind": (5.0, 400.0, 800.0)}),
        ("atomic_rate", {"one_address": 2.0e12}),
        ("divergence", {"path_again": 0.4}),
    ],
)
def test_a_hypothesis_ends_as_the_device_is(probe: str, against: dict[str, float]) -> None:
    assert ends(TRUTH, probe) is Verdict.SUPPORTED
    assert ends(replace(TRUTH, **against), probe) is Verdict.NOT_SUPPORTED


def test_lanes_that_cost_nothing_in_one_memory_do_not_support_that_they_cost_in_all() -> None:
    assert ends(TRUTH, "atomic_conflict") is Verdict.NOT_SUPPORTED
    assert ends(replace(TRUTH, atomic_global=(400.0, 30.0)), "atomic_conflict") is Verdict.SUPPORTED


@pytest.mark.parametrize("metric", ["barrier.block", "fence.block", "atomic.shared.rest", "divergence.rest"])
def test_an_id_of_another_shape_is_none_of_these(metric: str) -> None:
    assert parse(metric).kind is Kind.OTHER


def test_a_fence_for_more_that_is_quicker_than_one_for_fewer_is_a_contradiction() -> None:
    assert not any(one.contradictions for one in found().values())
    odd = found(replace(TRUTH, fences=(6.0, 480.0, 300.0)))["fence.system.alone"]
    assert any("a fence for fewer" in one for one in odd.contradictions)
