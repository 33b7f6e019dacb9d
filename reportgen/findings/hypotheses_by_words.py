"""Rules for hypotheses that say something else than most of their analysis: told apart by their words."""

from __future__ import annotations

import re
from itertools import pairwise

from reportgen.analysis.quantity import Quantity
from reportgen.findings import hypotheses_access
from reportgen.findings.endings import EQUAL_WITHIN, YES, Case, Ending, Rule, no, nothing, undecided
from reportgen.findings.evidence import central, interval

ONE_RATE_WITHIN = 0.05
"""Instructions of one width whose rates lie this close have one rate."""
NUMBERS = {"two": 2, "four": 4, "eight": 8, "sixteen": 16}
_SIBLING = re.compile(r"_(\d{3,4})$")


def _enough(case: Case) -> Ending:
    """Whether so many accumulators as the hypothesis names reach the best work per cycle."""
    named = next((NUMBERS[word] for word in case.probe.hypothesis.lower().split() if word in NUMBERS), 0)
    best: dict[int, float] = {}
    for quantity in case.quantities:
        pairs = zip(
            quantity.details.get("accumulators", ()), quantity.details.get("per_cycle", ()), strict=False
        )
        for count, rate in pairs:
            best[int(count)] = max(best.get(int(count), 0.0), float(rate))
    if named not in best:
        return undecided(f"{named} were not tried")
    most = max(best.values())
    if best[named] < most * (1 - EQUAL_WITHIN):
        return no(f"with {named} the work per cycle is {100 * best[named] / most:.0f} % of the best")
    fewer, more = [c for c in best if c < named], [c for c in best if c > named]
    if not more and (not fewer or max(best[c] for c in fewer) < most * (1 - EQUAL_WITHIN)):
        return undecided("no more were tried, and nothing shows that the rate had stopped rising")
    return YES


def _intensities(case: Case) -> list[tuple[float, float]]:
    """(batch, intensity) of the sizes, by size."""
    found = []
    for quantity in case.quantities:
        variable = str(quantity.details.get("variable", ""))
        batch, intensity = quantity.details.get(variable), quantity.details.get("intensity")
        if isinstance(batch, (int, float)) and isinstance(intensity, (int, float)):
            found.append((float(batch), float(intensity)))
    return sorted(found)


def _grows(case: Case) -> Ending:
    found = _intensities(case)
    if len(found) < 2:
        return undecided("fewer than two batches have a rate")
    falls = [later for (_, before), (later, after) in pairwise(found) if after <= before]
    return no(f"intensity does not grow up to a batch of {falls[0]:g}") if falls else YES


def _right_of_ridge(case: Case) -> Ending:
    found = _intensities(case)
    precision = str(case.probe.constants.get("precision", ""))
    ridge = case.evidence.usable(f"ridge.{precision}.dram")
    if not found or ridge is None:
        peak, memory = _roofs(case, precision)
        if not found or peak is None or memory is None:
            return undecided("no measured roofs of its precision and of memory")
        border = central(peak) / central(memory)
    else:
        border = central(ridge)
    left = [batch for batch, intensity in found if intensity < border]
    return no(f"at a batch of {left[0]:g} the memory roof is the lower one") if left else YES


def _roofs(case: Case, precision: str) -> tuple[Quantity | None, Quantity | None]:
    evidence = case.evidence
    memory = evidence.usable("bandwidth.dram.triad") or evidence.usable("bandwidth.dram.copy")
    return evidence.usable(f"peak.{precision}"), memory


def _one_rate(case: Case) -> Ending:
    """Whether the probes of other data types at the same width have the rate of this one."""
    if not case.quantities:
        return nothing(case)
    stem = case.probe.id.removesuffix(case.probe.operation)
    width = _SIBLING.search(case.probe.operation)
    every = (case.evidence.quantities, *case.evidence.repeated.values())
    others = [
        quantity
        for quantity in (one for some in every for one in some)
        if quantity.value is not None
        and quantity.probe.startswith(stem)
        and quantity.probe != case.probe.id
        and (width is None or quantity.probe.endswith(width.group(0)))
    ]
    pairs = [(own, other) for own in case.quantities for other in others if other.unit == own.unit]
    if not pairs:
        return undecided("no other data type of this width has a rate")
    for own, other in pairs:
        gap = abs(central(own) - central(other)) / max(central(own), central(other))
        (low, high), (other_low, other_high) = interval(own), interval(other)
        if gap > ONE_RATE_WITHIN and (high < other_low or other_high < low):
            return no(f"{other.metric} is {central(other):.3g}, this is {central(own):.3g}")
    return YES


def _as_the_driver(case: Case) -> Ending:
    driver = [q for q in case.quantities if q.metric.endswith(".vendor_copy") and q.value is not None]
    if not driver:
        return nothing(case)
    pairs = []
    for quantity in driver:
        own = case.evidence.usable(quantity.metric.replace("vendor_copy", "copy"))
        if own is not None:
            pairs.append((interval(own), interval(quantity)))
    if not pairs:
        return undecided("no copy by a kernel of ours in the same level")
    if any(own[1] < driver[0] for own, driver in pairs):
        return no("the driver's copy is faster than the kernel's, by intervals")
    as_fast = all(own[0] >= driver[1] * (1 - EQUAL_WITHIN) for own, driver in pairs)
    return YES if as_fast else undecided("intervals of the two copies overlap")


def _inside(case: Case) -> Ending:
    inner = [q for q in case.quantities if q.metric == "bandwidth.l1.read" and q.value is not None]
    if not inner:
        return nothing(case)
    outer = case.evidence.usable("bandwidth.l2.read")
    if outer is None:
        return undecided("no rate of the second level in this run")
    if interval(inner[0])[1] < interval(outer)[0]:
        return no("the second level is faster")
    apart = interval(inner[0])[0] > interval(outer)[1]
    return YES if apart else undecided("intervals overlap with those of the second level")


_ENOUGH = (
    "Supported when so many accumulators as the hypothesis names reach the highest work per cycle to 2 %; "
    "undecided when no more were tried and fewer did not reach it."
)
_ONE_RATE = (
    "Supported when the data types of one width (of a GPU: of one shape) have rates within 5 %, not "
    "supported when two lie apart by intervals."
)
_RIGHT = (
    "Supported when the intensity of every batch is beyond the ridge of its precision and memory, where the "
    "compute roof is the lower one."
)
_AS_THE_DRIVER = (
    "Supported when the kernel's copy is not slower than the driver's by more than 2 %, by intervals; not "
    "supported when it is slower by intervals."
)
BY_WORDS: tuple[tuple[str, str, Rule], ...] = (
    ("peak", "reach the peak", (_ENOUGH, _enough)),
    ("peak", "keep the tile unit busy", (_ENOUGH, _enough)),
    ("library", "intensity grows", ("Supported when the intensity grows from batch to batch.", _grows)),
    ("library", "compute roof is the lower", (_RIGHT, _right_of_ridge)),
    ("store_to_load", "in a short loop", hypotheses_access.SHORT_LOOP),
    ("plateau", "halving the data type", (_ONE_RATE, _one_rate)),
    (
        "bandwidth",
        "driver's copy",
        (_AS_THE_DRIVER, _as_the_driver),
    ),
    (
        "bandwidth",
        "read their first cache",
        ("Supported when the first level's rate is above the second's, by intervals.", _inside),
    ),
)
"""Analysis, words of the hypothesis, and the rule that goes with them."""
