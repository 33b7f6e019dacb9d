"""Sets of loops, rankings, and what is said of a bound, on rows written by hand."""

from __future__ import annotations

import csv
import io
import json

import pytest

from reportgen.model.cost.latency import Span
from reportgen.status import Status
from reportgen.validation import exports
from reportgen.validation.derive import _pairs, _ranking, order, scores, worst, wrong
from reportgen.validation.record import (
    MODEL,
    VALIDATION_SCHEMA,
    Cause,
    Prediction,
    Predictor,
    Row,
    Score,
    Validation,
)

PRESENT = (MODEL, "llvm-mca")


def row(
    name: str,
    measured: float | None,
    said: float,
    other: float | None = None,
    *,
    loop: str = "",
    items: float = 1.0,
    held: bool = False,
    unknown: tuple[str, ...] = (),
    bounds: tuple[Cause, ...] = (),
) -> Row:
    """A loop; the model's range is a tenth to either side."""
    theirs = Prediction(other, unknown=unknown) if other else Prediction(fault="it gave no time")
    return Row(
        name=name, title=f"loop {name}", loop=loop or name, items=items, bytes=4096, held_out=held,
        status=Status.OK if measured else Status.UNSTABLE, reason="" if measured else "two groups",
        measured=measured, low=measured and measured * 0.99, high=measured and measured * 1.01,
        predictions={MODEL: Prediction(said, said * 0.9, said * 1.1), "llvm-mca": theirs},
        decides="resources", bounds=bounds,
    )  # fmt: skip


ROWS = (
    row("a", 2.0, 2.0, 3.0),
    row("b", 4.0, 3.0, held=True),
    row("c", 5.0, 5.25, 5.0, held=True),
    row("d", 8.0, 8.0, 8.0, unknown=("popcnt rax, rax",)),
    row("e", 9.0, 9.0, 9.0, unknown=("movzx eax, al",)),
    row("f", None, 7.0, 7.0),
)


def test_each_is_judged_on_what_it_covers_and_all_on_what_all_cover() -> None:
    found = {(one.predictor, one.group): one for one in scores(ROWS, PRESENT)}
    loops = {key: one.errors.loops if one.errors is not None else 0 for key, one in found.items()}
    assert [loops[MODEL, group] for group in ("covered", "common", "known")] == [5, 4, 3]
    assert [loops["llvm-mca", group] for group in ("covered", "common", "known")] == [4, 4, 3]
    assert [loops[MODEL, group] for group in ("held-out", "held-out common")] == [2, 1]
    own = found[MODEL, "covered"]
    assert own.errors is not None
    assert own.errors.mape.value == pytest.approx((0.25 + 0.05) / 5)
    assert own.within is not None
    assert own.within.value == pytest.approx(4 / 5)
    assert found["llvm-mca", "covered"].within is None


def test_a_set_without_loops_has_no_statistics() -> None:
    found = {(one.predictor, one.group): one for one in scores(ROWS[:1], PRESENT)}
    assert found[MODEL, "held-out"] == Score(MODEL, "held-out", None)


def test_measured_order_needs_intervals_apart() -> None:
    assert order(Span(1, 1.1, 1.2), Span(1.3, 1.4, 1.5)) == "first"
    assert order(Span(1.3, 1.4, 1.5), Span(1, 1.1, 1.2)) == "second"
    assert order(Span(1, 1.1, 1.35), Span(1.3, 1.4, 1.5)) == "cannot tell"


def test_variants_are_ranked_by_cycles_a_result() -> None:
    rows = (
        row("scalar", 4.0, 4.0, 4.0, loop="dot"),
        row("wide", 8.0, 8.0, 2.0, loop="dot", items=8.0),
        row("odd", 8.0, 8.2, loop="dot", items=8.0),
        row("alone", 1.0, 1.0, 1.0),
    )
    pairs = _pairs(rows, PRESENT)
    assert [(pair.first, pair.second) for pair in pairs] == [
        ("scalar", "wide"), ("scalar", "odd"), ("wide", "odd"),
    ]  # fmt: skip
    assert pairs[0].ratio == pytest.approx(0.25)
    assert [pair.measured for pair in pairs] == ["second", "second", "cannot tell"]
    assert [pair.verdicts[MODEL] for pair in pairs] == ["second", "second", "cannot tell"]
    assert "llvm-mca" not in pairs[1].verdicts
    own, theirs = _ranking(pairs, MODEL), _ranking(pairs, "llvm-mca")
    assert (own.pairs, own.decided, own.right) == (3, 2, 2)
    assert (theirs.pairs, theirs.decided, theirs.right) == (1, 1, 1)


def test_a_decision_that_the_measurement_does_not_bear_out_is_wrong() -> None:
    rows = (row("x", 4.0, 2.0, loop="k"), row("y", 4.0, 4.0, loop="k"))
    found = _ranking(_pairs(rows, PRESENT), MODEL)
    assert (found.decided, found.right) == (1, 0)


def test_the_farthest_loops_name_the_bound_that_the_measurement_speaks_against() -> None:
    high = (Cause("dependencies", 6.0, 5.5, 6.5), Cause("front end", 3.0, 3.0, 3.0))
    low = (Cause("resources", 2.0, 2.0, 2.1), Cause("front end", 1.0, 1.0, 1.0))
    rows = (row("near", 4.0, 4.1), row("high", 4.0, 6.0, bounds=high), row("low", 4.0, 2.0, bounds=low))
    found = worst(rows)
    assert [miss.name for miss in found] == ["high", "low", "near"]
    assert [miss.error for miss in found] == [pytest.approx(0.5), pytest.approx(-0.5), pytest.approx(0.025)]
    assert found[0].wrong == "too high: dependencies"
    assert found[1].wrong == "too low: no bound reaches what was measured, the largest is resources"
    inside = row("inside", 4.0, 6.0, bounds=(Cause("schedule", 6.0, 3.0, 6.5),))
    assert wrong(inside) == "too high within its range: schedule"
    assert len(worst([row(str(i), 1.0, 1.5) for i in range(20)])) == 10


def test_files_hold_every_loop() -> None:
    predictors = (
        Predictor(MODEL),
        Predictor("llvm-mca", "14.0.6", "znver3"),
        Predictor("OSACA", absent="no"),
    )
    found = Validation(
        VALIDATION_SCHEMA, "run", "2026-11-30T09:00:00+00:00", "written-core", "Written core", "model run",
        predictors, ROWS, tuple(scores(ROWS, PRESENT)), (), (), worst(ROWS), (),
    )  # fmt: skip
    table = list(csv.DictReader(io.StringIO(exports.to_csv(found).decode())))
    assert [line["name"] for line in table] == list("abcdef")
    assert table[1]["llvm_mca_fault"] == "it gave no time"
    assert table[0]["osaca_fault"] == "absent"
    assert (table[5]["measured_cycles"], table[5]["status"]) == ("", "unstable")
    assert float(table[0]["model_low"]) == pytest.approx(1.8)
    assert json.loads(exports.to_json(found))["rows"][0]["measured"] == 2.0
