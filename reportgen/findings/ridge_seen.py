"""The ridge that a stream shows beside the one that two ceilings of other probes put together.

Only the read bandwidth is compared with: the stream stores nothing, and the roof of a level may be that of a
kernel which does.
"""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, central, interval
from reportgen.findings.metric import MetricId
from reportgen.roofline.ridges import ridges

KERNEL = "read"


@dataclass(frozen=True, slots=True)
class Beside:
    """Two ridges of one precision and level, and how much of either ceiling the stream reached."""

    predicted: Quantity
    metrics: tuple[str, str]
    """Peak and bandwidth that it was predicted from."""
    gap: float
    """Relative distance of the two."""
    agrees: bool
    """Whether their intervals overlap."""
    share_of_peak: float
    share_of_bandwidth: float


def beside(evidence: Evidence, name: MetricId, seen: Quantity) -> Beside | None:
    """The comparison; None where one of the ceilings, or what the stream reached, has no number."""
    peak = evidence.usable(f"peak.{name.subject}")
    flow = evidence.usable(f"bandwidth.{name.part}.{KERNEL}")
    height, slope = seen.details.get("height"), seen.details.get("slope")
    if peak is None or flow is None or not height or not slope or seen.value is None:
        return None
    predicted = next(iter(ridges((peak, flow))))
    if predicted.value is None:
        return None
    (low, high), (other_low, other_high) = interval(seen), interval(predicted)
    return Beside(
        predicted=predicted,
        metrics=(peak.metric, flow.metric),
        gap=abs(seen.value - predicted.value) / max(seen.value, predicted.value),
        agrees=low <= other_high and other_low <= high,
        share_of_peak=float(height) / central(peak),
        share_of_bandwidth=float(slope) / central(flow),
    )
