"""Visits of points through the real launcher, and what stands in memory when each is over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.backends.base import Batch, Order, Source
from reportgen.backends.cuda import buffers, chase, launching, sampling, targets
from reportgen.backends.cuda.contents import typed
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.backends.cuda.occupancy import multiprocessor
from reportgen.backends.cuda.shots import Prepared
from reportgen.errors import DeviceLost, LaunchError, ReportgenError, Unsupported
from tests.simulated.ptx import products_of_memory
from tests.simulated.ptx.binding import MULTIPROCESSORS, PtxGpu
from tests.simulated.ptx.faults import Wrong
from tests.simulated.ptx.points import Code, Point, sized

LIMITS: tuple[tuple[object, str, object], ...] = (
    (sampling, "LEAST_SAMPLES", 2),
    (launching, "LEAST_SAMPLES", 2),
    (launching, "LAUNCHES", 3),
    (chase, "MOST_WARM", 1 << 11),
    (chase, "MOST_WINDOWS", 6),
    (buffers, "MOVED", 1 << 20),
    (buffers, "BY_BLOCK", 1 << 20),
)
"""Module, its constant, and the value here: fewer samples, loads and rounds of the same kernels."""


@dataclass(frozen=True)
class Seen:
    """One visit."""

    point: str
    status: str
    """That of the visit; `wrong` what a driver would not have told; `too large`."""
    reason: str = ""
    notes: tuple[str, ...] = ()
    values: NDArray[np.generic] | None = None
    """What the first accumulator of every thread holds in the end."""
    still: float | None = None
    """Share of the writes to registers in the timed window that changed nothing."""

    @property
    def cause(self) -> str:
        """The reason without what is a point's own."""
        return re.sub(r"\d+|0x[0-9a-f]+", "#", re.sub(r"'[^']*' of \w+", "an instruction", self.reason))


class Visitor(CudaLauncher):
    """The launcher, that looks at memory before it gives it back."""

    gpu: PtxGpu

    def __init__(self, isa: str, code: Code) -> None:
        device = targets.device(targets.parse(isa))
        self.gpu = PtxGpu(code.sources, multiprocessor(targets.parse(isa).number).shared_block)
        self.left: Prepared | None = None
        self.faults: list[str] = []
        self.values: NDArray[np.generic] | None = None
        with code.sources.remembered():
            super().__init__(0, device, self.gpu)

    def _take(self, order: Order, prepared: Prepared) -> Batch:
        batch = super()._take(order, prepared)
        self.faults = [*_clocks(self.gpu, prepared), *products_of_memory.faults(self.gpu, prepared)]
        self.values = _values(self.gpu, prepared)
        return batch


def _clocks(gpu: PtxGpu, prepared: Prepared) -> Iterator[str]:
    """Reads that were not written, and multiprocessors that there are none of."""
    passed, kind = prepared.passed, prepared.kind
    if kind in ("held", "empty", "trace"):
        return
    bits = passed.clock_bits
    words: NDArray[Any] = np.frombuffer(
        gpu.read(passed.clocks, passed.clock_bytes), np.dtype(f"u{bits // 8}")
    )
    untouched: NDArray[np.bool_] = words == (1 << bits) - 1
    if kind in ("chase", "bulk", "l2_matrix"):
        missing = untouched[: 2 * passed.windows]
    else:
        own = untouched[: 2 * passed.speakers * prepared.blocks].reshape(prepared.blocks, -1)
        # where one thread speaks for its block, it is the first
        missing = own if not own[:, 2:].all() else own[:, :2]
        tail = slice(2 * passed.speakers * prepared.blocks, (2 * passed.speakers + 1) * prepared.blocks)
        places = words[tail][~untouched[tail]]
        strange = places[places >= MULTIPROCESSORS] if kind in ("body", "saturated", "crowd") else places[:0]
        if len(strange):
            yield f"a block says that it ran on multiprocessor {int(strange[0])}"
    if missing.any():
        yield f"{int(missing.sum())} of {missing.size} clock reads were not written"


def _values(gpu: PtxGpu, prepared: Prepared) -> NDArray[np.generic] | None:
    passed = prepared.passed
    if prepared.kind not in ("body", "saturated") or not passed.results:
        return None
    words = str(passed.setup["arguments"])
    kinds = re.findall(r"output:([\w ]+)", words)
    address, _ = passed.results[0]
    dtype = typed(kinds[0])
    return np.frombuffer(gpu.read(address, prepared.threads * dtype.itemsize), dtype)


@contextmanager
def limited() -> Iterator[None]:
    """Fewer samples, loads and rounds."""
    before = [(module, name, getattr(module, name)) for module, name, _ in LIMITS]
    for module, name, value in LIMITS:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


class Visits:
    """Visits on one device of a target; after a sticky error a new one."""

    def __init__(self, isa: str, code: Code, looking: bool = False) -> None:
        self._isa, self._code, self._looking = isa, code, looking
        self._visitor: Visitor | None = None
        self._count = 0

    def visit(self, source: Source) -> Seen:
        """One point."""
        point = sized(source)
        if isinstance(point, str):
            return Seen(source.point, "too large", point)
        key = str(source.setup["kernel"]), str(source.setup["target"])
        if key in self._code.refused:
            return Seen(source.point, "refused", self._code.refused[key].strip().splitlines()[-1])
        with limited():
            return self._visit(point)

    def _visit(self, point: Point) -> Seen:
        if self._visitor is None:
            self._visitor = Visitor(self._isa, self._code)
        visitor, gpu = self._visitor, self._visitor.gpu
        gpu.looking, gpu.notes, gpu.moved = self._looking, set(), {}
        self._count += 1
        name = point.source.point
        try:
            batch = visitor.measure(self._code.order(point, self._count))
        except Unsupported as error:
            return Seen(name, "unsupported", str(error))
        except Wrong as error:
            self._visitor = None
            return Seen(name, "wrong", str(error))
        except DeviceLost as error:
            self._visitor = None
            return Seen(name, "failed", f"{gpu.error.what if gpu.error else ''}: {error}")
        except (LaunchError, ReportgenError, MemoryError) as error:
            return Seen(name, "failed", str(error))
        reason = "; ".join([batch.reason, *visitor.faults] if batch.reason else visitor.faults)
        status = batch.status if not visitor.faults else "wrong"
        left = len(gpu.space) - 1  # the launcher's own
        if left:
            status, reason = "wrong", f"{left} allocations were not given back"
        writes = sum(count for count, _ in gpu.moved.values())
        still = 1 - sum(changes for _, changes in gpu.moved.values()) / writes if writes else None
        return Seen(name, status, reason, tuple(sorted(gpu.notes)), visitor.values, still)
