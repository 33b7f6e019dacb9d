"""Barriers in shared memory (mbarrier): who arrives, which bytes are announced, and who waits.

Source: NVIDIA, "Parallel Thread Execution ISA", "mbarrier".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.simulated.ptx.clocks import Passed
from tests.simulated.ptx.faults import MISALIGNED, Fault, Wrong
from tests.simulated.ptx.launch import Launch
from tests.simulated.ptx.operands import TYPES, address, read, write
from tests.simulated.ptx.program import known
from tests.simulated.ptx.records import Instruction, Sink

Step = Callable[[Launch], None]


@dataclass
class Barrier:
    """An mbarrier: a phase ends when all have arrived and all bytes that were announced have come."""

    expected: int
    pending: int
    by: int
    """Warp that made it."""
    time: int
    """Of its, when it did."""
    agent: int
    """Of the copies that signal it (`clocks.Clocks.signalled`)."""
    came: Passed
    """What those know who arrived."""
    ended: Passed
    """The same of phases that are over."""
    bytes: int = 0
    phase: int = 0
    visible: bool = False
    """Whether a fence told units of their own of it."""

    def moved(self) -> None:
        """Ends the phase where nothing is missing."""
        if self.pending == 0 and self.bytes == 0:
            self.pending, self.phase = self.expected, self.phase + 1
            self.ended = Passed(self.came.known.copy(), self.came.fenced.copy())

    def signal(self, launch: Launch, time: int, size: int = 0) -> None:
        """What a unit did until a time tells it of so many bytes."""
        column = self.agent % launch.races.clocks.columns
        self.came.known[column] = self.came.fenced[column] = time
        self.bytes -= size
        self.moved()


def barrier(launch: Launch, at: int) -> Barrier:
    """The barrier at an offset of all shared memory.

    Raises:
        Wrong: none was made there.
    """
    found = launch.barriers.get(at)
    if not isinstance(found, Barrier):
        raise Wrong(f"{launch.what}: no barrier was initialised there")
    return found


def arrived_at(launch: Launch, at: int, thread: int) -> Barrier:
    """The same, for a thread that arrives or waits.

    Raises:
        Wrong: nothing orders that behind its initialisation.
    """
    found = barrier(launch, at)
    if not launch.races.knows(thread, found.by, found.time):
        raise Wrong(f"race: {launch.what} uses a barrier, and nothing orders that behind its initialisation")
    return found


def signalled(launch: Launch, at: int, thread: int) -> Barrier:
    """The same, for a unit of its own that a thread gives work.

    Raises:
        Wrong: no fence tells such units of the initialisation.
    """
    found = arrived_at(launch, at, thread)
    if not found.visible and not launch.races.knows(thread, found.by, found.time, by_unit=True):
        raise Wrong(f"race: {launch.what}: no fence tells of the barrier's initialisation")
    return found


def own(launch: Launch, value: int, thread: int, size: int, align: int) -> int:
    """Offset of bytes in the shared memory of a thread's block.

    Raises:
        Fault: they lie outside, or are misaligned.
    """
    if value % align:
        raise Fault(MISALIGNED, f"{launch.what} needs {align} bytes of alignment at {value:#x}")
    return launch.shared.place(value, int(launch.lanes.block[thread]), size, launch.what)


def each(launch: Launch, *values: NDArray[Any]) -> list[tuple[int, ...]]:
    """(thread, values of its own) of the threads that act."""
    columns = [launch.lanes.spread(one).tolist() for one in values]
    return list(zip(launch.lanes.acting.tolist(), *columns, strict=True))


@known(r"mbarrier\.init\.shared(?:::cta)?\.b64")
def initialise(_match: re.Match[str], instruction: Instruction) -> Step:
    find, count = address(instruction.operands[0]), read(instruction.operands[1], TYPES["u32"])

    def run(launch: Launch) -> None:
        for thread, at, number in each(launch, find(launch), count(launch)):
            place = own(launch, at, thread, 8, 8)
            clocks, warp = launch.races.clocks, int(launch.races.warp[thread])
            launch.barriers[place] = Barrier(
                number,
                number,
                warp,
                int(clocks.now(np.array([warp]))[0]),
                clocks.signalled(warp, len(launch.barriers)),
                clocks.place(),
                clocks.place(),
            )
            launch.shared.region.mark(place, place + 8)

    return run


@known(r"mbarrier\.arrive\.expect_tx\.shared(?:::cta)?\.b64")
def expect(_match: re.Match[str], instruction: Instruction) -> Step:
    into, target, size = instruction.operands
    if not isinstance(into, Sink):
        raise Wrong("the state of a barrier is not known")
    find, count = address(target), read(size, TYPES["u32"])

    def run(launch: Launch) -> None:
        for thread, at, number in each(launch, find(launch), count(launch)):
            one = arrived_at(launch, own(launch, at, thread, 8, 8), thread)
            one.bytes += number
            _arrive(launch, one, thread)

    return run


@known(r"mbarrier\.arrive\.shared(?:::cta)?\.b64")
def arrive(_match: re.Match[str], instruction: Instruction) -> Step:
    into, target, *more = instruction.operands
    if not isinstance(into, Sink) or more:
        raise Wrong("the state of a barrier is not known")
    find = address(target)

    def run(launch: Launch) -> None:
        for thread, at in each(launch, find(launch)):
            _arrive(launch, arrived_at(launch, own(launch, at, thread, 8, 8), thread), thread)

    return run


def _arrive(launch: Launch, one: Barrier, thread: int) -> None:
    if one.pending == 0:
        raise Wrong(f"{launch.what}: more arrive than the barrier expects")
    launch.races.leave(thread, one.came)
    one.pending -= 1
    one.moved()


@known(r"mbarrier\.(?:try|test)_wait\.parity\.shared(?:::cta)?\.b64")
def wait(_match: re.Match[str], instruction: Instruction) -> Step:
    into, target, parity = instruction.operands
    put, find, which = write(into), address(target), read(parity, TYPES["u32"])

    def run(launch: Launch) -> None:
        launch.settle()
        found = []
        for thread, at, bit in each(launch, find(launch), which(launch)):
            one = arrived_at(launch, own(launch, at, thread, 8, 8), thread)
            over = one.phase % 2 != bit
            found.append(over)
            if over:
                launch.races.take(thread, one.ended)
        if not all(found):
            launch.in_vain()
        put(launch, launch.lanes.gathered(np.array(found)))

    return run


@known(r"fence\.mbarrier_init\.release\.cluster")
def tell(_match: re.Match[str], _instruction: Instruction) -> Step:
    """Units of their own learn of the barriers that the warps made."""

    def run(launch: Launch) -> None:
        acting = set(launch.races.acting().tolist())
        for one in launch.barriers.values():
            assert isinstance(one, Barrier)
            one.visible |= one.by in acting

    return run
