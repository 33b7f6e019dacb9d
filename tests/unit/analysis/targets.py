"""Probes, points and programs of a compiler's target, made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.runs.schema import SCHEMA_VERSION, TOOLCHAIN, Device, Point, ProbeInfo, Program, Run
from reportgen.status import Status

LENGTHS = (32, 64, 128)
TARGET = Device("sm-90", "cuda", "NVIDIA", "sm_90 (toolchain only)", "sm_90", cores=0)

Made = tuple[ProbeInfo, list[tuple[Point, Program | None]]]
"""A probe, and its points with their programs."""


def run_of(*made: Made, device: Device = TARGET) -> tuple[Run, dict[str, Program]]:
    """A run of kind `toolchain`, and its programs by digest."""
    programs = {one.sha256: one for _, points in made for _, one in points if one is not None}
    run = Run(
        schema=SCHEMA_VERSION,
        run="20261130T090000Z-0badcafe",
        created="2026-11-30T09:00:00+00:00",
        finished="2026-11-30T09:00:20+00:00",
        device=device,
        environment={"python": "3.11"},
        toolchain={"compiler": "NVRTC", "compiler_version": "13.5.37", "target": device.isa},
        suite={"version": "1", "digest": "0" * 64},
        plan={"kind": TOOLCHAIN, "quick": False, "probes": "*"},
        clock=None,
        probes=tuple(probe for probe, _ in made),
        points=tuple(
            Point(
                point.id, point.probe, point.settings, point.status, point.reason,
                program=one.sha256 if one is not None else "", work=point.work, facts=point.facts,
            )
            for _, points in made
            for point, one in points
        ),
    )  # fmt: skip
    return run, programs


def probe(
    name: str, analysis: str, operation: str = "", variable: str = "length", **constants: Any
) -> ProbeInfo:
    """A probe; its metric is that of its analysis."""
    family, _, short = name.partition("/")
    stem = {"slope": "latency", "plateau": "throughput"}.get(analysis, family)
    return ProbeInfo(
        id=name,
        family=family,
        question="How long does it take?",
        hypothesis="Time grows linearly.",
        variable=variable,
        analysis=analysis,
        metric=f"{stem}.{operation or short}",
        unit="cycle",
        title=(operation or short).replace("_", " "),
        operation=operation,
        constants=constants,
    )


def program(name: str, opcodes: Mapping[str, int], verdict: str = "verified", **facts: Any) -> Program:
    """A program whose digest follows from its name."""
    tools = {"toolkit": "NVRTC 13.5.37", "sass_sha256": f"code of {name}"}
    return Program(
        f"sha of {name}", "source", "listing", dict(opcodes), verdict, "as wanted", facts=tools | facts
    )


def chain(
    operation: str,
    opcode: str,
    step: float | None,
    *,
    spans: Mapping[int, float] | None = None,
    edges: str = "",
    opcodes: Sequence[str] = (),
    constants: Mapping[str, Any] | None = None,
    status: Status = Status.OK,
    reason: str = "",
) -> Made:
    """Chains of three lengths; `step` cycles apart, or the given spans; None: the assembler waits."""
    name = f"instruction_latency/{operation}"
    settings = dict(constants or {})
    repeat = int(settings.get("repeat", 1))
    made: list[tuple[Point, Program | None]] = []
    for length in LENGTHS:
        facts: dict[str, Any] = {"registers": 14, "stack_bytes": 0, "shared_bytes": 0, "encoded_edges": edges}
        if step is not None:
            span = spans[length] if spans else step * (length - 1)
            facts |= {
                "encoded_kind": "fixed",
                "encoded_step": span / (length - 1),
                "predicted_window": step * length,
            }
        else:
            facts["encoded_kind"] = "scoreboard"
        kinds = opcodes or (opcode,)
        counts = {kind: length * repeat // len(kinds) for kind in kinds}
        work = {"steps": float(length), "instructions": float(length * repeat)}
        point = Point(f"{name}#length={length}", name, {"length": length}, status, reason, work=work)
        verdict = "verified" if status is Status.OK else "rejected"
        made.append((point, program(f"{opcode} {length}", counts, verdict, **facts)))
    return probe(name, "slope", operation, **settings), made


def issue(
    operation: str, opcode: str, stalls: Mapping[int, float], opcodes: Mapping[str, int] | None = None
) -> Made:
    """Independent chains: accumulators -> stall."""
    name = f"instruction_throughput/{operation}"
    made: list[tuple[Point, Program | None]] = []
    for count, stall in stalls.items():
        point = Point(
            f"{name}#accumulators={count}",
            name,
            {"accumulators": count},
            Status.OK,
            work={"instructions": 64.0},
        )
        one = program(f"{opcode} by {count}", opcodes or {opcode: 64}, registers=20, encoded_issue=stall)
        made.append((point, one))
    return probe(name, "plateau", operation, variable="accumulators"), made
