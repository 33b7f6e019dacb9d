"""A processor that takes a known time for each validation loop, behind the real collector and its workers.

Its id is that of the written core of `tests/unit/model/cost/machine.py`, whose model predicts it.  A round
takes `CYCLES` cycles for each line of its body; `BROKEN` is a loop that it cannot run.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from reportgen.backends.base import Batch, Build, Candidate, ClockConstants, Order, Source
from reportgen.collect.worker import serve
from reportgen.errors import Unsupported
from reportgen.runs.schema import Device, Program
from reportgen.suite.definition import Operation, PlannedPoint, Probe

ROOT = Path(__file__).resolve().parents[2]
CYCLES = 0.5
BROKEN = "dot_avx512_4"
ROUNDS = 10_000
WINDOW = 20
DEVICE = Device(
    "written-core", "loops", "AMD", "Written core", "x86_64", cores=1,
    reported={"family": 25, "model": 17, "l1d_bytes": 32768},
)  # fmt: skip


class Loops:
    """Every role of a backend."""

    name = "loops"

    def __init__(self, device: Device = DEVICE) -> None:
        self._device = device

    def discover(self) -> list[Candidate]:
        return [Candidate("loops", self._device)]

    def generator(self, device: Device, operations: dict[str, Operation]) -> Loops:
        return self

    def builder(self, device: Device) -> Loops:
        return self

    def launcher(self, selector: str, device: Device) -> Loops:
        return self

    def clock(self) -> ClockConstants:
        return ClockConstants(
            calibration_cycles=1000, canary_instructions=4000, agreement=0.004, canary_share=0.97, note=""
        )

    def environment(self, device: Device) -> dict[str, int | float | str | bool]:
        return {"kernel": "0"}

    def toolchain(self, device: Device) -> dict[str, str]:
        return {"assembler": "1"}

    def counters(self, device: Device) -> str:
        return "unsupported: there is no device"

    def generate(self, probe: Probe, point: PlannedPoint) -> Source:
        name = str(point.settings["loop"])
        if name == BROKEN:
            raise Unsupported("this processor lacks avx512f")
        constants = probe.definition.constants
        cycles = CYCLES * len(str(constants["body"]).splitlines())
        work = {"rounds": 1.0, "items": float(constants["items"])}
        return Source(point.id, name, {}, work, {"cycles": cycles})

    def build(self, source: Source) -> Build:
        program = Program(f"sha of {source.text}", source.text, "listing", {"nop": 4}, "verified", "it is")
        return Build(source.point, source.text.encode(), program, seconds={"build": 0.001, "verify": 0.001})

    def measure(self, order: Order) -> Batch:
        rows, begun = 12, time.perf_counter_ns()
        body = round(float(order.setup["cycles"]) * ROUNDS)
        columns = {
            "sample": list(range(rows)),
            "thread": [0] * rows,
            "start": [begun + 1_000_000 * row for row in range(rows)],
            "ticks": [WINDOW + body + (row + order.visit) % 5 for row in range(rows)],
            "empty": [WINDOW] * rows,
            "calibration_before": [1000 + WINDOW] * rows,
            "calibration_after": [1000 + WINDOW] * rows,
            "canary_before": [1000 + WINDOW] * rows,
            "canary_after": [1000 + WINDOW] * rows,
            "warmup": [2 * body] * rows,
            "repetitions": [ROUNDS] * rows,
            "cpu": [0] * rows,
        }
        return Batch(
            point=order.point,
            columns=columns,
            gates=["first of batch", *["accepted"] * (rows - 1)],
            stop="precise",
            canary_best=4.0,
            seconds={"measure": 0.001, "calibrate": 0.0005, "setup": 0.0002},
            clock=(time.monotonic_ns(), time.monotonic_ns()),
        )


def command(selector: str, role: str) -> list[str]:
    """How a worker of this device is started."""
    found = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
    return [sys.executable, "-c", f"{found}; from tests.simulated.loops import main; main({role!r})"]


def main(role: str) -> None:
    """A worker process."""
    serve(Loops(), role)
