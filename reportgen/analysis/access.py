"""What an access costs by where it lies: across lines and pages, behind a store whose address looks alike.

Both compare cycles of a step with those of the same step at a place that cannot matter: an aligned access, a
store whose low twelve bits of the address differ.  What a place adds is the difference of two slopes, the
factor their quotient; relative errors of both are added in quadrature.
"""

from __future__ import annotations

import math
from typing import Any

import msgspec

from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.store_to_load import chain
from reportgen.runs.schema import Point

ALIGNED = "aligned"
REFERENCE = 2048
"""Bytes from the load to a store that cannot be taken for it, where the probe's constants do not say."""
DIFFERS = 0.01
"""A time that differs by less (relative) is the same: of many comparisons some miss zero by chance."""
LOW_BITS = 4096
"""Addresses whose remainders by this are equal have equal low twelve bits."""


def split(evidence: Evidence) -> list[Quantity]:
    """`access.split.<place>.<access>`: cycles of an access there, with what it adds to an aligned one.

    Points have settings `access` (`load_64_latency`, `store_256_interval`, ...), `place` and `length`.
    """
    found: dict[tuple[str, str], Quantity] = {}
    for (access, where), points in _by(evidence, "access", "place").items():
        found[access, where] = chain(evidence, f"{evidence.probe.metric}.{where}.{access}", points)
    return [
        _beside(quantity, found.get((access, ALIGNED)), {"access": access, "place": where})
        for (access, where), quantity in found.items()
    ]


def alias(evidence: Evidence) -> list[Quantity]:
    """`access.alias.<distance>`: cycles of a load behind a store so many bytes further on.

    Points have settings `distance` and `length`; the constant `reference` names the distance that the others
    are compared with.
    """
    reference = int(evidence.probe.constants.get("reference", REFERENCE))
    found = {
        int(distance): chain(evidence, f"{evidence.probe.metric}.{distance}", points)
        for (distance,), points in _by(evidence, "distance").items()
    }
    return [
        _beside(
            quantity,
            found.get(reference),
            {"distance": distance, "reference": reference, "equal_low_bits": distance % LOW_BITS == 0},
        )
        for distance, quantity in found.items()
    ]


def _by(evidence: Evidence, *names: str) -> dict[tuple[str, ...], list[Point]]:
    """Points by some of their settings, in the order of the run."""
    found: dict[tuple[str, ...], list[Point]] = {}
    for point in evidence.points:
        found.setdefault(tuple(str(point.settings.get(name, "")) for name in names), []).append(point)
    return found


def _beside(quantity: Quantity, other: Quantity | None, details: dict[str, Any]) -> Quantity:
    """The quantity with what it adds to another, and how many times the other it is: [value, low, high]."""
    if quantity.value and other is not None and other.value and other is not quantity:
        half, other_half = _half(quantity), _half(other)
        added, room = quantity.value - other.value, math.hypot(half, other_half)
        factor = quantity.value / other.value
        share = factor * math.hypot(half / quantity.value, other_half / other.value)
        apart = room < abs(added) and abs(added) >= DIFFERS * other.value
        details |= {
            "differs": apart,
            "compared_with": other.metric,
            "added": numbers((added, added - room, added + room)),
            "factor": numbers((factor, factor - share, factor + share)),
        }
    return msgspec.structs.replace(quantity, details=quantity.details | details)


def _half(quantity: Quantity) -> float:
    low, high = quantity.low, quantity.high
    return 0.0 if low is None or high is None else (high - low) / 2
