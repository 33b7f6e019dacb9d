"""Matrix units that work on their own: products of warp groups and through tensor memory, in order.

A product is ordered, begins when the one before has, and one tile after the other leaves the unit: `each`
cycles apart.  What is waited for at the end, the way to the unit and back, is `first`.  Several warp groups
of a multiprocessor share its unit; while one waits, another's products go on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from reportgen.backends.base import Source
from reportgen.backends.cuda import targets
from reportgen.backends.cuda.generator import CudaGenerator
from reportgen.errors import Unsupported
from reportgen.runs.schema import ProbeInfo
from reportgen.suite import expand
from reportgen.suite.definition import PlannedPoint, Probe
from tests.simulated.asked import ok_point
from tests.simulated.gpu_truth import EMPTY, GpuTruth, Question, Simulated, suite

GROUPS = ("warpgroup", "tensor_memory")


@dataclass(frozen=True)
class MatrixUnit:
    """Of a multiprocessor."""

    first: float = 60.0
    """Cycles from the order of one product to its end, but for `each`."""
    work: float = 8192.0
    """FLOP (or OP) of a cycle."""
    speed: Mapping[str, float] = field(default_factory=lambda: {"tf32": 0.5})
    """Precisions of which it does another multiple of that."""
    least: float = 0.0
    """Cycles that a product takes, however small."""

    def each(self, work: float, precision: str) -> float:
        """Cycles that one more product takes."""
        return max(self.least, work / self.work / self.speed.get(precision, 1.0))


@cache
def _suite(isa: str) -> tuple[dict[str, Probe], CudaGenerator]:
    device = targets.device(targets.parse(isa))
    return (
        {probe.id: probe for probe in expand.probes(suite(), isa)},
        CudaGenerator(device, suite().tables["cuda"]),
    )


def operations(isa: str) -> tuple[str, ...]:
    """Those of these units that a target has."""
    probes, _ = _suite(isa)
    table = suite().tables["cuda"]
    wanted = {name for name, one in table.items() if one.group in GROUPS}
    return tuple(
        name for name in sorted(wanted) if f"tensor_operations/{name}" in probes and _points(isa, name)
    )


def _points(isa: str, operation: str) -> list[tuple[PlannedPoint, Source]]:
    return list(_made(isa, f"tensor_operations/{operation}"))


@cache
def _planned(isa: str, probe: str) -> tuple[PlannedPoint, ...]:
    probes, _ = _suite(isa)
    device = targets.device(targets.parse(isa))
    return tuple(expand.points(probes[probe], device, suite().tables["cuda"]))


def _made(isa: str, probe: str) -> Iterator[tuple[PlannedPoint, Source]]:
    probes, generator = _suite(isa)
    for point in _planned(isa, probe):
        try:
            yield point, generator.generate(probes[probe], point)
        except Unsupported:
            continue


def info(isa: str, probe: str) -> ProbeInfo:
    """A probe as it is frozen into a run."""
    return expand.info(_suite(isa)[0][probe], suite().tables["cuda"])


def latency(isa: str, operation: str, unit: MatrixUnit) -> Question:
    """One warp group (or one thread) orders so many products, and waits."""
    probe = f"tensor_operations/{operation}"
    kind = suite().tables["cuda"][operation]
    each = unit.each(kind.flop or kind.op or 0.0, kind.precision or "")
    found = []
    for point, source in _points(isa, operation):
        cycles = unit.first + each * source.work["instructions"]
        made = ok_point(probe, dict(point.settings), work=dict(source.work))
        found.append(Simulated(made, (cycles + EMPTY,)))
    return info(isa, probe), found


def peak(isa: str, precision: str, unit: MatrixUnit, truth: GpuTruth) -> Question:
    """Warp groups of a full multiprocessor, turn after turn; only those points of the probe."""
    probe = f"roofline/peak_tensor_{precision}"
    table = suite().tables["cuda"]
    found = []
    for point, source in _made(isa, probe):
        kind = table[str(point.settings["operation"])]
        if kind.group != "warpgroup":
            continue
        setup = source.setup
        teams, turns = int(setup["threads"]) // int(setup["team"]), int(setup["turns"])
        busy = unit.each(kind.flop or kind.op or 0.0, kind.precision or "") * source.work["instructions"]
        cycles = turns * max(unit.first + busy, teams * busy)
        facts = {"blocks": truth.multiprocessors, "multiprocessors": truth.multiprocessors}
        made = ok_point(probe, dict(point.settings), work=dict(source.work), facts=facts)
        found.append(Simulated(made, (cycles + EMPTY,), turns * teams, truth.tensor_clock_hz))
    return info(isa, probe), found
