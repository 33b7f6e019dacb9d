"""Machine code -> samples: one visit of one point on a pinned core."""

from __future__ import annotations

import ctypes
import hashlib
import os
import time
from contextlib import ExitStack

import msgspec

from reportgen.backends import gates
from reportgen.backends.base import Batch, Order
from reportgen.backends.cpu import clock
from reportgen.backends.cpu.compiler import HEADER
from reportgen.backends.cpu.executable import Executable
from reportgen.backends.cpu.preparation import Preparation, Visit
from reportgen.backends.cpu.sampling import hold, sample
from reportgen.errors import LaunchError
from reportgen.runs.schema import Device


class CpuLauncher:
    """Runs programs on one pinned core (streams: on several).

    Raises:
        LaunchError: from `measure`, turned into status `failed` by the worker.
    """

    def __init__(self, device: Device, cpus: tuple[int, ...]) -> None:
        self._home = cpus[-1]  # interrupts favour the first core
        self._programs: dict[str, Executable] = {}
        self._rates = gates.BestRate()
        self._preparation = Preparation(cpus, _tick_rate())
        self._tiles = _permit_tiles(device)
        self._kept: dict[str, Batch] = {}

    def measure(self, order: Order) -> Batch:
        """One visit: set up, sample until precise or capped, gate.

        Points of a set-up that names several (`together`) are sampled in turn.  The other points' samples are
        kept for the orders that follow at once; another order drops them.
        """
        began = time.perf_counter()
        program = self._load(order)
        kept, self._kept = self._kept, {}
        if (taken := kept.pop(order.point, None)) is not None:
            self._kept = kept
            return taken
        if order.setup.get("tiles") and not self._tiles:
            raise PermissionError("AMX tile registers were not granted (arch_prctl ARCH_REQ_XCOMP_PERM)")
        os.sched_setaffinity(0, {self._home})
        with ExitStack() as stack:
            visit = self._prepare(order, program, stack)
            setup = time.perf_counter() - began
            take = hold if visit.windows else sample
            batches = take(order, visit, self._rates, self._preparation.tick_hz)
        points = str(order.setup.get("together", order.point)).split()
        read = clock.monotonic_ns(), clock.ticks()
        # all of the time is told with the point that was waited for
        seconds = {name: sum(batch.seconds[name] for batch in batches) for name in ("measure", "calibrate")}
        self._kept = {
            point: msgspec.structs.replace(batch, point=point, facts=visit.facts, seconds={}, clock=read)
            for point, batch in zip(points, batches, strict=True)
        }
        own = self._kept.pop(order.point)
        return msgspec.structs.replace(own, seconds=seconds | {"setup": setup})

    def _load(self, order: Order) -> Executable:
        program = self._programs.get(order.sha256)
        if program is None:
            if not order.code:
                raise LaunchError("this worker has not been sent the program")
            program = Executable(order.code, HEADER.unpack_from(order.code)[0])
            # what lies in memory must be what was inspected
            if hashlib.sha256(program.bytes(len(order.code))).hexdigest() != order.sha256:
                raise LaunchError("the machine code in memory is not the program that was inspected")
            self._programs[order.sha256] = program
        return program

    def _prepare(self, order: Order, program: Executable, stack: ExitStack) -> Visit:
        kind = str(order.setup["kind"])
        preparation = self._preparation
        if kind == "body":
            return preparation.body(order, program)
        if kind == "chase":
            return preparation.chase(order, program, stack)
        if kind == "trail":
            return preparation.trail(order, program)
        if kind == "window":
            return preparation.window(order, program)
        if kind == "misses":
            return preparation.misses(order, program)
        if kind == "placed":
            return preparation.placed(order, program)
        if kind == "outcomes":
            return preparation.outcomes(order, program)
        if kind == "footprint":
            return preparation.footprint(order, program)
        if kind == "stream":
            return preparation.stream(order, program)
        if kind == "shared":
            return preparation.shared(order, program, stack)
        if kind == "windows":
            return preparation.windows(order, program)
        if kind == "loop":
            from reportgen.backends.cpu import loops

            buffer, addresses = loops.lay_out(order.setup, order.seed)
            stack.enter_context(buffer)
            preparation.frames[0].buffers(*addresses)
            return preparation.body(order, program)
        if kind == "library":
            from reportgen.backends.cpu import library

            take, repetitions, facts = library.prepare(
                order, program, preparation.frames[0], clock.ticks, preparation.tick_hz
            )
            return Visit(take, repetitions, facts, cpus=(self._home,))
        raise LaunchError(f"this launcher does not know how to set up '{kind}'")


def _tick_rate() -> float:
    """Ticks a second over two milliseconds: enough to choose repetitions."""
    start, first = clock.monotonic_ns(), clock.ticks()
    while clock.monotonic_ns() - start < 2_000_000:
        pass
    end, last = clock.monotonic_ns(), clock.ticks()
    return (last - first) / (end - start) * 1e9


_ARCH_PRCTL = 158
_ARCH_REQ_XCOMP_PERM = 0x1023
_XFEATURE_XTILEDATA = 18


def _permit_tiles(device: Device) -> bool:
    """Ask Linux for the AMX tile registers (x86-64 `arch_prctl`).

    Without them the first tile instruction is illegal.

    Returns:
        Whether they were granted.
    """
    if "amx-tile" not in device.features:
        return False
    return int(ctypes.CDLL(None).syscall(_ARCH_PRCTL, _ARCH_REQ_XCOMP_PERM, _XFEATURE_XTILEDATA)) == 0
