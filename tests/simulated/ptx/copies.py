"""Copies that a unit of its own makes, and the barriers in shared memory that count their bytes.

A copy is carried out when somebody waits, not when it is ordered; in between, nobody may read what it will
write.  Source: NVIDIA, "Parallel Thread Execution ISA", "Asynchronous Copy" and "mbarrier".
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.simulated.ptx.faults import ILLEGAL_ADDRESS, MISALIGNED, Fault, Wrong
from tests.simulated.ptx.launch import Launch
from tests.simulated.ptx.memory import Region, aligned
from tests.simulated.ptx.operands import TYPES, address, read, write
from tests.simulated.ptx.program import known
from tests.simulated.ptx.records import Address, Constant, Instruction, Register, Sink

Step = Callable[[Launch], None]
BULK = 16
"""Bytes to which a bulk copy is aligned, and of which it moves a multiple."""
TILE = 128
"""Bytes to which a tile in shared memory is aligned."""
MAP = struct.Struct("<8s6Q")
"""Of a tensor map here: mark, and the fields of `Map`."""
MARK = b"tile map"


@dataclass
class Barrier:
    """An mbarrier: a phase ends when all have arrived and all bytes that were announced have come."""

    expected: int
    pending: int
    bytes: int = 0
    phase: int = 0

    def moved(self) -> None:
        """Ends the phase where nothing is missing."""
        if self.pending == 0 and self.bytes == 0:
            self.pending, self.phase = self.expected, self.phase + 1


def barrier(launch: Launch, at: int) -> Barrier:
    """The barrier at an offset of all shared memory.

    Raises:
        Wrong: none was made there.
    """
    found = launch.barriers.get(at)
    if not isinstance(found, Barrier):
        raise Wrong(f"{launch.what}: no barrier was initialised there")
    return found


def own(launch: Launch, value: int, thread: int, size: int, align: int) -> int:
    """Offset of bytes in the shared memory of a thread's block.

    Raises:
        Fault: they lie outside, or are misaligned.
    """
    if value % align:
        raise Fault(MISALIGNED, f"{launch.what} needs {align} bytes of alignment at {value:#x}")
    return launch.shared.place(value, int(launch.lanes.block[thread]), size, launch.what)


def _each(launch: Launch, *values: NDArray[Any]) -> list[tuple[int, ...]]:
    """(thread, values of its own) of the threads that act."""
    columns = [launch.lanes.spread(one).tolist() for one in values]
    return list(zip(launch.lanes.acting.tolist(), *columns, strict=True))


@known(r"mbarrier\.init\.shared(?:::cta)?\.b64")
def initialise(_match: re.Match[str], instruction: Instruction) -> Step:
    find, count = address(instruction.operands[0]), read(instruction.operands[1], TYPES["u32"])

    def run(launch: Launch) -> None:
        for thread, at, number in _each(launch, find(launch), count(launch)):
            place = own(launch, at, thread, 8, 8)
            launch.barriers[place] = Barrier(number, number)
            launch.shared.region.mark(place, place + 8)

    return run


@known(r"mbarrier\.arrive\.expect_tx\.shared(?:::cta)?\.b64")
def expect(_match: re.Match[str], instruction: Instruction) -> Step:
    into, target, size = instruction.operands
    if not isinstance(into, Sink):
        raise Wrong("the state of a barrier is not known")
    find, count = address(target), read(size, TYPES["u32"])

    def run(launch: Launch) -> None:
        for thread, at, number in _each(launch, find(launch), count(launch)):
            one = barrier(launch, own(launch, at, thread, 8, 8))
            one.bytes += number
            _arrive(launch, one)

    return run


def _arrive(launch: Launch, one: Barrier) -> None:
    if one.pending == 0:
        raise Wrong(f"{launch.what}: more arrive than the barrier expects")
    one.pending -= 1
    one.moved()


@known(r"mbarrier\.try_wait\.parity\.shared(?:::cta)?\.b64")
def wait(_match: re.Match[str], instruction: Instruction) -> Step:
    into, target, parity = instruction.operands
    put, find, which = write(into), address(target), read(parity, TYPES["u32"])

    def run(launch: Launch) -> None:
        launch.settle()
        found = []
        for thread, at, bit in _each(launch, find(launch), which(launch)):
            one = barrier(launch, own(launch, at, thread, 8, 8))
            found.append(one.phase % 2 != bit)
        if not all(found):
            launch.in_vain()
        put(launch, launch.lanes.gathered(np.array(found)))

    return run


# ---- copies


def _order(launch: Launch, target: Region, at: int, size: int, end: Callable[[], None]) -> None:
    """From now on nobody may read what will be written."""
    target.mark(at, at + size, written=False)
    launch.pending.copies.append(end)


def _copy(target: Region, to: int, source: Region, start: int, size: int) -> None:
    target.data[to : to + size] = source.data[start : start + size]
    target.mark(to, to + size)
    if source.unknown(start, start + size):
        known = source.known
        assert known is not None
        target.mark(to, to + size, written=False)
        mine = target.known
        assert mine is not None
        mine[to : to + size] = known[start : start + size]


def _bulk(launch: Launch, size: int, *addresses: int) -> None:
    if size % BULK or any(one % BULK for one in addresses):
        raise Fault(MISALIGNED, f"{launch.what}: addresses or size ({size}) are no multiples of {BULK} bytes")


@known(r"cp\.async\.c[ag]\.shared(?:::cta)?\.global")
def copy_16(_match: re.Match[str], instruction: Instruction) -> Step:
    target, source, size = instruction.operands
    if not isinstance(size, Constant) or size.value not in (4, 8, 16):
        raise Wrong("no size that such a copy has")
    into, of, count = address(target), address(source), size.value

    def run(launch: Launch) -> None:
        launch.settle()  # threads come again and again, and overwrite what they copied
        lanes, region = launch.lanes, launch.shared.region
        starts = lanes.spread(of(launch))
        aligned(starts, count, launch.what)
        places = launch.shared.flat(lanes.spread(into(launch)), lanes.block[lanes.acting], count, launch.what)
        loaded = [launch.memory.load(starts + at, 4, launch.what) for at in range(0, count, 4)]
        words = [one.sure(launch.what) for one in loaded]
        for at in range(0, count, 4):
            region.forget(places + at, 4)

        def end() -> None:
            for number, word in enumerate(words):
                region.scatter(places + 4 * number, 4, word)

        launch.pending.copies.append(end)

    return run


@known(r"cp\.async\.bulk\.shared::(?:cta|cluster)\.global\.mbarrier::complete_tx::bytes")
def bulk_load(_match: re.Match[str], instruction: Instruction) -> Step:
    target, source, size, signal = instruction.operands
    into, of, count, done = address(target), address(source), read(size, TYPES["u32"]), address(signal)

    def run(launch: Launch) -> None:
        region = launch.shared.region
        for thread, to, start, number, at in _each(
            launch, into(launch), of(launch), count(launch), done(launch)
        ):
            _bulk(launch, number, to, start)
            place = own(launch, to, thread, number, BULK)
            one = barrier(launch, own(launch, at, thread, 8, 8))
            origin = launch.memory.at(start, number, launch.what)

            def end(
                one: Barrier = one,
                place: int = place,
                origin: Region = origin,
                start: int = start,
                n: int = number,
            ) -> None:
                _copy(region, place, origin, start - origin.base, n)
                one.bytes -= n
                one.moved()

            _order(launch, region, place, number, end)

    return run


@known(r"cp\.async\.bulk\.global\.shared::cta\.bulk_group")
def bulk_store(_match: re.Match[str], instruction: Instruction) -> Step:
    target, source, size = instruction.operands
    into, of, count = address(target), address(source), read(size, TYPES["u32"])

    def run(launch: Launch) -> None:
        region = launch.shared.region
        for thread, to, start, number in _each(launch, into(launch), of(launch), count(launch)):
            _bulk(launch, number, to, start)
            place = own(launch, start, thread, number, BULK)
            missing = region.unknown(place, place + number)
            if missing:
                launch.notes.add(
                    f"{missing} of {number} bytes are copied out of shared memory that nobody wrote"
                )
            goal = launch.memory.at(to, number, launch.what)
            _order(
                launch,
                goal,
                to - goal.base,
                number,
                partial(_copy, goal, to - goal.base, region, place, number),
            )

    return run


@known(r"cp\.async\.bulk\.(commit_group|wait_group)|cp\.async\.(commit_group|wait_group|wait_all)")
def groups(match: re.Match[str], instruction: Instruction) -> Step:
    if "wait" not in match[0]:
        return lambda launch: None
    if instruction.operands not in ((), (Constant(0),)):
        raise Wrong("a wait for some of the groups only is not known")
    return lambda launch: launch.settle()


class Map(NamedTuple):
    """A tensor map: a tile of words in a matrix."""

    address: int
    columns: int
    """Of the tile."""
    rows: int
    """Of both."""
    pitch: int
    """Bytes from row to row."""
    width: int
    """Columns of the matrix."""
    swizzle: int
    """Bytes of a row whose pieces of 16 bytes change places; 0: none do."""

    def packed(self) -> bytes:
        """What a kernel is passed."""
        return MAP.pack(MARK, *self).ljust(128, b"\0")

    def swizzled(self, at: NDArray[np.int64]) -> NDArray[np.int64]:
        """Shared addresses after the swizzle: bits from 4 on are combined with those from 7 on."""
        bits = {0: 0, 32: 1, 64: 3, 128: 7}[self.swizzle]
        found: NDArray[np.int64] = at ^ (at >> 7 & bits) << 4
        return found


@known(
    r"cp\.async\.bulk\.tensor\.2d\.shared::(?:cta|cluster)\.global(?:\.tile)?\.mbarrier::complete_tx::bytes"
)
def tile_load(_match: re.Match[str], instruction: Instruction) -> Step:
    target, source, signal = instruction.operands
    if (
        not isinstance(source, Address)
        or not isinstance(source.base, Register)
        or len(source.coordinates) != 2
    ):
        raise Wrong("no tensor that is known")
    into, done, where = address(target), address(signal), read(source.base, TYPES["b64"])
    across, down = (read(one, TYPES["s32"]) for one in source.coordinates)

    def run(launch: Launch) -> None:
        region = launch.shared.region
        for thread, to, at, place, x, y in _each(
            launch, into(launch), done(launch), where(launch), across(launch), down(launch)
        ):
            found = _map(launch, place)
            if x < 0 or y < 0:
                raise Wrong(f"{launch.what}: a tile beside the tensor is not known")
            size = 4 * found.columns * found.rows
            spot = own(launch, to, thread, size, TILE)
            if found.swizzle and to % (8 * found.swizzle):
                raise Wrong(
                    f"{launch.what}: a tile of this swizzle begins at a multiple of {8 * found.swizzle} bytes"
                )
            one = barrier(launch, own(launch, at, thread, 8, 8))
            row = 4 * found.columns
            if row % BULK or found.pitch % BULK or found.address % BULK:
                raise Fault(MISALIGNED, f"{launch.what}: a row of the tile is no multiple of {BULK} bytes")
            launch.memory.at(found.address, found.pitch * (found.rows - 1) + 4 * found.width, launch.what)
            lines = partial(_copy_tile, launch, region, spot - to, to, found, x, y)

            def end(one: Barrier = one, lines: Callable[[], None] = lines, size: int = size) -> None:
                lines()
                one.bytes -= size
                one.moved()

            _order(launch, region, spot, size, end)

    return run


def _copy_tile(launch: Launch, region: Region, shift: int, to: int, found: Map, x: int, y: int) -> None:
    """Rows into shared memory, to addresses from `to` on; what lies beyond the tensor is zero."""
    row = 4 * found.columns
    data = np.zeros((found.rows, row), dtype=np.uint8)
    wide = max(0, min(found.columns, found.width - x)) * 4
    for number in range(max(0, found.rows - y)) if wide else ():
        first = found.address + (y + number) * found.pitch + 4 * x
        origin = launch.memory.at(first, wide, launch.what)
        start = first - origin.base
        if origin.unknown(start, start + wide):
            raise Wrong("a tile is copied out of memory that nobody wrote")
        data[number, :wide] = origin.data[start : start + wide]
    at = found.swizzled(to + np.arange(data.size, dtype=np.int64)) + shift
    region.data[at] = data.reshape(-1)
    region.mark(to + shift, to + shift + data.size)


def _map(launch: Launch, place: int) -> Map:
    """The tensor map among the parameters.

    Raises:
        Fault: it does not lie there as a whole, aligned to 64 bytes.
        Wrong: it is none.
    """
    room = launch.parameters
    at = place - room.base
    if at < 0 or at + 128 > room.size:
        raise Fault(ILLEGAL_ADDRESS, f"{launch.what}: no tensor map lies at {place:#x}")
    if at % 64:
        raise Fault(MISALIGNED, f"{launch.what}: the tensor map is not aligned to 64 bytes")
    mark, *found = MAP.unpack(bytes(room.data[at : at + MAP.size]))
    if mark != MARK:
        raise Wrong(f"{launch.what}: what lies at {place:#x} is no tensor map")
    return Map(*found)
