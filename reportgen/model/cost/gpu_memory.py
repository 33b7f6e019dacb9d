"""The memory bound of a GPU: how long the bytes of a round take through the level that they come from.

Every multiprocessor is taken to do the same at once, so that they share the bandwidth of the whole device.
The lanes of a warp are taken to touch bytes side by side, none of them twice: accesses that are strewn take
longer, those that come back to a line take less.  Atomic operations are worked off where the data lie, at
rates of their own, and are not counted here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.model.architecture import Architecture, Fact
from reportgen.model.cost.bounds import Bound
from reportgen.model.cost.instruction import Instruction
from reportgen.model.cost.memory_bound import Traffic, level_of
from reportgen.status import USABLE

LANES = 32
"""Threads of a warp."""
SCHEDULERS = 4
"""Of a multiprocessor, each with units of its own, from compute capability 7.0 on (CUDA C++ Programming
Guide, "Compute Capabilities").  A measured rate is that of a multiprocessor."""
INTO, OUT = ("LDG", "LD"), ("STG", "ST")
"""Opcodes that load from, and store to, global memory."""
LOADED = 8
"""Bytes a lane of every global load of the instruction table."""
STORED = 4
"""Bytes a lane of its global store."""
ASSUMED = "memory: lanes touch bytes side by side and none twice, and every multiprocessor does the same"


def traffic(body: Sequence[Instruction]) -> Traffic:
    """Bytes of a round of one warp, by the widths in the listing."""

    def moved(roots: tuple[str, ...]) -> float:
        return float(
            sum(
                LANES * one.address.bits // 8
                for one in body
                if one.address is not None and one.mnemonic.partition(".")[0] in roots
            )
        )

    return Traffic(moved(INTO), moved(OUT), followed=False)


def of_mix(counts: Mapping[str, float]) -> Traffic:
    """The same of a mix, by the widths of the instruction table."""
    loaded = sum(count for name, count in counts.items() if name.startswith("global_load"))
    return Traffic(LANES * LOADED * loaded, LANES * STORED * counts.get("global_store", 0.0), followed=False)


def bound(moved: Traffic, size: float, warps: int, architecture: Architecture) -> Bound | None:
    """Cycles of a scheduler for a round of `warps` warps; 0, with the reason, where the run lacks a number.

    Args:
        moved: by one warp.
        size: bytes that all multiprocessors together work on.
        warps: of a scheduler.
        architecture: the model.

    Returns:
        None where nothing is moved, or all of it fits the first level of a multiprocessor.
    """
    if moved.into + moved.out <= 0:
        return None
    level = level_of(size, architecture)
    if level is not None and level.name == "l1":
        return None
    many = architecture.multiprocessors
    if not many:
        return _without("the model holds no number of multiprocessors: it is not of a run on a device")
    if level is None:
        return _without("the run measured no cache that is this large, nor memory")
    hertz = _clock(architecture)
    if hertz <= 0:
        return _without(
            "the run has no clock: neither paired operations nor a latency in cycles and in seconds"
        )
    rates = level.bandwidth
    reading = _usable(rates.get("read"))
    writing = _usable(rates.get("write")) or _usable(rates.get("copy"))
    for needed, rate in ((moved.into, reading), (moved.out, writing)):
        if needed and rate is None:
            return _without(f"the run has no bandwidth of {level.name}")

    def cycles(end: str) -> float:
        seconds = sum(
            needed / (getattr(rate, end) or rate.value or 1.0)
            for needed, rate in ((moved.into, reading), (moved.out, writing))
            if needed and rate is not None
        )
        return hertz * warps * SCHEDULERS * many * seconds

    why = (
        f"{moved.into:g} bytes a warp from {level.name} and {moved.out:g} back, "
        f"{many} multiprocessors at once"
    )
    # the fastest rates give the least time
    return Bound("memory", cycles("value"), cycles("high"), cycles("low"), why)


def _clock(architecture: Architecture) -> float:
    """Hertz by the drift marks of the run, else by a level whose latency is known in both units; 0: none."""
    if architecture.resources is not None and architecture.resources.cycle_hz > 0:
        return architecture.resources.cycle_hz
    for level in architecture.memory:
        cycles, seconds = (_usable(level.facts.get(name)) for name in ("latency", "latency_time"))
        if cycles is not None and seconds is not None and cycles.value and seconds.value:
            return cycles.value / seconds.value
    return 0.0


def _without(why: str) -> Bound:
    return Bound("memory", 0.0, 0.0, 0.0, why)


def _usable(fact: Fact | None) -> Fact | None:
    return fact if fact is not None and fact.status in USABLE and fact.value else None
