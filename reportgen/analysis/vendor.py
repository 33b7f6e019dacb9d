"""Our own rates over those of the vendor's code, measured in the same run.

A ratio below one says that our kernel reaches less than the device can, so that the roof which it gave is too
low.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from reportgen.analysis.evidence import Evidence
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval

METHOD = "library"
COPY, GEMM = "vendor_copy", "kernel.vendor_gemm_"


def vendor_ratios(probes: Iterable[Evidence], found: Iterable[Quantity]) -> list[Quantity]:
    """`vendor.<what>.ratio` for every routine of the vendor's that has a rate, and a rate of ours beside it.

    Args:
        probes: the run's, of which those of the vendor's routines are read.
        found: quantities of the run: `bandwidth.<level>.<kernel>`, `kernel.vendor_gemm_<type>.<n>`,
            `peak.<precision>`.
    """
    known = {one.metric: one for one in found if one.value is not None and one.value > 0}
    result = []
    for evidence in probes:
        if COPY in evidence.probe.id:
            for metric, theirs in known.items():
                stem, _, kernel = metric.rpartition(".")
                ours = known.get(f"{stem}.copy")
                if kernel == COPY and ours is not None:
                    level = stem.rpartition(".")[2]
                    result.append(_ratio(evidence, f"vendor.copy_{level}.ratio", ours, theirs))
        elif evidence.probe.metric.startswith(GEMM):
            precision = str(evidence.probe.constants.get("precision", ""))
            ours = known.get(f"peak.{precision}")
            sizes = [one for metric, one in known.items() if metric.startswith(f"{evidence.probe.metric}.")]
            if ours is not None and sizes:
                theirs = max(sizes, key=lambda one: one.value or 0.0)
                result.append(_ratio(evidence, f"vendor.gemm_{precision}.ratio", ours, theirs))
    return result


def _ratio(evidence: Evidence, metric: str, ours: Quantity, theirs: Quantity) -> Quantity:
    """Relative half widths are added in quadrature: different probes are visited at different times."""
    assert ours.value is not None
    assert theirs.value is not None
    value = ours.value / theirs.value
    spread = math.hypot(
        *(
            (one.high - one.low) / 2 / one.value
            for one in (ours, theirs)
            if one.value is not None and one.low is not None and one.high is not None
        )
    )
    points = [point for point in evidence.points if point.id in theirs.points]
    details: dict[str, object] = {"ours": ours.metric, "theirs": theirs.metric}
    interval = Interval(value, value * (1 - spread), value * (1 + spread))
    return evidence.quantity(metric, "ratio", METHOD, interval, points, details=details)
