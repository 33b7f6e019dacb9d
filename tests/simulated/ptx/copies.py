"""Copies that a unit of its own makes.

A copy is carried out when somebody waits, not when it is ordered; in between, nobody may read what it will
write, and behind it comes only who waited.
Source: NVIDIA, "Parallel Thread Execution ISA", "Asynchronous Copy".
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.simulated.ptx.barriers import Barrier, each, own, signalled
from tests.simulated.ptx.faults import ILLEGAL_ADDRESS, MISALIGNED, Fault, Wrong
from tests.simulated.ptx.launch import Launch
from tests.simulated.ptx.memory import Addresses, Region, aligned
from tests.simulated.ptx.operands import TYPES, address, read
from tests.simulated.ptx.program import known
from tests.simulated.ptx.records import Address, Constant, Instruction, Register

Step = Callable[[Launch], None]
BULK = 16
"""Bytes to which a bulk copy is aligned, and of which it moves a multiple."""
TILE = 128
"""Bytes to which a tile in shared memory is aligned."""
MAP = struct.Struct("<8s6Q")
"""Of a tensor map here: mark, and the fields of `Map`."""
MARK = b"tile map"


def _order(
    launch: Launch, thread: int, agent: int, source: Piece | None, target: Piece, end: Callable[[int], None]
) -> None:
    """A unit reads and will write for a thread; from now on nobody may read what will be written."""
    races = launch.races
    time = races.clocks.start(agent)
    warp, who, when = np.array([races.warp[thread]]), np.array([agent]), np.array([time], dtype=np.int32)
    if source is not None:
        races.unit_reads(source.region, races.span(source.at, source.size), warp, who, when, proxy=True)
    races.unit_writes(target.region, races.span(target.at, target.size), warp, who, when, proxy=True)
    target.region.mark(target.at, target.at + target.size, written=False)
    launch.pending.copies.append(partial(end, time))


class Piece(NamedTuple):
    """Bytes of a region."""

    region: Region
    at: int
    size: int


def _copy(launch: Launch, source: Piece, target: Piece) -> None:
    """Carries a copy out.

    Raises:
        Wrong: nobody wrote some of it.
    """
    missing = source.region.unknown(source.at, source.at + source.size)
    if missing:
        raise Wrong(
            f"{missing} of {source.size} bytes are copied out of {source.region.name} that nobody wrote,"
            f" by {launch.program.kernel.name}"
        )
    data = source.region.data[source.at : source.at + source.size]
    target.region.data[target.at : target.at + target.size] = data
    target.region.mark(target.at, target.at + target.size)


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
        races, clocks = launch.races, launch.races.clocks
        units, times = np.zeros(clocks.warps, dtype=np.int64), np.zeros(clocks.warps, dtype=np.int32)
        for one in races.acting().tolist():
            units[one] = clocks.unit(one)
            times[one] = clocks.start(int(units[one]))
        warps = races.warp[lanes.acting]

        def reads(origin: Region, at: Addresses, those: Any) -> None:
            some = warps[those]
            races.unit_reads(origin, at, some, units[some], times[some], proxy=False)

        loaded = [launch.memory.load(starts + at, 4, launch.what, reads) for at in range(0, count, 4)]
        words = [one.sure(launch.what) for one in loaded]
        for at, word in zip(range(0, count, 4), words, strict=True):
            changed = region.data.view(np.uint32)[(places + at) // 4] != word
            races.unit_writes(region, places + at, warps, units[warps], times[warps], False, changed)
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
        for thread, to, start, number, at in each(
            launch, into(launch), of(launch), count(launch), done(launch)
        ):
            _bulk(launch, number, to, start)
            place = own(launch, to, thread, number, BULK)
            one = signalled(launch, own(launch, at, thread, 8, 8), thread)
            origin = launch.memory.at(start, number, launch.what)
            source, target = Piece(origin, start - origin.base, number), Piece(region, place, number)

            def end(time: int, one: Barrier = one, source: Piece = source, target: Piece = target) -> None:
                _copy(launch, source, target)
                one.signal(launch, time, target.size)

            _order(launch, thread, one.agent, source, target, end)

    return run


@known(r"cp\.async\.bulk\.global\.shared::cta\.bulk_group")
def bulk_store(_match: re.Match[str], instruction: Instruction) -> Step:
    target, source, size = instruction.operands
    into, of, count = address(target), address(source), read(size, TYPES["u32"])

    def run(launch: Launch) -> None:
        region = launch.shared.region
        for thread, to, start, number in each(launch, into(launch), of(launch), count(launch)):
            _bulk(launch, number, to, start)
            place = own(launch, start, thread, number, BULK)
            goal = launch.memory.at(to, number, launch.what)
            source, target = Piece(region, place, number), Piece(goal, to - goal.base, number)
            agent = launch.races.clocks.unit(int(launch.races.warp[thread]))

            def end(_time: int, source: Piece = source, target: Piece = target) -> None:
                _copy(launch, source, target)

            _order(launch, thread, agent, source, target, end)

    return run


@known(r"cp\.async\.bulk\.(commit_group|wait_group)|cp\.async\.(commit_group|wait_group|wait_all)")
def groups(match: re.Match[str], instruction: Instruction) -> Step:
    if "wait" not in match[0]:
        return lambda launch: None
    if instruction.operands not in ((), (Constant(0),)):
        raise Wrong("a wait for some of the groups only is not known")

    def run(launch: Launch) -> None:
        launch.settle()
        clocks = launch.races.clocks
        if clocks.units:
            for warp in launch.races.acting().tolist():
                agent = clocks.unit(warp)
                clocks.waited(np.array([warp]), agent, clocks.started(agent), by_proxy="bulk" in match[0])

    return run


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

    @classmethod
    def of(cls, value: int) -> Map:
        """The other way round, of a parameter as a number."""
        return cls(*MAP.unpack(value.to_bytes(128, "little")[: MAP.size])[1:])

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
        for thread, to, at, place, x, y in each(
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
            one = signalled(launch, own(launch, at, thread, 8, 8), thread)
            row = 4 * found.columns
            if row % BULK or found.pitch % BULK or found.address % BULK:
                raise Fault(MISALIGNED, f"{launch.what}: a row of the tile is no multiple of {BULK} bytes")
            launch.memory.at(found.address, found.pitch * (found.rows - 1) + 4 * found.width, launch.what)
            lines = partial(_copy_tile, launch, region, spot - to, to, found, x, y)

            def end(
                time: int, one: Barrier = one, lines: Callable[[], None] = lines, size: int = size
            ) -> None:
                lines()
                one.signal(launch, time, size)

            _order(launch, thread, one.agent, None, Piece(region, spot, size), end)

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
