"""What is said of instruction supply: sizes measured, limits inferred, the system's word beside them."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.findings import fetch, lint
from reportgen.findings.derive import derive
from reportgen.findings.finding import Claim, Finding, Verdict
from reportgen.model.exports.dictionary import lookup
from reportgen.runs.schema import Run
from reportgen.status import Status
from tests.simulated.cpu import make_records
from tests.simulated.footprint_points import PROBE, footprint_probe
from tests.simulated.truth import KIB, MIB, CpuTruth, TrueSupply


def found(supply: tuple[TrueSupply, ...] = CpuTruth().supply, l1i: int = 32 * KIB) -> dict[str, Finding]:
    truth = replace(CpuTruth().quiet(), supply=supply)
    run, columns, _ = make_records(truth, 3, lambda t: [footprint_probe(t)])
    run = reporting(run, l1i)
    return {one.id: one for one in derive(run, quantities(run, pa.table(columns)))}


def reporting(run: Run, l1i: int) -> Run:
    device = msgspec.structs.replace(run.device, reported=run.device.reported | {"l1i_bytes": l1i})
    return msgspec.structs.replace(run, device=device)


def test_sizes_are_measured_and_limits_are_inferred() -> None:
    findings = found()
    end, count = findings["fetch.move2.level1.capacity"], findings["resource:fetch.op_cache.capacity"]
    assert end.claim is Claim.MEASURED
    assert end.sentence.startswith("Straight code of moves of 2 bytes keeps the rate of level 1 up to ")
    assert count.claim is Claim.INFERRED
    assert "is consistent with a limit in instructions" in count.sentence
    assert count.excluded[0].startswith(f"{fetch.SIZE} (")
    size = findings["resource:fetch.l1i.capacity"]
    assert "is consistent with a limit in bytes" in size.sentence
    assert size.excluded[0].startswith(f"{fetch.COUNT} (")
    assert fetch.PAGES in size.alternatives


def test_an_end_without_a_second_length_keeps_both_alternatives() -> None:
    supply = (TrueSupply(6.0, 8, size=32 * KIB), TrueSupply(2.0, 8))  # only what is short gains from level 1
    findings = found(supply)
    finding = findings["resource:fetch.move2.level1.capacity"]
    assert "is not told apart" in finding.sentence
    assert {fetch.SIZE, fetch.COUNT} <= set(finding.alternatives)
    assert "fetch.l1i.capacity" not in findings


@pytest.mark.parametrize(("l1i", "word"), [(32 * KIB, "agree"), (64 * KIB, "disagree")])
def test_the_system_s_word_stands_beside_the_measured_end(l1i: int, word: str) -> None:
    assert found(l1i=l1i)["reported:fetch.l1i.capacity"].sentence.endswith(f"The two {word}.")


def test_the_hypothesis() -> None:
    assert found()[f"hypothesis:{PROBE}"].verdict is Verdict.SUPPORTED
    endless = found((TrueSupply(4.0, 64, size=5 * MIB), TrueSupply(1.0, 4)))
    assert endless[f"hypothesis:{PROBE}"].verdict is Verdict.UNDECIDED
    assert endless["fetch.nop8.level1.capacity"].status is Status.CENSORED
    assert "resource:fetch.nop8.level1.capacity" not in endless


def test_words_and_dictionary() -> None:
    for finding in found().values():
        assert lint.offences(finding.sentence) == ()
    for metric, unit in (
        ("fetch.nop8.level2.capacity", "byte"),
        ("fetch.nop8.level2.rate", "instruction/cycle"),
        ("fetch.op_cache.capacity", "count"),
        ("fetch.l1i.capacity", "byte"),
    ):
        entry = lookup(metric)
        assert entry is not None
        assert (entry.unit, entry.method) == (unit, "code-footprint")
