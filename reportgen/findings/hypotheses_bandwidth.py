"""How the hypothesis ends that rates fall from level to level.

The gate `bandwidth_falls` looks for a number that is certainly wrong and so leaves room; a hypothesis is
supported only by intervals that lie apart the right way, kernel by kernel.
"""

from __future__ import annotations

from itertools import pairwise

from reportgen.analysis.quantity import Quantity
from reportgen.findings.endings import YES, Case, Ending, no, undecided
from reportgen.findings.evidence import interval
from reportgen.findings.metric import LEVELS, SPILLING_KERNELS, Kind, parse
from reportgen.status import Status

IN_WORDS = (
    "Supported when two levels or more have a rate, none that was found lacks one and, kernel by kernel, the "
    "interval of no outer level reaches into that of the level inside it; not supported when one lies above; "
    "else undecided. Stores that bypass the caches are left out."
)


def falls(case: Case) -> Ending:
    """By the intervals of neighbouring levels, of one kernel and one number of cores."""
    pairs = _neighbours(case.quantities)
    for inner, outer in pairs:
        if interval(outer)[0] > interval(inner)[1]:
            return no(f"{outer.metric} is above {inner.metric}")
    if "bandwidth_falls" in case.failed:
        return undecided("its levels do not fit those of another probe")
    if not pairs:
        return undecided("fewer than two levels have a number")
    lacking = [one.metric for one in case.refused if _of_level(one) and one.status is not Status.UNSUPPORTED]
    if lacking:
        more = f", nor have {len(lacking) - 1} more" if len(lacking) > 1 else ""
        return undecided(f"{lacking[0]} has no rate{more}")
    alike = [(inner, outer) for inner, outer in pairs if interval(outer)[1] > interval(inner)[0]]
    if alike:
        inner, outer = alike[0]
        more = f", and {len(alike) - 1} more" if len(alike) > 1 else ""
        return undecided(f"the intervals of {inner.metric} and {outer.metric} overlap{more}")
    return YES


def _of_level(quantity: Quantity) -> bool:
    name = parse(quantity.metric)
    return name.kind is Kind.BANDWIDTH and name.part not in SPILLING_KERNELS


def _neighbours(quantities: list[Quantity]) -> list[tuple[Quantity, Quantity]]:
    """Inner and outer level of each pair that can be compared."""
    series: dict[tuple[str, str], dict[str, Quantity]] = {}
    for quantity in quantities:
        name = parse(quantity.metric)
        if _of_level(quantity):
            series.setdefault((name.part, name.scope), {})[name.subject] = quantity
    return [
        pair
        for levels in series.values()
        for pair in pairwise(levels[name] for name in LEVELS if name in levels)
    ]
