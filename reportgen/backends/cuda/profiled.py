"""The process that Nsight Compute watches: `python -m reportgen.backends.cuda.profiled JOB DONE`.

It launches each program of a job once, in order, each behind a mark, and writes a line to `DONE` for each:
the tool numbers launches, and marks and lines say which point a number belongs to.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import msgspec

from reportgen.backends.base import Order
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.errors import DeviceLost, ReportgenError
from reportgen.runs.schema import Device


class Job(msgspec.Struct, frozen=True):
    """What shall be launched."""

    number: int
    """N of `cuda:N`."""
    device: Device
    orders: list[Order]
    seconds: float
    """After which no further program is launched."""


class Line(msgspec.Struct, frozen=True):
    """What became of a program; one that was not launched says why."""

    point: str
    reason: str = ""


def run(job: Job, done: Path, launcher: CudaLauncher | None = None) -> None:
    """Launch until all are done, time is over or the device is lost.

    Args:
        job: what shall be launched.
        done: file of a line a program.
        launcher: instead of one on the device of the job.

    Raises:
        ReportgenError: there is no device to launch on, or it launches not even a mark.
    """
    began = time.monotonic()
    runs = launcher or CudaLauncher(job.number, job.device)
    with done.open("ab") as file:
        for order in job.orders:
            if time.monotonic() - began > job.seconds:
                return
            reason, lost = "", False
            runs.mark()
            try:
                runs.once(order)
            except (ReportgenError, MemoryError) as error:
                reason, lost = str(error) or type(error).__name__, isinstance(error, DeviceLost)
            file.write(msgspec.json.encode(Line(order.point, reason)) + b"\n")
            if lost:
                return


if __name__ == "__main__":
    run(msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Job), Path(sys.argv[2]))
