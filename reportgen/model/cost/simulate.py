"""A loop, round after round, on the resources of a device: how long it takes when nobody plans ahead.

Bounds assume a scheduler that knows what will come.  A core does not: it issues in program order, picks a
resource for an operation there and then (the one for which fewest wait, of equals the one longest unused),
and each resource takes the oldest of its operations whose operands are there.  Choices that turn out badly
cost cycles that no bound shows.

What is simulated: issue of so many slots a cycle; a window of instructions in flight; every instruction as
a load, a computation and a store, each with its own operands; latencies and resources as measured.  What is
not: fetch, decoding, mispredicted branches, misses.

The early choice is how AMD's and Intel's cores are described (Abel and Reineke, "uiCA", ICS 2022, for Intel).
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reportgen.model.cost import graph
from reportgen.model.cost.fusion import fuses
from reportgen.model.cost.instruction import Instruction
from reportgen.model.cost.latency import Latencies
from reportgen.model.cost.uses import Demand, Uses
from reportgen.model.cost.x86_64 import Part, Taken

WINDOW = 224
"""Instructions in flight, where a run did not ask: recent cores have 200 to 500, and few loops need more."""
ROUNDS = 96
"""Simulated; the first half fills the window."""
MOST_STEPS = 60_000
"""Operations simulated at most: a long body gets fewer rounds, at least `LEAST_ROUNDS`."""
LEAST_ROUNDS = 12
WHOLE = 0.06
"""An operation's cycles this close to a whole number are it: the rest is what was mismeasured."""


@dataclass(slots=True)
class _Step:
    """A load, a computation or a store of an instruction, in program order of the body."""

    demands: list[Demand]
    latency: float
    needs: list[tuple[int, int]] = field(default_factory=list)
    """(step, rounds before) of what it waits for."""
    forwarded: list[tuple[int, int, float]] = field(default_factory=list)
    """(store, rounds before, cycles until the result) of what a load may get without the cache."""
    slots: int = 0


def simulate(
    body: Sequence[Instruction],
    taken: Mapping[Instruction, Taken],
    latencies: Latencies,
    uses: Uses,
    width: float,
    window: int = WINDOW,
) -> float:
    """Cycles of a round.

    Args:
        body: one round.
        taken: what each instruction is in terms of operations.
        latencies: of operations.
        uses: resources of operations.
        width: slots that are issued a cycle.
        window: instructions in flight.
    """
    steps = _steps(body, taken, latencies, uses)
    rounds = max(LEAST_ROUNDS, min(ROUNDS, MOST_STEPS // max(1, len(steps))))
    return _Machine(steps, width, rounds, window).run()


def _steps(
    body: Sequence[Instruction], taken: Mapping[Instruction, Taken], latencies: Latencies, uses: Uses
) -> list[_Step]:
    """Steps of a round, with what they need of each other."""
    steps: list[_Step] = []
    result: list[int] = []  # instruction -> the step that makes its result
    loads: list[int | None] = []
    stores: list[int | None] = []
    before: Instruction | None = None
    for one in body:
        what = taken[one]
        wants = list(what.parts)
        computing = wants.pop(0) if what.computes else None
        first = len(steps)
        load = store = None
        if one.loads:
            load = len(steps)
            wanted = [part for part in wants if "load" in part.operation]
            steps.append(_Step(_demands(uses, wanted), _rounded(latencies.loading(one))))
        made = len(steps)
        if computing is not None or not one.memory:
            wanted = [computing] if computing is not None and not what.eliminated else []
            steps.append(_Step(_demands(uses, wanted), _rounded(latencies.computing(one))))
        elif load is not None:
            made = load
        if one.stores:
            store = len(steps)
            wanted = [part for part in wants if "store" in part.operation]
            steps.append(_Step(_demands(uses, wanted), 0.0))
            made = made if made < store else store
        steps[first].slots = 0 if before is not None and fuses(before, one) else 1
        result.append(made)
        loads.append(load)
        stores.append(store)
        before = one
    for parts in zip(loads, result, stores, strict=True):
        own = [step for step in parts if step is not None]
        for first, second in itertools.pairwise(own):
            if first < second:
                steps[second].needs.append((first, 0))
    for edge in graph.edges(body):
        one = body[edge.target]
        if edge.register in (graph.MEMORY, graph.OVERLAP):
            source, target = stores[edge.source], loads[edge.target]
            cycles = latencies.forwarded(one, edge)
            if source is not None and target is not None and cycles is not None:
                steps[target].forwarded.append((source, edge.rounds, _rounded(cycles)))
            continue
        address = one.address is not None and edge.register in (one.address.base, one.address.index)
        targets = (
            {loads[edge.target], stores[edge.target]} - {None}
            if address and one.memory
            else set[int | None]()
        )
        if not address or not one.memory or _also_value(one, edge.register):
            targets.add(result[edge.target])
        for target in targets:
            if target is not None:
                steps[target].needs.append((result[edge.source], edge.rounds))
    return steps


def _also_value(one: Instruction, register: str) -> bool:
    """Whether a register of the address is a source beside that; rare, and only told for copies to itself."""
    return (
        register in one.writes and one.stores == 0 and one.mnemonic not in ("mov", "movzx", "movsx", "movsxd")
    )


def _demands(uses: Uses, parts: Sequence[Part]) -> list[Demand]:
    found = ((uses.demand(part.operation), part.share) for part in parts)
    return [_asked(demand, share) for demand, share in found if demand is not None]


def _asked(demand: Demand, share: float) -> Demand:
    return Demand(demand.resources, _rounded(demand.cycles * share), demand.low, demand.how)


def _rounded(cycles: float) -> float:
    near = float(round(cycles))
    return near if abs(cycles - near) <= WHOLE * max(1.0, near) else cycles


class _Machine:
    """The state of the simulation."""

    def __init__(self, steps: list[_Step], width: float, rounds: int, window: int) -> None:
        self._steps, self._width, self._rounds, self._window = steps, width, rounds, window
        names = sorted({name for step in steps for demand in step.demands for name in demand.resources})
        self._queues: dict[str, list[tuple[int, int, float]]] = {name: [] for name in names}
        self._used = dict.fromkeys(names, -1)
        self._free = dict.fromkeys(names, 0.0)
        self._done: list[list[float | None]] = [[None] * len(steps) for _ in range(rounds)]
        self._left: list[list[int]] = [[len(step.demands) for step in steps] for _ in range(rounds)]
        self._started: list[list[float]] = [[0.0] * len(steps) for _ in range(rounds)]

    def run(self) -> float:
        """Cycles of a round, once the window is full."""
        count = len(self._steps)
        total = count * self._rounds
        flying: deque[tuple[int, int]] = deque()
        ends = [0.0] * self._rounds
        issued, credit, now = 0, 0.0, 0
        instructions = 0
        while issued < total or flying:
            credit = min(credit + self._width, 2 * self._width)
            while issued < total and instructions < self._window:
                number, index = divmod(issued, count)
                slots = self._steps[index].slots
                if slots > credit:
                    break
                credit -= slots
                instructions += slots
                self._issue(number, index, issued)
                flying.append((number, index))
                issued += 1
            self._execute(now)
            self._complete(flying)
            while flying:
                number, index = flying[0]
                done = self._done[number][index]
                if done is None or done > now + 1:
                    break
                flying.popleft()
                instructions -= self._steps[index].slots
                ends[number] = max(ends[number], now)
            now += 1
            if now > total * 64:  # no progress: an instruction waits for one that never comes
                return 0.0
        half = self._rounds // 2
        return (ends[-1] - ends[half - 1]) / (self._rounds - half)

    def _issue(self, number: int, index: int, order: int) -> None:
        for demand in self._steps[index].demands:
            name = min(sorted(demand.resources), key=lambda one: (len(self._queues[one]), self._used[one]))
            self._used[name] = order
            self._queues[name].append((number, index, demand.cycles))

    def _execute(self, now: int) -> None:
        """Each resource takes its oldest operation whose operands are there."""
        for name, queue in self._queues.items():
            if self._free[name] >= now + 1:
                continue
            for place, (number, index, cycles) in enumerate(queue):
                ready = self._ready(number, index)
                if ready is not None and ready <= now:
                    del queue[place]
                    start = max(self._free[name], float(now))
                    self._free[name] = start + cycles
                    self._left[number][index] -= 1
                    self._started[number][index] = max(self._started[number][index], float(now))
                    break

    def _complete(self, flying: deque[tuple[int, int]]) -> None:
        for number, index in flying:
            if self._done[number][index] is None and not self._left[number][index]:
                step = self._steps[index]
                ready, stored = self._ready(number, index), self._forwarded(number, index)
                if ready is not None and stored is not None:
                    start = max(ready, self._started[number][index]) if step.demands else ready
                    self._done[number][index] = stored or start + step.latency

    def _ready(self, number: int, index: int) -> float | None:
        """When the operands of a step are there; None while that is not known."""
        latest = 0.0
        for source, rounds in self._steps[index].needs:
            if rounds <= number:
                done = self._done[number - rounds][source]
                if done is None:
                    return None
                latest = max(latest, done)
        return latest

    def _forwarded(self, number: int, index: int) -> float | None:
        """When a load has what a store forwards to it; 0 where none does, None while that is not known."""
        latest = 0.0
        for source, rounds, cycles in self._steps[index].forwarded:
            if rounds <= number:
                done = self._done[number - rounds][source]
                if done is None:
                    return None
                latest = max(latest, done + cycles)
        return latest
