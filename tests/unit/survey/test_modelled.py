"""A survey beside a scheduling model: which numbers agree, and what else a difference may be."""

from __future__ import annotations

import msgspec
import pytest

from reportgen.analysis.survey_rows import FormRow, PairLatency
from reportgen.status import Status
from reportgen.survey import modelled, record
from reportgen.survey.modelled import beside, explanations, kind, verdict
from reportgen.survey.said import Said, recorded


def latency(pair: str, cycles: float | None, through: str = "", **more: int) -> PairLatency:
    status = Status.OK if cycles else Status.UNSTABLE
    return PairLatency(pair, status, cycles, cycles, cycles, through=through, **more)  # type: ignore[arg-type]


def row(key: str, interval: float | None, *latencies: PairLatency, mnemonic: str = "") -> FormRow:
    name, *operands = key.split("_")
    status = Status.OK if interval else Status.UNSTABLE
    return FormRow(
        key, mnemonic or name, tuple(operands), "avx", "vex", "", status, interval, interval, interval,
        latencies=latencies,
    )  # fmt: skip


ROWS = (
    row("vaddps_xmm_xmm_xmm", 0.5, latency("2→1", 3.0), latency("3→1", 3.02)),
    row("vmovd_xmm_r32", 1.0, latency("2→1", 6.0, "vmovq")),
    row("add_m64_r64", 1.0, latency("1→1", 7.2)),
    row("mov_r64_r64", 0.17, latency("2→1", 0.2)),
    row("div_r64", None),
)
SAID = Said(
    "llvm-mca", "19.1.7", "znver4",
    forms={
        "vaddps_xmm_xmm_xmm": "throughput:0.5 2to1:3 3to1:3", "vmovd_xmm_r32": "throughput:1 2to1:2",
        "add_m64_r64": "throughput:0.6667 1to1:6", "mov_r64_r64": "throughput:0.25",
    },
    faults={"no model of an instruction in it": ("mov_r64_r64 2to1", "div_r64 throughput")},
)  # fmt: skip


@pytest.mark.parametrize(
    ("measured", "low", "high", "predicted", "half", "told"),
    [
        (0.52, 0.51, 0.53, 0.5, 0.0, record.AGREES),  # within a tenth
        (0.5, 0.49, 0.51, 0.33, 0.0, record.SLOWER),
        (0.25, 0.24, 0.26, 1.0, 0.0, record.FASTER),
        (10.0, 5.0, 20.0, 6.0, 0.0, record.UNCLEAR),
        (10.0, 9.0, 11.0, 9.5, 0.0, record.AGREES),
        (10.0, None, None, 6.0, 0.0, record.SLOWER),
        (0.2, 0.19, 0.21, 0.0, 0.5, record.AGREES),  # no other latency
        (2.0, 2.0, 2.0, 1.0, 0.5, record.SLOWER),
        (0.3, 0.3, 0.3, 0.0, 0.0, record.SLOWER),
    ],
)
def test_what_agrees_and_what_does_not(
    measured: float, low: float | None, high: float | None, predicted: float, half: float, told: str
) -> None:
    assert verdict(measured, low, high, predicted, half) == told


def test_rows_have_what_the_model_says_and_are_counted_by_kind() -> None:
    rows, found = beside(ROWS, SAID)
    assert [one.verdict for one in rows] == ["agrees", "agrees", "slower", "faster", ""]
    assert [one.predicted for one in rows] == [0.5, 1.0, 0.6667, 0.25, None]
    assert [one.verdict for each in rows for one in each.latencies] == [
        "agrees", "agrees", "slower", "slower", "unknown",
    ]  # fmt: skip
    counts = {
        one.kind: (one.compared, one.agree, one.slower, one.faster, one.unknown) for one in found.counts
    }
    assert not any(one.unclear for one in found.counts)
    assert counts == {
        record.RATE: (4, 2, 1, 1, 0),
        record.REGISTERS: (2, 2, 0, 0, 1),
        record.STORES: (1, 0, 1, 0, 0),
        record.ACROSS: (1, 0, 1, 0, 0),
    }
    assert [one.reason for one in found.unknown] == ["no model of an instruction in it"]
    assert set(counts) <= set(record.KINDS)


def test_where_the_model_is_absent_rows_stay_as_they_are() -> None:
    rows, found = beside(ROWS, Said("llvm-mca", absent="no llvm-mca on the search path"))
    assert rows == ROWS
    assert (found.absent, found.counts) == ("no llvm-mca on the search path", ())


def test_a_difference_has_other_explanations_than_an_error() -> None:
    def told(form: FormRow, one: PairLatency | None = None) -> set[str]:
        return set(explanations(form, one))

    moved, (stored,) = ROWS[1], ROWS[2].latencies
    assert told(moved, moved.latencies[0]) == {f"{modelled.BRINGS_BACK} (vmovq)"}
    assert told(ROWS[2], stored) == {modelled.PASSED_ON}
    assert told(ROWS[3], ROWS[3].latencies[0]) == {modelled.RENAMING}
    assert told(row("vmovntps_m256_ymm", 42.0)) == {modelled.LEAVES}
    assert told(row("vdivps_xmm_xmm_xmm", 42.0)) == {modelled.VALUES}
    assert told(row("rdseed_r64", 1950.0)) == {modelled.EMULATED}
    assert told(msgspec.structs.replace(ROWS[0], beside=1)) == {modelled.BESIDE}
    assert told(ROWS[0]) == set()
    assert kind(ROWS[0], None) == record.RATE


def test_a_plan_of_old_holds_none() -> None:
    assert recorded({"kind": "survey"}) == ()
    plan = {"others": [msgspec.to_builtins(SAID)]}
    assert recorded(plan) == (SAID,)
    assert SAID.numbers("vmovd_xmm_r32") == {"throughput": 1.0, "2to1": 2.0}
    assert SAID.numbers("div_r64") == {}
