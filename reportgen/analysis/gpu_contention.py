"""Atomic adds of many blocks, by where they go: one address, one of each block, one line, words apart.

The whole launch is timed, so the rate is that of the device; nobody waits for a result.  Of each place the
launch counts that did most a second.
"""

from __future__ import annotations

from reportgen.analysis.evidence import Evidence, by_pass, numbers, passes_that_agree
from reportgen.analysis.gpu_best import best
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Visits
from reportgen.runs.schema import Point

METHOD = "synchronisation"
UNIT = "OP/second"
LANES = 32
"""Words of one line."""


def contention(evidence: Evidence) -> list[Quantity]:
    """`<metric>.<place>` in atomic adds a second; points have settings `place` and `blocks`, work `op`."""
    places = list(dict.fromkeys(str(point.settings.get("place", "")) for point in evidence.points))
    return [
        _at(
            evidence.narrowed(one for one in evidence.points if one.settings.get("place") == place),
            f"{evidence.probe.metric}.{place}",
        )
        for place in places
    ]


def _at(evidence: Evidence, metric: str) -> Quantity:
    usable = sorted(
        (point for point in evidence.usable() if point.work.get("op", 0) > 0),
        key=lambda point: int(point.settings["blocks"]),
    )
    if not usable:
        return evidence.without_value(metric, UNIT, METHOD)
    rates = [_rates(evidence, point) for point in usable]
    at, interval = best(rates, evidence.systematic)
    details: dict[str, object] = {
        "blocks": [int(point.settings["blocks"]) for point in usable],
        "addresses": [addresses(point) for point in usable],
        "rates": numbers([one.value for one in rates]),
        "best": int(usable[at].settings["blocks"]),
    }
    passes = passes_that_agree(by_pass([rates[at]]), interval)
    return evidence.quantity(metric, UNIT, METHOD, interval, [usable[at]], passes=passes, details=details)


def addresses(point: Point) -> int:
    """Different words that a launch adds to."""
    blocks = int(point.settings["blocks"])
    return {
        "one_address": 1,
        "own_address": blocks,
        "one_line": LANES,
        "spread": blocks * int(point.facts.get("threads", LANES)),
    }[str(point.settings["place"])]


def _rates(evidence: Evidence, point: Point) -> Visits:
    seconds = evidence.seconds(point)
    return Visits(point.work["op"] / seconds.centres, seconds.counts, seconds.ids)
