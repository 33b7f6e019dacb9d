"""Every probe of the suite has an analysis that reads what the generator of a GPU states of its points.

The times are of no device: each step or instruction takes four cycles, each byte a tenth.  What is asked is
that nothing is left unread and that every metric has a meaning.
"""

from __future__ import annotations

from functools import cache

import pyarrow as pa

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.backends.cuda.generator import CudaGenerator
from reportgen.errors import ReportgenError, Unsupported
from reportgen.findings.metric import Kind, parse
from reportgen.model.exports import dictionary
from reportgen.runs.schema import Device, Point, Run
from reportgen.status import Status
from reportgen.suite import expand
from reportgen.suite.definition import Operation, PlannedPoint, Probe
from reportgen.suite.load import load_suite
from tests.simulated.gpu import make
from tests.simulated.gpu_truth import EMPTY, ISA, GpuTruth, Question, Simulated

DEVICE = Device(
    "nvidia-simulated", "cuda", "NVIDIA", "Simulated GPU", ISA, cores=132, memory_bytes=80 << 30,
    reported={"l2_bytes": 50 << 20},
)  # fmt: skip
ROWS = {"memory_hierarchy/sector_trace": 16, "memory_hierarchy/l2_matrix": 16}
"""Probes whose samples have a row for every load."""


def question(probe: Probe, table: dict[str, Operation], generator: CudaGenerator) -> Question:
    """Every point that a quick run asks, those that this target lacks with the reason."""
    info = expand.info(probe, table)
    try:
        planned = expand.points(probe, DEVICE, table, True)
    except Unsupported as error:
        return info, [refused(PlannedPoint(probe.id, probe.id, {}), str(error))]
    return info, [simulated(probe, point, generator) for point in planned]


def refused(point: PlannedPoint, reason: str) -> Simulated:
    return Simulated(
        Point(point.id, point.probe, dict(point.settings), Status.UNSUPPORTED, reason), (), repetitions=1
    )


def simulated(probe: Probe, point: PlannedPoint, generator: CudaGenerator) -> Simulated:
    try:
        work = dict(generator.generate(probe, point).work)
    except ReportgenError as error:
        return refused(point, str(error))
    size = point.settings.get("bytes", 0)
    steps = max(work.get("steps", 0.0), work.get("instructions", 0.0), 8 * work.get("groups", 0.0), 1.0)
    cycles = work["bytes"] / 10 + 50 if "bytes" in work else 4 * steps
    made = Point(
        point.id, probe.id, dict(point.settings), Status.OK, work=work, stop="precise",
        facts={"bytes_actual": int(size)} if isinstance(size, int) and size else {},
    )  # fmt: skip
    return Simulated(made, (cycles + EMPTY,) * ROWS.get(probe.id, 1))


@cache
def read() -> tuple[Run, tuple[Quantity, ...]]:
    suite = load_suite()
    table = suite.tables["cuda"]
    generator = CudaGenerator(DEVICE, table)
    asked = [question(probe, table, generator) for probe in expand.probes(suite, ISA)]
    run, rows = make(GpuTruth(), asked=asked)
    return run, quantities(run, pa.table(rows))


def test_every_probe_that_was_measured_is_read() -> None:
    run, found = read()
    unread = [one.metric for one in found if "has no analysis" in one.reason or one.status is Status.FAILED]
    assert unread == []
    measured = {point.probe for point in run.points if point.status is Status.OK}
    assert measured <= {one.probe for one in found}
    assert len(measured) > 300


def test_every_metric_has_a_kind_and_an_entry() -> None:
    run, found = read()
    measured = {point.probe for point in run.points if point.status is Status.OK}
    for one in found:
        if one.probe in measured:
            assert parse(one.metric).kind is not Kind.OTHER, one.metric
            assert dictionary.lookup(one.metric) is not None, one.metric
