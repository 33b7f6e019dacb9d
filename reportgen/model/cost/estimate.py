"""The estimate of a loop body: bounds by what could decide, the one that does, and how sure that is.

    dependencies   results that a round needs of the round before            (graph)
    resources      what the operations compete for                           (uses, resource model)
    front end      instructions that can be issued a cycle                   (canary)
    memory         data of a round through the level that they come from     (memory_bound)

    schedule       a scheduler that does not know what will come             (simulate)

A round takes at least the largest of the first four.  The schedule is what it takes if operations are handed
to resources in program order; it is the estimate where it is larger.  Real schedulers do still worse where
several bounds are close, so the upper end adds what the others take, by a norm.
"""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from reportgen.model.architecture import Architecture
from reportgen.model.cost import (
    bounds,
    branching,
    exact,
    forwarding,
    gpu,
    gpu_memory,
    memory_bound,
    pressure,
    splits,
    surveyed,
    x86_64,
)
from reportgen.model.cost.bounds import Bound
from reportgen.model.cost.instruction import Body, Instruction
from reportgen.model.cost.latency import NOTHING, Span
from reportgen.model.cost.parse import Unreadable
from reportgen.model.cost.schedule import Schedule, schedule
from reportgen.model.cost.uses import How, Uses
from reportgen.model.cost.x86_64 import Taken

COST_SCHEMA = 1
MEASURED, ALIKE, ENCODED = "measured", "alike", "encoded"
WITHOUT_ORDER = "a mix without order: no dependencies"
WITHOUT_SIZE = "no memory bound: --bytes, the size of the data, names the level that they come from"
NORM = 3.0
"""Exponent of the upper end: two equal bounds make 2^(1/3), 26 % more than either."""
AGAIN = 0.001
"""By how much of itself a loop's time differs when another run measures it again: three of four loops, in
three runs of one device, differ by no more.  Many a latency has a narrower interval."""


class Share(msgspec.Struct, frozen=True):
    """Instructions of one operation."""

    operation: str
    title: str
    count: float
    how: str
    """`measured`, `alike`, `encoded` or `survey`; how its resources were found where it was not paired."""


class Estimate(msgspec.Struct, frozen=True):
    """What a body costs on a device."""

    schema: int
    name: str
    device: str
    run: str
    cycles: float
    """Of a round."""
    low: float
    high: float
    items: float
    """Results of a round."""
    seconds: float
    """Of a round at the clock of the run; 0 where that is not known."""
    decides: str
    """Name of the bound that is largest; several with ` or ` where their ranges overlap."""
    bounds: tuple[Bound, ...]
    instructions: float
    covered: float
    """Share of the instructions that the model knows."""
    unknown: tuple[str, ...]
    operations: tuple[Share, ...]
    conversions: float
    """Cycles of a round that the resources would be free without conversions and moves between files."""
    notes: tuple[str, ...]

    @property
    def each(self) -> Span:
        """Cycles of one result."""
        return Span(self.low, self.cycles, self.high).scaled(1 / self.items)


def estimate(body: Body, architecture: Architecture, size: float = 0.0, warps: int = 1) -> Estimate:
    """What a body costs.

    Args:
        body: of `parse.read`.
        architecture: the model of a device.
        size: bytes of the working set, of a GPU that of all multiprocessors together; 0 where all is in the
            first level.
        warps: on a GPU, warps of a scheduler; the cycles are those of a round of all of them.

    Raises:
        Unreadable: the body is for another instruction set, or names an operation that no run knows.
    """
    _check(body, architecture)
    uses = Uses(architecture)
    if _is_gpu(architecture):
        return _gpu(body, architecture, uses, warps, size)
    if not body.instructions:
        return _mix(body, architecture, uses, size)
    body = msgspec.structs.replace(body, instructions=surveyed.waiting(body.instructions, architecture))
    forms, whole = uses.forms, uses.whole
    taken = {one: x86_64.take(one, forms, whole) for one in body.instructions}
    taken = exact.told(taken, uses)
    taken = splits.counted(body.instructions, taken, uses, bounds.line(architecture))
    counts = _counts(taken, body.instructions)
    plan = schedule(counts, uses, architecture)
    found = [
        bounds.dependencies(body.instructions, architecture, taken),
        bounds.resources(plan),
        bounds.front_end(body.instructions, architecture),
        bounds.branches(body.instructions, architecture),
        bounds.memory(body.instructions, architecture, size),
    ]
    found.append(bounds.scheduled(body.instructions, architecture, taken, uses, found))
    unknown = dict.fromkeys(one.text for one in body.instructions if not taken[one].known)
    number = sum(not taken[one].known for one in body.instructions)
    notes = [*body.notes, *pressure.notes(body.instructions), *_why(found)]
    notes += branching.notes(body.instructions, architecture)
    notes += forwarding.notes(body.instructions, architecture, taken)
    crossing = sum(splits.shares(body.instructions, bounds.line(architecture)).values())
    if crossing:
        notes.append(f"loads that lie in two cache lines: {crossing:.3g} a round, if arrays begin at one")
    together = _together(
        body, architecture, [one for one in found if one is not None and one.cycles > 0], plan, counts, uses,
        total=len(body.instructions), covered=1 - number / len(body.instructions), unknown=tuple(unknown),
        known=_known(taken), notes=tuple(notes),
    )  # fmt: skip
    return msgspec.structs.replace(together, low=together.low * (1 - AGAIN), high=together.high * (1 + AGAIN))


def _is_gpu(architecture: Architecture) -> bool:
    return architecture.isa.startswith("sm_")


def _check(body: Body, architecture: Architecture) -> None:
    isa = "cuda" if _is_gpu(architecture) else architecture.isa
    if body.isa and body.isa != isa:
        names = {"cuda": "SASS", "x86_64": "x86-64 code"}
        raise Unreadable(
            f"'{body.name}' is {names.get(body.isa, body.isa)}, {architecture.device} is {architecture.isa}.",
            "Name a device of that instruction set with --device.",
        )


def _counts(taken: Mapping[Instruction, Taken], body: Sequence[Instruction]) -> dict[str, float]:
    """Operation -> instructions of a round; what renaming may do counts for nothing here."""
    found: Counter[str] = Counter()
    for one in body:
        for part in taken[one].parts if not taken[one].eliminated else ():
            found[part.operation] += part.asked  # type: ignore[assignment]
    return dict(found)


def _known(taken: Mapping[Instruction, Taken]) -> dict[str, str]:
    """Operation -> whether every instruction that is taken as it is the one that was measured."""
    found: dict[str, str] = {}
    for one in taken.values():
        for part in one.parts:
            if surveyed.is_surveyed(part.operation):
                found[part.operation] = surveyed.SURVEYED
                continue
            alike = not part.measured or found.get(part.operation) == ALIKE
            if part.form and not alike:
                found[part.operation] = surveyed.SURVEYED
                continue
            found[part.operation] = ALIKE if alike else MEASURED
    return found


def _why(found: Sequence[Bound | None]) -> list[str]:
    """Why a memory bound that was asked for is missing."""
    missing = [one for one in found if one is not None and one.name == "memory" and not one.cycles]
    return [f"no memory bound: {one.why}" for one in missing]


def _gpu(body: Body, architecture: Architecture, uses: Uses, warps: int, size: float) -> Estimate:
    """Of a SASS loop or of a mix; `warps` of a scheduler, in turns where their registers do not fit."""
    code = body.instructions
    one = gpu.warp(code, architecture) if code else gpu.mix(body.counts, architecture)
    if not one.work and not code:
        raise _unrated(architecture, one.unknown)
    turns = math.ceil(warps / gpu.fitting(gpu.registers(code))) if code else 1
    notes = [*body.notes]
    notes += gpu.notes(code, one, architecture, warps) if code else [WITHOUT_ORDER]
    notes += gpu.open_questions(one, architecture)
    found = gpu.bounds(one, architecture, warps, turns)
    moved = gpu_memory.traffic(code) if code else gpu_memory.of_mix(body.counts)
    memory = gpu_memory.bound(moved, size, warps, architecture) if size > 0 else None
    notes += _why([memory])
    if memory is not None and memory.cycles:
        found.append(memory)
        notes.append(gpu_memory.ASSUMED)
    elif size <= 0 and moved.into + moved.out > 0:
        notes.append(WITHOUT_SIZE)
    plan = Schedule(NOTHING, (), 0, warps * gpu.conversions(one, architecture))
    return _together(
        body, architecture, found, plan, one.counts, uses,
        total=one.slots, covered=1 - one.number_unknown / one.slots, unknown=one.unknown,
        known=dict.fromkeys(one.counts, ENCODED if one.encoded else MEASURED), notes=tuple(notes),
    )  # fmt: skip


def _unrated(architecture: Architecture, missing: Iterable[str]) -> Unreadable:
    known = [one.operation for one in architecture.instructions]
    names = list(missing)
    similar = [near for name in names for near in difflib.get_close_matches(name, known, n=2)]
    meant = f" Did you mean {' or '.join(dict.fromkeys(similar))}?" if similar else ""
    return Unreadable(
        f"{architecture.device} has no rate of {', '.join(names)}.",
        f"'reportgen derive RUN' lists the operations that were measured.{meant}",
    )


def _mix(body: Body, architecture: Architecture, uses: Uses, size: float) -> Estimate:
    known = {name: count for name, count in body.counts.items() if uses.interval(name) is not None}
    missing = [name for name in body.counts if name not in known]
    if not known:
        raise _unrated(architecture, missing)
    plan = schedule(known, uses, architecture)
    rate = architecture.resources.front_end if architecture.resources is not None else 0.0
    total = sum(body.counts.values())
    found: list[Bound | None] = [bounds.resources(plan)]
    if rate > 0:
        least = total / rate
        found.append(Bound("front end", least, least, least, f"{total:g} at {rate:.3g} a cycle"))
    found.append(bounds.moving(memory_bound.of_mix(known), architecture, size))
    return _together(
        body, architecture, [one for one in found if one is not None and one.cycles > 0], plan, known, uses,
        total=total, covered=sum(known.values()) / total, unknown=tuple(missing),
        known=dict.fromkeys(known, MEASURED), notes=(WITHOUT_ORDER, *_why(found)),
    )  # fmt: skip


def _together(
    body: Body,
    architecture: Architecture,
    found: Sequence[Bound],
    plan: Schedule,
    counts: Mapping[str, float],
    uses: Uses,
    *,
    total: float,
    covered: float,
    unknown: tuple[str, ...],
    known: Mapping[str, str],
    notes: tuple[str, ...],
) -> Estimate:
    ordered = sorted(found, key=lambda one: -one.cycles)
    cycles = ordered[0].cycles if ordered else 0.0
    rivals = [
        one.name
        for one in ordered
        if one is ordered[0] or (one.high >= ordered[0].low and one.cycles >= 0.9 * cycles)
    ]
    norm = sum(one.high**NORM for one in ordered) ** (1 / NORM)
    # what the model does not know may take as long as what it knows, instruction by instruction
    high = norm / covered if covered > 0 else float("inf")
    hertz = architecture.resources.cycle_hz if architecture.resources is not None else 0.0
    return Estimate(
        schema=COST_SCHEMA,
        name=body.name,
        device=architecture.device,
        run=architecture.run,
        cycles=cycles,
        low=min(max((one.low for one in ordered), default=0.0), cycles),
        high=max(high, cycles),
        items=body.items,
        seconds=cycles / hertz if hertz > 0 else 0.0,
        decides=" or ".join(rivals),
        bounds=tuple(ordered),
        instructions=total,
        covered=covered,
        unknown=unknown,
        operations=tuple(
            Share(name, uses.title(name), count, _how(uses, name, known.get(name, ALIKE)))
            for name, count in sorted(counts.items(), key=lambda one: -one[1])
        ),
        conversions=plan.conversions,
        notes=notes,
    )


def _how(uses: Uses, name: str, known: str) -> str:
    demand = uses.demand(name) if known != ENCODED else None
    words = [known]
    if demand is not None and demand.how is not How.PAIRED:
        words.append(f"resources {demand.how}")
    return ", ".join(words)
