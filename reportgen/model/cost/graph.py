"""The dependency bound: how long a round of the loop takes if nothing but results is waited for.

Every instruction starts when its operands are there.  After many rounds the time of a round is that of the
slowest cycle of dependencies that returns to itself, over the rounds that it spans: the largest cycle mean
of the graph (Karp 1978), here read off the earliest times of the rounds themselves.

Memory carries a dependency where a load reads what a store of the same or an earlier round wrote: addresses
are compared as base + index x scale + displacement, with registers that only constants are added to.  What
cannot be compared is taken not to depend.  A load that reads only a part of what was stored, or more than
that, is told apart from one of the same bytes: what it takes is another question, which a run may have asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reportgen.model.cost.instruction import Address, Instruction

ROUNDS = 120
"""A multiple of every small number, so that a cycle that spans a few rounds ends with the last one."""

Latency = Callable[[Instruction, str], float | None]
"""(instruction, what it needs) -> cycles until its result; None where that holds nothing up."""
_VECTORS = frozenset({"xmm", "ymm", "zmm"})
MEMORY, OVERLAP = "memory", "overlap"
"""Instead of a register: a load from where a store of at least its width began; any other of stored bytes."""


@dataclass(frozen=True, slots=True)
class Edge:
    """`target` needs what `source` made `rounds` rounds ago, in `register` (or `memory`, or `overlap`)."""

    source: int
    target: int
    register: str
    rounds: int
    case: str = ""
    """Of what went through memory, its widths and place as metrics name them: `64_32.4`."""

    @property
    def needed(self) -> str:
        """The register, or `memory.64_32.0`."""
        return f"{self.register}.{self.case}" if self.case else self.register


@dataclass(frozen=True, slots=True)
class Chain:
    """The slowest cycle of dependencies."""

    cycles: float
    """A round."""
    members: tuple[int, ...]
    """Instructions on it, in order; empty where nothing is carried from round to round."""


def edges(body: Sequence[Instruction]) -> list[Edge]:
    """What each instruction needs of others, through registers and memory."""
    writers: dict[str, int] = {}
    for index, one in enumerate(body):
        writers.update(dict.fromkeys(one.writes, index))
    found: list[Edge] = []
    current: dict[str, int] = {}
    for index, one in enumerate(body):
        for register in one.reads:
            if register in current:
                found.append(Edge(current[register], index, register, 0))
            elif register in writers:
                found.append(Edge(writers[register], index, register, 1))
        current.update(dict.fromkeys(one.writes, index))
    return found + _through_memory(body)


def slowest(body: Sequence[Instruction], latency: Latency) -> Chain:
    """Cycles of a round, and the instructions that decide them."""
    graph = edges(body)
    into: list[list[tuple[int, int, float]]] = [[] for _ in body]
    for edge in graph:
        cycles = latency(body[edge.target], edge.needed)
        if cycles is not None:
            into[edge.target].append((edge.source, edge.rounds, cycles))
    times: list[list[float]] = []
    before: list[list[tuple[int, int] | None]] = []
    for number in range(ROUNDS + 1):
        row, origin = [0.0] * len(body), [None] * len(body)  # type: list[float], list[tuple[int, int] | None]
        for index in range(len(body)):
            for source, rounds, cycles in into[index]:
                there = row if not rounds else times[number - rounds] if rounds <= number else None
                if there is not None and there[source] + cycles > row[index]:
                    row[index], origin[index] = there[source] + cycles, (source, number - rounds)
        times.append(row)
        before.append(origin)
    half = ROUNDS // 2
    slopes = [(last - middle) / half for last, middle in zip(times[ROUNDS], times[half], strict=True)]
    worst = max(range(len(body)), key=lambda index: slopes[index], default=None)
    if worst is None or slopes[worst] <= 0:
        return Chain(0.0, ())
    return Chain(slopes[worst], _cycle(before, worst))


def _cycle(before: list[list[tuple[int, int] | None]], index: int) -> tuple[int, ...]:
    """Back from an instruction in the last round until one comes again."""
    path: list[int] = []
    seen: dict[int, int] = {}
    step: tuple[int, int] | None = (index, ROUNDS)
    while step is not None:
        at, number = step
        if at in seen and before[number][at] is not None:
            members = path[seen[at] :][::-1]
            first = members.index(min(members))
            return tuple(members[first:] + members[:first])
        seen[at] = len(path)
        path.append(at)
        step = before[number][at]
    return ()


@dataclass(frozen=True, slots=True)
class Place:
    """An address relative to registers at the beginning of the round, and how far it moves a round."""

    base: str
    index: str
    scale: int
    offset: int
    step: int
    bits: int


def places(body: Sequence[Instruction]) -> dict[int, Place]:
    """Instruction -> where it accesses memory, of those whose address can be followed."""
    steps, changes = walk(body)
    moved = dict.fromkeys(steps, 0)
    found = {}
    for index, one in enumerate(body):
        place = _place(one.address, steps, moved) if one.address is not None and one.memory else None
        if place is not None:
            found[index] = place
        change = changes[index]
        if change is not None and change[0] in moved:
            moved[change[0]] += change[1]
    return found


def _through_memory(body: Sequence[Instruction]) -> list[Edge]:
    followed = places(body)
    stores = [(index, place) for index, place in followed.items() if body[index].stores]
    loads = [(index, place) for index, place in followed.items() if body[index].loads]
    found = []
    for at, store in stores:
        for to, load in loads:
            rounds = _apart(store, load, at < to)
            if rounds is not None:
                offset = load.offset - store.offset + rounds * store.step
                whole = not offset and load.bits <= store.bits
                case = _case(body[at], store, body[to], load, offset)
                if whole or case:
                    found.append(Edge(at, to, MEMORY if whole else OVERLAP, rounds, case))
    return found


def _apart(store: Place, load: Place, before: bool) -> int | None:
    """Rounds after which a load first reads bytes that a store wrote; None where it never does."""
    kinds = [(one.base, one.index, one.scale, one.step) for one in (store, load)]
    if kinds[0] != kinds[1]:
        return None
    distance = load.offset - store.offset
    first = 0 if before else 1
    for rounds in range(first, first + 1 if not store.step else ROUNDS // 4 + 1):
        if -load.bits // 8 < distance + rounds * store.step < store.bits // 8:
            return rounds
    return None


def _case(store: Instruction, stored: Place, load: Instruction, loaded: Place, offset: int) -> str:
    """Widths and place of a store and a load of one register file; empty where they are of two."""
    vector, other = (not _VECTORS.isdisjoint(one.operands) for one in (store, load))
    if vector is not other:
        return ""
    mark = "v" if vector else ""
    return f"{mark}{stored.bits}_{mark}{loaded.bits}.{offset}"


Change = tuple[str, int] | None
"""A register and what an instruction adds to it."""


def walk(body: Sequence[Instruction]) -> tuple[dict[str, int], list[Change]]:
    """How registers move from round to round.

    An `and` with a mask of ones, and a copy of the low part of such a register, is taken as an index that
    wraps around.

    Returns:
        Register -> what is added to it in a round, of registers that nothing else changes; and what each
        instruction adds.
    """
    changes = [_increment(one) for one in body]
    writers: dict[str, list[int]] = {}
    for index, one in enumerate(body):
        for register in one.reads:
            writers.setdefault(register, [])
        for register in one.writes:
            writers.setdefault(register, []).append(index)
    steps: dict[str, int] = {}
    for register, own in writers.items():
        added = [changes[index] for index in own]
        if all(change is not None and change[0] == register for change in added):
            steps[register] = sum(change[1] for change in added if change is not None)
    for register, own in writers.items():
        source = _copied(body[own[0]]) if len(own) == 1 else None
        if register not in steps and source in steps:
            steps[register] = steps[source]
            changes[own[0]] = (register, steps[source])
    return steps, changes


def _copied(one: Instruction) -> str | None:
    """The register that an instruction copies, all of it or its low part."""
    if one.mnemonic in ("mov", "movzx") and not one.memory and len(one.reads) == 1:
        return one.reads[0]
    return None


def _increment(one: Instruction) -> Change:
    """(register, constant) of an instruction that adds one to the other, wrapping masks as 0."""
    registers = [name for name in one.writes if name not in ("cf", "zf")]
    if len(registers) != 1:
        return None
    (register,) = registers
    if one.mnemonic in ("inc", "dec"):
        return register, 1 if one.mnemonic == "inc" else -1
    if one.mnemonic == "lea" and one.address is not None and one.address.base == register:
        return (register, one.address.displacement) if not one.address.index else None
    if one.mnemonic not in ("add", "sub", "and") or one.operands[1:] != ("imm",) or one.memory:
        return None
    value = _immediate(one.text)
    if one.mnemonic == "and":
        return (register, 0) if value > 0 and value & (value + 1) == 0 else None
    return register, value if one.mnemonic == "add" else -value


def _immediate(text: str) -> int:
    """The constant at the end of an instruction in the decoder's spelling: `add rax,0FFh`."""
    word = text.rsplit(",", 1)[-1].strip()
    sign = -1 if word.startswith("-") else 1
    digits = word.lstrip("-")
    value = int(digits[:-1], 16) if digits.endswith("h") else int(digits)
    value *= sign
    return value - (1 << 64) if value >= 1 << 63 else value


def _place(address: Address, steps: dict[str, int], moved: dict[str, int]) -> Place | None:
    names = [name for name in (address.base, address.index) if name]
    if any(name not in steps for name in names):
        return None
    scale = {address.base: 1}
    scale[address.index] = scale.get(address.index, 0) + address.scale if address.index else 0
    offset = address.displacement + sum(moved[name] * scale[name] for name in set(names))
    step = sum(steps[name] * scale[name] for name in set(names))
    return Place(address.base, address.index, address.scale, offset, step, address.bits)
