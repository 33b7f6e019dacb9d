"""Library routines as probes: numpy and its BLAS with one thread.

The machine code is the library's, so it is not inspected: such points end `unverified`.  The frame
around a call has an empty body and gives the calibrations before and after.
"""

from __future__ import annotations

from collections.abc import Callable

from reportgen.backends.base import Order
from reportgen.backends.cpu import routines
from reportgen.backends.cpu.executable import Executable
from reportgen.backends.cpu.frame import Frame, Stamps

_AIM_SECONDS = 2e-3


def prepare(
    order: Order, calibrator: Executable, frame: Frame, now: Callable[[], int], tick_hz: float
) -> tuple[Callable[[int], list[list[Stamps]]], int, dict[str, int | float | str]]:
    """How to take samples of the routine, its repetitions a sample, and the library's own facts."""
    from threadpoolctl import threadpool_info, threadpool_limits

    sizes = {name: value for name, value in order.setup.items() if isinstance(value, int)}
    call = routines.call(str(order.setup["routine"]), sizes, order.seed)
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
