"""The driver's copy, cuBLAS through a stand-in of it, and the cost of a launch: set up, checked, refused."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from reportgen.backends.base import Batch, Order, Source
from reportgen.backends.cuda import targets, vendor
from reportgen.backends.cuda.builder import CudaBuilder
from reportgen.backends.cuda.clock import Frame
from reportgen.backends.cuda.generator import CudaGenerator
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.errors import LaunchError, Unsupported
from reportgen.suite import expand
from reportgen.suite.definition import PlannedPoint
from reportgen.suite.load import load_suite
from tests.simulated import stand_in
from tests.simulated.host_gpu import HostGpu

NS = 50_000
"""That a launch takes on the simulated device."""


class Host(HostGpu):
    """A copy within the device takes time."""

    wrong_copy = False

    def copy(self, target: int, source: int, size: int) -> None:
        self.now += NS
        if not self.wrong_copy:
            super().copy(target, source, size)


@pytest.fixture(scope="module")
def blas(tmp_path_factory: pytest.TempPathFactory) -> str:
    cc = shutil.which("gcc") or shutil.which("cc")
    if cc is None:
        pytest.skip("no C compiler is here to build a stand-in for cuBLAS")
    made = tmp_path_factory.mktemp("blas") / "libcublas.so.13"
    source = stand_in.SOURCE.with_name("libcublas.c")
    subprocess.run([cc, "-shared", "-fPIC", "-O1", "-o", made, source], check=True, capture_output=True)
    return str(made)


@pytest.fixture(scope="module")
def launcher(toolchain: str) -> tuple[CudaLauncher, Host]:
    gpu = Host()
    return CudaLauncher(0, stand_in.DEVICE, gpu), gpu


def source(probe: str, **settings: int | str) -> Source:
    suite = load_suite()
    found = next(one for one in expand.probes(suite, "sm_90") if one.id == probe)
    generator = CudaGenerator(stand_in.DEVICE, suite.tables["cuda"])
    return generator.generate(found, PlannedPoint(f"{probe}#here", probe, dict(settings)))


def order(made: Source) -> Order:
    return Order(made.point, b"", "", made.setup, 0.002, 0.0, 7, 0)


def product(gpu: Host, blas: str, precision: str, n: int = 64) -> Batch:
    gpu.now += 1
    setup: dict[str, int | float | str] = {
        "kind": "vendor",
        "routine": "gemm",
        "n": n,
        "precision": precision,
    }
    frame = Frame(gpu, "sm_90")

    def hold(microseconds: float) -> None:
        gpu.now += 1  # a call of the stand-in takes no time on the simulated device

    frame.hold = hold  # type: ignore[method-assign]
    ticking = gpu.record

    def record(event: list[int]) -> None:
        gpu.now += NS
        ticking(event)

    gpu.record = record  # type: ignore[method-assign]
    try:
        return vendor.measure(Order("p", b"", "", setup, 0.002, 0.0, 7, 0), gpu, frame, blas)
    finally:
        del gpu.record


def test_the_drivers_copy(launcher: tuple[CudaLauncher, Host]) -> None:
    made = source("memory_hierarchy/vendor_copy", kernel="vendor_copy", blocks=0, width=0, bytes=3 << 20)
    assert made.work == {"bytes": float(6 << 20)}
    batch = launcher[0].measure(order(made))
    assert (batch.status, batch.facts["library"], batch.facts["binding"]) == ("ok", "the driver", "host")
    calls = batch.columns["repetitions"][0]
    assert calls == round(vendor.LEAST_MS / 0.05)
    assert set(batch.columns["ticks"]) == {round(calls * NS * 1.98)}
    assert len(launcher[1].memory_of) == 1  # the frame's own


def test_a_copy_that_copies_nothing(launcher: tuple[CudaLauncher, Host]) -> None:
    launcher[1].wrong_copy = True
    made = source("memory_hierarchy/vendor_copy", kernel="vendor_copy", blocks=0, width=0, bytes=1 << 16)
    batch = launcher[0].measure(order(made))
    launcher[1].wrong_copy = False
    assert (batch.status, set(batch.gates)) == ("invalid", {"wrong result"})
    assert "differs from what was copied" in batch.reason


@pytest.mark.parametrize("precision", sorted(vendor.KINDS))
def test_a_product_by_cublas(toolchain: str, blas: str, precision: str) -> None:
    gpu = Host()
    batch = product(gpu, blas, precision)
    assert (batch.status, batch.reason) == ("ok", "")
    assert batch.facts["library"] == "cuBLAS 13.1"
    assert min(batch.columns["ticks"]) > 0


def test_a_product_that_is_wrong_or_refused(
    toolchain: str, blas: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_BLAS", "wrong")
    assert "the product is wrong" in product(Host(), blas, "fp16").reason
    monkeypatch.setenv("STAND_IN_BLAS", "refused")
    gpu = Host()
    with pytest.raises(LaunchError, match="cublasGemmEx: cuBLAS answers with status 15"):
        product(gpu, blas, "fp16")
    assert len(gpu.memory_of) == 1


def test_no_cublas(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match=r"pip install nvidia-cublas \(450 MB\)"):
        vendor.load(str(tmp_path / "libcublas.so.13"))


@pytest.mark.parametrize("precision", sorted(vendor.KINDS))
def test_random_factors_keep_their_mean(precision: str) -> None:
    found = vendor.numbers(precision, vendor.values(precision, 4096, np.random.default_rng(1)))
    assert found.min() >= 0.5
    assert found.max() <= 1.0
    assert abs(found.mean() - 0.75) < 0.02


def test_nothing_of_the_vendors_is_built() -> None:
    made = source("roofline/vendor_gemm_fp16", n=2048)
    assert made.work == {"flop": 2.0 * 2048**3, "bytes": 6.0 * 2048**2}
    seen: list[str] = []
    (build,) = CudaBuilder().build_many([made], 1, seen.append)
    assert (build.status, build.code, seen) == ("unverified", b"", [made.point])
    suite = load_suite()
    probe = next(one for one in expand.probes(suite, "sm_90") if one.id == "roofline/vendor_gemm_fp16")
    target = CudaGenerator(targets.device(targets.parse("sm_90")), suite.tables["cuda"])
    with pytest.raises(Unsupported, match="needs a device"):
        target.generate(probe, PlannedPoint("x", probe.id, {"n": 64}))


@pytest.mark.parametrize("mode", ["queued", "waited"])
def test_what_a_launch_costs(launcher: tuple[CudaLauncher, Host], mode: str) -> None:
    made = source("gpu_execution/launch_overhead", mode=mode, blocks=8)
    launcher[1].setup = made.setup
    batch = launcher[0].measure(Order(made.point, b"code", "sha", made.setup, 0.002, 0.0, 7, 0))
    assert batch.status == "ok"
    assert set(batch.columns["repetitions"]) == {64}
    if mode == "queued":
        assert set(batch.columns["ticks"]) == {round(64 * NS * 1.98)}
    else:
        assert min(batch.columns["ticks"]) > 0
