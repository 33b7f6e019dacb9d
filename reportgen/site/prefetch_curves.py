"""Curves of lines that come before they are asked for: by step, place in a run, streams and distance."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording import prefetch as words
from reportgen.model.architecture import Fact
from reportgen.site.figures.curves import Curves, Panel, Series
from reportgen.site.report import Report

IN_ORDER, SHUFFLED = "in order", "in random order"
_TITLES = {
    "": "runs of 16 lines, one instruction",
    words.UNROLLED: "the same, 64 instructions",
    words.DRAM: "one instruction, from memory",
}
_AFTER = {"even": "even line of a pair", "odd": "odd line", "run": "run of eight", "border": "run, next page"}


def runs(report: Report) -> Curves | None:
    """Panels of steps for each way of asking, of places in a run, of streams; in and out of order.

    Two steps in turn lie on no axis with the others; they are in the table.
    """
    panels = (*_strides(report), *_places(report), *_streams(report))
    return Curves(panels) if panels else None


def near(report: Report) -> Curves | None:
    """A panel for each of what went before: cycles of both by the distance of the other line."""
    found: dict[str, list[tuple[int, float]]] = {}
    for fact in _facts(report, Kind.PREFETCH_NEAR):
        distance = report.details(fact.metric).get("distance")
        if distance is not None and fact.value is not None:
            found.setdefault(parse(fact.metric).subject, []).append((int(distance), fact.value))
    panels = []
    for before, some in found.items():
        some.sort()
        panels.append(
            Panel(
                title=f"behind {_AFTER.get(before, before)}",
                across="lines further on" if some[0][0] > 0 else "lines before and further on",
                up="cycles of both",
                settings=tuple(f"{distance:+d}" for distance, _ in some),
                series=(Series("", tuple(range(len(some))), tuple(cycles for _, cycles in some)),),
            )
        )
    return Curves(tuple(panels)) if panels else None


def _facts(report: Report, kind: Kind) -> list[Fact]:
    return [fact for fact in report.of("prefetch.") if parse(fact.metric).kind is kind]


def _strides(report: Report) -> Iterator[Panel]:
    facts = _facts(report, Kind.PREFETCH_STRIDE)
    for scope, title in _TITLES.items():
        own = [fact for fact in facts if parse(fact.metric).scope == scope and fact.value is not None]
        own = [fact for fact in own if "_" not in report.details(fact.metric)["step"]]
        own.sort(key=lambda fact: int(report.details(fact.metric)["step"]))
        details = [report.details(fact.metric) for fact in own]
        if not own:
            continue
        shuffled = [(at, one["shuffled"][0]) for at, one in enumerate(details) if "shuffled" in one]
        yield Panel(
            title=title,
            across="step, lines",
            up="cycles a load",
            settings=tuple(f"{int(one['step']):+d}" for one in details),
            series=_both(
                [(at, fact.value) for at, fact in enumerate(own) if fact.value is not None], shuffled
            ),
        )


def _both(ordered: list[tuple[int, float]], shuffled: list[tuple[int, float]]) -> tuple[Series, ...]:
    """Two lines: in order, and in random order where there is one."""
    made = ((IN_ORDER, ordered), (SHUFFLED, shuffled))
    return tuple(
        Series(label, tuple(at for at, _ in some), tuple(value for _, value in some))
        for label, some in made
        if some
    )


def _places(report: Report) -> Iterator[Panel]:
    own = [fact for fact in _facts(report, Kind.PREFETCH_RUN) if fact.value is not None]
    if own:
        yield Panel(
            title="lines of a run by their place",
            across="place in the run",
            up="cycles a line",
            settings=tuple(parse(fact.metric).subject.replace("_", "-") for fact in own),
            series=(Series("", tuple(range(len(own))), tuple(fact.value or 0.0 for fact in own)),),
        )


def _streams(report: Report) -> Iterator[Panel]:
    fact = report.fact("prefetch.streams")
    details = report.details("prefetch.streams") if fact is not None else {}
    counts = details.get("count")
    if fact is None or not counts:
        return
    band = (fact.low, fact.high)
    known = band[0] in counts and band[1] in counts
    yield Panel(
        title="streams in turn",
        across="streams",
        up="cycles a load",
        settings=tuple(str(count) for count in counts),
        series=_both(list(enumerate(details["in_order"])), list(enumerate(details["shuffled"]))),
        bands=((counts.index(band[0]), counts.index(band[1])),) if known else (),
    )
