"""Points of the suite on a device that is host memory."""

from __future__ import annotations

from functools import cache

from reportgen.backends.base import Batch, Order, Source
from reportgen.backends.cuda import targets
from reportgen.backends.cuda.generator import CudaGenerator
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.suite import expand
from reportgen.suite.definition import PlannedPoint
from reportgen.suite.load import load_suite
from tests.simulated.host_gpu import HostGpu

DEVICE = targets.device(targets.parse("sm_90"))


@cache
def source(probe: str, **settings: int | str) -> Source:
    """What the generator makes of a probe at settings of ours."""
    loaded = load_suite()
    found = next(one for one in expand.probes(loaded, "sm_90") if one.id == probe)
    point = PlannedPoint(f"{probe}#here", probe, dict(settings))
    return CudaGenerator(DEVICE, loaded.tables["cuda"]).generate(found, point)


def visit(launcher: tuple[CudaLauncher, HostGpu], made: Source, code: bytes = b"code") -> Batch:
    launcher[1].setup = made.setup
    return launcher[0].measure(Order(made.point, code, "sha", made.setup, 0.002, 0.0, 7, 0))
