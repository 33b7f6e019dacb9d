"""Sentences about a stream that computes: where it leaves the roof of its level, how near to both it is."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import central
from reportgen.findings.metric import MetricId
from reportgen.findings.wording.names import level, precision
from reportgen.findings.wording.numbers import amount, one

LOW = 0.97
"""A share of a roof below this is worth an explanation."""

BELOW_PEAK = "loads take issue slots or registers that the multiply-adds of the peak have for themselves"
BELOW_BANDWIDTH = "loads with arithmetic between them keep fewer transfers under way than loads alone"
PLACED = "the stream and the probe of bandwidth had other pages, or another working set of the same level"
CLOCK = "the core clock differed between the probes"
NEIGHBOUR = "a neighbour used the level while one of the probes ran"


def observed(name: MetricId, quantity: Quantity) -> str:
    """Measured: where the rate of a stream stops rising with its intensity."""
    height, slope = quantity.details.get("height"), quantity.details.get("slope")
    told = (
        f": below it rises with the intensity, by {one(float(slope), 'byte/second')}, and above it stays "
        f"at {one(float(height), 'FLOP/second')}"
        if height and slope
        else ""
    )
    return (
        f"The rate of an {precision(name.subject)} stream from {level(name.part)} with multiply-adds between "
        f"its loads bends at {amount(quantity)}{told}."
    )


def overlap(name: MetricId, quantity: Quantity) -> str:
    """Measured: what is left of both roofs at the ridge."""
    gain = quantity.details.get("over_no_overlap") or [2 * central(quantity)]
    return (
        f"At its ridge on {level(name.part)} the {precision(name.subject)} stream reaches {amount(quantity)} "
        f"of its own roofs, {gain[0]:.2f} times what it would reach if loads and multiply-adds took turns."
    )


def beside(
    name: MetricId,
    seen: Quantity,
    predicted: Quantity,
    share_of_peak: float,
    share_of_bandwidth: float,
    agrees: bool,
) -> str:
    """Measured: the ridge that was seen beside the one that two ceilings of other probes put together.

    Args:
        name: the metric of the ridge that was seen.
        seen: it.
        predicted: peak over read bandwidth.
        share_of_peak: flat part of the stream over the peak.
        share_of_bandwidth: slope of the stream over the read bandwidth.
        agrees: whether the two intervals overlap.
    """
    where = f"on {level(name.part)}"
    reached = (
        f"the stream reaches {percent(share_of_peak)} of the {precision(name.subject)} peak and "
        f"{percent(share_of_bandwidth)} of the read bandwidth"
    )
    if agrees:
        return (
            f"The ridge {where} that was seen, {amount(seen)}, agrees with the one that peak and read "
            f"bandwidth give, {amount(predicted)}: {reached}."
        )
    return (
        f"The ridge {where} that was seen, {amount(seen)}, does not agree with the one that peak and read "
        f"bandwidth give, {amount(predicted)}: {reached}. The two intervals do not overlap."
    )


def percent(share: float) -> str:
    """A share in whole per cent: 0.973 -> "97 %"."""
    return f"{100 * share:.0f} %"


def other_channel(predicted: Quantity, gap: float, agrees: bool) -> str:
    """The same as a cross-check."""
    verdict = "overlaps with" if agrees else "does not overlap with"
    return (
        f"The measured peak over the measured read bandwidth is {amount(predicted)}, {percent(gap)} away; "
        f"its interval {verdict} this one."
    )


def causes(share_of_peak: float, share_of_bandwidth: float) -> tuple[str, ...]:
    """Why both ridges may differ, those first that what was reached speaks for."""
    found = []
    if share_of_peak < LOW:
        found.append(BELOW_PEAK)
    if share_of_bandwidth < LOW:
        found.append(BELOW_BANDWIDTH)
    return (*found, PLACED, NEIGHBOUR, CLOCK)
