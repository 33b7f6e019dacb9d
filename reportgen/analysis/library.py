"""Routines of an installed library, for comparison with the roofs.

Machine code that is not ours was not inspected, so they are `unverified`; kernels of the suite, which
stand in for a library on a GPU, were.  Their intensity is that of
the bytes that the probe states: compulsory ones (each operand moved once) unless it says otherwise.
"""

from __future__ import annotations

from reportgen.analysis.evidence import Evidence, by_pass, passes_that_agree
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Visits, pooled_scatter, visit_interval
from reportgen.status import Status

METHOD = "library"
VENDORS = "kernel.vendor_"
"""How metrics begin of routines that the device's vendor wrote."""
REASON = "Library code: its machine code was not inspected."
COUNTED = ("flop", "op", "dram_bytes", "l2_bytes", "l1_bytes", "shared_bytes")
"""Facts `counter.<name>` of a point, passed on in the same way."""
STATED = ("precision", "counted", "bytes_source")
"""What a probe says of its work and its bytes, passed on to whoever places it under a roof."""


def library(evidence: Evidence) -> list[Quantity]:
    """`kernel.<routine>.<n>` of every size; work `flop` (of integers `op`) and `bytes` per call."""
    unit = evidence.probe.unit
    kind = "op" if unit.startswith("OP") else "flop"
    usable = [point for point in evidence.usable() if point.work.get(kind, 0) > 0]
    if not usable:
        return [evidence.without_value(evidence.probe.metric, unit, METHOD)]
    rates = {}
    for point in usable:
        seconds = evidence.seconds(point)
        rates[point.id] = Visits(point.work[kind] / seconds.centres, seconds.counts, seconds.ids)
    pooled = pooled_scatter(list(rates.values()))
    variable = evidence.probe.variable or "n"
    stated = {key: value for key in STATED if (value := evidence.probe.constants.get(key))}
    result = []
    for point in evidence.points:
        size = point.settings.get(variable, "")
        metric = f"{evidence.probe.metric}.{size}"
        one = evidence.narrowed([point])
        if point.id not in rates:
            result.append(one.without_value(metric, unit, METHOD))
            continue
        ours = evidence.run.device.gpu and not metric.startswith(VENDORS)
        interval = visit_interval(rates[point.id], pooled)
        moved = point.work.get("bytes", 0.0)
        details: dict[str, object] = {variable: size, "variable": variable, **stated, **point.work}
        details |= {
            f"counter_{name}": value
            for name in COUNTED
            if isinstance(value := point.facts.get(f"counter.{name}"), int | float) and value > 0
        }
        if moved > 0:
            details["intensity"] = point.work[kind] / moved
        result.append(
            one.quantity(
                metric, unit, METHOD, interval, [point], status=None if ours else Status.UNVERIFIED,
                reason="" if ours else REASON,
                passes=passes_that_agree(by_pass([rates[point.id]]), interval), details=details,
            )
        )  # fmt: skip
    return result
