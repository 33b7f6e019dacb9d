"""Curves of branches: wrong predictions by their share, taken ones by their number, calls by their depth."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.branches import distance
from reportgen.model.architecture import Fact
from reportgen.site.figures.curves import Curves, Panel, Series
from reportgen.site.report import Report
from reportgen.units import significant


def branches(report: Report) -> Curves | None:
    """Panels for mispredictions, every distance of taken branches, short loops and nested calls."""
    panels = (*_misprediction(report), *_taken(report), *_rounds(report), *_calls(report))
    return Curves(panels) if panels else None


def _misprediction(report: Report) -> Iterator[Panel]:
    """What each share of random outcomes says of one wrong prediction: a level line where all agree."""
    details = report.details("branch.misprediction")
    shares, cycles, others = (details.get(key) for key in ("share", "cycles", "others"))
    if not shares or not cycles or not others:
        return
    rows = list(zip(shares, cycles, others, strict=True))
    constant = {other: time for share, time, other in rows if not share}
    places = sorted({share for share in shares if share})
    series = []
    for other, least in constant.items():
        own = sorted((share, (time - least) / share) for share, time, one in rows if share and one == other)
        label = f"others {other.replace('_', ' ')}"
        at = tuple(places.index(share) for share, _ in own)
        series.append(Series(label, at, tuple(cost for _, cost in own)))
    yield Panel(
        title="wrong predictions",
        across="share of branches predicted wrongly",
        up="cycles a wrong prediction",
        settings=tuple(significant(share, 3) for share in places),
        series=tuple(one for one in series if one.values),
    )


def _taken(report: Report) -> Iterator[Panel]:
    """The curve of each distance, with every end in it."""
    ends: dict[str, list[Fact]] = {}
    for fact in report.of("branch.taken."):
        name = parse(fact.metric)
        if name.kind is Kind.BRANCH_END:
            ends.setdefault(name.subject, []).append(fact)
    for some in ends.values():
        details = report.details(some[0].metric)
        counts, cycles = details.get("count"), details.get("cycles")
        if counts and cycles:
            yield Panel(
                title=f"{distance(parse(some[0].metric))} apart",
                across="branches",
                up="cycles a taken branch",
                settings=tuple(significant(count, 6) for count in counts),
                series=(Series("", tuple(range(len(counts))), tuple(cycles)),),
                bands=tuple(band for fact in some if (band := _band(fact, counts)) is not None),
                rounds=tuple(at for at, count in enumerate(counts) if count in ROUND),
                log=True,
            )


ROUND = tuple(float(1 << exponent) for exponent in range(4, 16, 2))
"""Numbers of branches that are named under a curve first."""


def _rounds(report: Report) -> Iterator[Panel]:
    """Cycles of a round against its instructions, beside what they need at the rate of the front end."""
    details = report.details("branch.loop.group") if report.fact("branch.loop.group") is not None else {}
    lengths, cycles, width = (details.get(key) for key in ("length", "cycles", "width"))
    if not lengths or not cycles or not width:
        return
    places = tuple(range(len(lengths)))
    needed = [(length + details.get("closing", 1)) / width for length in lengths]
    yield Panel(
        title="rounds of short loops",
        across="instructions of a round, without counter and branch",
        up="cycles a round",
        settings=tuple(significant(length, 6) for length in lengths),
        series=(
            Series("measured", places, tuple(cycles)),
            Series(f"at {width:.3g} a cycle", places, tuple(needed)),
        ),
    )


def _calls(report: Report) -> Iterator[Panel]:
    """What a level costs on average, by the depth of the nest."""
    fact = report.fact("branch.return.depth")
    details = report.details("branch.return.depth") if fact is not None else {}
    depths, level = details.get("depth"), details.get("level")
    if fact is None or not depths or not level:
        return
    band = _band(fact, depths)
    yield Panel(
        title="nested calls",
        across="depth",
        up="cycles a call",
        settings=tuple(significant(depth, 6) for depth in depths),
        series=(Series("", tuple(range(len(depths))), tuple(level)),),
        bands=(band,) if band is not None else (),
    )


def _band(fact: Fact, settings: list[float]) -> tuple[int, int] | None:
    """Where the interval of a boundary lies among the settings: from the last not above its low end on."""
    if fact.low is None or fact.high is None:
        return None
    low = max((at for at, value in enumerate(settings) if value <= fact.low), default=0)
    high = min((at for at, value in enumerate(settings) if value >= fact.high), default=len(settings) - 1)
    return low, high
