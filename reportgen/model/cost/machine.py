"""The simulated core: steps of all rounds, issued in order, on resources that take the oldest that is ready.

A step of a round is known by its place in the order of all rounds.  What it waits for is counted down when
that ends, so that a cycle looks at what changed in it and not at everything in flight.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from dataclasses import dataclass, field

from reportgen.model.cost.uses import Demand


@dataclass(slots=True)
class Step:
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


class Machine:
    """The state of one simulation."""

    def __init__(self, steps: list[Step], width: float, rounds: int, window: int) -> None:
        """Nothing issued yet.

        Args:
            steps: of one round.
            width: slots that are issued a cycle.
            rounds: how many follow each other.
            window: instructions in flight.
        """
        self._steps, self._width, self._rounds, self._window = steps, width, rounds, window
        count, total = len(steps), len(steps) * rounds
        names = sorted({name for step in steps for demand in step.demands for name in demand.resources})
        self._queues: dict[str, list[tuple[int, float]]] = {name: [] for name in names}
        self._used = dict.fromkeys(names, -1)
        self._free = dict.fromkeys(names, 0.0)
        self._late: list[tuple[int, tuple[str, ...], float]] = []
        self._choices = [
            [(tuple(sorted(one.resources)), one.cycles) for one in step.demands] for step in steps
        ]
        self._issued = 0
        self._done: list[float | None] = [None] * total
        self._left = [len(step.demands) for step in steps] * rounds
        """Demands that no resource has taken yet."""
        self._started = [0.0] * total
        self._needs = [0] * total
        """Operands whose end is not known."""
        self._latest = [0.0] * total
        """Latest end of the others."""
        self._ready = [math.inf] * total
        """When all operands are there; infinite while that is not known."""
        self._stores = [0] * total
        """Stores that forward, and whose end is not known."""
        self._stored = [0.0] * total
        """When a load has what they forward; 0 where none does."""
        self._waiting: list[list[tuple[int, float | None]]] = [[] for _ in steps]
        """Of each step, how far behind it what waits for it stands, and the cycles of what is forwarded."""
        for index, step in enumerate(steps):
            for source, rounds_before in step.needs:
                self._waiting[source].append((rounds_before * count + index - source, None))
                self._count(self._needs, index, rounds_before)
            for source, rounds_before, cycles in step.forwarded:
                self._waiting[source].append((rounds_before * count + index - source, cycles))
                self._count(self._stores, index, rounds_before)
        for place in range(total):
            if not self._needs[place]:
                self._ready[place] = 0.0
        self._able: list[int] = []
        """Steps that can be completed, a heap: in program order."""
        self._next: list[int] = []
        """Those that something younger has enabled: they are completed a cycle later."""

    def _count(self, of: list[int], index: int, rounds_before: int) -> None:
        """One more to wait for, in each round that has so many before it."""
        count = len(self._steps)
        for number in range(rounds_before, self._rounds):
            of[number * count + index] += 1

    def run(self) -> float:
        """Cycles of a round, once the window is full; 0 where one step waits for another for ever."""
        count = len(self._steps)
        total = count * self._rounds
        slots = [step.slots for step in self._steps]
        flying: deque[int] = deque()
        ends = [0.0] * self._rounds
        credit, now, instructions = 0.0, 0, 0
        while self._issued < total or flying:
            credit = min(credit + self._width, 2 * self._width)
            while self._issued < total and instructions < self._window:
                place = self._issued
                taken = slots[place % count]
                if taken > credit:
                    break
                credit -= taken
                instructions += taken
                self._issue(place)
                flying.append(place)
            self._execute(now)
            self._complete()
            while flying:
                done = self._done[flying[0]]
                if done is None or done > now + 1:
                    break
                number, index = divmod(flying.popleft(), count)
                instructions -= slots[index]
                ends[number] = max(ends[number], now)
            now += 1
            if now > total * 64:
                return 0.0
        half = self._rounds // 2
        return (ends[-1] - ends[half - 1]) / (self._rounds - half)

    def _issue(self, place: int) -> None:
        """The next step in program order is in flight, and waits for resources."""
        self._issued = place + 1
        step = self._steps[place % len(self._steps)]
        for names, cycles in self._choices[place % len(self._steps)]:
            if step.late and len(names) > 1:
                self._late.append((place, names, cycles))
                continue
            name = min(names, key=lambda one: (len(self._queues[one]), self._used[one]))
            self._used[name] = place
            self._queues[name].append((place, cycles))
        if self._completes(place):
            heapq.heappush(self._able, place)

    def _execute(self, now: int) -> None:
        """Each resource takes the oldest operation whose operands are there; loads and stores the others."""
        ready = self._ready
        for name, queue in self._queues.items():
            if self._free[name] >= now + 1:
                continue
            for at, (place, cycles) in enumerate(queue):
                if ready[place] <= now:
                    del queue[at]
                    self._start(name, place, cycles, now)
                    break
        waiting = []
        for one in self._late:
            place, names, cycles = one
            if ready[place] <= now:
                free = [name for name in names if self._free[name] < now + 1]
                if free:
                    self._start(min(free, key=lambda name: len(self._queues[name])), place, cycles, now)
                    continue
            waiting.append(one)
        self._late = waiting

    def _start(self, name: str, place: int, cycles: float, now: int) -> None:
        self._free[name] = max(self._free[name], float(now)) + cycles
        self._left[place] -= 1
        self._started[place] = max(self._started[place], float(now))
        if self._completes(place):
            heapq.heappush(self._able, place)

    def _completes(self, place: int) -> bool:
        """Whether the end of a step that is in flight is known."""
        return not (self._left[place] or self._needs[place] or self._stores[place])

    def _complete(self) -> None:
        """The end of every step that has all that it waits for, the oldest first."""
        count = len(self._steps)
        while self._able:
            place = heapq.heappop(self._able)
            step = self._steps[place % count]
            ready = self._ready[place]
            start = max(ready, self._started[place]) if step.demands else ready
            done = self._stored[place] or start + step.latency
            self._done[place] = done
            for behind, cycles in self._waiting[place % count]:
                if (target := place + behind) < len(self._done):
                    self._told(target, done, cycles)
                    if target < self._issued and self._completes(target):
                        heapq.heappush(self._able if target > place else self._next, target)
        for place in self._next:
            heapq.heappush(self._able, place)
        self._next = []

    def _told(self, place: int, done: float, cycles: float | None) -> None:
        """One of what a step waits for has an end; forwarded values `cycles` behind it."""
        if cycles is not None:
            self._stores[place] -= 1
            self._stored[place] = max(self._stored[place], done + cycles)
            return
        self._needs[place] -= 1
        self._latest[place] = max(self._latest[place], done)
        if not self._needs[place]:
            self._ready[place] = self._latest[place]
