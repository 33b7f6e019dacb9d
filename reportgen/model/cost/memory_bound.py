"""The memory bound: how long the data of a round take through the level that they come from.

Every address that moves from round to round brings a new piece each round, of at most a line; addresses that
differ by constants are one stream.  Addresses that stand still, or that cannot be followed, stay in the first
level.

A line that is only stored comes in too (write-allocate), a line that is stored goes out again.  The `read`
kernel tells how long a byte takes in; what the `write` kernel takes beyond that is what a byte takes out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reportgen.model.architecture import Architecture, Fact, Level
from reportgen.model.cost.graph import walk
from reportgen.model.cost.instruction import Instruction
from reportgen.status import USABLE

LINE = 64.0
GENERAL_BITS = 64
"""Of a load or a store without a width in its name."""
_MOVES = re.compile(r"(?:l1_load|store)(?:_(?P<bits>128|256|512))?")


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes of a round."""

    into: float
    """Loaded or stored or both: lines that come in."""
    out: float
    """Stored: lines that go out again."""
    followed: bool
    """Whether every address could be followed."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """Cycles that the data of a round take."""

    level: str
    cycles: float
    low: float
    high: float
    why: str = ""
    """Why there is no number, where there is none."""
    between: str = ""
    """The levels whose bandwidths stand in for one that was not measured."""


def traffic(body: Sequence[Instruction], line: float = LINE) -> Traffic:
    """What a round moves, by the addresses in it."""
    steps, _ = walk(body)
    touched: dict[tuple[str, str, int, int], set[int]] = {}
    written: dict[tuple[str, str, int, int], set[int]] = {}
    followed = True
    for one in body:
        address = one.address
        if address is None or not one.memory:
            continue
        vector = address.index.startswith("zmm")  # a gather
        if vector or any(name not in steps for name in (address.base, address.index) if name):
            followed = False
            continue
        step = steps.get(address.base, 0) + address.scale * steps.get(address.index, 0)
        if not step:
            continue
        ends = address.displacement, address.displacement + max(1, address.bits // 8) - 1
        key = (address.base, address.index, address.scale, step)
        touched.setdefault(key, set()).update(int(end // line) for end in ends)
        if one.stores:
            written.setdefault(key, set()).update(int(end // line) for end in ends)
    return Traffic(_new(touched, line), _new(written, line), followed)


def of_mix(counts: Mapping[str, float]) -> Traffic:
    """What loads and stores of a mix move if none of them touches what another one did."""
    loaded = stored = 0.0
    for name, count in counts.items():
        found = _MOVES.fullmatch(name)
        if found is not None:
            size = count * float(found["bits"] or GENERAL_BITS) / 8
            loaded += size
            stored += size if name.startswith("store") else 0.0
    return Traffic(loaded, stored, followed=True)


def _new(streams: dict[tuple[str, str, int, int], set[int]], line: float) -> float:
    """Each round moves on by a step; of the lines that it touches no more than that is new."""
    return sum(min(float(abs(key[3])), len(lines) * line) for key, lines in streams.items())


def transfer(moved: Traffic, size: float, architecture: Architecture) -> Transfer:
    """Cycles of a round for a working set of `size` bytes; 0 where it fits the first level."""
    level = level_of(size, architecture)
    hertz = architecture.resources.cycle_hz if architecture.resources is not None else 0.0
    if level is None:
        return Transfer("", 0.0, 0.0, 0.0, "the run measured no cache that is this large, nor memory")
    if level.name == "l1" or moved.into == 0:
        return Transfer(level.name, 0.0, 0.0, 0.0)
    if hertz <= 0:
        return Transfer(level.name, 0.0, 0.0, 0.0, f"the run has no bandwidth of {level.name}")
    if _reads(level):
        # the fastest rates give the least time
        cycles, low, high = (_cycles(moved, level, hertz, end) for end in ("value", "high", "low"))
        return Transfer(level.name, cycles, low, high)
    inner, outer = _neighbours(level, architecture)
    if inner is None or outer is None:
        return Transfer(level.name, 0.0, 0.0, 0.0, f"the run has no bandwidth of {level.name}")
    least = _cycles(moved, inner, hertz, "value")
    low, high = _cycles(moved, inner, hertz, "high"), _cycles(moved, outer, hertz, "low")
    return Transfer(level.name, least, low, max(high, least), between=f"{inner.name} and {outer.name}")


def _reads(level: Level) -> bool:
    read = level.bandwidth.get("read")
    return read is not None and _usable(read)


def _neighbours(level: Level, architecture: Architecture) -> tuple[Level | None, Level | None]:
    """The nearest levels of known bandwidth, inwards and outwards: none is faster than one inside of it."""
    levels = list(architecture.memory)
    place = levels.index(level)
    inner = next((one for one in reversed(levels[:place]) if _reads(one)), None)
    return inner, next((one for one in levels[place + 1 :] if _reads(one)), None)


def _cycles(moved: Traffic, level: Level, hertz: float, end: str) -> float:
    """What data take through a level, at one end of the intervals of its bandwidths."""
    read, write = level.bandwidth["read"], level.bandwidth.get("write")
    coming = 1 / _rate(read, end)
    going = max(0.0, 1 / _rate(write, end) - coming) if write is not None and _usable(write) else 0.0
    return hertz * (moved.into * coming + moved.out * going)


def level_of(size: float, architecture: Architecture) -> Level | None:
    """The innermost level that holds so many bytes, by its measured capacity; memory holds all."""
    for level in architecture.memory:
        capacity = level.facts.get("capacity")
        if capacity is not None and capacity.status in USABLE:
            fits = capacity.value if capacity.value is not None else capacity.low
            if fits is not None and size <= fits:
                return level
        elif level.name == "dram":
            return level
    return None


def _usable(fact: Fact) -> bool:
    return fact.status in USABLE and fact.value is not None and fact.value > 0


def _rate(fact: Fact, end: str) -> float:
    """Bytes a second at one end of the interval."""
    rate = {"value": fact.value, "low": fact.low, "high": fact.high}[end] or fact.value
    return float(rate) if rate else 1.0
