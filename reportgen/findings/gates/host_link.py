"""What a link carries, and what cannot be faster than what."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.findings.evidence import Evidence, central, interval
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.metric import Kind
from reportgen.findings.wording import contradictions
from reportgen.findings.wording.names import noun

ROOM = 1.02
"""For rounding, and for the clock by which events count."""
SAME = 1.05
"""Rates that were taken minutes apart may differ by this."""


def _above_the_link(evidence: Evidence) -> Iterator[Breach]:
    for name, quantity in evidence.of_kind(Kind.LINK_RATE):
        stated = [quantity.details.get(key, 0.0) for key in ("nominal", "nominal_most")]
        limit = max(float(one) for one in stated) * (2 if name.subject == "both" else 1)
        if 0 < limit * ROOM < central(quantity):
            yield Breach(
                (name.text,),
                contradictions.above_limit(
                    noun(name.text, evidence.title), central(quantity), limit, quantity.unit,
                    "what the link carries at the most by its generation and lanes",
                ),
            )  # fmt: skip


def _more_than_both_alone(evidence: Evidence) -> Iterator[Breach]:
    both = evidence.usable("host_link.both.bandwidth")
    alone = [evidence.usable(f"host_link.{one}.bandwidth") for one in ("to_device", "to_host")]
    if both is None or any(one is None or one.high is None for one in alone):
        return
    limit = SAME * sum(interval(one)[1] for one in alone if one is not None)
    if interval(both)[0] > limit:
        yield Breach(
            (both.metric, *(one.metric for one in alone if one is not None)),
            contradictions.above_limit(
                noun(both.metric, evidence.title), central(both), limit, both.unit,
                "what the two directions move alone, and 5 %",
            ),
        )  # fmt: skip


def _pageable_faster(evidence: Evidence) -> Iterator[Breach]:
    for name, quantity in evidence.of_kind(Kind.LINK_RATE):
        locked = evidence.usable(name.text.replace(".pageable_", "."))
        if locked is None or locked.metric == name.text or locked.high is None:
            continue
        if interval(quantity)[0] > interval(locked)[1] * SAME:
            yield Breach(
                (name.text, locked.metric),
                contradictions.wrong_order(
                    noun(name.text, evidence.title), central(quantity),
                    noun(locked.metric, evidence.title), central(locked), quantity.unit,
                    "page-locked memory is copied without a detour, and its copies are not waited for",
                ),
            )  # fmt: skip


GATES = (
    Gate(
        name="within_the_link",
        severity=Severity.LIMIT,
        statement="No copy and no stream moves more bytes a second than the PCIe link carries by the "
        "generation and lanes that NVML names, in both directions at once no more than twice that; a device "
        "that is joined otherwise, or that has the host's own memory, has no such limit.",
        source="transfers a second and line code of each generation of PCI Express, from its base "
        "specifications",
        causes=(
            "the copies go over another link than the one that NVML names",
            "what was to be copied did not cross the link: it was answered by a cache, or is compressed",
            "the clock of the device's events runs slow",
        ),
        check=_above_the_link,
    ),
    Gate(
        name="both_directions_within_their_sum",
        severity=Severity.RELATION,
        statement="Both directions at once move no more than the two alone together, but for 5 %.",
        source="each direction has the link for itself when the other one rests",
        causes=(
            "one of the two was measured while something else used the link or the host's memory",
            "the two streams did not run at the same time",
        ),
        check=_more_than_both_alone,
    ),
    Gate(
        name="pageable_not_faster",
        severity=Severity.RELATION,
        statement="Copies of pageable memory are no faster than those of page-locked memory, but for 5 %.",
        source="a copy of page-locked memory needs no step that one of pageable memory does without",
        causes=(
            "the device reads pageable memory of the host itself, by its page tables",
            "something else used the link while page-locked memory was copied",
        ),
        check=_pageable_faster,
    ),
)
