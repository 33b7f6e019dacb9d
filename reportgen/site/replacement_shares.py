"""Shares of misses of a level and the policies that are shown beside them."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.analysis.replacement import Excluded, Reading, against
from reportgen.findings.metric import Kind, parse
from reportgen.findings.replacement import by_level
from reportgen.findings.wording.replacement import number
from reportgen.site.figures.replacement import Cell, Line, Shares
from reportgen.site.report import Report

KNOWN = (
    *("LRU", "FIFO", "PLRU", "LRU_PLRU4", "MRU", "NRU", "QLRU_H00_M2_R0_U0_UMO"),
    *("random", "PLRU_random_leaf", "NRU_random", "LIP", "BIP", "BRRIP"),
)
"""Policies that readers look for, in the order of the figure."""
MOST_LEFT = 8
"""So many policies that fit are drawn; the table has all."""
FIRST_LEVEL = "l1"


def reading(report: Report) -> Reading | None:
    """Which policies the shares of the first level leave."""
    return by_level(report.evidence).get(FIRST_LEVEL)


def measured(report: Report) -> list[Quantity]:
    """Shares of the first level that have a value, in the order of their sequences."""
    return [q for name, q in report.evidence.of_kind(Kind.MISS_SHARE) if name.subject == FIRST_LEVEL]


def rows(found: Reading) -> tuple[str, ...]:
    """Policies to show: those that are left, then the known ones."""
    return tuple(dict.fromkeys((*found.left, *(name for name in KNOWN if name in _simulated(found)))))


def _simulated(found: Reading) -> frozenset[str]:
    return frozenset((*found.left, *(one.policy for one in found.excluded)))


def record(report: Report) -> Shares | None:
    """The figure's record; None where the run has no shares."""
    found = reading(report)
    if found is None:
        return None
    shares = measured(report)
    chosen = [name for name in rows(found) if name not in found.left[MOST_LEFT:]]
    return Shares(
        sequences=tuple(number(parse(one.metric)) for one in shares),
        measured=tuple(float(one.value or 0.0) for one in shares),
        policies=tuple(
            Line(
                "SRRIP" if name == "QLRU_H00_M2_R0_U0_UMO" else name.replace("_", " "),
                name in found.left,
                tuple(_cell(against(name, one)) for one in shares),
            )
            for name in chosen
        ),
    )


def _cell(one: Excluded) -> Cell:
    low, high = one.predicted
    distance = max(low - one.measured, one.measured - high, 0.0)
    return Cell(low, high, distance if one.beyond > 1 else 0.0)
