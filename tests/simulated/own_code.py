"""A processor that takes a known time for code of the user's own, behind the real collector.

A round takes `CYCLES` cycles for each instruction, a body `OVERHEAD` beside its rounds; code whose name
begins with `BROKEN` ends its worker.
"""

from __future__ import annotations

import os
import signal
import sys

from reportgen.backends.base import Batch, Order, Source
from reportgen.collect.worker import serve
from reportgen.suite.definition import PlannedPoint, Probe
from tests.simulated.loops import DEVICE, ROOT, Loops

CYCLES = 0.5
OVERHEAD = 30.0
BROKEN = "broken"


class OwnCode(Loops):
    """Every role of a backend."""

    def generate(self, probe: Probe, point: PlannedPoint) -> Source:
        rounds, lines = int(point.settings["rounds"]), len(probe.definition.constants["lines"])
        setup: dict[str, float | int | str] = {"cycles": OVERHEAD + rounds * lines * CYCLES}
        if probe.id.partition("/")[2].startswith(BROKEN):
            setup["broken"] = 1
        return Source(point.id, point.id, {}, {"steps": float(rounds)}, setup)

    def measure(self, order: Order) -> Batch:
        if order.setup.get("broken"):
            os.kill(os.getpid(), signal.SIGSEGV)
        batch = super().measure(order)
        # a counter that advances by ones: one and the same reading would be taken for a coarse one
        for name in ("calibration_before", "calibration_after"):
            batch.columns[name] = [value + row % 3 - 1 for row, value in enumerate(batch.columns[name])]
        return batch


def command(selector: str, role: str) -> list[str]:
    """How a worker of this device is started."""
    found = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
    return [sys.executable, "-c", f"{found}; from tests.simulated.own_code import main; main({role!r})"]


def main(role: str) -> None:
    """A worker process."""
    serve(OwnCode(), role)


__all__ = ["BROKEN", "CYCLES", "DEVICE", "OVERHEAD", "OwnCode", "command"]
