"""Small decisions of pages and blocks."""

from __future__ import annotations

import pytest

from reportgen.findings.finding import Claim, CrossCheck, Finding
from reportgen.model.architecture import Fact
from reportgen.site import blocks
from reportgen.site.pages.family import LISTING_LINES, shorten
from reportgen.site.sections.findings import select
from reportgen.status import Status


def fact(metric: str = "latency.add", unit: str = "cycle", **fields: object) -> Fact:
    given = {"status": Status.OK, "claim": Claim.MEASURED, "confidence": 0.9} | fields
    return Fact(metric=metric, unit=unit, **given)  # type: ignore[arg-type]


def found(identity: str, **fields: object) -> Finding:
    given: dict[str, object] = {
        "claim": Claim.MEASURED,
        "sentence": "A sentence.",
        "status": Status.OK,
        "confidence": 0.9,
        "confidence_inputs": {"precision": 0.001},
        "metrics": (identity,),
        "probes": ("family/name",),
    }
    return Finding(id=identity, **(given | fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (fact(value=4.0021, low=3.99, high=4.01), "4.002 cycles"),
        (
            fact(status=Status.CENSORED, low=96.0, metric="memory.dtlb1.reach", unit="count"),
            "at least 96 pages",
        ),
        (fact(metric="memory.dtlb1.reach_2m", unit="count", low=14.0, high=16.0), "14 … 16 addresses"),
        (fact(value=1.0, low=0.9999, high=1.0001), "1 cycle"),
        (fact(value=568.9, low=551.0, high=587.3), "569 cycles"),
        (
            fact(metric="memory.l3.capacity", unit="byte", low=3.305 * 2**20, high=17.0 * 2**20),
            "3.31 … 17 MiB",
        ),
        (fact(value=1.0, modes=(14.0, 22.0)), "14 cycles / 22 cycles"),
        (fact(status=Status.UNSTABLE), "–"),
        (
            fact(metric="memory.l1.capacity", unit="byte", value=50176.0, low=49152.0, high=51200.0),
            "48 … 50 KiB",
        ),
    ],
)
def test_a_number_is_shown_as_what_it_is(given: Fact, shown: str) -> None:
    assert blocks.number(given) == shown


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (fact(value=14.03, low=14.02, high=14.04), "14.02 … 14.04 cycles"),
        (fact(value=568.9, low=551.0, high=587.3), "551 … 587 cycles"),
        (fact(value=1.0, low=0.9996, high=1.0), "0.9996 … 1 cycles"),
        (fact(metric="memory.l1.capacity", unit="byte", low=49152.0, high=51200.0), "–"),
    ],
)
def test_an_interval_has_as_many_digits_as_its_number_and_a_boundary_none_beside_it(
    given: Fact, shown: str
) -> None:
    assert blocks.interval_cell(given).html == shown


def test_where_there_is_no_number_the_status_stands_with_its_reason() -> None:
    cell = blocks.number_cell(fact(status=Status.UNSUPPORTED, reason="The device lacks amx."))
    assert "unsupported" in cell.html
    assert cell.sort is None
    assert cell.note == "The device lacks amx."


def test_a_finding_shows_alternatives_and_hides_only_evidence() -> None:
    item = found(
        "sharing:x",
        claim=Claim.INFERRED,
        alternatives=("issue port", "power limit"),
        excluded=("clock limit (every sample kept its clock)",),
        checks=(CrossCheck("other probe", "agrees", "within 1 %"),),
        contradictions=("Reads are slower than copies.",),
    )
    html = blocks.finding(item, lambda probe: f"#{probe}")
    before, _, folded = html.partition("<details")
    assert "issue port; power limit" in before
    assert "Reads are slower than copies." in before
    assert "inferred" in before
    assert "confidence 0.90" in before
    assert "clock limit" in folded
    assert "within 1 %" in folded


def test_contradictions_lead_and_rules_about_pairs_stand_elsewhere() -> None:
    order = select(
        (
            found("latency.add"),
            found("drift:run", confidence=0.8),
            found("sharing:interference.a.b", claim=Claim.INFERRED),
            found("bandwidth.l1.read", contradictions=("no",)),
            found("reported:memory.line", confidence=0.95),
        )
    )
    assert [item.id for item in order] == ["bandwidth.l1.read", "drift:run", "reported:memory.line"]


def test_a_listing_folds_repetition_and_ends_with_what_is_left_out() -> None:
    lines = [f"{0x40 + 4 * n:04x}  48 0f af c0  imul rax, rax" for n in range(48)]
    text, more = shorten("\n".join(["0000  90  nop", *lines, "0100  c3  ret"]))
    assert text.splitlines() == ["0000  90  nop", lines[0] + "    × 48", "0100  c3  ret"]
    assert more == ""
    text, more = shorten("\n".join(f"{n:04x}  90  op{n} rax" for n in range(LISTING_LINES + 7)))
    assert len(text.splitlines()) == LISTING_LINES + 1
    assert more.startswith("7 further lines")
