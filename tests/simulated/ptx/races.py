"""Races: accesses of one place by several warps, of which one writes, that nothing orders (`clocks.py`).

What is an error: a read of what another warp wrote, and a write over what another warp read or wrote, where
no barrier, wait or fence lies between them; two values that one instruction writes to one place; and an
access by a unit of its own (bulk copies, products of warp groups and through tensor memory) to what was
written by instructions, without a proxy fence of the warp that wrote.

What is let pass: lanes of one warp are taken to be in order among themselves; equal values that several warps
write to one place are counted, not refused; volatile accesses and atomics do not race with each other; of the
readers of a place two are remembered; regions of more than `LARGEST` bytes are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import proxy

import numpy as np
from numpy.typing import NDArray

from tests.simulated.ptx.clocks import Clocks, Passed, Table, Warps
from tests.simulated.ptx.faults import Wrong
from tests.simulated.ptx.memory import SHIFT, WORDS, Addresses, Region, Values
from tests.simulated.ptx.records import Kernel
from tests.simulated.ptx.shadows import Shadow

if TYPE_CHECKING:
    from tests.simulated.ptx.launch import Launch

ALL = slice(None)
LARGEST = 1 << 30
MOST_WARPS = 1024
"""Of a launch, where any block may order its accesses with any other."""
_ACCESS = re.compile(r"(?:ld|st|atom|red)\b.*\.(?:u|s|b|f)(\d+)$")
_UNITS = re.compile(r"cp\.async|wgmma|tcgen05|mbarrier")
_FENCE = re.compile(
    r"membar\.(gl|sys)|fence\.(sc|acq_rel|acquire|release)\.(gpu|sys)|\w+\.(acquire|release|acq_rel)\.(gpu|sys)"
)
WORD = 4
"""Bytes that are looked at as one, where a kernel has no narrower access."""


@dataclass(frozen=True)
class Traits:
    """What a kernel has that matters here."""

    unit: int
    """Bytes that are looked at as one."""
    units: bool
    """Units that act on their own."""
    fences: bool
    """Fences by which blocks may order their accesses."""


def traits(kernel: Kernel) -> Traits:
    """Those of a kernel."""
    opcodes = {one.opcode for one in kernel.instructions}
    widths = [
        int(found[1]) // 8 for found in map(_ACCESS.match, opcodes) if found and "param" not in found[0]
    ]
    return Traits(
        min([WORD, *widths]),
        any(_UNITS.match(one) for one in opcodes),
        any(_FENCE.match(one) for one in opcodes),
    )


class Races:
    """Looks at the accesses of a launch."""

    def __init__(self, launch: Launch, found: Traits) -> None:
        self.launch: Launch = proxy(launch)  # which holds this: a circle would keep its memory for long
        self.unit, self._shift = found.unit, SHIFT[found.unit]
        lanes = launch.lanes
        self.per_block = -(-lanes.per_block // 32)
        self.warp: Warps = lanes.block * self.per_block + lanes.thread // 32
        warps = lanes.blocks * self.per_block
        self.alone = warps == 1
        self.watching = not self.alone or found.units
        whole = found.fences and warps <= MOST_WARPS
        size = self.per_block * launch.program.kernel.cluster
        self.clocks = Clocks(warps, warps if whole else size, found.units)
        self.equal = 0
        """Writes of a value that another warp wrote to the same place without order."""
        self._every: Warps = np.arange(warps, dtype=np.int64)
        self._shadows: dict[int, Shadow] = {}
        self._away: dict[tuple[int, int], tuple[int, int]] = {}
        """(warp, block of another's shared memory) -> time and place of its latest access."""

    # ---- who acts

    def acting(self) -> Warps:
        """Warps of which a thread acts."""
        mask = self.launch.lanes.mask
        if mask is None:
            return self._every
        warps = self.warp[mask]  # which rise with the threads
        return warps[np.concatenate([[True], warps[1:] != warps[:-1]])]

    def _shadow(self, region: Region) -> Shadow | None:
        if not self.watching or len(region.data) > LARGEST:
            return None
        if id(region) not in self._shadows:
            self._shadows[id(region)] = Shadow(len(region.data), self.unit)
        return self._shadows[id(region)]

    def _words(self, at: Addresses, width: int) -> Addresses:
        """Those of accesses, all of the first ones, then of the second ones, and so on."""
        first = at >> self._shift
        if width <= self.unit:
            return first
        found: Addresses = (np.arange(width // self.unit)[:, None] + first).reshape(-1)
        return found

    # ---- accesses of threads

    def _of(self, lanes: Any) -> Warps:
        mask = self.launch.lanes.mask
        found: Warps = (self.warp if mask is None else self.warp[mask])[lanes]
        return found

    def reads(
        self, region: Region, at: Addresses, width: int, lanes: Any = ALL, strong: bool = False
    ) -> None:
        """Words that threads read.

        Args:
            region: where.
            at: offsets, one a thread, or one where all that act read the same.
            width: bytes of each, of all components of a vector.
            lanes: which of the threads that act they belong to.
            strong: whether by volatile accesses or atomics.
        """
        shadow = self._shadow(region)
        if shadow is None:
            return
        warps = self._of(lanes)
        if len(at) != len(warps):
            warps = self.acting()
            at = np.repeat(at, len(warps))
        if strong:
            self.clocks.look(warps, region.base + at)
        if not shadow.written_to and self.alone:
            return
        words = self._words(at, width)
        if len(words) > len(warps):
            warps = np.tile(warps, len(words) // len(warps))
        agents = self.clocks.agent(warps)
        self._against_writes(shadow, words, warps, "reads", strong, own=agents)
        if not strong and not self.alone:
            self._remember(shadow, words, agents, self.clocks.now(warps))

    def writes(
        self,
        region: Region,
        at: Addresses,
        width: int,
        values: Values,
        lanes: Any = ALL,
        strong: bool = False,
        adds: bool = False,
    ) -> Callable[[], None]:
        """Words that threads write.

        Args:
            region: where.
            at: offsets, one a thread.
            width: bytes of each.
            values: what is written.
            lanes: which of the threads that act they belong to.
            strong: whether by volatile accesses or atomics.
            adds: whether by atomics.

        Returns:
            What is to be called when they stand there.
        """
        shadow = self._shadow(region)
        if shadow is None:
            return lambda: None
        clocks, warps = self.clocks, self._of(lanes)
        agents = clocks.agent(warps)
        words, many = self._words(at, width), max(1, width // self.unit)
        every, theirs, changed = warps, agents, None
        if shadow.written_to:
            changed = region.data.view(WORDS[width])[at >> SHIFT[width]] != values
        if many > 1:
            every, theirs = np.tile(warps, many), np.tile(agents, many)
            changed = None if changed is None else np.tile(changed, many)
        self._against_writes(shadow, words, every, "overwrites", strong, changed, own=theirs)
        self._against_reads(shadow, words, every, theirs)
        self._wrote(shadow, words, theirs, clocks.now(every), strong)
        if strong:
            clocks.publish(warps, region.base + at, adds)
        if adds or len(at) == 1:
            return lambda: None

        def after() -> None:
            other = region.data.view(WORDS[width])[at >> SHIFT[width]] != values
            if other.any():
                raise Wrong(
                    f"{self.launch.what} writes different values to one place, in {int(other.sum())} lanes"
                )
            self.equal += int(np.count_nonzero(shadow.writer[words[: len(at)]] != agents + 1))

        return after

    def _wrote(self, shadow: Shadow, words: Addresses, agents: Warps, times: Table, strong: bool) -> None:
        shadow.written_to = True
        shadow.writer[words] = agents + 1
        shadow.written[words] = times
        shadow.strong[words] = strong
        shadow.place[words] = self.launch.place
        for readers in shadow.readers if shadow.read_from else ():
            readers[words] = 0

    def _remember(self, shadow: Shadow, words: Addresses, agents: Warps, times: Table) -> None:
        shadow.read_from = True
        first, second = shadow.readers
        marks, before = (agents + 1).astype(np.int32), first[words]
        moved = (before > 0) & (before != marks)
        if moved.any():
            some = words[moved]
            second[some], shadow.read[1][some] = before[moved], shadow.read[0][some]
        first[words], shadow.read[0][words] = marks, times
        beside = first[words] != marks
        if beside.any():
            some = words[beside]
            second[some], shadow.read[1][some] = marks[beside], times[beside]

    def _against_writes(
        self,
        shadow: Shadow,
        words: Addresses,
        warps: Warps,
        what: str,
        strong: bool,
        changed: NDArray[np.bool_] | None = None,
        by_unit: bool = False,
        own: Warps | None = None,
    ) -> None:
        """Raises where a place was written by somebody behind whom a warp does not come."""
        if not shadow.written_to:
            return
        writers = shadow.writer[words]
        some = writers > 0
        if own is not None:
            some &= writers != own + 1
        if strong:
            some &= ~shadow.strong[words]
        if not some.any():
            return
        mine, who, times = warps[some], writers[some].astype(np.int64) - 1, shadow.written[words[some]]
        wrong = ~self.clocks.ordered(mine, who, times, by_unit)
        if not wrong.any():
            return
        if changed is not None:
            self.equal += int(np.count_nonzero(wrong & ~changed[some]))
            wrong &= changed[some]
            if not wrong.any():
                return
        at = int(np.flatnonzero(wrong)[0])
        place, who_first = int(shadow.place[words[some][at]]), int(who[at])
        instruction = self.launch.program.kernel.instructions[place].text
        lacks = "nothing orders the two"
        if by_unit and self.clocks.ordered(mine[at : at + 1], who[at : at + 1], times[at : at + 1])[0]:
            lacks = "who wrote had no proxy fence behind"
        raise Wrong(
            f"race: {self.launch.what} {what} what '{instruction}' of {self._name(who_first)} wrote,"
            f" and {lacks}"
        )

    def _against_reads(self, shadow: Shadow, words: Addresses, warps: Warps, agents: Warps) -> None:
        if not shadow.read_from:
            return
        for readers, read in zip(shadow.readers, shadow.read, strict=True):
            who = readers[words]
            some = (who > 0) & (who != agents + 1)
            if some.any():
                found = who[some].astype(np.int64) - 1
                wrong = ~self.clocks.ordered(warps[some], found, read[words[some]])
                if wrong.any():
                    name = self._name(int(found[np.flatnonzero(wrong)[0]]))
                    raise Wrong(
                        f"race: {self.launch.what} overwrites what {name} read, and nothing orders the two"
                    )

    def _name(self, agent: int) -> str:
        home, column = divmod(agent, self.clocks.columns)
        domain = self.clocks.domain
        if column >= 2 * domain:
            return "a copy that a barrier tells of"
        block, warp = divmod(home * domain + column % domain, self.per_block)
        unit = "a unit that acts for " if column >= domain else ""
        return f"{unit}warp {warp} of block {block}"

    # ---- accesses of units of their own

    def unit_reads(
        self, region: Region, at: Addresses, warps: Warps, agents: Warps, times: Table, proxy: bool
    ) -> None:
        """Units read for warps.

        Args:
            region: where.
            at: offsets, each of one word of the smallest access.
            warps: for which, as many or one.
            agents: numbers of the units (`clocks.Clocks.unit`), as many or one.
            times: of what they do, as many or one.
            proxy: whether they see what instructions wrote only through a proxy fence.
        """
        shadow = self._shadow(region)
        if shadow is not None:
            words = at >> self._shift
            self._against_writes(
                shadow, words, np.broadcast_to(warps, words.shape), "reads", False, None, proxy
            )
            self._remember(
                shadow, words, np.broadcast_to(agents, words.shape), np.broadcast_to(times, words.shape)
            )

    def unit_writes(
        self,
        region: Region,
        at: Addresses,
        warps: Warps,
        agents: Warps,
        times: Table,
        proxy: bool,
        changed: NDArray[np.bool_] | None = None,
        behind: Warps | None = None,
    ) -> None:
        """Units will write for warps; the same arguments, and more.

        Args:
            region, at, warps, agents, times, proxy: see `unit_reads`.
            changed: where other values stand there; nothing: everywhere.
            behind: a unit that does one thing after the other, so that what it wrote before is in order.
        """
        shadow = self._shadow(region)
        if shadow is not None:
            words = at >> self._shift
            mine = np.broadcast_to(warps, words.shape)
            if behind is not None:
                others = shadow.writer[words] != behind + 1
                self._against_writes(shadow, words[others], mine[others], "overwrites", False, None, proxy)
            else:
                self._against_writes(shadow, words, mine, "overwrites", False, changed, proxy)
            self._against_reads(shadow, words, mine, np.broadcast_to(agents, words.shape))
            self._wrote(shadow, words, agents, times, False)

    def span(self, start: int, size: int) -> Addresses:
        """Offsets of the words of some bytes."""
        found: Addresses = np.arange(start, start + size, self.unit, dtype=np.int64)
        return found

    def away(self, warps: Warps, owners: Warps) -> None:
        """Warps access the shared memory of other blocks of their cluster."""
        others = warps // self.per_block != owners
        for warp, owner in set(zip(warps[others].tolist(), owners[others].tolist(), strict=True)):
            self._away[warp, owner] = int(self.clocks.now(np.array([warp]))[0]), self.launch.place

    def finish(self) -> None:
        """All threads have ended.

        Raises:
            Wrong: a block may have ended while another still used its shared memory.
        """
        for (warp, owner), (time, place) in self._away.items():
            column = int(self.clocks.own[warp])
            rows = self.clocks.known[owner * self.per_block : (owner + 1) * self.per_block]
            if rows[:, column].max() < time:
                self.launch.place = place
                raise Wrong(
                    f"race: {self.launch.what} needs block {owner}, and nothing keeps that from ending before"
                )

    # ---- order

    def meet(self, go: NDArray[np.bool_], cluster: bool) -> None:
        """All threads of some blocks or clusters, one entry of `go` each, go on behind a barrier."""
        size = self.per_block * (self.launch.program.kernel.cluster if cluster else 1)
        (self.clocks.arrived if cluster else self.clocks.meet)(go, size)

    def knows(self, thread: int, of: int, time: int, by_unit: bool = False) -> bool:
        """Whether a thread comes behind what a warp did at a time."""
        one = np.array([self.warp[thread]])
        agent = self.clocks.agent(np.array([of]))
        return bool(self.clocks.ordered(one, agent, np.array([time], dtype=np.int32), by_unit)[0])

    def leave(self, thread: int, place: Passed) -> None:
        """A thread arrives at an mbarrier."""
        self.clocks.leave(int(self.warp[thread]), place)

    def take(self, thread: int, place: Passed) -> None:
        """A thread saw that all have arrived there."""
        self.clocks.take(int(self.warp[thread]), place)
