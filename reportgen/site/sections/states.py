"""Everything that did not end `ok`, with the reason a person can act on."""

from __future__ import annotations

from collections import Counter

from reportgen.site import blocks, encodings
from reportgen.site.markup import Html, anchor, breakable, code, element, join
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View
from reportgen.status import Status


def probe_status(view: View, probe: str) -> Status:
    """One status for a probe: `ok` when any point is, else the most frequent one."""
    points = view.report.points.get(probe, ())
    if not points:
        return Status.SKIPPED
    counts = Counter(point.status for point in points)
    return Status.OK if counts[Status.OK] else counts.most_common(1)[0][0]


def counted(view: View) -> Counter[Status]:
    """Probes by status."""
    return Counter(probe_status(view, probe.id) for probe in view.report.run.probes)


def section(view: View) -> Section:
    """Points grouped by probe, status and reason, then quantities that carry no value."""
    groups: Counter[tuple[str, Status, str]] = Counter(
        (point.probe, point.status, point.reason)
        for point in view.report.run.points
        if point.status is not Status.OK
    )
    rows = [
        Row(
            (
                Cell(anchor(breakable(probe), view.probe(probe))),
                Cell(blocks.status(state)),
                Cell(reason or "–"),
                Cell(f"{count} of {len(view.report.points[probe])}", sort=float(count)),
            )
        )
        for (probe, state, reason), count in groups.items()
    ]
    refused = {probe for probe, _, _ in groups}
    rows += [
        Row(
            (
                Cell(code(breakable(quantity.metric))),
                Cell(blocks.status(quantity.status)),
                Cell(quantity.reason or "–"),
                "–",
            )
        )
        for quantity in view.report.of("")
        if quantity.status is not Status.OK and quantity.probe not in refused
    ]
    columns = (Column("probe or metric"), Column("status"), Column("reason"), Column("points", number=True))
    if not rows:
        return Section("not-ok", "What has no value", (element("p", "Every point of this run ended ok."),))
    intro = view.intro("not-ok")
    body = table(
        "not-ok", "Everything that did not end ok, with its reason.", columns, rows, filtered=len(rows) > 15
    )
    return Section("not-ok", "What has no value", (intro, body))


def summary(view: View) -> Html:
    """Probes by status, as words in a row; of a toolchain run by what became of their programs."""
    if view.report.run.toolchain_only:
        counts = encodings.counted(view.report)
        named = [name for name in encodings.OUTCOMES if counts[name]]
        parts = (join((element("b", counts[name]), encodings.outcome_mark(name)), " ") for name in named)
        return join(parts, " ")
    return join(
        (
            join((element("b", count), blocks.status(state)), " ")
            for state, count in sorted(counted(view).items(), key=lambda item: -item[1])
        ),
        " ",
    )
