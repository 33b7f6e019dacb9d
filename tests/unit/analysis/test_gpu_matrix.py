"""Matrix units that work on their own are found again, through the whole way of a replayed run."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from reportgen.analysis.derive import derive
from reportgen.analysis.quantity import Quantity
from reportgen.collect.runner import Options, collect
from reportgen.runs import read, write
from reportgen.suite.load import load_suite
from tests.simulated.gpu import make
from tests.simulated.gpu_matrix import MatrixUnit, latency, operations, peak
from tests.simulated.gpu_truth import GpuTruth, Question
from tests.unit.analysis.simulated_gpus import near

TRUTH, UNIT = GpuTruth(), MatrixUnit()
PRECISIONS = ("fp16", "tf32", "fp8")


def replayed(isa: str, asked: list[Question], folder: Path) -> dict[str, Quantity]:
    """What is found in a run that the collector made of a recorded one."""
    run, rows = make(TRUTH, asked=asked)
    run = msgspec.structs.replace(run, device=msgspec.structs.replace(run.device, isa=isa))
    sealed = write.seal(folder / run.device.id / run.run, run, rows, ())
    outcome = collect(Options(data=folder / "again", selector=f"replay:{sealed}"))
    return {one.metric: one for one in derive(read.load(outcome.path))}


@pytest.mark.parametrize("isa", ["sm_90", "sm_100"])
def test_products_cost_so_much_each_and_the_first_one_more(isa: str, tmp_path: Path) -> None:
    names = operations(isa)
    assert len(names) >= 9
    found = replayed(isa, [latency(isa, name, UNIT) for name in names], tmp_path)
    table = load_suite().tables["cuda"]
    for name in names:
        each = UNIT.each(table[name].flop or table[name].op or 0.0, table[name].precision or "")
        quantity = found[f"tensor.latency.{name}"]
        assert near(quantity, each), name
        assert quantity.low is not None
        assert quantity.high is not None
        assert quantity.low <= each * 1.001, name
        assert quantity.details["intercept"] == pytest.approx(UNIT.first, abs=2.0), name


def test_warp_groups_that_share_a_unit_reach_its_rate(tmp_path: Path) -> None:
    found = replayed("sm_90", [peak("sm_90", name, UNIT, TRUTH) for name in PRECISIONS], tmp_path)
    for name in PRECISIONS:
        wanted = UNIT.speed.get(name, 1.0) * UNIT.work * TRUTH.multiprocessors * TRUTH.clock_hz
        best = max(
            (
                one
                for metric, one in found.items()
                if metric.startswith("peak.") and name in metric and one.value
            ),
            key=lambda one: one.value or 0.0,
        )
        assert near(best, wanted), name
