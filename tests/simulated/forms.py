"""A processor of known latencies and rates for instruction forms, behind the real collector and workers.

Every form takes `LATENCY` from operand to operand and a third of a cycle an instruction, but for those named.
"""

from __future__ import annotations

import os
import sys

from reportgen.backends.base import Source
from reportgen.collect.worker import serve
from reportgen.runs.schema import Device
from reportgen.suite.definition import PlannedPoint, Probe
from tests.simulated.loops import ROOT, Loops

LATENCY, INTERVAL = 2.0, 1 / 3
LATENCIES = {("mulx_r64_r64_r64", "3to1"): 4.0, ("mulx_r64_r64_r64", "3to2"): 3.0}
INTERVALS = {"mulx_r64_r64_r64": 1.0}
OVERHEAD = 3.0
"""Cycles of a body beside its steps."""
CRASHES = "pext_r32_r32_r32"
DEVICE = Device(
    "written-core", "forms", "AMD", "Written core", "x86_64", ("avx", "bmi2", "fma"), 1,
    reported={"l1d_bytes": 32768},
)  # fmt: skip


class Forms(Loops):
    """The same roles, for forms."""

    name = "forms"

    def __init__(self) -> None:
        super().__init__(DEVICE)

    def launcher(self, selector: str, device: Device) -> Forms:
        return self

    def generator(self, device: Device, operations: object) -> Forms:
        return self

    def builder(self, device: Device) -> Forms:
        return self

    def generate(self, probe: Probe, point: PlannedPoint) -> Source:
        if probe.title == CRASHES:
            os._exit(3)
        what, _, number = str(point.settings["of"]).partition(":")
        steps = float(number)
        if what == "throughput":
            operands = str(probe.definition.constants["operands"]).split()
            waits = LATENCY / steps if operands[0].endswith(":rw") else 0.0
            steps *= 8
            cycles = steps * max(INTERVALS.get(probe.title, INTERVAL), waits)
        else:
            cycles = OVERHEAD + steps * LATENCIES.get((probe.title, what), LATENCY)
        work = {"steps": steps, "instructions": steps, "beside": 0.0}
        return Source(point.id, point.id, {}, work, {"cycles": cycles})


def command(selector: str, role: str) -> list[str]:
    """How a worker of this device is started."""
    found = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
    return [sys.executable, "-c", f"{found}; from tests.simulated.forms import main; main({role!r})"]


def main(role: str) -> None:
    """A worker process."""
    serve(Forms(), role)
