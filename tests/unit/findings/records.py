"""Quantities and runs made by hand, for tests of findings and of the model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from reportgen.analysis.quantity import Quantity
from reportgen.findings import gates
from reportgen.findings.evidence import Evidence, gather
from reportgen.findings.gates.record import Contradiction
from reportgen.findings.metric import Kind, parse
from reportgen.runs.schema import ClockRecord, Device, DriftMark, Point, ProbeInfo, Run
from reportgen.status import Status

KIB, MIB = 1024, 1024 * 1024

UNITS = {
    Kind.LATENCY: ("cycle", "slope"),
    Kind.THROUGHPUT: ("instruction/cycle", "plateau"),
    Kind.ISSUE_INTERVAL: ("cycle/instruction", "plateau"),
    Kind.INTERFERENCE: ("ratio", "interference"),
    Kind.CAPACITY: ("byte", "boundary"),
    Kind.LEVEL_LATENCY: ("cycle", "boundary"),
    Kind.LEVEL_TIME: ("second", "boundary"),
    Kind.LINE: ("byte", "boundary"),
    Kind.ASSOCIATIVITY: ("count", "boundary"),
    Kind.TLB_REACH: ("count", "boundary"),
    Kind.CHASE: ("cycle", "slope"),
    Kind.BANDWIDTH: ("byte/second", "bandwidth"),
    Kind.PEAK: ("FLOP/second", "roofline"),
    Kind.PEAK_PER_CYCLE: ("FLOP/cycle", "roofline"),
    Kind.KERNEL: ("FLOP/second", "roofline"),
    Kind.RIDGE: ("FLOP/byte", "roofline"),
    Kind.ENCODED_LATENCY: ("cycle", "encoded"),
    Kind.ENCODED_ISSUE: ("cycle/instruction", "encoded"),
    Kind.ENCODED_WINDOW: ("cycle", "encoded"),
    Kind.RESOURCE: ("count", "encoded"),
    Kind.OCCUPANCY: ("ratio", "encoded"),
    Kind.LINK_RATE: ("byte/second", "host-link"),
    Kind.LINK_TIME: ("second", "host-link"),
    Kind.OTHER: ("count", "other"),
}

INPUTS = {"precision": 0.001, "linearity": 0.001, "acceptance": 0.6, "passes": 3.0, "drift": 0.002}


def quantity(
    metric: str,
    value: float | None = None,
    low: float | None = None,
    high: float | None = None,
    **fields: Any,
) -> Quantity:
    """A sound quantity: 0.1 % either side of its value unless an interval is given."""
    unit, method = UNITS.get(parse(metric).kind, UNITS[Kind.OTHER])
    status = fields.get("status", Status.OK)
    if value is not None and low is None and high is None and status is not Status.CENSORED:
        low, high = value - abs(value) * 0.001, value + abs(value) * 0.001
    defaults: dict[str, Any] = {
        "unit": unit, "method": method, "status": Status.OK, "probe": f"probe/{metric.split('.')[0]}",
        "n": 240, "taken": 400, "inputs": INPUTS,
    }  # fmt: skip
    return Quantity(metric=metric, value=value, low=low, high=high, **(defaults | fields))


def probe(operation: str, analysis: str = "slope", **fields: Any) -> ProbeInfo:
    """A probe about one operation; `constants` and all else may be given."""
    family = {"slope": "instruction_latency", "plateau": "instruction_throughput"}.get(analysis, "other")
    defaults: dict[str, Any] = {
        "id": f"{family}/{operation}", "family": family, "question": "How long?", "hypothesis": "It is so.",
        "variable": "length", "metric": f"latency.{operation}", "unit": "cycle", "operation": operation,
        "title": operation.replace("_", " "),
    }  # fmt: skip
    return ProbeInfo(analysis=analysis, **(defaults | fields))


def point(name: str, settings: dict[str, Any], **fields: Any) -> Point:
    """A point that was measured."""
    fields.setdefault("status", Status.OK)
    return Point(id=name, probe=name.partition("#")[0], settings=settings, **fields)


def run(
    probes: Iterable[ProbeInfo] = (),
    points: Iterable[Point] = (),
    reported: dict[str, int | float | str] | None = None,
    drift: tuple[float, ...] = (3.50e9, 3.49e9),
    **fields: Any,
) -> Run:
    """A run of a two-core device at 3.5 GHz with three passes."""
    device = Device(
        id="hand-made", backend="simulated", vendor="Test", name="Hand-made core", isa="x86_64", cores=2,
        reported=reported or {},
    )  # fmt: skip
    clock = ClockRecord(
        tick_hz=2.6e9, tick_hz_low=2.6e9, tick_hz_high=2.6e9, calibration_cycles=4096,
        canary_instructions=4096, canary_best=5.65, agreement=0.004, canary_share=0.97,
    )  # fmt: skip
    marks = tuple(DriftMark(f"mark {i}", i, hz, 5.6) for i, hz in enumerate(drift))
    defaults: dict[str, Any] = {
        "schema": 1, "run": "20261102T090000Z-0badcafe", "created": "2026-11-02T09:00:00+00:00",
        "finished": "2026-11-02T09:01:00+00:00", "environment": {"kernel": "6.8.0"}, "toolchain": {},
        "suite": {"version": "1", "digest": "0"}, "plan": {"seed": 1, "passes": 3},
        "counters": "unsupported: the kernel offers none to this guest",
    }  # fmt: skip
    return Run(
        device=device, clock=clock, probes=tuple(probes), points=tuple(points), drift=marks,
        **(defaults | fields),
    )  # fmt: skip


def evidence(*quantities: Quantity, run: Run) -> Evidence:
    """The index that gates and cross-checks look at."""
    return gather(run, quantities)


def breaches(gate: str, *quantities: Quantity, run: Run) -> list[Contradiction]:
    """What one gate says of some quantities."""
    assert gate in {one.name for one in gates.GATES}
    return [one for one in gates.check(gather(run, quantities)) if one.gate == gate]


def healthy() -> tuple[Run, tuple[Quantity, ...]]:
    """A run in which everything fits: two operations that compete, one that does not, four levels."""
    fields = {"flop": 2.0, "precision": "fp32", "form": "vfmadd231ss {d}, {a}, {b}"}
    probes = [
        probe("integer_add", title="64-bit integer add", constants={"form": "add {d}, {a}"}),
        probe("integer_mul", title="64-bit integer multiply"),
        probe("popcnt", title="population count"),
        probe("fp32_fma", title="scalar FP32 fused multiply-add", constants=fields),
        probe("fp32_fma", "plateau", constants=fields, title="scalar FP32 fused multiply-add"),
        probe("", "interference", id="pipeline_interference/matrix"),
        probe("", "working_set", id="memory_hierarchy/working_set_sweep"),
    ]
    levels = {"l1": 5.0, "l2": 16.0, "l3": 60.0, "dram": 420.0}
    matrix, sweep = "pipeline_interference/matrix", "memory_hierarchy/working_set_sweep"
    found = [
        quantity("latency.integer_add", 1.0, probe="instruction_latency/integer_add"),
        quantity("latency.integer_mul", 3.0, probe="instruction_latency/integer_mul"),
        quantity("latency.popcnt", 3.0, probe="instruction_latency/popcnt"),
        quantity("latency.fp32_fma", 4.0, probe="instruction_latency/fp32_fma"),
        quantity("throughput.fp32_fma", 2.0, probe="instruction_throughput/fp32_fma", details={"knee": 8}),
        quantity("issue_interval.fp32_fma", 0.5, probe="instruction_throughput/fp32_fma"),
        quantity("latency.fp16_fma", status=Status.UNSUPPORTED, reason="The device lacks avx512fp16.", n=0),
        quantity("interference.integer_mul.popcnt", 1.0, 0.99, 1.01, probe=matrix),
        quantity("interference.integer_mul.integer_mul", 1.0, 0.99, 1.01, probe=matrix),
        quantity("interference.integer_mul.fp32_fma", 0.0, -0.01, 0.01, probe=matrix),
        quantity("memory.l1.capacity", 48 * KIB, 46 * KIB, 50 * KIB, probe=sweep),
        quantity("memory.l2.capacity", 1.9 * MIB, 1.8 * MIB, 2.1 * MIB, probe=sweep),
        quantity("memory.l3.capacity", 8 * MIB, 7 * MIB, 9 * MIB, probe=sweep),
        *(quantity(f"memory.{name}.latency", cycles, probe=sweep) for name, cycles in levels.items()),
        *(
            quantity(f"memory.{name}.latency_time", cycles / 3.5e9, probe=sweep)
            for name, cycles in levels.items()
        ),
        *(quantity(f"chase.{name}.latency", cycles) for name, cycles in levels.items()),
        quantity("memory.line", 64, 56, 64),
        quantity("memory.l1.associativity", 12, 12, 13),
        quantity("memory.dtlb1.reach", 96, 92, 104),
        *(
            quantity(f"bandwidth.{name}.{kernel}{scope}", rate * share * (2 if scope else 1))
            for name, rate in (("l1", 300e9), ("l2", 100e9), ("l3", 30e9), ("dram", 15e9))
            for kernel, share in (("read", 1.0), ("copy", 0.9))
            for scope in ("", ".all_cores")
        ),
        quantity("peak.fp32", 14e9, details={"operation": "fp32_fma"}),
        quantity("peak.fp32.per_cycle", 4.0, details={"operation": "fp32_fma"}),
        quantity("kernel.sgemm.256", 11e9, status=Status.UNVERIFIED),
        quantity("ridge.fp32.dram", 0.93),
    ]
    reported: dict[str, int | float | str] = {
        "l1d_bytes": 48 * KIB, "l2_bytes": 2 * MIB, "l3_bytes": 32 * MIB, "line_bytes": 64,
    }  # fmt: skip
    return run(probes, reported=reported), tuple(found)


def changed(record: Any, **fields: Any) -> Any:
    """A copy of a record with other fields."""
    return msgspec.structs.replace(record, **fields)
