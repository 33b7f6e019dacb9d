"""How many blocks of a kernel one streaming multiprocessor holds at a time, by compute capability.

Source: NVIDIA, CUDA Programming Guide, "Features and Technical Specifications" (limits and carve-outs) and
`cuda_occupancy.h` (allocation granularities, the way of counting), with which a test compares it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.errors import UserError
from reportgen.runs.schema import Program

WARP = 32
SUB_PARTITIONS = 4
"""Registers are allocated in each quarter of a multiprocessor by itself."""
REGISTERS = 65536
"""32-bit registers of a multiprocessor, and the most that one block may take."""
REGISTER_UNIT = 256
"""Registers are given to a warp in multiples of this many."""
MAX_REGISTERS = 255
"""A thread."""
MAX_THREADS = 1024
"""A block."""
WITHOUT_ASKING = 48 << 10
"""Bytes of shared memory that a block gets without opting in to more."""


@dataclass(frozen=True)
class Multiprocessor:
    """Limits of one streaming multiprocessor; memory in bytes."""

    warps: int
    blocks: int
    carve_outs: tuple[int, ...]
    """Sizes that shared memory may have beside the L1 cache, ascending."""
    unit: int
    """Shared memory is given to a block in multiples of this."""
    reserved: int
    """Shared memory of every block that the system keeps."""

    @property
    def shared(self) -> int:
        """Most shared memory of all blocks together."""
        return self.carve_outs[-1]

    @property
    def shared_block(self) -> int:
        """Most shared memory that one block may ask for."""
        return self.shared - self.reserved


@dataclass(frozen=True)
class Occupancy:
    """What fits at a time."""

    blocks: int
    warps: int
    share: float
    """Warps as a share of the most that the multiprocessor holds, 0 to 1."""
    limits: tuple[str, ...]
    """What keeps a further block out: `warps`, `blocks`, `registers`, `shared memory`."""


def _kib(*sizes: int) -> tuple[int, ...]:
    return tuple(size << 10 for size in sizes)


_SMALL = _kib(0, 8, 16, 32, 64, 100)
_AMPERE = _kib(0, 8, 16, 32, 64, 100, 132, 164)
_LARGE = _kib(0, 8, 16, 32, 64, 100, 132, 164, 196, 228)

MULTIPROCESSORS: dict[int, Multiprocessor] = {
    75: Multiprocessor(32, 16, _kib(32, 64), 256, 0),
    80: Multiprocessor(64, 32, _AMPERE, 128, 1024),
    86: Multiprocessor(48, 16, _SMALL, 128, 1024),
    87: Multiprocessor(48, 16, _AMPERE, 128, 1024),
    89: Multiprocessor(48, 24, _SMALL, 128, 1024),
    90: Multiprocessor(64, 32, _LARGE, 128, 1024),
    100: Multiprocessor(64, 32, _LARGE, 128, 1024),
    103: Multiprocessor(64, 32, _LARGE, 128, 1024),
    110: Multiprocessor(48, 24, _LARGE, 128, 1024),
    120: Multiprocessor(48, 24, _SMALL, 128, 1024),
    121: Multiprocessor(48, 24, _SMALL, 128, 1024),
}
"""By target number."""


def multiprocessor(number: int) -> Multiprocessor:
    """Limits of a target.

    Raises:
        UserError: they are not in the table.
    """
    if number not in MULTIPROCESSORS:
        known = ", ".join(f"sm_{n}" for n in MULTIPROCESSORS)
        raise UserError(f"the limits of a multiprocessor of sm_{number} are not known.", f"Known: {known}.")
    return MULTIPROCESSORS[number]


def occupancy(
    number: int, threads: int, registers: int, shared: int = 0, carve_out: int | None = None
) -> Occupancy:
    """Blocks that one multiprocessor holds at a time.

    Args:
        number: target number, 90.
        threads: of a block.
        registers: of a thread.
        shared: bytes of a block, static and dynamic, without what the system reserves; over 48 KiB taken as
            opted in.
        carve_out: bytes that shared memory has beside the cache; the most where not given.  Where a block
            does not fit in it, the next size that holds one block counts.

    Raises:
        UserError: the target's limits are not in the table.
        ValueError: a number that no kernel can have.
    """
    if threads < 1 or registers < 0 or shared < 0:
        raise ValueError(f"no kernel has {threads} threads, {registers} registers, {shared} bytes")
    sm = multiprocessor(number)
    warps = _ceil(threads, WARP)
    fits = {
        "warps": sm.warps // warps if threads <= MAX_THREADS else 0,
        "blocks": sm.blocks,
        "registers": _by_registers(warps, registers),
        "shared memory": _by_shared(sm, shared, carve_out),
    }
    blocks = min(fits.values())
    return Occupancy(
        blocks=blocks,
        warps=blocks * warps,
        share=blocks * warps / sm.warps,
        limits=tuple(name for name, most in fits.items() if most == blocks),
    )


def of_launch(
    number: int, setup: Mapping[str, int | float | str], program: Program | None
) -> dict[str, int | float | str]:
    """What one multiprocessor holds of a program as its launcher would start it.

    Args:
        number: target number, 90.
        setup: of the source: `threads` of a block, `dynamic_bytes` of shared memory.
        program: with `registers` and `shared_bytes` among its facts.

    Returns:
        `threads`, `shared_bytes`, `blocks_fit`, `warps_fit`, `occupancy` (share of the most warps) and
        `limited_by`; nothing where the source or the program does not tell.
    """
    threads, registers = setup.get("threads"), program.facts.get("registers") if program is not None else None
    if not isinstance(threads, int) or not isinstance(registers, int) or program is None:
        return {}
    shared = int(program.facts.get("shared_bytes", 0)) + int(setup.get("dynamic_bytes", 0))
    found = occupancy(number, threads, registers, shared)
    return {
        "threads": threads,
        "shared_bytes": shared,
        "blocks_fit": found.blocks,
        "warps_fit": found.warps,
        "occupancy": found.share,
        "limited_by": ", ".join(found.limits),
    }


def _by_registers(warps: int, registers: int) -> int:
    """Blocks by registers; a block must fit as if its warps filled all quarters alike."""
    if registers > MAX_REGISTERS:
        return 0
    each = _round_up(max(registers, 1) * WARP, REGISTER_UNIT)
    if each * _round_up(warps, SUB_PARTITIONS) > REGISTERS:
        return 0
    return REGISTERS // SUB_PARTITIONS // each * SUB_PARTITIONS // warps


def _by_shared(sm: Multiprocessor, shared: int, carve_out: int | None) -> int:
    if shared > sm.shared_block:
        return 0
    taken = _round_up(shared + sm.reserved, sm.unit)
    size = sm.shared if carve_out is None else next((s for s in sm.carve_outs if s >= carve_out), sm.shared)
    if size < taken:
        size = next(s for s in sm.carve_outs if s >= taken)
    return size // taken if taken else sm.blocks


def _ceil(amount: int, unit: int) -> int:
    return -(-amount // unit)


def _round_up(amount: int, unit: int) -> int:
    return _ceil(amount, unit) * unit
