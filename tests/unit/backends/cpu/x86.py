"""x86-64 programs of the suite, whole or with another body, assembled on this host."""

from __future__ import annotations

import platform
from functools import cache
from importlib.util import find_spec

import pytest

from reportgen.backends.base import Source
from reportgen.backends.cpu import compiler
from reportgen.backends.cpu.compiler import MachineCode
from reportgen.backends.cpu.generator import CpuGenerator
from reportgen.backends.cpu.inspector import inspect
from reportgen.runs.schema import Device, Program
from reportgen.suite.definition import Operation, PlannedPoint, Probe
from reportgen.suite.expand import points, probes
from reportgen.suite.load import Suite, load_suite

here = platform.machine() in ("x86_64", "AMD64")
assembles = pytest.mark.skipif(not here, reason="llvmlite holds the assembler of the host's own ISA only")
decodes = pytest.mark.skipif(find_spec("iced_x86") is None, reason="iced-x86 has wheels for x86-64 only")
executes = pytest.mark.skipif(not here, reason="executes x86-64 machine code")


@cache
def suite() -> Suite:
    return load_suite()


def table() -> dict[str, Operation]:
    return suite().tables["x86_64"]


@cache
def everything() -> tuple[str, ...]:
    """Every feature that the table asks for."""
    return tuple(
        sorted({name for row in table().values() for name in row.features} | {"avx512vl", "avx512f"})
    )


def device(
    features: tuple[str, ...] | None = None,
    cores: int = 4,
    reported: dict[str, int | float | str] | None = None,
) -> Device:
    first = {"l1d_bytes": 49152, "l1d_ways": 12, "l2_ways": 8}
    known = first | {"l2_bytes": 2 << 20, "l3_bytes": 32 << 20, "page_bytes": 4096}
    return Device(
        id="made-up", backend="cpu", vendor="Maker", name="made up", isa="x86_64",
        features=everything() if features is None else features, cores=cores, memory_bytes=8 << 30,
        reported=known if reported is None else reported,
    )  # fmt: skip


@cache
def planned() -> dict[str, tuple[Probe, PlannedPoint]]:
    """Point id -> its probe and itself, on a processor that has everything."""
    return {
        point.id: (probe, point)
        for probe in probes(suite(), "x86_64")
        for point in points(probe, device(), table())
    }


def generate(point: str, on: Device | None = None) -> Source:
    """Source of the first point whose id begins so."""
    probe, chosen = next(found for name, found in planned().items() if f"{name},".startswith(f"{point},"))
    return CpuGenerator(on or device(), table()).generate(probe, chosen)


def assemble(source: Source) -> MachineCode:
    return compiler.assemble(source.text)


def judge(source: Source, text: str | None = None) -> Program:
    """The verdict on a source, or on another text under the same expectation."""
    chosen = source.text if text is None else text
    return inspect(compiler.assemble(chosen), chosen, source.expect)


def with_body(source: Source, *lines: str) -> str:
    """The source with other lines between the labels `body` and `body_end`."""
    before = source.text.partition("\nbody:\n")[0]
    after = source.text.partition("\nbody_end:\n")[2]
    return "\n".join([before, "body:", *lines, "body_end:", after])
