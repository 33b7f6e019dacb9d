"""Library routines as probes: numpy's BLAS with one thread.

The machine code is the library's, so it is not inspected: such points end `unverified`.  The frame
around a call has an empty body and gives the calibrations before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reportgen.backends.base import Order
from reportgen.backends.cpu.executable import Executable
from reportgen.backends.cpu.frame import Frame, Stamps

_AIM_SECONDS = 2e-3


def _routine(name: str, n: int, seed: int) -> Callable[[], Any]:
    import numpy as np

    rng = np.random.default_rng(seed)
    kind = np.float32 if name.startswith("s") else np.float64

    def array(*shape: int) -> Any:
        return rng.random(shape, dtype=kind) + kind(0.5)

    if name in ("sgemm", "dgemm"):
        a, b, c = array(n, n), array(n, n), array(n, n)
        return lambda: np.matmul(a, b, out=c)
    if name == "sgemv":
        a, x, y = array(n, n), array(n), array(n)
        return lambda: np.matmul(a, x, out=y)
    x, y = array(n), array(n)
    from scipy.linalg.blas import daxpy, saxpy

    axpy = saxpy if kind is np.float32 else daxpy
    return lambda: axpy(x, y, n, 1e-6)


def prepare(
    order: Order, calibrator: Executable, frame: Frame, now: Callable[[], int], tick_hz: float
) -> tuple[Callable[[int], list[list[Stamps]]], int, dict[str, int | float | str]]:
    """How to take samples of the routine, its repetitions a sample, and the library's own facts."""
    from threadpoolctl import threadpool_info, threadpool_limits

    name, n = str(order.setup["routine"]), int(order.setup["n"])
    call = _routine(name, n, order.seed)
    threadpool_limits(1)
    call()
    begin = now()
    call()
    once = max(1, now() - begin)
    count = max(1, round(_AIM_SECONDS * tick_hz / once))

    def one() -> Stamps:
        # the second of two: a routine that streams through memory leaves the calibrator's code cold
        before = frame.run(calibrator, 2, 1, 1)[1]
        call()
        start = now()
        for _ in range(count):
            call()
        end = now()
        after = frame.run(calibrator, 2, 1, 1)[1]
        return Stamps(
            start=start,
            ticks=end - start,
            empty=before.empty,
            calibration_before=before.calibration_before,
            calibration_after=after.calibration_after,
            canary_before=before.canary_before,
            canary_after=after.canary_after,
            warmup=once,
            cpu=after.cpu,
        )

    facts: dict[str, int | float | str] = {"threads": 1}
    for pool in threadpool_info():
        if pool.get("user_api") == "blas":
            facts["library"] = (
                f"{pool.get('internal_api')} {pool.get('version')} {pool.get('architecture', '')}".strip()
            )
    return (lambda samples: [[one() for _ in range(samples)]]), count, facts
