"""The link between host and GPU: copies in each direction, loads and streams through it."""

from __future__ import annotations

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.host_link import BOTH, nominal
from reportgen.model.architecture import Fact
from reportgen.site import blocks
from reportgen.site.sections import rows
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present, sentence
from reportgen.status import Status

COLUMNS = (
    Column("metric"),
    Column("value", number=True),
    Column("interval", number=True),
    Column("of nominal", number=True, note="rate over what the link carries by its generation and lanes"),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)
TOLD = ("to_device.bandwidth", "to_host.bandwidth", "both.bandwidth", "mapped.latency_time")
"""Ends of the metrics whose sentences stand above the figure."""
STEM, KINDS = "host_link.", (Kind.LINK_RATE, Kind.LINK_TIME)


def section(view: View) -> Section | None:
    """Rates, fixed times and latencies; nothing on a device that has no such link to ask about."""
    known = [fact for fact in view.report.of(STEM) if parse(fact.metric).kind in KINDS]
    if all(fact.status is Status.UNSUPPORTED for fact in known):
        return None
    findings = [view.report.finding.get(fact.metric) for fact in known]
    inferred = [view.report.finding.get(f"staging:{fact.metric}") for fact in known]
    drawn = view.figure(
        "host_link",
        sentence([item for item in findings if item is not None][:3], "Rates of copies over their bytes."),
        "Bytes a second over the bytes of a copy. The flat line is nominal: what the link carries in one "
        "direction by its generation and lanes.",
    )
    body = table(
        "host_link",
        "Copies and loads between host and GPU, and the share of the nominal rate of the link.",
        COLUMNS,
        (_row(view, fact) for fact in known),
    )
    same = any(view.report.details(fact.metric).get("integrated") for fact in known)
    parts = (
        view.intro("host_link", same=same),
        view.stated(f"{STEM}{end}" for end in TOLD),
        drawn,
        body,
        *view.findings(inferred),
    )
    return Section("host_link", "Link to the host", present(parts))


def _row(view: View, fact: Fact) -> Row:
    title = Cell(view.term(fact.metric, rows.name(view, fact.metric)), note=fact.metric)
    value, interval, count, standing = rows.cells(fact)
    cells = (title, value, interval, _of_nominal(view, fact), count, standing)
    return Row(cells, id=fact.metric, kind=rows.kind(fact))


def _of_nominal(view: View, fact: Fact) -> Cell:
    """The rate over what the link carries, in both directions over twice that."""
    carries = nominal(view.report.details(fact.metric))
    rate = fact.value if fact.value is not None else fact.low
    if parse(fact.metric).kind is not Kind.LINK_RATE or carries is None or rate is None:
        return Cell("–")
    share = rate / (carries[0] * (2 if parse(fact.metric).subject == BOTH else 1))
    return Cell(f"{share:.2f}", sort=share, note=carries[1])
