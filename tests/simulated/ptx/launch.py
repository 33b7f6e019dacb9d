"""One launch: all threads side by side, those at the lowest place in the code first.

Time is counted in cycles of one clock for all: so many an instruction, and more in loops that do nothing but
look at a clock, so that a wait for much time takes few turns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.simulated.ptx.faults import Wrong
from tests.simulated.ptx.lanes import Lanes, Mask
from tests.simulated.ptx.memory import Memory, Region, Slices, Values
from tests.simulated.ptx.program import Program
from tests.simulated.ptx.races import Races
from tests.simulated.ptx.records import Register

CYCLES = 4
"""Of an instruction."""
GHZ = 1.98
"""Cycles of a nanosecond."""
TIMER_NS = 32
"""By which `%globaltimer` moves on."""
LONGEST_NAP = 1 << 13
"""Cycles that a turn of a loop may take that only looks at a clock."""
SHARED_BASE, LOCAL_BASE = 1024, 0x100
"""Where the shared memory of a block and the local memory of a thread begin."""
RANK_BITS = 24
"""A shared address of a cluster holds the block's rank plus one above so many bits."""
MOST_WAITS = 256
"""Waits in vain of one instruction, after which nothing will come any more."""


@dataclass(frozen=True)
class Jump:
    """Some of the threads that act go on elsewhere, the others behind this instruction."""

    target: int
    lanes: Mask


@dataclass(frozen=True)
class Leave:
    """The threads end."""


@dataclass(frozen=True)
class Meet:
    """The threads wait until all of their block (or their cluster) have come."""

    cluster: bool = False


Outcome = int | Jump | Leave | Meet | None
Step = Callable[["Launch"], Outcome]


@dataclass
class Asynchronous:
    """What was ordered and has not ended."""

    copies: list[Callable[[], None]] = field(default_factory=list)
    """Each ends one."""
    ordered: set[Register] = field(default_factory=set)
    """Registers that matrix instructions of a warp group write, not yet in a group that can be waited for."""
    committed: set[Register] = field(default_factory=set)
    """Those of groups."""
    loaded: set[Register] = field(default_factory=set)
    """Registers that loads from tensor memory write."""
    tensor: dict[int, Any] = field(default_factory=dict)
    """Block -> its tensor memory."""


class Launch:
    """A grid of blocks of one kernel."""

    def __init__(
        self,
        program: Program,
        grid: tuple[int, int, int],
        threads: int,
        dynamic: int,
        device: Any,
        parameters: Region,
        multiprocessors: int,
        now: int,
    ) -> None:
        self.program, self.grid, self.device, self.parameters = program, grid, device, parameters
        blocks = grid[0] * grid[1] * grid[2]
        self.lanes = Lanes(program.kernel.registers, blocks * threads, threads)
        self.multiprocessors = multiprocessors
        self.memory: Memory = device.space
        self.constants: Region | None = device.constants()
        self.shared = Slices(blocks, program.shared_bytes + dynamic, SHARED_BASE, "shared")
        self.local = (
            Slices(self.lanes.count, program.local_bytes, LOCAL_BASE, "local")
            if program.local_bytes
            else None
        )
        self.races = Races(self, program.traits)
        self.cycles = now
        self.pending = Asynchronous()
        self.barriers: dict[int, object] = {}
        """Offset in all shared memory -> barrier there."""
        self.waits: dict[int, int] = {}
        self.notes: set[str] = set()
        self.window: dict[int, tuple[int, int]] = {}
        """What was seen of registers between two clock reads (`Lanes.watch`)."""
        self.carry: Values = np.zeros(1, dtype=np.uint32)
        """Of the addition before; nothing parts the threads between it and the one that takes it."""
        self._naps: dict[int, int] = {}
        self._met: dict[tuple[bool, int], Mask] = {}
        self._arrived: Mask = np.zeros(self.lanes.count, dtype=bool)
        self._ready: dict[int, Mask] = {}
        self.place = 0

    @property
    def what(self) -> str:
        """The instruction that is carried out, for messages."""
        return f"'{self.program.kernel.instructions[self.place].text}' of {self.program.kernel.name}"

    # ---- what the threads know of themselves

    def special(self, name: str) -> Values:
        """A special register, or the address of a variable."""
        found = _SPECIAL.get(name)
        if found:
            return found(self)
        if name in self.program.addresses:
            space, at = self.program.addresses[name]
            base = {"shared": SHARED_BASE, "local": LOCAL_BASE, "param": self.parameters.base}.get(space, 0)
            return np.array([base + at], dtype=np.uint64)
        raise Wrong(f"nothing is known of '{name}' in {self.what}")

    def clock(self) -> int:
        """Cycles now; registers are watched from one read to the next."""
        if self.device.looking:
            self.window = self.lanes.watch or self.window
            self.lanes.watch = {} if self.lanes.watch is None else None
        return self.cycles

    # ---- the course of the threads

    def run(self) -> None:
        """Until all threads have ended.

        Raises:
            Fault: what the driver would report.
            Wrong: what it would not.
        """
        lanes, steps = self.lanes, self.program.steps
        self._ready = {0: lanes.alive.copy()}
        while self._ready:
            at = min(self._ready)
            mask = self._ready.pop(at)
            stop = min(self._ready, default=len(steps) + 1)
            everybody = bool(mask.all())
            lanes.mask = None if everybody else mask
            while True:
                if at >= stop:
                    self._add(at, mask)
                    break
                self.place = at
                outcome = steps[at](self)
                self.cycles += CYCLES
                if outcome is None:
                    at += 1
                    continue
                if isinstance(outcome, int):
                    if outcome <= at:
                        self._back(at)
                    elif outcome >= stop:
                        self._add(outcome, mask)
                        break
                    at = outcome
                    continue
                self._part(outcome, at, mask)
                break
        if self._met:
            place = next(iter(self._met))[1]
            self.place = place
            raise Wrong(f"deadlock: not all threads reach {self.what}")
        self.races.finish()
        if self.pending.copies:
            for end in self.pending.copies:
                end()
            self.notes.add("a copy was not waited for")

    def _add(self, at: int, mask: Mask) -> None:
        if mask.any():
            self._ready[at] = self._ready[at] | mask if at in self._ready else mask

    def _back(self, at: int) -> None:
        """A loop takes another turn."""
        if at in self.program.polls:
            nap = self._naps[at] = min(LONGEST_NAP, 2 * self._naps.get(at, CYCLES))
            self.cycles += nap

    def _part(self, outcome: Jump | Leave | Meet, at: int, mask: Mask) -> None:
        if isinstance(outcome, Jump):
            if outcome.target <= at:
                self._back(at)
            self._add(outcome.target, outcome.lanes)
            self._add(at + 1, mask & ~outcome.lanes)
        elif isinstance(outcome, Leave):
            self.lanes.alive = self.lanes.alive & ~mask
            self._release()
        else:
            key = outcome.cluster, at
            self._met[key] = self._met[key] | mask if key in self._met else mask
            self._release()

    def _release(self) -> None:
        """Who waits goes on where all have come."""
        for cluster in {key[0] for key in self._met}:
            here = np.zeros(self.lanes.count, dtype=bool)
            for key, mask in self._met.items():
                if key[0] == cluster:
                    here |= mask
            size = self.lanes.per_block * (self.program.kernel.cluster if cluster else 1)
            came = (here | ~self.lanes.alive).reshape(-1, size).all(axis=1)
            if not came.any():
                continue
            go = np.repeat(came, size)
            places = {key[1] for key, mask in self._met.items() if key[0] == cluster and (mask & go).any()}
            if not cluster and (len(places) > 1 or not self.lanes.alive[go].all()):
                self.place = min(places)
                raise Wrong(f"not all threads of a block reach {self.what}")
            self.races.meet(came, cluster)
            for key in [key for key in self._met if key[0] == cluster]:
                self._add(key[1] + 1, self._met[key] & go)
                left = self._met[key] & ~go
                if left.any():
                    self._met[key] = left
                else:
                    del self._met[key]

    def arrive(self) -> None:
        """Threads have come to their cluster's barrier, and go on.

        Raises:
            Wrong: one came there before, and has not waited.
        """
        if self._arrived[self.lanes.acting].any():
            raise Wrong(f"{self.what} for a second time, without a wait between")
        self._arrived[self.lanes.acting] = True
        self.races.clocks.arrive(self.races.acting())

    def arrived(self) -> None:
        """Threads wait at it.

        Raises:
            Wrong: some never came to it.
        """
        acting = self.lanes.acting
        if not self._arrived[acting].all():
            raise Wrong(f"{self.what} without an arrival before")
        self._arrived[acting] = False

    def settle(self) -> None:
        """All that was ordered ends."""
        copies, self.pending.copies = self.pending.copies, []
        for end in copies:
            end()

    def in_vain(self) -> None:
        """Somebody waited for what has not come.

        Raises:
            Wrong: it never will.
        """
        self.waits[self.place] = self.waits.get(self.place, 0) + 1
        if self.waits[self.place] > MOST_WAITS:
            raise Wrong(f"hang: nothing completes what {self.what} waits for")


def _axis(values: NDArray[np.int64]) -> Values:
    return values.astype(np.uint32)


def _one(value: int) -> Values:
    return np.array([value & 0xFFFFFFFF], dtype=np.uint32)


_SPECIAL: dict[str, Callable[[Launch], Values]] = {
    "%tid.x": lambda launch: _axis(launch.lanes.thread),
    "%ntid.x": lambda launch: _one(launch.lanes.per_block),
    "%ctaid.x": lambda launch: _axis(launch.lanes.block % launch.grid[0]),
    "%ctaid.y": lambda launch: _axis(launch.lanes.block // launch.grid[0]),
    "%nctaid.x": lambda launch: _one(launch.grid[0]),
    "%nctaid.y": lambda launch: _one(launch.grid[1]),
    "%smid": lambda launch: _axis(launch.lanes.block % launch.multiprocessors),
    "%cluster_ctarank": lambda launch: _axis(launch.lanes.block % launch.program.kernel.cluster),
    "%clock": lambda launch: _one(launch.clock()),
    "%clock64": lambda launch: np.array([launch.clock()], dtype=np.uint64),
    "%globaltimer": lambda launch: np.array(
        [int(launch.cycles / GHZ) // TIMER_NS * TIMER_NS], dtype=np.uint64
    ),
}
