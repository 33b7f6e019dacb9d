"""Moves between registers, and between registers and memory; textures."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.simulated.ptx.faults import ILLEGAL_ADDRESS, WRONG_SPACE, Fault, Wrong
from tests.simulated.ptx.launch import RANK_BITS, Launch
from tests.simulated.ptx.memory import WORDS, Addresses, Loaded, Region, Values
from tests.simulated.ptx.operands import TYPES, address, parts, read, write
from tests.simulated.ptx.program import known
from tests.simulated.ptx.races import ALL
from tests.simulated.ptx.records import Address, Instruction, Operand, Register, Symbol, Vector

Step = Callable[[Launch], None]
LOCAL_WINDOW = 0x7100_0000_0000
"""Where local memory begins among generic addresses ..."""
SHARED_WINDOW = 0x7180_0000_0000
"""... and shared memory of all blocks of a cluster ..."""
SHARED_BYTES = 1 << 32
"""... which is so long at most."""
TYPE = "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"
_STRONG = r"\.volatile|\.(?:relaxed|acquire|release)\.(?:cta|cluster|gpu|sys)"
SPACE = r"global|shared(?:::cta|::cluster)?|local|const|param"


@known(rf"mov\.({TYPE}|pred)")
def mov(match: re.Match[str], instruction: Instruction) -> Step:
    into, source = instruction.operands
    kind = TYPES[match[1]]
    if isinstance(into, Vector):
        return _unpack(into, source, kind)
    put = write(into)
    if isinstance(source, Vector):
        return _pack(put, source, kind)
    get = read(source, kind)
    return lambda launch: put(launch, get(launch))


def _unpack(into: Vector, source: Any, kind: np.dtype[Any]) -> Step:
    get = read(source, kind)
    each = np.dtype(WORDS[kind.itemsize // len(into.parts)])
    puts = [write(part) for part in into.parts]

    def run(launch: Launch) -> None:
        words = np.ascontiguousarray(get(launch)).view(each).reshape(-1, len(puts))
        for at, put in enumerate(puts):
            put(launch, words[:, at].copy())

    return run


def _pack(put: Callable[[Launch, Values], None], source: Vector, kind: np.dtype[Any]) -> Step:
    each = np.dtype(WORDS[kind.itemsize // len(source.parts)])
    gets = [read(part, each) for part in source.parts]

    def run(launch: Launch) -> None:
        words = np.broadcast_arrays(*(get(launch) for get in gets))
        put(launch, np.stack(words, axis=1).reshape(-1).view(kind))

    return run


@known(r"cvta(\.to)?\.(global|shared|local|const|param)\.u64")
def cvta(match: re.Match[str], instruction: Instruction) -> Step:
    into, source = instruction.operands
    put, get = write(into), read(source, TYPES["b64"])
    if match[2] == "const":
        raise Wrong("generic addresses of this space are not known")
    distance = np.uint64({"local": LOCAL_WINDOW, "shared": SHARED_WINDOW}.get(match[2], 0))
    if match[1]:
        return lambda launch: put(launch, get(launch) - distance)
    return lambda launch: put(launch, get(launch) + distance)


# ---- memory by space: (addresses of the threads that act) -> words


def places_of(launch: Launch, addresses: Addresses, space: str, width: int) -> tuple[Region, Addresses]:
    """Region and offsets of addresses that are the own of each thread."""
    lanes = launch.lanes
    if space.startswith("shared"):
        owners = lanes.spread(lanes.block)
        if space == "shared::cluster":
            rank = addresses >> RANK_BITS
            size = launch.program.kernel.cluster
            if (rank > size).any():
                raise Fault(ILLEGAL_ADDRESS, f"{launch.what} reaches a block beyond its cluster of {size}")
            owners = np.where(rank > 0, owners // size * size + rank - 1, owners)
            addresses = addresses & (1 << RANK_BITS) - 1
            launch.races.away(lanes.spread(launch.races.warp), owners)
        return launch.shared.region, launch.shared.flat(addresses, owners, width, launch.what)
    if space == "local":
        if launch.local is None:
            raise Fault(ILLEGAL_ADDRESS, f"{launch.what}: the kernel has no local memory")
        return launch.local.region, launch.local.flat(addresses, lanes.acting, width, launch.what)
    raise Wrong(f"{space} memory is not known")


def load(
    launch: Launch,
    addresses: Addresses,
    space: str,
    width: int,
    strong: bool = False,
    look: int | None = None,
) -> Loaded:
    """A word for each thread that acts, or one where all read the same.

    Args:
        launch: that runs.
        addresses: where.
        space: in which memory.
        width: bytes.
        strong: whether volatile or atomic.
        look: bytes from there on whose order is looked at; nothing: those that are read.
    """
    seen = width if look is None else look
    races = launch.races
    if not space and _in_cluster(addresses):
        space, addresses = "shared::cluster", addresses - SHARED_WINDOW
    if space in ("global", "const", "param", ""):
        few = addresses if len(addresses) == 1 else launch.lanes.spread(addresses)
        if space == "const":
            bank = launch.constants
            if bank is None:
                raise Fault(ILLEGAL_ADDRESS, f"{launch.what}: the module has no constant memory")
            _inside(few, bank, width, launch.what)
            return bank.gather(few, width)
        if space == "param":
            _inside(few - launch.parameters.base, launch.parameters, width, launch.what)
            return launch.parameters.gather(few - launch.parameters.base, width)
        _global(few, launch)
        if not seen:
            return launch.memory.load(few, width, launch.what)
        return launch.memory.load(
            few, width, launch.what, lambda region, at, lanes: races.reads(region, at, seen, lanes, strong)
        )
    region, at = places_of(launch, launch.lanes.spread(addresses), space, width)
    if space != "local" and seen:
        races.reads(region, at, seen, strong=strong)
    return region.gather(at, width)


def _inside(at: Addresses, region: Region, width: int, what: str) -> None:
    if (at < 0).any() or (at + width > region.size).any() or (at & (width - 1)).any():
        raise Fault(ILLEGAL_ADDRESS, f"{what} reads beyond {region.name} ({region.size} bytes) or misaligned")


def _in_cluster(addresses: Addresses) -> bool:
    """Whether generic addresses, by the first of them, are of shared memory."""
    return bool(SHARED_WINDOW <= int(addresses[0]) < SHARED_WINDOW + SHARED_BYTES)


def _global(addresses: Addresses, launch: Launch) -> None:
    if np.minimum.reduce(addresses) >= LOCAL_WINDOW + (1 << 24):
        return  # as always
    if ((addresses >= LOCAL_WINDOW) & (addresses < LOCAL_WINDOW + (1 << 24))).any():
        raise Fault(WRONG_SPACE, f"{launch.what} takes an address of local memory for one of global memory")


def store(
    launch: Launch, addresses: Addresses, space: str, width: int, values: Values, strong: bool = False
) -> None:
    """Words of the threads that act; `strong`: volatile or atomic."""
    at = launch.lanes.spread(addresses)
    some = launch.lanes.spread(values) if len(values) > 1 else values
    if space in ("global", ""):
        _global(at, launch)
        store_global(launch, at, ALL, width, some, strong)
        return
    region, places = places_of(launch, at, space, width)
    if space == "local":
        region.scatter(places, width, some)
        return
    done = launch.races.writes(region, places, width, some, ALL, strong)
    region.scatter(places, width, some)
    done()


def store_global(
    launch: Launch, at: Addresses, lanes: Any, width: int, values: Values, strong: bool, adds: bool = False
) -> None:
    """Words to addresses of some of the threads that act."""
    for region, those in launch.memory.parts(at, width, launch.what):
        some = values[those] if len(values) == len(at) else values
        places = at[those] - region.base
        whose = lanes if isinstance(those, slice) else np.arange(len(launch.lanes.acting))[lanes][those]
        done = launch.races.writes(region, places, width, some, whose, strong, adds)
        region.scatter(places, width, some)
        done()


@known(rf"ld({_STRONG})?(?:\.({SPACE}))?(?:\.(?:ca|cg|cs|cv|nc))?(?:\.v(\d))?\.({TYPE})")
def ld(match: re.Match[str], instruction: Instruction) -> Step:
    space, count, kind = match[2] or "", int(match[3] or 1), TYPES[match[4]]
    strong, acquires = bool(match[1]), "acquire" in (match[1] or "")
    into, source = instruction.operands
    puts = [keep(part, kind) for part in parts(into)]
    if len(puts) != count:
        raise Wrong("registers and vector are of different lengths")
    find, width = address(source), kind.itemsize
    assert isinstance(source, Address)
    if isinstance(source.base, Symbol) and not space:
        raise Wrong("a generic address of a variable is not known")

    def run(launch: Launch) -> None:
        addresses = find(launch)
        if count > 1:
            _vector(addresses, width * count, launch)
        for at, put in enumerate(puts):
            look = 0 if at else count * width
            put(launch, load(launch, addresses + at * width if at else addresses, space, width, strong, look))
        if acquires:
            launch.races.clocks.fence(launch.races.acting())

    return run


def keep(into: Operand, kind: np.dtype[Any]) -> Callable[[Launch, Loaded], None]:
    """What was loaded, into a register; where nobody wrote it, the register may not be read."""
    put = write(into)

    def run(launch: Launch, loaded: Loaded) -> None:
        lanes = launch.lanes
        words = loaded.values.view(kind)
        put(launch, words if len(words) == 1 else lanes.gathered(words))
        if loaded.missing is not None and isinstance(into, Register):
            lanes.poison(into, lanes.whole(lanes.gathered(lanes.spread(loaded.missing))))

    return run


def _vector(addresses: Addresses, size: int, launch: Launch) -> None:
    few = launch.lanes.spread(addresses) if len(addresses) > 1 else addresses
    if (few & (size - 1)).any():
        raise Fault(716, f"{launch.what} needs {size} bytes of alignment")


@known(rf"st({_STRONG})?(?:\.({SPACE}))?(?:\.(?:wb|cg|cs|wt))?(?:\.v(\d))?\.({TYPE})")
def st(match: re.Match[str], instruction: Instruction) -> Step:
    space, count, kind = match[2] or "", int(match[3] or 1), TYPES[match[4]]
    strong, releases = bool(match[1]), "release" in (match[1] or "")
    target, source = instruction.operands
    gets = [read(part, kind) for part in parts(source)]
    if len(gets) != count or space in ("const", "param"):
        raise Wrong("what is stored does not fit")
    find, width = address(target), kind.itemsize
    raw = WORDS[width]

    def run(launch: Launch) -> None:
        addresses = find(launch)
        if count > 1:
            _vector(addresses, width * count, launch)
        if releases:
            launch.races.clocks.fence(launch.races.acting())
        for at, get in enumerate(gets):
            here = addresses + at * width if at else addresses
            store(launch, here, space, width, get(launch).view(raw), strong)

    return run


# ---- textures, clusters


@known(r"tex\.1d\.v4\.u32\.s32")
def tex(_match: re.Match[str], instruction: Instruction) -> Step:
    into, source = instruction.operands
    first, *others = parts(into)
    if (
        not isinstance(source, Address)
        or not isinstance(source.base, Register)
        or len(source.coordinates) != 1
    ):
        raise Wrong("no texture that is known")
    if any(isinstance(other, Register) for other in others):
        raise Wrong("a texel has one component here")
    put, handle = write(first), read(source.base, TYPES["b64"])
    at = read(source.coordinates[0], TYPES["s32"])

    def run(launch: Launch) -> None:
        handles = handle(launch)
        if len(handles) > 1:
            raise Wrong("a texture of each thread's own is not known")
        start, size = launch.device.textures[int(handles[0])]
        index = launch.lanes.spread(at(launch)).astype(np.int64)
        if (index < 0).any() or (4 * index + 4 > size).any():
            raise Wrong(f"{launch.what} asks for a texel beyond {size // 4}")
        texels = launch.memory.load(start + 4 * index, 4, launch.what)
        put(launch, launch.lanes.gathered(texels.sure(launch.what)))

    return run


@known(r"mapa(?:\.shared::cluster\.u32|\.u64)")
def mapa(_match: re.Match[str], instruction: Instruction) -> Step:
    into, source, rank = instruction.operands
    kind = TYPES[instruction.opcode[-3:]]
    put, get, which = write(into), read(source, kind), read(rank, TYPES["u32"])

    def run(launch: Launch) -> None:
        ranks = which(launch)
        size = launch.program.kernel.cluster
        if (ranks >= size).any():
            raise Wrong(f"{launch.what}: there is no such block in a cluster of {size}")
        put(launch, ((ranks + np.uint32(1)).astype(kind) << kind.type(RANK_BITS)) | get(launch))

    return run
