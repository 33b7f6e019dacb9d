"""Ceilings that come from outside the number itself: widest known cores, data sheets, the measured peak."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.findings.evidence import Evidence, central
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.metric import Kind
from reportgen.findings.published.library import Figure, Origin, Tier
from reportgen.findings.published.matching import comparable
from reportgen.findings.wording import contradictions
from reportgen.findings.wording.names import noun
from reportgen.roofline.points import precision_of

WIDEST = {
    "fp64": 32.0,
    "fp32": 64.0,
    "fp16": 1024.0,
    "bf16": 1024.0,
    "int8": 2048.0,
}
"""Work of one CPU core a cycle, at most: two 512-bit fused multiply-adds (FP64, FP32), or a product of two
tiles of 16 rows of 64 bytes every 16 cycles (the others)."""

OUTER_PRODUCTS = "sme"
"""Feature of cores whose matrix unit multiplies FP32 and FP64 too, and may be shared: no ceiling is known."""

CPUS = ("x86_64", "aarch64")

ROOM = 1.02
"""For rounding, and for a clock between two calibrations."""

LIBRARY_ROOM = 1.05
"""A library routine is timed as a whole, minutes apart from the peak."""


def _too_wide(evidence: Evidence) -> Iterator[Breach]:
    device = evidence.run.device
    if device.isa not in CPUS or OUTER_PRODUCTS in device.features:
        return
    for name, quantity in evidence.of_kind(Kind.PEAK_PER_CYCLE):
        limit = WIDEST.get(name.subject)
        if limit is not None and central(quantity) > limit * ROOM:
            rate = evidence.usable(f"peak.{name.subject}")  # the same work, a second
            yield Breach(
                (name.text, rate.metric) if rate is not None else (name.text,),
                contradictions.above_limit(
                    noun(name.text, evidence.title), central(quantity), limit, quantity.unit,
                    "the widest arithmetic of one core that has been sold",
                ),
            )  # fmt: skip


def _above_the_peak(evidence: Evidence) -> Iterator[Breach]:
    for name, quantity in evidence.of_kind(Kind.KERNEL):
        roof = evidence.usable(f"peak.{precision_of(quantity)}")
        if roof is not None and central(quantity) > central(roof) * LIBRARY_ROOM:
            yield Breach(
                (name.text, roof.metric),
                contradictions.wrong_order(
                    noun(name.text, evidence.title), central(quantity),
                    noun(roof.metric, evidence.title), central(roof), quantity.unit,
                    "no routine is faster than the best rate of its precision on the same core",
                ),
            )  # fmt: skip


def nominal_bandwidth(evidence: Evidence, level: str) -> tuple[float, str] | None:
    """Lowest stated ceiling of a level's bandwidth in byte/second, and who states it; None where nobody does.

    The driver's own figure, or a published nominal one of tier A for the same product; a slice of a device
    has neither.
    """
    reported = evidence.run.device.reported.get(f"{level}_bytes_per_second", 0)
    stated = [(float(reported), "the driver")] if isinstance(reported, (int, float)) and reported > 0 else []
    stated += [
        (figure.ends[1], f"the data sheet, as quoted for {figure.device}")
        for figure in evidence.figures
        if figure.metric == f"bandwidth.{level}"
        and _ceiling(figure)
        and comparable(figure, evidence.run.device)
    ]
    return min(stated, default=None)


def _ceiling(figure: Figure) -> bool:
    return figure.kind in (Origin.NOMINAL, Origin.REPORTED) and figure.tier is Tier.COUNTS


def _above_the_data_sheet(evidence: Evidence) -> Iterator[Breach]:
    for name, quantity in evidence.of_kind(Kind.BANDWIDTH):
        ceiling = nominal_bandwidth(evidence, name.subject)
        if ceiling is not None and central(quantity) > ceiling[0] * ROOM:
            yield Breach(
                (name.text,),
                contradictions.above_limit(
                    noun(name.text, evidence.title), central(quantity), ceiling[0], quantity.unit,
                    f"what the memory can do according to {ceiling[1]}",
                ),
            )  # fmt: skip


GATES = (
    Gate(
        name="core_arithmetic",
        severity=Severity.LIMIT,
        statement="No CPU core does more work a cycle than the widest that has been sold: 32 FLOP in FP64, "
        "64 in FP32, 1024 in FP16 and BF16, 2048 OP in INT8 (cores with SME excepted).",
        source="two 512-bit fused multiply-adds a cycle; products of two tiles of 16 rows of 64 bytes every "
        "16 cycles, as the processor vendors' optimisation guides describe them",
        causes=(
            "work is counted that no instruction does",
            "instructions were removed from the timed region",
            "the calibration beside the samples ran at another clock",
        ),
        check=_too_wide,
    ),
    Gate(
        name="library_within_peak",
        severity=Severity.RELATION,
        statement="No library routine exceeds the measured peak of its precision by more than 5 %.",
        source="the peak is the best rate of the same core in the same run",
        causes=(
            "the peak was measured beside a busy neighbour or at a lower clock",
            "the routine ran on more than one core",
            "the routine does less work than its definition counts",
        ),
        check=_above_the_peak,
    ),
    Gate(
        name="bandwidth_within_nominal",
        severity=Severity.LIMIT,
        statement="No bandwidth is above what the driver or a quoted data sheet of the same product states "
        "for its memory; a slice of a device has no such ceiling.",
        source="width and clock of the memory interface, from the driver or from the published figures",
        causes=(
            "cache-resident: the working set, or the part of it that all share, stays in a cache",
            "bytes are counted that do not reach the memory",
            "the data compress",
        ),
        check=_above_the_data_sheet,
    ),
)
