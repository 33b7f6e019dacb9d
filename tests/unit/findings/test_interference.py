"""How an index is read, and what the evidence excludes."""

from __future__ import annotations

from typing import Any

import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.findings import alternatives
from reportgen.findings.derive import derive
from reportgen.findings.interference import CANNOT_TELL, PARTLY, SEPARATE, SHARED, read
from reportgen.findings.lint import offences
from reportgen.findings.wording.quantity import sentence
from tests.unit.findings.records import changed, evidence, quantity, run


def index(value: float, half: float = 0.01, **details: Any) -> Quantity:
    return quantity("interference.a.b", value, value - half, value + half, details=details)


def reading(one: Quantity, *others: Quantity) -> str:
    return read(evidence(one, *others, run=run()), one).name


@pytest.mark.parametrize(
    ("value", "half", "word"),
    [
        (0.0, 0.01, SEPARATE),
        (-0.05, 0.02, SEPARATE),
        (0.33, 0.05, PARTLY),
        (0.8, 0.1, PARTLY),
        (1.0, 0.01, SHARED),
        (0.9, 0.1, SHARED),
        (1.96, 0.01, CANNOT_TELL),
        (0.12, 0.05, CANNOT_TELL),
        (0.5, 0.5, CANNOT_TELL),
    ],
)
def test_readings(value: float, half: float, word: str) -> None:
    assert reading(index(value, half)) == word


def test_a_mix_at_the_front_ends_rate_cannot_be_told() -> None:
    assert reading(index(0.6, cycles_together=1.02, front_end_cycles=1.0)) == CANNOT_TELL
    assert reading(index(0.6, cycles_together=2.0, front_end_cycles=1.0)) == PARTLY
    assert reading(index(0.0, cycles_together=1.02, front_end_cycles=1.0)) == SEPARATE


def test_independence_needs_a_control_that_serialises() -> None:
    weak = quantity("interference.a.a", 0.2, 0.1, 0.3)
    one = index(0.0)
    assert reading(one, weak) == CANNOT_TELL
    assert "two copies of “a” do not serialise" in read(evidence(one, weak, run=run()), one).why
    assert reading(one, quantity("interference.a.a", 1.0)) == SEPARATE


def test_alternatives_are_removed_only_with_evidence() -> None:
    one = index(1.0, cycles_together=2.0, front_end_cycles=0.4)
    left, excluded = alternatives.weigh(evidence(one, run=run()), one)
    assert left == (
        "shared execution pipeline", "issue port", "scheduler", "register read port", "writeback port",
    )  # fmt: skip
    assert [text.partition(" (")[0] for text in excluded] == [alternatives.CLOCK, alternatives.FRONT_END]
    assert "each of the 240 accepted samples agree within 0.4 %" in excluded[0]
    assert "5.00 times what the front end needs" in excluded[1]


def test_without_evidence_nothing_is_excluded() -> None:
    loose = run()
    loose = changed(loose, clock=changed(loose.clock, agreement=0.02))
    one = index(1.0)
    assert alternatives.weigh(evidence(one, run=loose), one) == (alternatives.ALL, ())


def test_a_sentence_says_that_the_arrangement_mattered() -> None:
    cycles = {"interleaved": 5.0, "blocked": 4.0}
    one = index(0.0, order="blocked", arrangements=cycles)
    text = sentence(evidence(one, run=run()), one)
    assert "a group takes 4 cycles blocked and 5 interleaved" in text
    assert offences(text) == ()
    same = index(0.0, order="blocked", arrangements={"interleaved": 4.01, "blocked": 4.0})
    assert "arrangement" not in sentence(evidence(same, run=run()), same)


def counted(
    value: float,
    first: float,
    second: float,
    counts: tuple[int, int],
    proportions: list[dict[str, float]] | None = None,
) -> Quantity:
    """A pair with the cycles and the number of instructions of each kind alone."""
    together = max(first, second) + value * min(first, second)
    return index(
        value, cycles_first=first, cycles_second=second, cycles_together=together, first_count=counts[0],
        second_count=counts[1], proportions=proportions or [],
    )  # fmt: skip


def test_a_kind_that_takes_much_longer_hides_what_the_other_shares_with_it() -> None:
    """Five adds on four ports beside five multiplies on one of them: the multiplies fill their port alone."""
    one = counted(0.0, 1.25, 5.0, (5, 5))
    assert reading(one) == CANNOT_TELL
    why = read(evidence(one, run=run()), one).why
    assert why.startswith("in the clearest mix one kind alone takes 4.0 times as long as the other")
    balanced = counted(0.0, 5.0, 5.0, (20, 5))
    assert reading(balanced) == SEPARATE
    one_unit_each = counted(0.0, 5.0, 15.0, (5, 15))
    assert reading(one_unit_each) == SEPARATE  # whatever they share, the shorter kind needs all of it


def test_another_proportion_decides_what_the_first_hides() -> None:
    mixed = {"first": 20.0, "second": 5.0, "front_end_cycles": 2.0}
    assert reading(counted(0.0, 1.25, 5.0, (5, 5), [mixed | {"cycles": 5.0}])) == SEPARATE
    assert reading(counted(0.0, 1.25, 5.0, (5, 5), [mixed | {"cycles": 6.25}])) == PARTLY
    hidden = counted(0.0, 1.25, 5.0, (5, 5), [mixed | {"cycles": 6.25}])
    assert read(evidence(hidden, run=run()), hidden).why == (
        "it rises to 0.25 where their instructions stand 4 to 1"
    )
    told = {one.id: one.sentence for one in derive(run(), [hidden])}
    assert "But it rises to 0.25 where their instructions stand 4 to 1." in told[hidden.metric]
    assert "But it rises to 0.25" in told[f"sharing:{hidden.metric}"]
    at_front_end = mixed | {"cycles": 6.25, "front_end_cycles": 6.2}
    assert reading(counted(0.0, 1.25, 5.0, (5, 5), [at_front_end])) == CANNOT_TELL
