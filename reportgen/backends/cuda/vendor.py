"""What NVIDIA's own code reaches on the device: its copy, its matrix product.  For comparison, never needed.

The copy is the driver's.  The product is cuBLAS's (`vendor_gemm`), that of 8-bit floats cuBLASLt's
(`vendor_lt`).  Machine code of none was inspected.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import numpy as np

from reportgen.backends.base import Batch, Order
from reportgen.backends.cuda import calls, vendor_gemm, vendor_lt
from reportgen.backends.cuda.binding import Binding
from reportgen.backends.cuda.clock import Frame
from reportgen.backends.cuda.contents import BLOCK_BYTES, fill
from reportgen.backends.cuda.marks import marks
from reportgen.backends.cuda.vendor_gemm import Facts, Routine, memory

KIND = "vendor"


def measure(order: Order, binding: Binding, frame: Frame, library: str = "") -> Batch:
    """One visit of a routine (`setup["routine"]`: `copy` or `gemm`).

    Args:
        order: with `bytes`, or `n` and `precision`, in its set-up.
        binding: with its context open.
        frame: clock of the device.
        library: instead of the cuBLAS or cuBLASLt that is found.

    Raises:
        Unsupported: cuBLAS is not here, or has no such product for this device.
        LaunchError: it refuses.
        MemoryError: the device is full.
    """
    with ExitStack() as owned:
        call, check, facts = routine(order, binding, owned, library)
        return _sample(order, binding, frame, call, check, facts)


def once(order: Order, binding: Binding, library: str = "") -> None:
    """Call a routine a single time, for whoever watches from outside.

    Raises:
        Unsupported: as `measure`.
        LaunchError: it refuses.
        MemoryError: the device is full.
    """
    with ExitStack() as owned:
        routine(order, binding, owned, library)[0]()
        binding.synchronize()


def routine(order: Order, binding: Binding, owned: ExitStack, library: str = "") -> Routine:
    """What an order asks for, ready to be called; `owned` gives back what it holds."""
    if order.setup["routine"] == "copy":
        return _copy(order, binding, owned)
    precision = str(order.setup["precision"])
    product = vendor_lt.product if vendor_gemm.KINDS[precision].light else vendor_gemm.product
    return product(order, binding, owned, library)


def _sample(
    order: Order,
    binding: Binding,
    frame: Frame,
    call: Callable[[], None],
    check: Callable[[], str],
    facts: Facts,
) -> Batch:
    with marks(binding, 2) as (start, stop):

        def several(count: int) -> float:
            frame.hold_up(count)
            binding.record(start)
            for _ in range(count):
                call()
            binding.record(stop)
            frame.queued()
            binding.synchronize()
            return binding.milliseconds(start, stop)

        return calls.sample(order, frame, several, check, facts)


def _copy(order: Order, binding: Binding, owned: ExitStack) -> Routine:
    size = int(order.setup["bytes"])
    source, target = memory(binding, owned, size), memory(binding, owned, size)
    rng = np.random.default_rng(order.seed)
    data = rng.integers(0, 256, min(size, BLOCK_BYTES), dtype=np.uint8).tobytes()
    fill(binding, source, data, size)

    def check() -> str:
        tail = size - min(size, BLOCK_BYTES)
        same = binding.read(target + tail, size - tail) == binding.read(source + tail, size - tail)
        return "" if same else "the copy differs from what was copied"

    facts: Facts = {"bytes_actual": size, "data": "random", "library": "the driver"}
    return (lambda: binding.copy(target, source, size)), check, facts
