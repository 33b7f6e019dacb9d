"""The suite as it is asked of compute targets, generated once for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from reportgen.backends.base import Source
from reportgen.backends.cuda import targets
from reportgen.backends.cuda.generator import CudaGenerator
from reportgen.errors import Unsupported
from reportgen.runs.schema import Device
from reportgen.suite import expand
from reportgen.suite.definition import Operation, PlannedPoint, Probe
from reportgen.suite.isa import table_of
from reportgen.suite.load import Suite, load_suite

PUBLISHED = tuple(f"sm_{number}" for number in targets.PUBLISHED)


@cache
def loaded() -> Suite:
    """The suite that comes with the package."""
    return load_suite()


def table() -> dict[str, Operation]:
    """The CUDA instruction table."""
    return loaded().tables["cuda"]


def device(isa: str) -> Device:
    """A target, or a CPU of an instruction set."""
    if isa.startswith("sm_"):
        return targets.device(targets.parse(isa))
    return Device(id="cpu", backend="cpu", vendor="", name="a CPU", isa=isa, cores=2, memory_bytes=8 << 30)


@cache
def probes(isa: str) -> tuple[Probe, ...]:
    """Every probe as it is asked on an instruction set."""
    return tuple(expand.probes(loaded(), isa))


def points(isa: str) -> Iterator[tuple[Probe, PlannedPoint]]:
    """Every point of every probe."""
    operations = loaded().tables[table_of(isa)]
    for probe in probes(isa):
        for point in expand.points(probe, device(isa), operations):
            yield probe, point


@dataclass(frozen=True)
class Generated:
    """What the generator made of one target's points."""

    sources: dict[str, Source]
    unsupported: dict[str, str]
    """Point -> reason."""


@cache
def generated(isa: str) -> Generated:
    """Every point of a target."""
    generator = CudaGenerator(device(isa), table())
    sources, unsupported = {}, {}
    for probe, point in points(isa):
        try:
            sources[point.id] = generator.generate(probe, point)
        except Unsupported as error:
            unsupported[point.id] = str(error)
    return Generated(sources, unsupported)
