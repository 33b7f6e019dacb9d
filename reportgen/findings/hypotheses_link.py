"""Rules for the hypotheses about the link between host and GPU."""

from __future__ import annotations

from reportgen.findings.endings import YES, Case, Ending, Rule, no, undecided
from reportgen.findings.evidence import central, interval

TOGETHER = 0.9
"""Share of the sum of both directions alone, from which on both at once lose nothing."""
NEAR = 0.9
"""The same of a stream against a copy."""
OWN_MEMORY = ("chase.dram.volatile.latency", "memory.dram.latency", "chase.dram.latency")
"""Latency of the device's own memory, the first that there is."""


def _together(case: Case) -> Ending:
    alone = [case.evidence.usable(f"host_link.{one}.bandwidth") for one in ("to_device", "to_host")]
    both = case.evidence.usable("host_link.both.bandwidth")
    if both is None or alone[0] is None or alone[1] is None:
        return undecided("one of the three rates has no number")
    if case.failed:
        return undecided("a gate failed")
    low, high = interval(both)
    least, most = (TOGETHER * sum(interval(one)[end] for one in alone if one is not None) for end in (0, 1))
    if low >= most:
        return YES
    share = central(both) / sum(central(one) for one in alone if one is not None)
    if high < least:
        return no(f"together they move {share:.2f} of what the two alone do")
    return undecided(f"together they move {share:.2f} of the two alone, and the intervals meet")


def _farther(case: Case) -> Ending:
    known = (case.evidence.usable(name) for name in OWN_MEMORY)
    own = next((one for one in known if one is not None), None)
    far = case.evidence.usable("host_link.mapped.latency")
    if own is None or far is None:
        return undecided("no latency of both memories")
    if interval(far)[0] > interval(own)[1]:
        return YES
    if interval(far)[1] < interval(own)[0]:
        return no("a load from memory of the host takes less time")
    return undecided("both take the same time within their intervals")


def _as_fast(case: Case) -> Ending:
    copy = case.evidence.usable("host_link.to_device.bandwidth")
    read = case.evidence.usable("host_link.mapped.read")
    if copy is None or read is None:
        return undecided("no rate of a copy and of a kernel that reads")
    if interval(read)[0] >= NEAR * interval(copy)[1]:
        return YES
    if interval(read)[1] < NEAR * interval(copy)[0]:
        return no(f"kernels read {central(read) / central(copy):.2f} of the rate of a copy")
    return undecided("the interval reaches across 10 %")


_TOGETHER_RULE = (
    "Supported when both directions at once move at least nine tenths of the sum of the two alone, by the "
    "ends of their intervals; not supported when they surely move less."
)
_FARTHER_RULE = (
    "Supported when the latency of memory of the host lies above that of the device's own memory, not "
    "supported when it lies below."
)
_AS_FAST_RULE = (
    "Supported when kernels read at nine tenths of the rate of a copy to the device at least, by the ends of "
    "their intervals; not supported when they surely read less."
)

RULES: dict[str, Rule] = {
    "link_copy": (_TOGETHER_RULE, _together),
    "link_load": (_FARTHER_RULE, _farther),
    "link_stream": (_AS_FAST_RULE, _as_fast),
}
"""Analysis -> its rule in words, and the rule."""
