"""A stream that computes: the ridge it shows in each level, what is left of both roofs there, all rates."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.findings import ridge_seen
from reportgen.findings.metric import Kind, MetricId, parse
from reportgen.findings.wording.names import level, precision
from reportgen.model.architecture import Fact
from reportgen.site import blocks
from reportgen.site.markup import Html, element, fold
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import View, present
from reportgen.units import format_value, significant

COLUMNS = (
    Column("level"),
    Column("ridge seen", number=True, note="where the rate of the stream stops rising with its intensity"),
    Column("peak over read", number=True, note="the ridge that two ceilings of other probes give"),
    Column("overlap", number=True, note="rate at the ridge over both roofs there: 0.5 is taking turns"),
    Column("of the peak", number=True, note="flat part of the sweep over the measured peak"),
    Column("of the read bandwidth", number=True, note="slope of the sweep over the measured read bandwidth"),
    blocks.STANDING,
)


def parts(view: View) -> tuple[Html, ...]:
    """What is said, the table of ridges, and that of all rates; nothing without such a sweep."""
    facts = [fact for fact in view.report.of("ridge.observed.") if parse(fact.metric).part]
    if not facts:
        return ()
    body = table(
        "intensity",
        "Where a stream that computes leaves the roof of each level, beside what two ceilings give.",
        COLUMNS,
        (_row(view, fact) for fact in facts),
    )
    remarks = [view.report.finding.get(f"ridge:{fact.metric}") for fact in facts]
    apart = [one for one in remarks if one is not None and one.alternatives]
    return present((view.intro("intensity"), body, *view.findings(apart), _rates(view, facts)))


def _row(view: View, fact: Fact) -> Row:
    name = parse(fact.metric)
    overlap = view.report.fact(f"{Kind.OVERLAP}.{name.subject}.{name.part}")
    title = f"{level(name.part)}, {precision(name.subject)}"
    return Row(
        (
            Cell(view.term(fact.metric, title), note=fact.metric),
            Cell(_amount(fact), sort=fact.value),
            *_beside(view, name),
            _overlap(overlap),
            *_shares(view, name),
            blocks.standing_cell(fact),
        ),
        id=fact.metric,
        kind="" if blocks.sort_key(fact) is not None else "rg-absent",
    )


def _overlap(fact: Fact | None) -> Cell:
    if fact is None or fact.value is None:
        return Cell("–")
    gain = f"{2 * fact.value:.2f} times what it would be if loads and multiply-adds took turns"
    return Cell(_amount(fact), sort=fact.value, note=gain)


def _amount(fact: Fact) -> Html | str:
    """Value and interval, or a bound."""
    if fact.value is None or fact.low is None or fact.high is None:
        return blocks.number(fact, 3)
    span = element("span", f"{significant(fact.low, 3)} … {significant(fact.high, 3)}", class_="rg-note")
    return Html(f"{blocks.number(fact, 3)} {span}")


def _compared(view: View, name: MetricId) -> ridge_seen.Beside | None:
    evidence = view.report.evidence
    seen = evidence.usable(name.text)
    return ridge_seen.beside(evidence, name, seen) if seen is not None else None


def _beside(view: View, name: MetricId) -> tuple[Cell, ...]:
    found = _compared(view, name)
    if found is None:
        return (Cell("–"),)
    one = found.predicted
    word = "agrees" if found.agrees else "disagrees"
    text = element("span", word, class_="rg-note")
    return (Cell(Html(f"{format_value(one.value or 0.0, one.unit, 3)} {text}"), sort=one.value),)


def _shares(view: View, name: MetricId) -> tuple[Cell, ...]:
    found = _compared(view, name)
    if found is None:
        return Cell("–"), Cell("–")
    shares = (found.share_of_peak, found.share_of_bandwidth)
    return tuple(Cell(f"{share * 100:.0f} %", sort=share) for share in shares)


def _rates(view: View, facts: list[Fact]) -> Html:
    """Every point of the sweep: a row an intensity, a column a level."""
    curves: dict[str, dict[float, float]] = {}
    for fact in facts:
        details = view.report.details(fact.metric)
        if details.get("intensity") and details.get("rate"):
            name = level(parse(fact.metric).part)
            curves[name] = dict(zip(details["intensity"], details["rate"], strict=True))
    if not curves:
        return Html("")
    columns = (Column("FLOP a byte", number=True), *(Column(name, number=True) for name in curves))
    rows = (_of_intensity(one, curves) for one in sorted(set().union(*curves.values())))
    body = table("intensity-rates", "Rate of the stream at every intensity.", columns, rows)
    return fold(f"All rates of the sweep ({sum(map(len, curves.values()))})", body)


def _of_intensity(intensity: float, curves: dict[str, dict[float, float]]) -> Row:
    def cells() -> Iterator[Cell]:
        for curve in curves.values():
            rate = curve.get(intensity)
            yield Cell(format_value(rate, "FLOP/second", 4) if rate else "–", sort=rate)

    return Row((Cell(significant(intensity, 4), sort=intensity), *cells()))
