"""A device whose programs crash, hang and lie, to see that the run goes on.

The setting `how` of a point says what its program does; see `SUITE`.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from reportgen.backends.base import Batch, Build, Candidate, ClockConstants, Order, Source
from reportgen.collect.worker import serve
from reportgen.errors import Unsupported
from reportgen.runs.schema import Device, Program
from reportgen.suite.definition import Definition, Operation, PlannedPoint, Probe
from reportgen.suite.load import Suite

ROOT = Path(__file__).resolve().parents[2]

DEVICE = Device("faulty-device", "faulty", "Nobody", "Faulty device", "none")

BUILD = ("unsupported", "bad mnemonic", "wrong code", "not inspected")
MEASURE = ("killed", "hung", "exits", "raises", "refused", "noisy", "ragged")
FINE = ("fine", "good", "sound")


def suite(*how: str, digest: str = "one") -> Suite:
    """One probe a list of behaviours, and one more that is left out by `--quick`."""
    definition = Definition(
        question="Does it run?",
        hypothesis="It does.",
        variable="how",
        template="none",
        analysis="none",
        metric="trial",
        unit="count",
        settings={"how": list(how)},
        title="Trial",
    )
    slow = Definition(
        question="Does it run for long?",
        hypothesis="It does.",
        variable="how",
        template="none",
        analysis="none",
        metric="slow",
        unit="count",
        settings={"how": ["fine"]},
        title="Slow",
        in_quick=False,
    )
    definitions = {"instruction_latency/trial": definition, "memory_hierarchy/slow": slow}
    return Suite(Path(), definitions, {"none": {}}, digest)


class Faulty:
    """Every role of a backend; what goes wrong is the point's setting `how`."""

    name = "faulty"

    def __init__(self, device: Device = DEVICE, assembler: str = "1") -> None:
        self._device = device
        self._assembler = assembler

    def discover(self) -> list[Candidate]:
        return [
            Candidate("faulty", self._device),
            Candidate("faulty:broken", self._device, "its driver is missing"),
        ]

    def generator(self, device: Device, operations: dict[str, Operation]) -> Faulty:
        return self

    def builder(self, device: Device) -> Faulty:
        return self

    def launcher(self, selector: str, device: Device) -> Faulty:
        return self

    def clock(self) -> ClockConstants:
        return ClockConstants(
            calibration_cycles=1000, canary_instructions=4000, agreement=0.004, canary_share=0.97, note=""
        )

    def environment(self, device: Device) -> dict[str, int | float | str | bool]:
        return {"kernel": "0"}

    def toolchain(self, device: Device) -> dict[str, str]:
        return {"assembler": self._assembler}

    def counters(self, device: Device) -> str:
        return "unsupported: there is no device"

    def generate(self, probe: Probe, point: PlannedPoint) -> Source:
        how = str(point.settings["how"])
        if how == "unsupported":
            raise Unsupported("the device lacks it")
        return Source(point.id, how, {}, {"instructions": 4.0}, {"how": how})

    def build(self, source: Source) -> Build:
        how = source.text
        if how == "bad mnemonic":
            os.write(1, b"<inline asm>:1:2: error: invalid instruction mnemonic 'foo'\n\tfoo\n\t^~~\n")
            os._exit(1)
        verdict = {"wrong code": "rejected", "not inspected": "unverified"}.get(how, "verified")
        program = Program(f"sha of {how}", how, f"listing of {how}", {"nop": 4}, verdict, f"it is {verdict}")
        seconds = {"build": 0.001, "verify": 0.001}
        return Build(source.point, how.encode(), program, seconds=seconds)

    def measure(self, order: Order) -> Batch:
        how = str(order.setup["how"])
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if how.startswith("hung"):
            time.sleep(600)
        if how == "exits":
            print("LLVM ERROR: Cannot select")
            sys.stdout.flush()
            os._exit(1)
        if how == "raises":
            raise ValueError("no such register")
        if how == "refused":
            raise PermissionError(1, "mlock")
        return samples(order, disturbed=how == "noisy", ragged=how == "ragged")


def samples(order: Order, disturbed: bool, ragged: bool = False) -> Batch:
    """Six samples: the first marked as such, and all of them disturbed if wanted."""
    rows = 6
    ticks = time.perf_counter_ns()
    columns = {
        "sample": list(range(rows)),
        "thread": [0] * rows,
        "start": [ticks + 10_000 * row for row in range(rows)],
        "ticks": [8000 + order.visit % 3 + row for row in range(rows)],
        "empty": [20] * rows,
        "calibration_before": [1100 if disturbed else 1020] * rows,
        "calibration_after": [1021] * rows,
        "canary_before": [1020] * rows,
        "canary_after": [1020] * rows,
        "warmup": [80_000] * rows,
        "repetitions": [1] * rows,
        "cpu": [0] * rows,
    }
    if ragged:
        columns["ticks"] = columns["ticks"][:-1]
    gates = ["first of batch", *["calibrations disagree" if disturbed else "accepted"] * (rows - 1)]
    return Batch(
        point=order.point,
        columns=columns,
        gates=gates,
        stop="sample cap" if disturbed else "precise",
        facts={"bytes_actual": 64},
        canary_best=4.0,
        seconds={"measure": 0.001, "calibrate": 0.0005, "setup": 0.0002},
        clock=(time.monotonic_ns(), time.monotonic_ns()),
    )


def command(selector: str, role: str) -> list[str]:
    """How a worker of this device is started."""
    found = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
    return [sys.executable, "-c", f"{found}; from tests.simulated.faulty import main; main({role!r})"]


def main(role: str) -> None:
    """A worker process."""
    serve(Faulty(), role)
