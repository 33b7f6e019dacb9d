"""What cores share, as figures: times between all pairs of cores, and what shared words and lines cost."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.findings.wording.communication import READ, adding
from reportgen.site.figures.core_matrix import CoreMatrix
from reportgen.site.figures.curves import Curves, Panel
from reportgen.site.panels import curves, panel
from reportgen.site.report import Report

STORE = "communication.transfer.store"
ADDING = ("plain_add", "locked_add", "compare_exchange")
SHORT = {
    "plain_add": "add",
    "locked_add": "atomic add",
    "compare_exchange": "compare, exchange",
    READ: "read",
}
"""Words of a legend."""
MEGA, NANO = 1e-6, 1e9
Points = dict[float, float]
"""Value by setting."""


def matrix(report: Report) -> CoreMatrix | None:
    """Nanoseconds of each pair of CPUs and direction."""
    cells = pairs(report)
    if not cells:
        return None
    names = tuple(sorted({cpu for first, second, _ in cells for cpu in (first, second)}, key=int))
    return CoreMatrix(names, tuple(cells))


def pairs(report: Report) -> list[tuple[str, str, float]]:
    """First CPU, second CPU and nanoseconds one way; CPUs as the system numbers them."""
    details = report.details(STORE)
    found = []
    for pair, cpus, seconds in zip(
        details.get("pairs", ()), details.get("cpus", ()), details.get("seconds", ()), strict=True
    ):
        first, second = str(cpus).split() if cpus else str(pair).split("-")
        found.append((first, second, seconds * NANO))
    return found


def shared(report: Report) -> Curves | None:
    """Additions by the distance of their words, and by the cores that add to one word; readings."""
    return curves((*_distances(report), *_together(report)))


def _distances(report: Report) -> Iterator[Panel]:
    for by in ADDING:
        stem = f"communication.false_sharing.{by}.granule"
        details, fact = report.details(stem), report.fact(stem)
        distances = [float(one) for one in details.get("distance", ())]
        line: Points = dict(zip(distances, details.get("cycles", ()), strict=True))
        ends = [(fact.low, fact.high)] if fact is not None and fact.value is not None else []
        yield from panel(
            f"{adding(by)}, two cores", "distance of the words", "cycles an addition", {"": line}, sizes=True,
            ends=ends,
        )  # fmt: skip


def _together(report: Report) -> Iterator[Panel]:
    rates: dict[str, Points] = {}
    times: dict[str, Points] = {}
    for by in (*ADDING, READ):
        details = report.details(f"communication.contended.{by}.cycles")
        cores = [float(one) for one in details.get("cores", ())]
        if not cores:
            continue
        name = SHORT[by]
        times[name] = dict(zip(cores, details["cycles"], strict=True))
        if by != READ:
            rates[name] = dict(zip(cores, (MEGA * one for one in details["rates"]), strict=True))
    yield from panel("one word, all together", "cores", "million additions a second", rates)
    yield from panel("one word, each core", "cores", "cycles an access", times)
