"""From a sealed run of kind `validation` and the model of another run to what is published."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from reportgen.analysis.derive import derive as analyse
from reportgen.analysis.quantity import Quantity
from reportgen.errors import BundleError
from reportgen.model.architecture import Architecture
from reportgen.model.cost.estimate import Estimate
from reportgen.model.cost.latency import Span
from reportgen.model.cost.rank import rank_spans
from reportgen.runs.read import Bundle
from reportgen.runs.schema import Run
from reportgen.status import Status
from reportgen.validation import statistics
from reportgen.validation.others import Said
from reportgen.validation.record import (
    GROUPS,
    MODEL,
    VALIDATION_SCHEMA,
    Cause,
    Miss,
    Pair,
    Prediction,
    Predictor,
    Ranking,
    Row,
    Score,
    Validation,
    lacks,
)
from reportgen.validation.subject import Subject, estimates, recorded

WORST = 10
NOT_ASKED = "not asked for"
"""Beginning of the reason of a point that a glob left out; see `collect.plan`."""
SAME = 1e-6
"""Two estimates that differ by less are one."""
FIRST_LEVEL = 32768.0
"""Bytes, where the operating system does not tell the size of the first level."""


def derive(bundle: Bundle, architecture: Architecture, survey: Bundle | None = None) -> Validation:
    """Measured and predicted cycles of every loop, and what they come to.

    Args:
        bundle: of kind `validation`.
        architecture: the model, of a run of the same device.
        survey: of the same device, where the model was to know its forms too.

    Raises:
        BundleError: another kind of run, a damaged one, or a model of another device.
    """
    run = bundle.run
    if not run.is_validation:
        raise BundleError(f"{run.run} is no validation.", "'reportgen runs list' shows which runs are.")
    if architecture.device != run.device.id:
        raise BundleError(
            f"{run.run} was measured on {run.device.id}, the model is of {architecture.device}.",
            "Name a run of the same device with --model.",
        )
    measured = {one.metric.partition(".")[2]: one for one in analyse(bundle)}
    subjects = [one for one in recorded(run.probes) if not _left_out(measured.get(one.name))]
    found = estimates(subjects, architecture, survey)
    others = msgspec.convert(run.plan.get("others", []), list[Said])
    limit = float(run.device.reported.get("l1d_bytes", FIRST_LEVEL))
    rows = tuple(_row(one, measured.get(one.name), found[one.name], others, limit) for one in subjects)
    predictors = (
        Predictor(MODEL, target=architecture.run),
        *(Predictor(one.name, one.version, one.target, one.absent) for one in others),
    )
    present = [one.name for one in predictors if not one.absent]
    pairs = _pairs(rows, present)
    return Validation(
        schema=VALIDATION_SCHEMA,
        run=run.run,
        created=run.created,
        device=run.device.id,
        name=run.title,
        model_run=architecture.run,
        survey_run=survey.run.run if survey is not None else "",
        predictors=predictors,
        rows=rows,
        scores=tuple(scores(rows, present)),
        pairs=pairs,
        rankings=tuple(_ranking(pairs, name) for name in present),
        worst=worst(rows),
        changed=_changed(run, found),
    )


def _left_out(quantity: Quantity | None) -> bool:
    """Whether the user asked for other loops."""
    return quantity is not None and quantity.reason.startswith(NOT_ASKED)


def _row(
    subject: Subject, quantity: Quantity | None, said: Estimate, others: Sequence[Said], limit: float
) -> Row:
    known = quantity is not None and quantity.value is not None
    predictions = {MODEL: Prediction(said.cycles, said.low, said.high, said.unknown)}
    predictions |= {one.name: _of(one, subject, limit) for one in others if not one.absent}
    return Row(
        name=subject.name,
        title=subject.title,
        loop=subject.loop,
        items=subject.items,
        bytes=subject.size,
        held_out=subject.held_out,
        status=quantity.status if quantity is not None else Status.SKIPPED,
        reason=quantity.reason if quantity is not None else "not in the run",
        measured=quantity.value if known and quantity is not None else None,
        low=quantity.low if known and quantity is not None else None,
        high=quantity.high if known and quantity is not None else None,
        predictions=predictions,
        decides=said.decides,
        bounds=tuple(Cause(one.name, one.cycles, one.low, one.high) for one in said.bounds),
    )


def _of(said: Said, subject: Subject, limit: float) -> Prediction:
    if subject.size > limit:
        return Prediction(fault="its data lie beyond the first level, of which this model knows nothing")
    cycles = said.cycles.get(subject.name)
    if not cycles:
        return Prediction(fault=said.faults.get(subject.name, "it gave no time"))
    return Prediction(cycles, unknown=tuple(said.unknown.get(subject.name, ())))


def scores(rows: Sequence[Row], present: Sequence[str]) -> list[Score]:
    """Errors of every predictor on every set of loops."""
    found = []
    for group, name in itertools.product(GROUPS, present):
        chosen = [row for row in rows if row.measured and _in(row, group, name, present)]
        said = [float(row.said(name) or 0.0) for row in chosen]
        right = [float(row.measured or 0.0) for row in chosen]
        kinds = [row.loop for row in chosen]
        within = None
        if name == MODEL:
            within = statistics.share([_inside(row) for row in chosen], kinds)
        found.append(Score(name, group, statistics.errors(said, right, kinds), within))
    return found


def _in(row: Row, group: str, name: str, present: Sequence[str]) -> bool:
    rules: Mapping[str, Callable[[], bool]] = {
        "covered": lambda: bool(row.said(name)),
        "common": lambda: all(row.said(one) for one in present),
        "known": lambda: all(row.said(one) and not lacks(row, one) for one in present),
        "held-out": lambda: row.held_out and bool(row.said(name)),
        "held-out common": lambda: row.held_out and all(row.said(one) for one in present),
    }
    return rules[group]()


def _inside(row: Row) -> bool:
    said = row.predictions[MODEL]
    return (said.low or 0.0) <= (row.measured or 0.0) <= (said.high or 0.0)


def _pairs(rows: Sequence[Row], present: Sequence[str]) -> tuple[Pair, ...]:
    """All pairs of measured variants of a loop, in the order of the loops."""
    kinds: dict[str, list[Row]] = {}
    for row in rows:
        if row.measured:
            kinds.setdefault(row.loop, []).append(row)
    return tuple(
        Pair(
            loop=kind,
            first=one.name,
            second=other.name,
            ratio=(other.measured or 0.0) / other.items / ((one.measured or 1.0) / one.items),
            measured=order(_measured(one), _measured(other)),
            verdicts={
                name: rank_spans(first, second).verdict
                for name in present
                if (first := _predicted(one, name)) and (second := _predicted(other, name))
            },
        )
        for kind, some in kinds.items()
        for one, other in itertools.combinations(some, 2)
    )


def _measured(row: Row) -> Span:
    value = row.measured or 0.0
    low, high = row.low if row.low is not None else value, row.high if row.high is not None else value
    return Span(low, value, high).scaled(1 / row.items)


def _predicted(row: Row, name: str) -> Span | None:
    said = row.predictions.get(name)
    if said is None or not said.cycles:
        return None
    low, high = said.low if said.low is not None else said.cycles, said.high or said.cycles
    return Span(low, said.cycles, high).scaled(1 / row.items)


def order(one: Span, other: Span) -> str:
    """Which costs less by what was measured: the intervals must be apart."""
    if one.high < other.low:
        return "first"
    return "second" if other.high < one.low else "cannot tell"


def _ranking(pairs: Sequence[Pair], name: str) -> Ranking:
    """A decision is right if the measurement says the same; where that cannot tell, it is wrong."""
    said = [(pair.verdicts[name], pair.measured) for pair in pairs if name in pair.verdicts]
    decided = [(verdict, right) for verdict, right in said if verdict != "cannot tell"]
    return Ranking(name, len(said), len(decided), sum(verdict == right for verdict, right in decided))


def worst(rows: Sequence[Row], most: int = WORST) -> tuple[Miss, ...]:
    """The loops with the largest errors of the cost model."""
    known = [(abs(error), row) for row in rows if (error := row.error(MODEL)) is not None]
    return tuple(
        Miss(row.name, row.measured or 0.0, row.said(MODEL) or 0.0, row.error(MODEL) or 0.0, wrong(row))
        for _, row in sorted(known, key=lambda one: -one[0])[:most]
    )


def wrong(row: Row) -> str:
    """Which bound the measurement speaks against: those above it, or all of them, the largest first."""
    measured = row.measured or 0.0
    above = [bound.name for bound in row.bounds if bound.low > measured]
    if above:
        return f"too high: {', '.join(above)}"
    if (row.error(MODEL) or 0.0) > 0:
        return f"too high within its range: {row.bounds[0].name if row.bounds else 'nothing'}"
    largest = row.bounds[0].name if row.bounds else "nothing"
    return f"too low: no bound reaches what was measured, the largest is {largest}"


def _changed(run: Run, found: Mapping[str, Estimate]) -> tuple[str, ...]:
    sealed: Mapping[str, Any] = run.plan.get("estimates", {})
    return tuple(
        name
        for name, estimate in found.items()
        if name in sealed and abs(estimate.cycles / float(sealed[name][0]) - 1) > SAME
    )
