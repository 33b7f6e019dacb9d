"""What is said of a stream that computes: the ridge that was seen, beside the one that two ceilings give."""

from __future__ import annotations

import re
from dataclasses import replace

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.findings import lint
from reportgen.findings.derive import derive
from reportgen.findings.finding import Finding, Verdict
from reportgen.findings.wording import intensity
from reportgen.model.exports.dictionary import lookup
from reportgen.roofline.ridges import ridges
from reportgen.status import Status
from tests.simulated.asked import Asked
from tests.simulated.cpu import make_records
from tests.simulated.intensity_points import PROBE, sweep_probe
from tests.simulated.memory_points import bandwidth_probe, working_set_probe
from tests.simulated.roofline_points import peak_probes
from tests.simulated.truth import CpuTruth

LEVELS = ("l1", "l2", "l3", "dram")
SEEN = "ridge.observed.fp32"


def suite(truth: CpuTruth) -> list[Asked]:
    return [working_set_probe(truth), bandwidth_probe(truth), *peak_probes(truth), sweep_probe(truth)]


def found(truth: CpuTruth | None = None, swept: CpuTruth | None = None) -> dict[str, Finding]:
    """Findings of a device; its sweep is that of another one where `swept` is given."""
    truth = truth or CpuTruth().quiet()

    def asked(one: CpuTruth) -> list[Asked]:
        return [*suite(one)[:-1], sweep_probe(swept or one)]

    run, columns, _ = make_records(truth, 3, asked)
    measured = quantities(run, pa.table(columns))
    return {one.id: one for one in derive(run, (*measured, *ridges(measured)))}


def test_both_ridges_of_one_device_agree() -> None:
    findings = found()
    for level in LEVELS:
        text = findings[f"ridge:{SEEN}.{level}"].sentence
        assert "agrees with the one that peak and read bandwidth give" in text
        assert "of the FP32 peak and" in text
        checks = [one for one in findings[f"{SEEN}.{level}"].checks if one.channel == "other probe"]
        assert [one.outcome for one in checks] == ["agrees"]
        assert findings[f"{SEEN}.{level}"].status is Status.OK
    assert findings["overlap.fp32.l2"].sentence.startswith("At its ridge on L2 the FP32 stream reaches 0.9")


def test_a_stream_that_reaches_less_than_a_ceiling_disagrees_with_causes() -> None:
    truth = CpuTruth().quiet()
    slower = {
        level: {name: 0.8 * rate for name, rate in some.items()} for level, some in truth.bandwidth.items()
    }
    findings = found(truth, replace(truth, bandwidth=slower))
    remark = findings[f"ridge:{SEEN}.dram"]
    assert "does not agree" in remark.sentence
    assert re.search(r"\b(79|80|81) % of the read bandwidth", remark.sentence)
    assert remark.alternatives[0] == intensity.BELOW_BANDWIDTH
    assert intensity.BELOW_PEAK not in remark.alternatives
    checks = {one.channel: one.outcome for one in findings[f"{SEEN}.dram"].checks}
    assert checks["other probe"] == "disagrees"


@pytest.mark.parametrize(
    ("overlap", "verdict"),
    [(0.98, Verdict.SUPPORTED), (0.55, Verdict.NOT_SUPPORTED), (0.75, Verdict.UNDECIDED)],
)
def test_the_hypothesis(overlap: float, verdict: Verdict) -> None:
    findings = found(replace(CpuTruth().quiet(), overlap=dict.fromkeys(LEVELS, overlap)))
    assert findings[f"hypothesis:{PROBE}"].verdict is verdict


def test_a_stream_above_its_roofs_is_a_contradiction() -> None:
    truth = CpuTruth().quiet()
    faster = {
        level: {name: 2 * rate for name, rate in some.items()} for level, some in truth.bandwidth.items()
    }
    findings = found(truth, replace(truth, bandwidth=faster))
    texts = findings[f"{SEEN}.l2"].contradictions
    assert any("does either faster than one that only does this" in text for text in texts)
    assert findings["bandwidth.l2.read"].contradictions == texts
    assert found()[f"{SEEN}.l2"].contradictions == ()


def test_a_sweep_without_ceilings_stands_alone() -> None:
    run, columns, _ = make_records(CpuTruth().quiet(), 3, lambda one: [sweep_probe(one)])
    findings = {one.id: one for one in derive(run, quantities(run, pa.table(columns)))}
    assert f"ridge:{SEEN}.l1" not in findings
    assert findings[f"{SEEN}.l1"].status is Status.UNVERIFIED


def test_sentences_say_no_more_than_was_measured() -> None:
    for one in found().values():
        assert lint.offences(one.sentence) == ()


@pytest.mark.parametrize("metric", [f"{SEEN}.l1", "overlap.fp32.dram"])
def test_the_dictionary_knows_them(metric: str) -> None:
    entry = lookup(metric)
    assert entry is not None
    assert entry.method == "roofline"
