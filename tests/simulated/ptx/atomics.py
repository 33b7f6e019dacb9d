"""Atomics, on shared and on global memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.simulated.ptx.faults import Wrong
from tests.simulated.ptx.launch import Launch
from tests.simulated.ptx.memory import WORDS, Addresses, Values
from tests.simulated.ptx.movement import SPACE, TYPE, places_of, store_global
from tests.simulated.ptx.operands import TYPES, address, read, write
from tests.simulated.ptx.program import known
from tests.simulated.ptx.records import Instruction

Step = Callable[[Launch], None]
_ORDER = r"\.(?:relaxed|acquire|release|acq_rel)\.(?:cta|cluster|gpu|sys)"

_COMBINE: dict[str, Callable[[Values, Values], Values]] = {
    "add": lambda held, given: held + given,
    "exch": lambda held, given: given,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


@known(rf"atom({_ORDER})?\.({SPACE})\.(add|exch|min|max|and|or|xor|cas)\.({TYPE})")
def atom(match: re.Match[str], instruction: Instruction) -> Step:
    into, target, *given = instruction.operands
    step = _atomic(match[2], match[3], TYPES[match[4]], write(into), target, given)
    return _in_order(match[1] or "", step)


@known(rf"red({_ORDER})?\.({SPACE})\.(add|min|max|and|or|xor)\.({TYPE})")
def red(match: re.Match[str], instruction: Instruction) -> Step:
    target, *given = instruction.operands
    step = _atomic(match[2], match[3], TYPES[match[4]], lambda launch, values: None, target, given)
    return _in_order(match[1] or "", step)


def _in_order(order: str, step: Step) -> Step:
    """With the fences that an atomic's own order stands for."""
    if "rel" not in order and "acq" not in order:
        return step

    def run(launch: Launch) -> None:
        if "rel" in order:
            launch.races.clocks.fence(launch.races.acting())
        step(launch)
        if "acq" in order:
            launch.races.clocks.fence(launch.races.acting())

    return run


def _atomic(
    space: str,
    what: str,
    kind: np.dtype[Any],
    put: Callable[[Launch, Values], None],
    target: Any,
    given: list[Any],
) -> Step:
    find, width = address(target), kind.itemsize
    gets = [read(one, kind) for one in given]
    if len(gets) != (2 if what == "cas" else 1):
        raise Wrong("too many or too few operands")

    def run(launch: Launch) -> None:
        lanes = launch.lanes
        at = lanes.spread(find(launch))
        values = [lanes.spread(get(launch)) for get in gets]
        before = np.zeros(len(at), dtype=kind)
        for some in _turns(launch, at, space):
            held = _some(launch, at, some, space, width, kind)
            before[some] = held
            if what == "cas":
                after = np.where(held == values[0][some], values[1][some], held)
            else:
                after = _COMBINE[what](held, values[0][some])
            _put_some(launch, at, some, space, width, after)
        put(launch, lanes.gathered(before))

    return run


def _turns(launch: Launch, at: Addresses, space: str) -> list[NDArray[np.int64]]:
    """Threads in turns, so that no two of one turn meet."""
    owners = launch.lanes.block[launch.lanes.acting] if space.startswith("shared") else 0
    keys = at + (owners << 40)
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    fresh = np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]])
    first = np.maximum.accumulate(np.where(fresh, np.arange(len(keys)), 0))
    turn = np.arange(len(keys)) - first
    return [order[turn == number] for number in range(int(turn.max()) + 1)]


def _some(
    launch: Launch, at: Addresses, some: NDArray[np.int64], space: str, width: int, kind: np.dtype[Any]
) -> Values:
    races = launch.races
    if space == "global":
        found = launch.memory.load(
            at[some],
            width,
            launch.what,
            lambda region, places, those: races.reads(region, places, width, some[those], strong=True),
        )
        return found.sure(launch.what).view(kind)
    region, places = places_of(launch, at, space, width)
    races.reads(region, places[some], width, some, strong=True)
    return region.gather(places[some], width).sure(launch.what).view(kind)


def _put_some(
    launch: Launch, at: Addresses, some: NDArray[np.int64], space: str, width: int, values: Values
) -> None:
    raw = np.ascontiguousarray(values).view(WORDS[width])
    if space == "global":
        store_global(launch, at[some], some, width, raw, strong=True, adds=True)
        return
    region, places = places_of(launch, at, space, width)
    launch.races.writes(region, places[some], width, raw, some, strong=True, adds=True)
    region.scatter(places[some], width, raw)
