"""Matrix products through tensor memory: 128 lanes of 512 columns of 32 bits, for each block.

Source: NVIDIA, "Parallel Thread Execution ISA", "TensorCore 5th Generation Family Instructions".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tests.simulated.ptx import descriptors, formats
from tests.simulated.ptx.barriers import Barrier, own, signalled
from tests.simulated.ptx.faults import ILLEGAL_ADDRESS, Fault, Wrong
from tests.simulated.ptx.fragments import add
from tests.simulated.ptx.launch import Launch
from tests.simulated.ptx.memory import Addresses, Region
from tests.simulated.ptx.movement import store
from tests.simulated.ptx.operands import TYPES, address, parts, read, write
from tests.simulated.ptx.program import known
from tests.simulated.ptx.records import Constant, Instruction, Operand, Register

Step = Callable[[Launch], None]
LANES, COLUMNS = 128, 512
SUBLANES = 32
"""Lanes that a warp can reach: those of its place in its group."""

_KINDS = {
    "f16": {0: "f16", 1: "bf16"},
    "tf32": {2: "tf32"},
    "i8": {0: "u8", 1: "s8"},
    "f8f6f4": {0: "e4m3", 1: "e5m2", 3: "e2m3", 4: "e3m2", 5: "e2m1"},
    "mxf8f6f4": {0: "e4m3", 1: "e5m2", 3: "e2m3", 4: "e3m2", 5: "e2m1"},
    "mxf4": {1: "e2m1"},
    "mxf4nvf4": {1: "e2m1"},
}
"""Kind -> number in the instruction descriptor -> element type."""
_DEPTH = {"f16": 16, "tf32": 8, "mxf4": 64, "mxf4nvf4": 64}
"""Kind -> k, where it is not 32."""


@dataclass
class TensorMemory:
    """Of a block; what was not allocated is not there."""

    columns: int = 0
    words: NDArray[np.uint32] = field(default_factory=lambda: np.zeros((LANES, COLUMNS), dtype=np.uint32))
    known: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((LANES, COLUMNS), dtype=bool))
    region: Region = field(default_factory=lambda: Region(0, 4 * LANES * COLUMNS, "tensor memory"))
    """Of which only the order of accesses is kept."""


def _of(launch: Launch, block: int) -> TensorMemory:
    found = launch.pending.tensor.get(block)
    if not isinstance(found, TensorMemory) or not found.columns:
        raise Fault(ILLEGAL_ADDRESS, f"{launch.what}: no tensor memory is allocated")
    return found


def _blocks(launch: Launch) -> list[tuple[int, int]]:
    """(thread, block) of one thread of each warp that acts."""
    return [(32 * int(warp), int(launch.lanes.block[32 * warp])) for warp in launch.lanes.warps(launch.what)]


@known(r"tcgen05\.alloc\.cta_group::1\.sync\.aligned\.shared::cta\.b32")
def allocate(_match: re.Match[str], instruction: Instruction) -> Step:
    find, count = address(instruction.operands[0]), _columns(instruction.operands[1])

    def run(launch: Launch) -> None:
        for _, block in _blocks(launch):
            if block in launch.pending.tensor:
                raise Wrong(
                    f"{launch.what}: a second allocation of a block waits for the first to be given back"
                )
            launch.pending.tensor[block] = TensorMemory(count)
        store(launch, find(launch), "shared", 4, np.zeros(1, dtype=np.uint32))

    return run


@known(r"tcgen05\.dealloc\.cta_group::1\.sync\.aligned\.b32")
def give_back(_match: re.Match[str], instruction: Instruction) -> Step:
    count = _columns(instruction.operands[1])

    def run(launch: Launch) -> None:
        for thread, block in _blocks(launch):
            if _of(launch, block).columns != count:
                raise Wrong(f"{launch.what}: not all columns are given back")
            memory, warps = launch.pending.tensor[block], launch.races.warp[[thread]]
            all_of_it = _offsets((slice(0, LANES), slice(0, count)))
            agents, now = launch.races.clocks.agent(warps), launch.races.clocks.now(warps)
            launch.races.unit_writes(memory.region, all_of_it, warps, agents, now, proxy=False)
            memory.columns = 0

    return run


def _columns(operand: Operand) -> int:
    if not isinstance(operand, Constant) or operand.value not in (32, 64, 128, 256, 512):
        raise Wrong("no number of columns that can be allocated")
    return operand.value


def _place(launch: Launch, value: int, columns: int, lane: int | None = None) -> int:
    """First column of an address; its lane must be the given one.

    Raises:
        Fault: not all columns are there.
        Wrong: a warp asks for lanes that it does not reach.
    """
    if (value & 0xFFFF and (value & 0xFFFF) + columns > COLUMNS) or columns > COLUMNS:
        raise Fault(ILLEGAL_ADDRESS, f"{launch.what}: columns beyond tensor memory at {value:#x}")
    if lane is not None and value >> 16 != lane:
        raise Wrong(f"{launch.what}: a warp reaches lanes from {lane} on, the address names {value >> 16}")
    return value & 0xFFFF


@known(r"tcgen05\.(ld|st)\.sync\.aligned\.32x32b\.x(\d+)\.b32")
def move(match: re.Match[str], instruction: Instruction) -> Step:
    stores, count = match[1] == "st", int(match[2])
    first, second = instruction.operands if stores else reversed(instruction.operands)
    find, registers = address(first), parts(second)
    if len(registers) != count:
        raise Wrong("registers and columns are of different numbers")
    gets = [read(one, TYPES["b32"]) for one in registers] if stores else []
    puts = [] if stores else [write(one) for one in registers]

    def run(launch: Launch) -> None:
        lanes = launch.lanes
        where = lanes.whole(find(launch))
        found = np.zeros((count, lanes.count), dtype=np.uint32)
        for thread, block in _blocks(launch):
            memory = _of(launch, block)
            lane = int(lanes.thread[thread]) // 32 % (LANES // SUBLANES) * SUBLANES
            column = _place(launch, int(where[thread]), count, lane)
            room = (slice(lane, lane + SUBLANES), slice(column, column + count))
            _access(launch, memory, room, int(launch.races.warp[thread]), stores)
            if stores:
                given = [lanes.whole(get(launch))[thread : thread + 32] for get in gets]
                memory.words[room], memory.known[room] = np.stack(given, axis=1), True
                continue
            if not memory.known[room].all():
                raise Wrong(f"{launch.what} reads tensor memory that nobody wrote")
            found[:, thread : thread + 32] = memory.words[room].T
        for number, put in enumerate(puts):
            put(launch, found[number])
        for register in registers if not stores else ():
            if isinstance(register, Register):
                lanes.busy(register)
                launch.pending.loaded.add(register)

    return run


def _offsets(room: tuple[slice, slice]) -> Addresses:
    """Of cells in a block's tensor memory, bytes."""
    lanes, columns = (np.arange(one.start, one.stop, dtype=np.int64) for one in room)
    found: Addresses = 4 * (lanes[:, None] * COLUMNS + columns).reshape(-1)
    return found


def _access(launch: Launch, memory: TensorMemory, room: tuple[slice, slice], warp: int, stores: bool) -> None:
    """A warp orders that cells are read or written."""
    races, clocks = launch.races, launch.races.clocks
    agent = clocks.unit(warp)
    time = np.array([clocks.start(agent)], dtype=np.int32)
    at, warps, agents = _offsets(room), np.array([warp]), np.array([agent])
    if stores:
        races.unit_writes(memory.region, at, warps, agents, time, proxy=False, behind=agents)
    else:
        races.unit_reads(memory.region, at, warps, agents, time, proxy=False)


@known(r"tcgen05\.wait::(ld|st)\.sync\.aligned")
def wait(match: re.Match[str], _instruction: Instruction) -> Step:
    loads = match[1] == "ld"

    def run(launch: Launch) -> None:
        clocks = launch.races.clocks
        for thread, _ in _blocks(launch):
            warp = int(launch.races.warp[thread])
            agent = clocks.unit(warp)
            clocks.waited(np.array([warp]), agent, clocks.started(agent))
        if loads:
            launch.lanes.done(launch.pending.loaded)
            launch.pending.loaded = set()

    return run


@known(r"tcgen05\.commit\.cta_group::1\.mbarrier::arrive::one\.shared::cluster\.b64")
def commit(_match: re.Match[str], instruction: Instruction) -> Step:
    find = address(instruction.operands[0])

    def run(launch: Launch) -> None:
        acting = launch.lanes.acting
        for thread, at in zip(acting.tolist(), launch.lanes.spread(find(launch)).tolist(), strict=True):
            one = signalled(launch, own(launch, at, thread, 8, 8), thread)
            launch.pending.copies.append(partial(_end, launch, thread, one))

    return run


def _end(launch: Launch, thread: int, one: Barrier) -> None:
    """The products that a thread ordered have ended, and a barrier is told."""
    clocks, warp = launch.races.clocks, int(launch.races.warp[thread])
    agent = clocks.products(warp)
    one.came.known[agent % clocks.columns] = clocks.started(agent)
    one.pending -= 1
    one.signal(launch, clocks.start(one.agent))


@known(r"tcgen05\.mma\.cta_group::1\.kind::(\w+)(?:\.block_scale)?(?:\.scale_vec::(\d)X)?")
def product(match: re.Match[str], instruction: Instruction) -> Step:
    kind = match[1]
    into, left, right, words, *scales, keep = instruction.operands
    if not isinstance(words, Constant):
        raise Wrong("an instruction descriptor that is not constant")
    find, keeps = address(into), read(keep, TYPES["pred"])
    first, second = read(left, TYPES["b64"]), read(right, TYPES["b64"])
    finds = [address(scale) for scale in scales]
    m, n, number, a_kind, b_kind = _described(words.value, kind, bool(scales))
    k, padded = _DEPTH.get(kind, 32), kind in ("f8f6f4", "mxf8f6f4")
    dtype = {0: np.float16, 1: np.float32, 2: np.int32}[number]

    def run(launch: Launch) -> None:
        lanes = launch.lanes
        for thread in lanes.acting.tolist():
            block = int(lanes.block[thread])
            memory, warp = _of(launch, block), int(launch.races.warp[thread])
            races, agent = launch.races, launch.races.clocks.products(warp)
            time = np.array([races.clocks.start(agent)], dtype=np.int32)
            mine, agents = np.array([warp]), np.array([agent])
            tiles = [
                descriptors.of_memory(int(lanes.whole(get(launch))[thread]), launch.what)
                for get in (first, second)
            ]
            a = descriptors.matrix(launch, tiles[0], block, m, k, a_kind, padded, (warp,), agent)
            b = descriptors.matrix(launch, tiles[1], block, n, k, b_kind, padded, (warp,), agent)
            factor = 1.0
            for get in finds:
                place = int(lanes.whole(get(launch))[thread])
                factor *= _scale(launch, memory, place, words.value)
                scales_at = _offsets((slice(0, SUBLANES), slice(place & 0xFFFF, (place & 0xFFFF) + 1)))
                races.unit_reads(memory.region, scales_at, mine, agents, time, proxy=False)
            column = _place(launch, int(lanes.whole(find(launch))[thread]), n)
            room = (slice(0, m), slice(column, column + n))
            races.unit_writes(memory.region, _offsets(room), mine, agents, time, False, None, agents)
            before = np.zeros((m, n), dtype=dtype)
            if bool(lanes.whole(keeps(launch))[thread]):
                if not memory.known[room].all():
                    raise Wrong(f"{launch.what} adds to tensor memory that nobody wrote")
                raw = np.dtype(f"u{before.dtype.itemsize}")
                before = memory.words[room].astype(raw).view(dtype)
            found = add(before, (a @ b.T) * factor, "s32" if number == 2 else "")
            memory.words[room] = np.ascontiguousarray(found).view(np.dtype(f"u{found.dtype.itemsize}"))
            memory.known[room] = True

    return run


def _described(words: int, kind: str, scaled: bool) -> tuple[int, int, int, str, str]:
    """(m, n, number of the accumulator's type, element types) of an instruction descriptor."""
    kinds = _KINDS[kind]
    a, b = kinds[words >> 7 & 7], kinds[words >> 10 & (3 if kind.startswith("mxf4") else 7)]
    n = (words >> 17 & 0x3F) << 3
    if scaled:
        return (words >> 27 & 3) << 7, n, 1, a, b
    return (words >> 24 & 0x1F) << 4, n, words >> 4 & 3, a, b


def _scale(launch: Launch, memory: TensorMemory, value: int, words: int) -> float:
    """The scale of a factor; simplified: the first byte of the first lane for all."""
    column = _place(launch, value, 1)
    if not memory.known[:SUBLANES, column].all():
        raise Wrong(f"{launch.what} reads scales in tensor memory that nobody wrote")
    code = memory.words[:1, column].astype(np.uint8)
    if words >> 23 & 1:
        return float(formats.e8m0(code)[0])
    return float(formats.decode("e4m3", code & 0x7F)[0])
