"""Every hypothesis of the suite and how it ended: one page a run, and one across all devices."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.findings.hypotheses import Conclusion
from reportgen.runs.schema import ProbeInfo
from reportgen.site import address, templating, verdicts
from reportgen.site.address import Links
from reportgen.site.catalogue import Entry, Shelf
from reportgen.site.markup import Html, anchor, element
from reportgen.site.pages import Page
from reportgen.site.report import Report
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import View

OF_RUN = (Column("probe"), Column("hypothesis"), Column("verdict"), Column("why"))
RULES = (Column("analysis"), Column("rule"), Column("probes", number=True))
MOST_DEVICES = 8
"""Columns of devices; more would not fit a page, and each report has a table of its own."""


def of_run(view: View, entry: Entry) -> Page:
    """Every probe of one run."""
    run, ended = view.report.run, view.report.conclusions
    title = f"Hypotheses: {run.title}"
    rows = (_row(view, probe, ended[probe.id]) for probe in run.probes if probe.id in ended)
    body = table(
        "hypotheses", f"Hypotheses of {len(ended)} probes and how they ended.", OF_RUN, rows, filtered=True
    )
    markdown = templating.page(
        "hypotheses.md.j2",
        title=title,
        report=view.page(address.run_page(run.device.id, run.run)),
        name=f"{run.title}, {entry.created}",
        across=view.page(address.HYPOTHESES),
        counted=verdicts.counted(ended.values()),
        body=body,
        rules=rules(run.probes, ended),
    )
    return Page(view.here, title, markdown)


def _row(view: View, probe: ProbeInfo, ended: Conclusion) -> Row:
    return Row(
        (
            Cell(anchor(probe.title or probe.id, view.probe(probe.id)), note=probe.id),
            Cell(ended.hypothesis),
            Cell(verdicts.mark(ended.verdict), note=ended.rule),
            Cell(verdicts.reason(ended) or "–"),
        ),
        id=probe.id,
    )


def rules(probes: Iterable[ProbeInfo], ended: dict[str, Conclusion]) -> Html:
    """The rule of each analysis in words, and how many probes it decides."""
    told: dict[str, str] = {}
    counts: dict[str, int] = {}
    for probe in probes:
        if probe.id in ended:
            told.setdefault(probe.analysis, ended[probe.id].rule)
            counts[probe.analysis] = counts.get(probe.analysis, 0) + 1
    return table(
        "rules",
        "How a hypothesis ends: one rule an analysis.",
        RULES,
        (
            Row((Cell(name.replace("_", " ")), Cell(rule), Cell(str(counts[name]), sort=float(counts[name]))))
            for name, rule in told.items()
        ),
        sortable=False,
    )


def across(shelves: tuple[Shelf, ...], links: Links) -> Page:
    """Every probe of the suite, with a column for the newest report of each device."""
    here = address.HYPOTHESES
    reports = [shelf.newest.report for shelf in shelves if shelf.newest.report is not None]
    shown = [View(here, report, links) for report in reports[:MOST_DEVICES]]
    probes: dict[str, ProbeInfo] = {}
    for report in reports:
        for probe in report.run.probes:
            probes.setdefault(probe.id, probe)
    columns = (
        Column("probe"),
        Column("hypothesis"),
        *(Column(view.report.run.title) for view in shown),
    )
    body = table(
        "hypotheses",
        f"Hypotheses of {len(probes)} probes, and how they ended in the newest report of each device.",
        columns,
        (_across(probe, shown) for probe in probes.values()),
        filtered=True,
    )
    ended: dict[str, Conclusion] = {}
    for report in reports:
        ended = report.conclusions | ended
    markdown = templating.page(
        "hypotheses_across.md.j2",
        devices=[(_named(view), verdicts.counted(view.report.conclusions.values())) for view in shown],
        further=[anchor(report.run.title, links.to(here, _own(report))) for report in reports[MOST_DEVICES:]],
        body=body if shown else Html(""),
        rules=rules(probes.values(), ended) if shown else Html(""),
    )
    return Page(here, "Hypotheses", markdown)


def _own(report: Report) -> str:
    return address.hypotheses_page(report.run.device.id, report.run.run)


def _named(view: View) -> Html:
    return anchor(view.report.run.title, view.page(_own(view.report)))


def _across(probe: ProbeInfo, shown: list[View]) -> Row:
    titles = [view.report.conclusions[probe.id] for view in shown if probe.id in view.report.conclusions]
    # What is expected may differ from one instruction set to another: the first that was asked stands here.
    asked = titles[0].hypothesis if titles else probe.hypothesis
    return Row(
        (
            Cell(probe.title or probe.id, note=probe.id),
            Cell(asked),
            *(_verdict(view, probe.id, asked) for view in shown),
        ),
        id=probe.id,
    )


def _verdict(view: View, probe: str, asked: str) -> Cell:
    ended = view.report.conclusions.get(probe)
    if ended is None:
        return Cell("–", note="not asked of this device")
    note = ended.reason or ended.rule
    if ended.hypothesis != asked:
        note = f"asked here: {ended.hypothesis} {note}"
    link = view.probe(probe)
    word = verdicts.mark(ended.verdict)
    return Cell(element("a", word, href=link) if link else word, note=note)
