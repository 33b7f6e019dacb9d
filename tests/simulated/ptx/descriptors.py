"""Tiles in shared memory that matrix instructions read by a descriptor.

Rows lie along k, in core matrices of 8 rows of 16 bytes without swizzle: `leading` bytes from one core matrix
to the next along k, `stride` bytes along m or n.
Source: NVIDIA, "Parallel Thread Execution ISA", "Matrix Descriptor Format" and "Shared memory descriptor".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.simulated.ptx.faults import Wrong
from tests.simulated.ptx.fragments import BITS, values
from tests.simulated.ptx.launch import Launch
from tests.simulated.ptx.memory import Values

CORE_ROWS, CORE_BYTES = 8, 16


@dataclass(frozen=True)
class Tile:
    """What a descriptor says."""

    start: int
    leading: int
    stride: int


def of_group(descriptor: int, what: str) -> Tile:
    """Of a warp group's product.

    Raises:
        Wrong: it asks for a swizzle or a base offset, which are not known here.
    """
    if descriptor >> 62 or descriptor >> 49 & 7:
        raise Wrong(f"{what}: a swizzled tile ({descriptor:#x}) is not known")
    return _tile(descriptor)


def of_memory(descriptor: int, what: str) -> Tile:
    """Of a product through tensor memory, whose bits 46 to 48 hold 1.

    Raises:
        Wrong: they do not, or it asks for what is not known here.
    """
    if descriptor >> 46 & 7 != 1:
        raise Wrong(f"{what}: bits 46 to 48 of the descriptor {descriptor:#x} are not 1")
    if descriptor >> 49:
        raise Wrong(f"{what}: a swizzled tile ({descriptor:#x}) is not known")
    return _tile(descriptor)


def _tile(descriptor: int) -> Tile:
    found = [(descriptor >> at & 0x3FFF) << 4 for at in (0, 16, 32)]
    return Tile(*found)


def matrix(
    launch: Launch,
    tile: Tile,
    block: int,
    rows: int,
    k: int,
    kind: str,
    padded: bool = False,
    warps: tuple[int, ...] = (),
    agent: int = 0,
) -> Values:
    """[row, k] of a tile in the shared memory of a block, as float64.

    Args:
        launch: that runs.
        tile: where.
        block: whose.
        rows: along m or n.
        k: elements of a row.
        kind: their type.
        padded: whether elements of less than eight bits lie in stretches of 16 bytes for 16 elements.
        warps: those for which it is read.
        agent: the unit that reads (`clocks.Clocks`).

    Raises:
        Fault: a byte lies outside of the block's shared memory.
        Wrong: nobody wrote one, or no fence lies behind that.
    """
    bits = 32 if kind == "tf32" else BITS[kind]
    length = k if padded else k * bits // 8
    row, byte = np.arange(rows)[:, None], np.arange(length)[None, :]
    at = tile.start + row // CORE_ROWS * tile.stride + byte // CORE_BYTES * tile.leading
    at = at + row % CORE_ROWS * CORE_BYTES + byte % CORE_BYTES
    flat = at.reshape(-1)
    places = launch.shared.flat(flat, np.full(len(flat), block), 1, launch.what)
    races, clocks = launch.races, launch.races.clocks
    words = np.unique(places // races.unit * races.unit)
    when = np.array([clocks.started(agent)], dtype=np.int32)
    for warp in warps:
        races.unit_reads(launch.shared.region, words, np.array([warp]), np.array([agent]), when, proxy=True)
    data = launch.shared.region.gather(places, 1).sure(launch.what).reshape(rows, length)
    if padded and bits < 8:
        data = data.reshape(rows, -1, CORE_BYTES)[:, :, : 2 * bits].reshape(rows, -1)
        data = np.ascontiguousarray(data)
    if bits < 8:
        whole = np.unpackbits(data, axis=1, bitorder="little").reshape(rows, k, bits)
        codes = (whole << np.arange(bits, dtype=np.uint8)).sum(axis=2)
        return values(codes, kind)
    return values(np.ascontiguousarray(data).view(np.dtype(f"u{bits // 8}")), kind)
