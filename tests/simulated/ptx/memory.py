"""Memory by address: every access is bound to one region, aligned, and of bytes that somebody wrote."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.simulated.ptx.faults import ILLEGAL_ADDRESS, MISALIGNED, Fault, Wrong

Values = NDArray[Any]
"""One value a lane, or a single one for all of them."""
Addresses = NDArray[np.int64]
WORDS: dict[int, type[np.unsignedinteger[Any]]] = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
FULL = {width: kind(2 ** (8 * width) - 1) for width, kind in WORDS.items()}
"""Of a word that was written, in what is known of it."""
SHIFT = {1: 0, 2: 1, 4: 2, 8: 3}
"""Words are counted by shifts, which take a fraction of the time of a division."""
Seen = Callable[["Region", Addresses, Any], None]
"""Is told of an access: region, offsets, and which of the addresses they belong to."""
PAGE = 256
"""Bytes to which regions are aligned and padded."""


@dataclass
class Loaded:
    """Words, and which of them nobody wrote (nothing: all were written)."""

    values: Values
    missing: NDArray[np.bool_] | None = None

    def sure(self, what: str) -> Values:
        """The words.

        Raises:
            Wrong: nobody wrote one of them.
        """
        if self.missing is not None:
            raise Wrong(f"{what} reads memory that nobody wrote, in {int(self.missing.sum())} lanes")
        return self.values


class Region:
    """Some bytes in a row; `known` marks those that were written."""

    def __init__(self, base: int, size: int, name: str) -> None:
        self.base, self.size, self.name = base, size, name
        padded = -(-max(size, 1) // PAGE) * PAGE
        self.data: NDArray[np.uint8] = np.zeros(padded, dtype=np.uint8)
        self._known: NDArray[np.uint8] | None = None
        self._whole = False

    @property
    def known(self) -> NDArray[np.uint8] | None:
        """0xff for a byte that was written; nothing where all of them were."""
        if self._known is None and not self._whole:
            self._known = np.zeros(len(self.data), dtype=np.uint8)
        return self._known

    def mark(self, start: int, stop: int, written: bool = True) -> None:
        """Bytes are known from now on, or no longer."""
        if written and start == 0 and stop >= self.size:
            self._known, self._whole = None, True
            return
        if not written and self._whole:
            self._known, self._whole = np.full(len(self.data), 0xFF, dtype=np.uint8), False
        known = self.known
        if known is not None:
            known[start:stop] = 0xFF if written else 0

    def forget(self, at: Addresses, width: int) -> None:
        """Words at offsets are no longer known."""
        if self._whole:
            self._known, self._whole = np.full(len(self.data), 0xFF, dtype=np.uint8), False
        known = self.known
        assert known is not None
        known.view(WORDS[width])[at >> SHIFT[width]] = 0

    def unknown(self, start: int, stop: int) -> int:
        """How many of these bytes nobody wrote."""
        known = self.known
        return 0 if known is None else int(np.count_nonzero(known[start:stop] == 0))

    def gather(self, at: Addresses, width: int) -> Loaded:
        """Words at offsets."""
        index = at >> SHIFT[width]
        known = self.known
        missing: NDArray[np.bool_] | None = None
        if known is not None:
            marks = known.view(WORDS[width])[index]
            if np.bitwise_and.reduce(marks) != FULL[width]:
                missing = marks != FULL[width]
        return Loaded(self.data.view(WORDS[width])[index], missing)

    def scatter(self, at: Addresses, width: int, values: Values) -> None:
        """Words to offsets."""
        index = at >> SHIFT[width]
        self.data.view(WORDS[width])[index] = values
        known = self.known
        if known is not None:
            known.view(WORDS[width])[index] = FULL[width]


class Memory:
    """Regions of one address space, with gaps between them."""

    def __init__(self, first: int, name: str) -> None:
        self.name = name
        self._next = first
        self._regions: dict[int, Region] = {}
        self._starts: list[int] = []

    def allocate(self, size: int, name: str = "") -> Region:
        """A new region, behind a gap."""
        region = Region(self._next, size, name or f"{size} bytes of {self.name} memory")
        self._regions[region.base] = region
        self._starts.append(region.base)
        self._next += len(region.data) + PAGE * 16
        return region

    def free(self, base: int) -> None:
        """Forget a region.

        Raises:
            KeyError: there is none.
        """
        del self._regions[base]
        self._starts.remove(base)

    def __len__(self) -> int:
        return len(self._regions)

    def at(self, address: int, size: int, what: str) -> Region:
        """The region that holds all of some bytes.

        Raises:
            Fault: there is none.
        """
        place = bisect_right(self._starts, address) - 1
        region = self._regions[self._starts[place]] if place >= 0 else None
        if region is None or address + size > region.base + region.size:
            beside = f", {address - region.base} bytes into {region.name}" if region else ""
            raise Fault(ILLEGAL_ADDRESS, f"{what} touches {size} bytes at {address:#x}{beside}")
        return region

    def parts(self, addresses: Addresses, width: int, what: str) -> list[tuple[Region, Any]]:
        """Regions that addresses lie in, each with the lanes it serves.

        Raises:
            Fault: an address lies in none, or is misaligned.
        """
        low, high = int(np.minimum.reduce(addresses)), int(np.maximum.reduce(addresses))
        aligned(addresses, width, what)
        region = self.at(low, width, what)
        if high + width <= region.base + region.size:
            return [(region, slice(None))]
        found = []
        open_lanes = np.ones(len(addresses), dtype=bool)
        while open_lanes.any():
            region = self.at(int(addresses[open_lanes].min()), width, what)
            inside = open_lanes & (addresses < region.base + region.size)
            self.at(int(addresses[inside].max()), width, what)
            found.append((region, inside))
            open_lanes &= ~inside
        return found

    def load(self, addresses: Addresses, width: int, what: str, seen: Seen | None = None) -> Loaded:
        """A word for each address; `seen` is told of regions, offsets in them, and whose they are."""
        parts = self.parts(addresses, width, what)
        for region, lanes in parts if seen is not None else ():
            assert seen is not None
            seen(region, addresses[lanes] - region.base, lanes)
        if len(parts) == 1:
            return parts[0][0].gather(addresses - parts[0][0].base, width)
        found = Loaded(np.zeros(len(addresses), dtype=WORDS[width]))
        missing = np.zeros(len(addresses), dtype=bool)
        for region, lanes in parts:
            some = region.gather(addresses[lanes] - region.base, width)
            found.values[lanes] = some.values
            if some.missing is not None:
                missing[lanes] = some.missing
        found.missing = missing if missing.any() else None
        return found


def aligned(addresses: Addresses, width: int, what: str) -> None:
    """Raise what the driver reports of a misaligned address.

    Raises:
        Fault: one is.
    """
    if width > 1 and np.bitwise_or.reduce(addresses) & (width - 1):
        first = int(addresses[(addresses & (width - 1)) != 0][0])
        raise Fault(MISALIGNED, f"{what} needs {width} bytes of alignment at {first:#x}")


class Slices:
    """The same memory for each of several owners (shared memory of blocks, local memory of threads).

    Addresses run from `first` on in each of them.
    """

    def __init__(self, owners: int, size: int, first: int, name: str) -> None:
        self.first, self.size, self.name = first, size, name
        self.pitch = -(-max(size, 1) // PAGE) * PAGE
        self.region = Region(0, owners * self.pitch, f"{name} memory")

    def flat(self, addresses: Addresses, owners: NDArray[np.int64], width: int, what: str) -> Addresses:
        """Offsets in the region.

        Raises:
            Fault: an address lies outside, or is misaligned.
        """
        aligned(addresses, width, what)
        at = addresses - self.first
        if np.minimum.reduce(at) < 0 or np.maximum.reduce(at) + width > self.size:
            where = int(addresses[(at < 0) | (at + width > self.size)][0])
            raise Fault(
                ILLEGAL_ADDRESS,
                f"{what} touches byte {where - self.first} of {self.size} bytes of {self.name} memory",
            )
        return at + owners * self.pitch

    def place(self, address: int, owner: int, size: int, what: str) -> int:
        """Offset of some bytes of one owner in the region."""
        at = self.flat(np.array([address]), np.array([owner]), 1, what)
        if size > 1:
            self.flat(np.array([address + size - 1]), np.array([owner]), 1, what)
        return int(at[0])
