"""A run of a GPU from plan to quantities: all is real but the device, whose memory is the host's."""

from __future__ import annotations

from pathlib import Path

import pytest
from mkdocs.commands.build import build

from reportgen.analysis.derive import derive
from reportgen.backends.cuda import compiler, toolkit
from reportgen.collect.runner import Options, Outcome, collect
from reportgen.errors import BackendUnavailable
from reportgen.runs import read
from reportgen.runs.verify import verify
from reportgen.status import Status
from tests.integration.test_site_build import configuration
from tests.simulated.host_gpu import WINDOW
from tests.simulated.host_run import MULTIPROCESSORS, HostBackend, command

ASKED = (
    "instruction_latency/fp32_fma,memory_hierarchy/distributed_shared,roofline/vendor_gemm_fp16,"
    "roofline/sustained_fp32,roofline/peak_tensor_tf32"
)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    try:
        toolkit.release(toolkit.find().nvdisasm)
        compiler.fingerprint()
    except BackendUnavailable as error:
        pytest.skip(str(error))
    data = tmp_path_factory.mktemp("data")
    options = Options(data, "cuda:0", ASKED, seed=1, passes=2, command=command, max_seconds=300)
    return collect(options, None, HostBackend())


def test_every_point_has_its_status(done: Outcome) -> None:
    asked = [point for point in done.run.points if point.status != Status.SKIPPED]
    bad = {
        point.id: (point.status, point.reason)
        for point in asked
        if point.status not in (Status.OK, Status.UNSUPPORTED)
    }
    assert bad == {}
    assert {point.probe for point in asked} == set(ASKED.split(","))
    absent = [point for point in asked if point.status == Status.UNSUPPORTED]
    assert all("cuBLAS" in point.reason for point in absent)
    assert verify(done.path) == []


def test_the_run_says_what_it_is_and_how_long_it_took(done: Outcome) -> None:
    run = done.run
    assert run.environment["warning"] == "it is a simulation"
    assert run.counters.startswith("unsupported")
    assert run.timing["measure"] > 0
    assert run.sample_clock.calibration_cycles == 0


def test_quantities_follow_from_it(done: Outcome) -> None:
    found = {one.metric: one for one in derive(read.load(done.path))}
    # a window of 128 cycles, 2 of them empty, whatever is in it
    assert found["memory.cluster.8.own"].value == pytest.approx((WINDOW - 2) / 32)
    # 50 microseconds a launch of 200 windows
    point = next(point for point in done.run.points if point.probe == "roofline/sustained_fp32")
    work = point.work["flop"] * int(point.facts["turns"]) * MULTIPROCESSORS * 16
    for metric in ("peak.fp32.burst", "peak.fp32.sustained"):
        assert found[metric].value == pytest.approx(work / 50e-6, rel=1e-6)
    assert found["peak.fp32.sustained_ratio"].value == pytest.approx(1.0)
    assert found["peak.tensor_tf32"].details["multiprocessors"] == MULTIPROCESSORS


def test_its_pages_build(done: Outcome, tmp_path: Path) -> None:
    build(configuration(done.path.parents[1], tmp_path / "cache", tmp_path / "site", strict=True))
    page = (tmp_path / "site/devices/nvidia-h200" / done.run.run / "index.html").read_text(encoding="utf-8")
    assert "cuBLAS" in page
