"""A loop, round after round, on the resources of a device: how long it takes when nobody plans ahead.

Bounds assume a scheduler that knows what will come.  A core does not: it issues in program order, picks a
resource for a computation there and then (the one for which fewest wait, of equals the one longest unused),
and each resource takes the oldest of its operations whose operands are there.  Choices that turn out badly
cost cycles that no bound shows.  Loads and stores take any of their resources when their address is there and
no computation keeps it.

What is simulated: issue of so many slots a cycle; a window of instructions in flight; every instruction as
a load, a computation and a store, each with its own operands; latencies and resources as measured.  What is
not: fetch, decoding, mispredicted branches, misses.

The early choice is how AMD's and Intel's cores are described (Abel and Reineke, "uiCA", ICS 2022, for Intel).
That loads and stores choose late is not described there: loops that were looked at while the model was made
are nearer to it (a mean error of 7.3 % instead of 8.1 %), and mixes of two operations do not tell.
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
    late: bool = False
    """Whether a resource is chosen when the operands are there: of loads and stores."""


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
            steps.append(_Step(_demands(uses, wanted), _rounded(latencies.loading(one)), late=True))
        made = len(steps)
        if computing is not None or not one.memory:
            wanted = [computing] if computing is not None and not what.eliminated else []
            steps.append(_Step(_demands(uses, wanted), _rounded(latencies.computing(one))))
        elif load is not None:
            made = load
        if one.stores:
            store = len(steps)
            wanted = [part for part in wants if "store" in part.operation]
            steps.append(_Step(_demands(uses, wanted), 0.0, late=True))
            made = made if made < store else store
        steps[first].slots = 0 if before is not None and fuses(before, one) else 1
        result.append(made)
        loads.append(load)
        stores.append(store)
        before = one
    data: dict[int, list[tuple[int, int]]] = {}  # store -> what makes the value that it stores
    for parts in zip(loads, result, stores, strict=True):
        own = [step for step in parts if step is not None]
        for first, second in itertools.pairwise(own):
            if first < second:
                steps[second].needs.append((first, 0))
                data[second] = [(first, 0)]
    for edge in graph.edges(body):
        one = body[edge.target]
        if edge.register in (graph.MEMORY, graph.OVERLAP):
            source, target = stores[edge.source], loads[edge.target]
            cycles = latencies.forwarded(one, edge)
            if source is not None and target is not None and cycles is not None:
                # what comes by the name of its register does not wait for the store either
                made_by = data.get(source, []) if not cycles else [(source, 0)]
                steps[target].forwarded += [
                    (step, edge.rounds + rounds, _rounded(cycles)) for step, rounds in made_by
                ]
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
                if target == stores[edge.target] == result[edge.target] and not address:
                    data.setdefault(target, []).append((result[edge.source], edge.rounds))
    return steps


def _also_value(one: Instruction, register: str) -> bool:
    """Whether a register of the address is a source beside that; rare, and only told for copies to itself."""
    return (
        register in one.writes and one.stores == 0 and one.mnemonic not in ("mov", "movzx", "movsx", "movsxd")
    )


def _demands(uses: Uses, parts: Sequence[Part]) -> list[Demand]:
    found = ((uses.demand(part.operation), part.asked) for part in parts)
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
        self._late: list[tuple[int, int, Demand]] = []

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
            if self._steps[index].late and len(demand.resources) > 1:
                self._late.append((number, index, demand))
                continue
            name = min(sorted(demand.resources), key=lambda one: (len(self._queues[one]), self._used[one]))
            self._used[name] = order
            self._queues[name].append((number, index, demand.cycles))

    def _execute(self, now: int) -> None:
        """Each resource takes the oldest operation whose operands are there; loads and stores the others."""
        for name, queue in self._queues.items():
            if self._free[name] >= now + 1:
                continue
            for place, (number, index, cycles) in enumerate(queue):
                ready = self._ready(number, index)
                if ready is not None and ready <= now:
                    del queue[place]
                    self._start(name, number, index, cycles, now)
                    break
        waiting = []
        for number, index, demand in self._late:
            ready = self._ready(number, index)
            if ready is not None and ready <= now:
                free = [name for name in sorted(demand.resources) if self._free[name] < now + 1]
                if free:
                    name = min(free, key=lambda one: len(self._queues[one]))
                    self._start(name, number, index, demand.cycles, now)
                    continue
            waiting.append((number, index, demand))
        self._late = waiting

    def _start(self, name: str, number: int, index: int, cycles: float, now: int) -> None:
        self._free[name] = max(self._free[name], float(now)) + cycles
        self._left[number][index] -= 1
        self._started[number][index] = max(self._started[number][index], float(now))

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
