"""Registers of all threads of a launch, and which of the threads act now.

A register is an array of bits with a value for each thread, or with one value where all threads have the
same.  Values are never changed in place, so that registers may share them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.simulated.ptx.faults import Wrong
from tests.simulated.ptx.memory import Values
from tests.simulated.ptx.records import Register

Mask = NDArray[np.bool_]
RAW: dict[int, type[Any]] = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


class Lanes:
    """The file of registers of `count` threads, `per_block` of a block."""

    def __init__(self, registers: list[Register], count: int, per_block: int) -> None:
        self.count, self.per_block = count, per_block
        self.blocks = count // per_block
        self._every = np.arange(count, dtype=np.int64)
        self.thread = self._every % per_block
        self.block = self._every // per_block
        self.alive: Mask = np.ones(count, dtype=bool)
        self.mask: Mask | None = None
        """Threads that act now; nothing: all of them."""
        self._values: list[Values | None] = [None] * len(registers)
        self._holes: dict[int, Mask] = {}
        """Threads in which a register was not written, or is being written by somebody else."""
        self._fresh: set[int] = set()
        """Registers that were written since the latest `wgmma.fence`."""
        self.watch: dict[int, tuple[int, int]] | None = None
        """Register -> (writes, writes that changed it), while somebody looks."""

    def get(self, register: Register) -> Values:
        """The bits.

        Raises:
            Wrong: a thread that acts never wrote it.
        """
        values = self._values[register.number]
        if values is None:
            raise Wrong(f"register {register.name} is read before anybody wrote it")
        if self._holes and register.number in self._holes:
            holes = self._holes[register.number]
            if (holes if self.mask is None else holes & self.mask).any():
                raise Wrong(
                    f"register {register.name} is read by threads that did not write it, or too early"
                )
        return values

    def held(self, register: Register) -> Values:
        """The bits, also while an instruction under way still writes them."""
        values = self._values[register.number]
        if values is None:
            raise Wrong(f"register {register.name} is read before anybody wrote it")
        return values

    def put(self, register: Register, values: Values) -> None:
        """Write it in the threads that act."""
        number = register.number
        self._fresh.add(number)
        if self.watch is not None:
            self._look(number, values)
        if self.mask is None:
            self._values[number] = values
            if self._holes:
                self._holes.pop(number, None)
            return
        before = self._values[number]
        if before is None:
            before = np.zeros(1, dtype=values.dtype)
            self._holes[number] = ~self.mask & self.alive
        elif number in self._holes:
            self._holes[number] = self._holes[number] & ~self.mask
        self._values[number] = np.where(self.mask, values, before)

    def fence(self) -> None:
        """What was written to registers is there for products of warp groups."""
        self._fresh.clear()

    def fenced(self, registers: list[Register], what: str) -> None:
        """Raise where registers of such a product were written without a fence behind.

        Raises:
            Wrong: one was.
        """
        for register in registers:
            if register.number in self._fresh:
                raise Wrong(f"{what}: {register.name} was written, and no wgmma.fence lies between the two")

    def computed(self, registers: list[Register]) -> None:
        """Such a product wrote them: another may follow without a fence."""
        self._fresh -= {register.number for register in registers}

    def _look(self, number: int, values: Values) -> None:
        assert self.watch is not None
        writes, changes = self.watch.get(number, (0, 0))
        before = self._values[number]
        changed = before is None or bool((before != values).any())
        self.watch[number] = writes + 1, changes + changed

    def poison(self, register: Register, where: Mask) -> None:
        """In these threads it holds what nobody wrote."""
        before = self._holes.get(register.number)
        self._holes[register.number] = where if before is None else where | before

    def busy(self, register: Register) -> None:
        """From now on it may not be read: an instruction under way writes it."""
        self._holes[register.number] = np.ones(self.count, dtype=bool) if self.mask is None else self.mask

    def done(self, registers: set[Register]) -> None:
        """What was under way has ended."""
        for register in registers:
            self._holes.pop(register.number, None)

    @property
    def acting(self) -> NDArray[np.int64]:
        """Numbers of the threads that act now."""
        if self.mask is None:
            return self._every
        return np.flatnonzero(self.mask)

    def spread(self, values: Values) -> Values:
        """A value for each thread that acts."""
        if self.mask is None:
            return values if len(values) == self.count else np.broadcast_to(values, (self.count,))
        if len(values) == self.count:
            return values[self.mask]
        return np.broadcast_to(values, (int(np.count_nonzero(self.mask)),))

    def whole(self, values: Values) -> Values:
        """A value for each thread, whether it acts or not."""
        return values if len(values) == self.count else np.broadcast_to(values, (self.count,))

    def gathered(self, values: Values) -> Values:
        """The other way round: values of the threads that act, as an array of all threads."""
        if self.mask is None:
            return values
        found = np.zeros(self.count, dtype=values.dtype)
        found[self.mask] = values
        return found

    def warps(self, what: str) -> NDArray[np.int64]:
        """Numbers of the warps that act, all lanes of each.

        Raises:
            Wrong: a lane of one is missing.
        """
        if self.per_block % 32:
            raise Wrong(f"{what} needs whole warps, a block has {self.per_block} threads")
        if self.mask is None:
            return np.arange(self.count // 32, dtype=np.int64)
        lanes = self.mask.reshape(-1, 32)
        some = lanes.any(axis=1)
        if not lanes[some].all():
            raise Wrong(f"{what} needs all lanes of a warp, {int(lanes[some].sum(axis=1).min())} came")
        found: NDArray[np.int64] = np.flatnonzero(some)
        return found
