"""Who reads whose result in the timed window, and how far apart the compiler lets the two issue.

*Issue distance* of an edge is the sum of the stalls from the producer up to, not including, the consumer:
the least number of cycles between their issues.  Where the producer's time is not known to the compiler it
sets a barrier (scoreboard) that something up to the consumer waits on; then the distance says nothing.
Compared with NVIDIA's own tables in Mesa (`sm75/sm80_instr_latencies.rs`): none lies below them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from reportgen.backends.cuda.registers import Effects, effects
from reportgen.backends.cuda.sass import NO_BARRIER, WORD, Instruction

CALLED = "CALL.REL.NOINC"
_NOTHING = Effects(frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Edge:
    """One instruction reads what another wrote; both by position in the window."""

    producer: int
    consumer: int
    distance: int
    """Issue distance in cycles."""
    scoreboard: bool
    """Whether the consumer waits on a barrier of the producer."""
    overwrites: bool
    """Whether the consumer also writes a register that the producer wrote."""


class Window:
    """The instructions between the two clock reads, with their dataflow.

    Args:
        instructions: of the whole kernel, in order of their addresses.
    """

    def __init__(self, instructions: Sequence[Instruction]) -> None:
        clocks = [number for number, one in enumerate(instructions) if one.clock]
        self.clocks = [instructions[number] for number in clocks]
        first, last = (clocks[0], clocks[-1]) if len(clocks) > 1 else (0, 0)
        self.body = list(instructions[first + 1 : last])
        self.bounds = (instructions[first], instructions[last]) if len(clocks) > 1 else None
        begin = instructions[first].offset if self.bounds else 0
        backward = [
            number
            for number, one in enumerate(instructions[last + 1 :], last + 1)
            if one.opcode.startswith("BRA") and 0 <= destination(one) <= begin
        ]
        self._again = bool(self.bounds and backward)
        """Whether the window is gone through more than once."""
        self._before = list(instructions[: first + 1])
        if self._again:  # what came before the first time has arrived long before the last
            top = destination(instructions[backward[-1]])
            self._before = [*instructions[last : backward[-1]], *(i for i in self._before if i.offset >= top)]
        self.effects = [_effects(one) for one in self.body]
        self._issue = [0]
        for one in self.body:
            self._issue.append(self._issue[-1] + one.control.stall)

    @property
    def loops(self) -> int:
        """Branches backward to a place in the window."""
        return len(self.backward())

    def backward(self) -> list[int]:
        """Places of branches backward to a place in the window, in order."""
        if self.bounds is None:
            return []
        begin = self.bounds[0].offset
        return [
            number
            for number, one in enumerate(self.body)
            if one.opcode.startswith("BRA") and begin < destination(one) <= one.offset
        ]

    def turns(self) -> list[list[Instruction]]:
        """What each loop of the window holds, nested ones in both."""
        found = []
        for number in self.backward():
            first = destination(self.body[number])
            found.append([one for one in self.body[: number + 1] if one.offset >= first])
        return found

    def control(self) -> frozenset[int]:
        """Places of what only counts turns: branches backward, and instructions that nothing else reads.

        They are no part of what is timed, though they take their issue slots.  From sm_80 to sm_89 the
        assembler leaves a loop by a call of what stands behind it, which does not return.
        """
        back = self.backward()
        if not back:
            return frozenset()
        behind = {self.body[number].offset + WORD.size for number in back}
        left = {n for n, one in enumerate(self.body) if one.opcode == CALLED and destination(one) in behind}
        first = min(destination(self.body[number]) for number in back)
        top = next(number for number, one in enumerate(self.body) if one.offset >= first)
        found = left.union(back)
        readers: dict[int, set[int]] = {}
        more = found
        while more:
            needed = set[str]().union(*(self.effects[number].reads for number in found))
            more = set()
            for number in range(len(self.body)):
                if number not in found and not needed.isdisjoint(self.effects[number].writes):
                    if number not in readers:
                        readers[number] = self._readers(number, top, max(back))
                    if readers[number] and readers[number] <= found:
                        more.add(number)
            found |= more
        return frozenset(found)

    def _readers(self, number: int, top: int, bottom: int) -> set[int]:
        """Who else reads what an instruction wrote, in a body whose part from `top` to `bottom` is a loop."""
        way = [*range(max(number, bottom) + 1, len(self.body)), *(range(number) if self._again else ())]
        if number <= bottom:
            way = [*range(number + 1, bottom + 1), *range(top, max(number, top) + 1), *way]
        found = set()
        for name in self.effects[number].writes:
            for other in way:
                effect = self.effects[other]
                if name in effect.reads and other != number:
                    found.add(other)
                if name in effect.writes:
                    break
        return found

    def edges(self) -> list[Edge]:
        """Every read of a register that was written in the window, one edge a pair of instructions."""
        writer: dict[str, int] = {}
        found = []
        for number, effect in enumerate(self.effects):
            for source in sorted({writer[name] for name in effect.reads if name in writer}):
                distance = self._issue[number] - self._issue[source]
                overwrites = bool(effect.writes & self.effects[source].writes)
                found.append(Edge(source, number, distance, self._waits(source, number), overwrites))
            writer |= dict.fromkeys(effect.writes, number)
        return found

    def _waits(self, producer: int, consumer: int) -> bool:
        barrier = self.body[producer].control.write_barrier
        if barrier == NO_BARRIER:
            return False
        return any(
            one.control.wait >> barrier & 1 or one.operands.startswith(f"SB{barrier}")
            for one in self.body[producer + 1 : consumer + 1]
        )

    def arrivals(self) -> list[Instruction]:
        """What issued before the window and whose result something in the window waits for."""
        pending: dict[int, Instruction] = {}
        for one in self._before:
            pending = {b: setter for b, setter in pending.items() if not one.control.wait >> b & 1}
            if one.control.write_barrier != NO_BARRIER:
                pending[one.control.write_barrier] = one
        found = []
        for one in self.body:
            if not pending:
                break
            found += [setter for b, setter in pending.items() if one.control.wait >> b & 1]
            done = {b for b in pending if one.control.wait >> b & 1 or one.control.write_barrier == b}
            pending = {b: setter for b, setter in pending.items() if b not in done}
        return found

    def predicted(self) -> int | None:
        """t1 - t0 in cycles if only the stalls take time; None where something waits or loops."""
        if self.bounds is None or self.loops:
            return None
        first, last = self.bounds
        if any(one.control.wait or one.opcode.startswith("DEPBAR") for one in [*self.body, last]):
            return None
        return first.control.stall + self._issue[-1]

    def span(self, first: int, last: int) -> int:
        """Cycles from the issue of one instruction to that of another, by the stalls."""
        return self._issue[last] - self._issue[first]


def _effects(instruction: Instruction) -> Effects:
    """What it reads and writes; one that may not run keeps, so needs, what its result held."""
    if instruction.never:
        return _NOTHING
    effect = effects(instruction.opcode, instruction.operands, instruction.predicate)
    if instruction.predicate and effect.writes:
        return Effects(effect.reads | effect.writes, effect.writes)
    return effect


def destination(branch: Instruction) -> int:
    """Offset that a branch goes to; -1 where it is not a number."""
    word = branch.operands.rpartition(",")[2].strip("`()")
    try:
        return int(word, 16)
    except ValueError:
        return -1


def chains(edges: Sequence[Edge], nodes: Collection[int]) -> int:
    """Number of dependency chains: groups of instructions joined by edges that hold one of `nodes`.

    A value that comes from none of them, such as a constant that is fetched again, joins nothing.
    """
    parent: dict[int, int] = {}
    fed = {edge.consumer for edge in edges} | set(nodes)

    def root(node: int) -> int:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for edge in edges:
        if edge.producer in fed:
            parent[root(edge.consumer)] = root(edge.producer)
    return len({root(node) for node in nodes})


def longest(edges: Sequence[Edge], nodes: Collection[int]) -> int:
    """How many of `nodes` lie on the longest dependency path."""
    wanted, depth = set(nodes), dict.fromkeys(nodes, 1)
    for edge in edges:  # producers come before consumers, so one pass in this order is enough
        before = depth.get(edge.producer, 0)
        depth[edge.consumer] = max(depth.get(edge.consumer, 0), before + (edge.consumer in wanted))
    return max(depth.values(), default=0)


def rootless(edges: Sequence[Edge], nodes: Collection[int]) -> list[int]:
    """Those of `nodes` that read, directly or through others, no result of another of `nodes`."""
    wanted, fed = set(nodes), set[int]()
    for edge in edges:
        if edge.producer in wanted or edge.producer in fed:
            fed.add(edge.consumer)
    return sorted(wanted - fed)


@dataclass(frozen=True, slots=True)
class Encoded:
    """What the compiler assumes of the edges between wanted instructions."""

    kind: str
    """`fixed`, or `scoreboard` where any edge is: then the chain takes longer than its stalls."""
    distance: int
    """Mode of the issue distance in cycles; of no meaning where the kind is `scoreboard`."""
    edges: str
    """Per pair of opcodes, how many at which distance: `FFMA>FFMA 4 x31`."""
    hazards: str
    """Edges at other distances than the mode of their pair, and what may enlarge them; often empty."""


def encoded(window: Window, edges: Sequence[Edge], nodes: Collection[int]) -> Encoded | None:
    """Distances over the edges between `nodes`; None where there is no such edge."""
    wanted = set(nodes)
    inside = [edge for edge in edges if edge.producer in wanted and edge.consumer in wanted]
    if not inside:
        return None
    fixed = [edge for edge in inside if not edge.scoreboard]
    pairs: dict[str, Counter[str]] = {}
    modes: dict[str, int] = {}
    for edge in inside:
        pairs.setdefault(_pair(window, edge), Counter())["sb" if edge.scoreboard else str(edge.distance)] += 1
    for pair in pairs:
        modes[pair] = _mode([edge.distance for edge in fixed if _pair(window, edge) == pair])
    odd = Counter(
        f"{_pair(window, edge)} {edge.distance}{' (also overwrites the result)' if edge.overwrites else ''}"
        for edge in fixed
        if edge.distance != modes[_pair(window, edge)]
    )
    return Encoded(
        kind="fixed" if len(fixed) == len(inside) else "scoreboard",
        distance=_mode([edge.distance for edge in fixed]),
        edges="; ".join(
            f"{pair} {', '.join(f'{value} x{n}' for value, n in counts.most_common())}"
            for pair, counts in sorted(pairs.items())
        ),
        hazards="; ".join(f"{text} x{n}" for text, n in sorted(odd.items())),
    )


def _pair(window: Window, edge: Edge) -> str:
    return f"{window.body[edge.producer].opcode}>{window.body[edge.consumer].opcode}"


def _mode(values: Sequence[int]) -> int:
    """The commonest, the smallest of several; 0 of none."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value), default=0)
