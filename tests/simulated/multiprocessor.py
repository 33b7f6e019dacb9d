"""A multiprocessor that goes through the window of a generated source, and what its clock reads then say.

Its quarters are alike, so one is followed: it starts one instruction a cycle, of the warp that it started
last as long as that can go on, else of the first that can (Huerta et al. 2025).  Where more warps than are
needed fill it, the last ones go on alone at the end.  What else a device does to a window, and a formula
forgets:

* operands reach warps one after another, so without a barrier they do not begin together;
* the first time round each line of code is fetched, every `LINE` instructions;
* the second clock read does not wait for results, and a unit takes some instructions ahead of their turn;
* counting the turns takes issue slots, and a branch is not followed at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.backends.base import Source

WARP = 32
QUARTERS = 4
STAGGER = 20
"""Cycles from one warp's last operand to the next one's, where nothing brings them together."""
RELEASE = 4
"""The most cycles that warps are apart behind a barrier."""
LINE = 8
FETCH = 60
"""Cycles of a line of code that is fetched from afar."""
COUNTING = 3
BRANCH = 6
"""Cycles from a branch to the next instruction of its warp."""


@dataclass(frozen=True)
class Unit:
    """What carries out one kind of instruction in a quarter of a multiprocessor."""

    latency: float
    interval: float
    """Cycles between two starts of a warp's instruction."""
    ahead: int = 0
    """Instructions that it takes before their turn."""

    @property
    def rate(self) -> float:
        """Warp instructions a cycle of the multiprocessor."""
        return QUARTERS / self.interval


@dataclass
class _Warp:
    at: float
    """When it may start its next instruction."""
    chains: list[float]
    """When the last result of each accumulator is there."""
    done: int = 0
    end: float = 0.0

    @property
    def ready(self) -> float:
        return max(self.at, self.chains[self.done % len(self.chains)])


def span(source: Source, unit: Unit, chance: np.random.Generator) -> float:
    """Cycles from the first clock read of a block to its last one.

    Args:
        source: of templates `chain` and `independent`, whose steps are one instruction.
        unit: what carries them out.
        chance: of what differs from launch to launch.
    """
    setup, turn = source.setup, int(source.work["instructions"])
    counted = "turns" in setup
    total = turn * int(setup.get("turns", 1))
    numbers = range(0, int(setup["threads"]) // WARP, QUARTERS)
    together = "__syncthreads();" in source.text
    begun = [float(chance.integers(RELEASE + 1)) if together else float(STAGGER * one) for one in numbers]
    warps = [_Warp(at, [0.0] * int(source.expect["chains"])) for at in begun]
    cold = int(setup.get("times", 1)) < 2
    port, begins = 0.0, [-unit.interval]
    chosen = warps[0]
    while waiting := [one for one in warps if one.done < total]:
        first = max(port, min(one.ready for one in waiting))
        if chosen.done >= total or chosen.ready > first:
            chosen = next(one for one in waiting if one.ready <= first)
        room = begins[-unit.ahead] if 0 < unit.ahead <= len(begins) else begins[-1] + unit.interval
        start = max(first, room if unit.ahead <= len(begins) else 0.0)
        begins.append(max(start, begins[-1] + unit.interval))
        chosen.chains[chosen.done % len(chosen.chains)] = begins[-1] + unit.latency
        chosen.done += 1
        chosen.at = port = start + 1
        chosen.end = port
        if cold and not chosen.done % LINE and chosen.done < turn:
            chosen.at += FETCH
        if counted and not chosen.done % turn:
            port += COUNTING
            chosen.at = port + BRANCH
    return max(one.end for one in warps) - min(begun)
