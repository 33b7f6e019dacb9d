"""The estimate of a SASS loop, or of a mix of operations: one warp alone, and as many as a scheduler holds.

Latencies and issue intervals are those that were measured, else those that the vendor's assembler encodes;
the estimate says which.

    dependencies   a warp takes at least the time of its own, in as many turns as its registers make necessary
    issue          a scheduler issues one instruction a cycle
    resources      what instructions compete for: paired in the run, else by the vendor's pipelines

The bytes of a round have a bound of their own (`gpu_memory`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reportgen.model.architecture import Architecture, Fact
from reportgen.model.cost import graph, pipelines
from reportgen.model.cost.bounds import Bound
from reportgen.model.cost.gpu_memory import LANES, SCHEDULERS
from reportgen.model.cost.instruction import Instruction
from reportgen.model.cost.latency import NOTHING, Span
from reportgen.model.cost.sass_operations import operation
from reportgen.model.cost.schedule import CONVERSIONS, largest
from reportgen.model.cost.uses import Demand, How
from reportgen.status import USABLE

LANE_REGISTERS = 512
"""32-bit registers that a scheduler has for each of its 32 lanes (64 K a multiprocessor, four schedulers)."""

MOST_WARPS = 16
"""That a scheduler holds on the largest devices, 64 a multiprocessor (same section); on others 8 or 12."""
UNTOLD = 40.0
"""Cycles of an instruction whose latency nothing tells, at the upper end: a load from shared memory or a
special function takes 20 to 40; one from global memory more, which no bound here speaks of."""

_GLOBAL = re.compile(r"(LDG|STG|LD|ST|RED|ATOM|ATOMG)\b.*")
_LOCAL = re.compile(r"(LDL|STL)\b.*")


@dataclass(frozen=True, slots=True)
class Warp:
    """What a round of one warp asks for."""

    dependencies: Span
    chain: tuple[Instruction, ...]
    slots: float
    """Instructions that the scheduler issues."""
    work: dict[str, Span]
    """Operation -> cycles of its pipeline."""
    counts: dict[str, float]
    unknown: tuple[str, ...]
    number_unknown: float
    encoded: bool
    """Whether some of the numbers are those of the assembler."""


class Numbers:
    """Latencies and issue intervals of a model, cycles of a scheduler."""

    def __init__(self, architecture: Architecture) -> None:
        self._known = {fact.metric: fact for fact in architecture.facts if fact.status in USABLE}
        self.encoded = False
        """Whether one that was asked for is the assembler's."""

    def interval(self, name: str) -> Span | None:
        """From one instruction of an operation to the next; None where nothing tells."""
        for metric in (f"issue_interval.{name}", f"tensor.issue_interval.{name}"):
            if (span := _span(self._known.get(metric))) is not None:
                return span.scaled(SCHEDULERS)
        encoded = _span(self._known.get(f"encoded.issue.{name}"))
        if encoded is None:
            return None
        self.encoded = True
        if _span(self._known.get(f"encoded.latency.{name}")) is not None:
            return encoded
        # it runs beside its warp: the assembler keeps a least distance, the rate may be lower
        return Span(encoded.low, encoded.value, pipelines.slowest(name, encoded.high))

    def latency(self, name: str) -> Span | None:
        """From an operand to the result."""
        for metric in (f"latency.{name}", f"tensor.latency.{name}", f"encoded.latency.{name}"):
            if (span := _span(self._known.get(metric))) is not None:
                self.encoded |= metric.startswith("encoded.")
                return span
        return None


def _span(fact: Fact | None) -> Span | None:
    if fact is None or fact.value is None:
        return None
    low, high = fact.low, fact.high
    return Span(fact.value if low is None else low, fact.value, fact.value if high is None else high)


def warp(body: Sequence[Instruction], architecture: Architecture) -> Warp:
    """A round of one warp."""
    numbers = Numbers(architecture)
    latency: dict[Instruction, Span | None] = {}
    counts: Counter[str] = Counter()
    unknown: list[str] = []
    for one in body:
        name = operation(one.mnemonic)
        latency[one] = numbers.latency(name) if name else Span(0.0, 0.0, 0.0)
        if name:
            counts[name] += 1
        if name is None or (name and latency[one] is None and numbers.interval(name) is None):
            unknown.append(one.text)

    def chain(end: str, untold: float) -> graph.Chain:
        return graph.slowest(
            body, lambda one, _: untold if (told := latency[one]) is None else getattr(told, end)
        )

    value = chain("value", 0.0)
    return Warp(
        dependencies=Span(chain("low", 0.0).cycles, value.cycles, chain("high", UNTOLD).cycles),
        chain=tuple(body[index] for index in value.members),
        slots=float(len(body)),
        work=_work(counts, numbers),
        counts={name: float(count) for name, count in counts.items()},
        unknown=tuple(dict.fromkeys(unknown)),
        number_unknown=float(len(unknown)),
        encoded=numbers.encoded,
    )


def mix(counts: Mapping[str, float], architecture: Architecture) -> Warp:
    """The same of operations without order, which depend on nothing."""
    numbers = Numbers(architecture)
    known = {name: count for name, count in counts.items() if numbers.interval(name) is not None}
    missing = {name: count for name, count in counts.items() if name not in known}
    return Warp(
        dependencies=NOTHING,
        chain=(),
        slots=sum(counts.values()),
        work=_work(known, numbers),
        counts=known,
        unknown=tuple(missing),
        number_unknown=sum(missing.values()),
        encoded=numbers.encoded,
    )


def _work(counts: Mapping[str, float], numbers: Numbers) -> dict[str, Span]:
    found = {name: numbers.interval(name) for name in counts}
    return {name: span.scaled(counts[name]) for name, span in found.items() if span is not None}


def bounds(one: Warp, architecture: Architecture, warps: int, turns: int = 1) -> list[Bound]:
    """What a round of `warps` warps takes at least, by cause.

    Args:
        one: a round of one warp.
        architecture: the model.
        warps: of a scheduler.
        turns: one after the other, where not all of them fit at once.
    """
    wait = one.dependencies.scaled(turns)
    chain = " → ".join(each.text for each in one.chain[:4])
    more = f" → … ({len(one.chain)} instructions)" if len(one.chain) > 4 else ""
    untold = "a latency that nothing tells" if wait.high > 0 else "nothing is carried from round to round"
    of = "of one warp" if turns == 1 else f"{turns} turns of warps that do not fit at once"
    slots = warps * one.slots
    issued = f"{_plural(warps, 'warp')} of {_plural(one.slots, 'instruction')}"
    busy, why = _resources(one, architecture)
    busy = busy.scaled(warps)
    found = [
        Bound(
            "dependencies", wait.value, wait.low, wait.high,
            f"{of}: {chain or untold}{more}",
        ),
        Bound("issue", slots, slots, slots, issued),
        Bound("resources", busy.value, busy.low, busy.high, why),
    ]  # fmt: skip
    return [each for each in found if each.high > 0]


def conversions(one: Warp, architecture: Architecture) -> float:
    """Cycles of a round less, of the resources, without conversions."""
    plain = {name: span for name, span in one.work.items() if not CONVERSIONS.fullmatch(name)}
    counts = {name: one.counts[name] for name in plain}
    fewer = Warp(one.dependencies, (), one.slots, plain, counts, (), 0.0, one.encoded)
    removed = sum(count for name, count in one.counts.items() if CONVERSIONS.fullmatch(name))
    with_them = max(one.slots, _resources(one, architecture)[0].value)
    return with_them - max(one.slots - removed, _resources(fewer, architecture)[0].value)


def _resources(one: Warp, architecture: Architecture) -> tuple[Span, str]:
    """Cycles by what competes: as measured where operations were paired, else by documented pipelines."""
    model = architecture.resources
    paired = {name: use for name in one.work if model is not None and (use := model.use(name)) is not None}
    asked = {}
    for name, use in paired.items():
        cycles = use.cycles * SCHEDULERS
        asked[name] = (
            Demand(frozenset(use.resources), cycles, cycles, How.PAIRED), cycles * one.counts[name]
        )  # fmt: skip
    told, _ = largest(asked)
    rest = {name: span for name, span in one.work.items() if name not in paired}
    span, which = pipelines.busy(rest)
    both = Span(max(told, span.low), max(told, span.value), told + span.high)
    if told >= span.value:
        return both, "of operations that were paired in the run"
    names = ", ".join(name for name in rest if pipelines.pipeline(name) == which)
    return both, f"{which} pipeline: {names}"


def open_questions(one: Warp, architecture: Architecture) -> list[str]:
    """What a run on the device would settle."""
    found = []
    model = architecture.resources
    rest = [name for name in one.work if model is None or model.use(name) is None]
    competing = sorted({pipelines.pipeline(name) for name in rest} & pipelines.TOGETHER)
    if len(competing) > 1:
        found.append(f"whether {' and '.join(competing)} compete was not measured: the range spans both")
    if one.encoded:
        found.append("numbers of the assembler where none were measured: least distances, not latencies")
    return found


def _plural(count: float, what: str) -> str:
    return f"{count:g} {what}{'s' if count != 1 else ''}"


def registers(body: Sequence[Instruction]) -> int:
    """32-bit registers that a thread must have for the loop: the highest one named, and those below."""
    names = {name for one in body for name in (*one.reads, *one.writes)}
    numbers = [int(name[1:]) for name in names if re.fullmatch(r"R\d+", name)]
    return max(numbers, default=-1) + 1


def fitting(needed: int) -> int:
    """Warps that a scheduler holds, and has registers for."""
    return min(MOST_WARPS, max(1, LANE_REGISTERS // max(1, needed)))


def notes(body: Sequence[Instruction], one: Warp, architecture: Architecture, warps: int) -> list[str]:
    """What registers allow, how many warps hide the latencies, what is spilled, what memory moves."""
    needed = registers(body)
    most = fitting(needed)
    found = []
    if needed:
        found.append(
            f"{needed} registers a thread or more: a scheduler holds at most {_plural(most, 'warp')}"
        )
    if warps > most:
        found.append(
            f"occupancy: {warps} warps do not fit at once; they take {math.ceil(warps / most)} turns"
        )
    each = max(one.slots, _resources(one, architecture)[0].value)
    if one.dependencies.value > each > 0:
        wanted = math.ceil(one.dependencies.value / each)
        said = f"occupancy: {wanted} warps of a scheduler hide the dependencies of each"
        found.append(said if wanted <= most else f"{said}, more than fit at once")
    spilled = sum(bool(_LOCAL.fullmatch(each.mnemonic)) for each in body)
    if spilled:
        found.append(
            f"register pressure: {spilled} of the accesses are to local memory, as of spilled values"
        )
    moved = sum(
        LANES * each.address.bits // 8
        for each in body
        if each.address is not None and _GLOBAL.fullmatch(each.mnemonic)
    )
    if moved:
        found.append(f"global memory: {moved} bytes a round of a warp")
    return found
