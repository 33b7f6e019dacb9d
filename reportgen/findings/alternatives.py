"""Explanations of a shared slowdown that the evidence does or does not exclude.

An alternative is removed only with evidence from the same run, which is stored beside it.
"""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.analysis.quantity import Quantity
from reportgen.findings import interference
from reportgen.findings.evidence import Evidence, interval
from reportgen.findings.metric import Kind
from reportgen.findings.wording import instructions
from reportgen.runs.schema import Device

PIPELINE = "shared execution pipeline"
ISSUE_PORT = "issue port"
SCHEDULER = "scheduler"
READ_PORT = "register read port"
WRITEBACK = "writeback port"
FRONT_END = "fetch or dispatch limit of the front end"
CLOCK = "power or clock limit"

ALL = (PIPELINE, ISSUE_PORT, SCHEDULER, READ_PORT, WRITEBACK, FRONT_END, CLOCK)

CLOCK_AGREEMENT = 0.004
"""Calibrations before and after a sample that agree within this leave no room for a clock change that would
explain an index of 0.15 or more."""

BOUNDARY = (
    "page placement (set aliasing)",
    "reach of a TLB",
    "share of the cache taken by a neighbour",
    "replacement policy that gives up part of the level early",
)
"""What else can move the edge of a cache level."""

FIRST = "l1"
GPU_BOUNDARY = (
    "carve-out: a part of the memory serves as shared memory",
    "page placement (set aliasing)",
    "launch shape: how many blocks share the level",
    "reach of a TLB",
)
"""The same of the first level of a GPU, which is cut from one memory with shared memory ..."""
PARTS = "the level is in parts, and one multiprocessor fills its own part first"
GPU_FURTHER_BOUNDARY = (PARTS, *GPU_BOUNDARY[1:])
"""... and of the levels that all multiprocessors share."""

PAGES = (
    "page placement (set aliasing)",
    "huge pages granted in part only",
    "load of neighbours that differed between the visits",
)
"""What else than address translation can make loads slower on small pages."""

REPORTED_SIZE = (
    "a guest or container sees the host's cache and gets a share of it",
    "page placement (set aliasing)",
    "share of the cache taken by a neighbour",
)
"""Why a reported and a measured capacity can differ."""

GPU_REPORTED_SIZE = ("page placement (set aliasing)", "the device is a slice of a larger one")
"""The same on a GPU, beside what its first level or the further ones have of their own."""


def boundary(device: Device, level: str) -> tuple[str, ...]:
    """What else can move the edge of a cache level on a device."""
    if not device.gpu:
        return BOUNDARY
    return GPU_BOUNDARY if level == FIRST else GPU_FURTHER_BOUNDARY


def reported(device: Device, level: str) -> tuple[str, ...]:
    """Why what is reported of a level of a device and what was measured can differ."""
    if not device.gpu:
        return REPORTED_SIZE
    return (GPU_BOUNDARY[0] if level == FIRST else PARTS, *GPU_REPORTED_SIZE)


def weigh(evidence: Evidence, quantity: Quantity) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(alternatives left, alternatives excluded with their evidence) for an interference index."""
    excluded: dict[str, str] = {}
    agreement = evidence.run.sample_clock.agreement
    if quantity.n > 0 and 0 < agreement <= CLOCK_AGREEMENT:
        excluded[CLOCK] = instructions.steady_clock(quantity.n, agreement)
    if evidence.gpu:
        excluded |= _of_gpu(evidence, quantity)
    else:
        room = interference.front_end_room(evidence, quantity)
        if room is not None and room >= interference.FRONT_END_ROOM:
            excluded[FRONT_END] = instructions.front_end_idle(room)
    left = tuple(one for one in ALL if one not in excluded)
    return left, tuple(f"{one} ({why})" for one, why in excluded.items())


def _of_gpu(evidence: Evidence, quantity: Quantity) -> dict[str, str]:
    """What other windows of the run exclude, and what the mix reads of registers.

    Nothing but windows of as many instructions says what the front end of a GPU supplies: how fast its
    schedulers can be is nominal.
    """
    found = {}
    own, best = _issued(quantity), max(_issued(one) for _, one in evidence.of_kind(Kind.INTERFERENCE))
    if own > 0 and best >= interference.FRONT_END_ROOM * own:
        found[FRONT_END] = instructions.front_end_quicker(best / own)
    by_reads = interference.register_index(quantity)
    if by_reads is not None and interval(quantity)[0] > by_reads + interference.SCATTER:
        found[READ_PORT] = instructions.registers_read(by_reads)
    return found


def on_the_way(evidence: Evidence, quantities: Iterable[Quantity]) -> tuple[str, ...]:
    """On a GPU: what two kinds pass before what executes them, and nothing of the run excludes."""
    if not evidence.gpu:
        return ()
    left = {one for quantity in quantities for one in weigh(evidence, quantity)[0]}
    return tuple(one for one in (READ_PORT, FRONT_END) if one in left)


def _issued(quantity: Quantity) -> float:
    """Instructions a cycle of a mix; 0 where it does not say."""
    details = quantity.details
    count = sum(float(details.get(name, 0.0)) for name in ("first_count", "second_count"))
    cycles = float(details.get("cycles_together", 0.0))
    return count / cycles if cycles > 0 else 0.0
