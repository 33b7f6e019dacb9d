"""The command as it is typed on a machine with a GPU: discovery, compiler, workers, calls of the driver.

The driver is the stand-in, which knows from a file what the kernels of some probes do.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from reportgen.backends.cuda import targets, toolkit
from reportgen.backends.cuda.builder import CudaBuilder
from reportgen.backends.cuda.generator import CudaGenerator
from reportgen.errors import BackendUnavailable, Unsupported
from reportgen.runs import read, store
from reportgen.runs.schema import Run
from reportgen.runs.verify import verify
from reportgen.status import Status
from reportgen.suite import expand
from reportgen.suite.load import load_suite
from tests.simulated import stand_in, stand_in_plan

ASKED = (
    "instruction_latency/fp32_fma",
    "instruction_latency/fp32_add",
    "memory_hierarchy/on_chip_sweep",
    "memory_hierarchy/bulk_copy",
)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables under which the command finds a GPU."""
    room = tmp_path_factory.mktemp("machine")
    try:
        toolkit.release(toolkit.find().nvdisasm)
    except BackendUnavailable as error:
        pytest.skip(str(error))
    if stand_in.build(room) is None:
        pytest.skip("no C compiler is here to build a stand-in for the driver")
    told = {
        "LD_LIBRARY_PATH": str(room),
        "XDG_CACHE_HOME": str(room / "cache"),
        "REPORTGEN_CUDA_BINDING": "ctypes",
        "STAND_IN_PLAN": str(room / "plan.txt"),
        "STAND_IN_VERSION": "99000",  # no compiler is too new
    }
    suite, device = load_suite(), targets.device(targets.parse("sm_90"))
    generator = CudaGenerator(device, suite.tables["cuda"])
    probes = [probe for probe in expand.probes(suite, "sm_90") if probe.id in ASKED]
    sources = []
    for probe in probes:
        for point in expand.points(probe, device, suite.tables["cuda"], True):
            with suppress(Unsupported):
                sources.append(generator.generate(probe, point))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", told["XDG_CACHE_HOME"])
        builds = CudaBuilder().build_many(sources, jobs=1)
    (room / "plan.txt").write_text(stand_in_plan.lines(zip(sources, builds, strict=True)))
    return told


def call(machine: dict[str, str], data: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    there = os.pathsep.join([str(stand_in.ROOT), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "reportgen", "collect", "--device", "cuda:0", "--quick", "--seed", "1"]
    return subprocess.run(
        [*command, "--probes", ",".join(ASKED), "--data", str(data), "--max-seconds", "300"],
        env=os.environ | {"PYTHONPATH": there} | machine | changes,
        capture_output=True,
        text=True,
        check=False,
    )


def only(data: Path) -> Run:
    (ref,) = store.list_runs(data)
    assert verify(ref.path) == []
    return read.load(ref.path).run


def test_a_run(machine: dict[str, str], tmp_path: Path) -> None:
    done = call(machine, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "measuring:" in done.stderr
    assert "NVIDIA H200 (nvidia-h200)" in done.stdout
    run = only(tmp_path)
    points = [point for point in run.points if point.probe in ASKED]
    assert {point.status for point in points} == {Status.OK, Status.UNSUPPORTED}
    chains = [point for point in points if point.probe == ASKED[0]]
    assert [point.status for point in chains] == [Status.OK] * len(chains)
    assert {point.facts["binding"] for point in chains} == {"ctypes"}
    assert run.device.cores == 132
    assert run.environment["cuda_driver"] == "99.0"
    assert list(tmp_path.glob("*/*.partial")) == []


def test_a_kernel_that_faults_costs_its_probe_only(machine: dict[str, str], tmp_path: Path) -> None:
    done = call(machine, tmp_path, STAND_IN_FAULTS="fp32_add:fault,on_chip_sweep_path_local:unwritten")
    assert done.returncode == 0, done.stderr
    found: dict[str, set[str]] = {}
    for point in only(tmp_path).points:
        found.setdefault(point.probe, set()).add(point.status)
        if point.probe == ASKED[1]:
            assert "CUDA_ERROR_ILLEGAL_ADDRESS 700" in point.reason
        elif point.settings.get("path") == "local" and point.status != Status.UNSUPPORTED:
            assert "the kernel did not run" in point.reason
    assert found[ASKED[0]] == {Status.OK}
    assert found[ASKED[1]] == {Status.FAILED}
    assert found[ASKED[2]] == {Status.OK, Status.FAILED, Status.UNSUPPORTED}


def test_a_driver_that_refuses_cubins_is_known_before_anything_is_built(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = call(machine, tmp_path, STAND_IN_NEWEST="12000")
    assert done.returncode == 5
    assert "the driver does not take the cubin" in done.stderr
    assert "building" not in done.stderr
    assert store.list_runs(tmp_path) == []
    assert store.list_partial(tmp_path) == []
