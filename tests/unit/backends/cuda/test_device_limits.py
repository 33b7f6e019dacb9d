"""What the driver refuses at a launch, and what it does not tell: asked for first, or a row with a reason."""

from __future__ import annotations

import pytest

from reportgen.backends.base import Batch, Order
from reportgen.backends.cuda import device, driver, environment
from reportgen.backends.cuda.ctypes_binding import CtypesBinding
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.errors import LaunchError
from tests.simulated import stand_in

SETUP: dict[str, int | float | str] = {
    "kernel": "probe_x",
    "arguments": "input:float; output:unsigned; clocks:unsigned",
    "threads": 32,
}
CODE = f"stand-in ioc {stand_in.CYCLES} fine\0".encode()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, toolchain: str) -> str:
    made = stand_in.build(tmp_path_factory.mktemp("driver"))
    if made is None:
        pytest.skip("no C compiler is here to build a stand-in for the driver")
    return str(made)


@pytest.fixture(scope="module")
def launcher(library: str) -> CudaLauncher:
    return CudaLauncher(0, stand_in.DEVICE, CtypesBinding(library))


def visit(launcher: CudaLauncher, **setup: int | str) -> Batch:
    return launcher.measure(Order("p", CODE, "sha", SETUP | setup, 0.001, 0.0, 1, 0))


@pytest.mark.parametrize("size", [1024, 47 << 10, 48 << 10, 227 << 10])
def test_shared_memory_is_asked_for_where_the_kernel_has_some_of_its_own(
    launcher: CudaLauncher, size: int
) -> None:
    # a kernel with 1 KiB of its own gets 47 KiB more without asking
    if size == 227 << 10:
        with pytest.raises(LaunchError, match="cuFuncSetAttribute"):
            visit(launcher, dynamic_bytes=size)
    else:
        assert visit(launcher, dynamic_bytes=size).status == "ok"


@pytest.mark.parametrize(("threads", "shared", "blocks"), [(1024, 0, 2), (128, 0, 16), (128, 16384, 13)])
def test_the_driver_says_how_many_blocks_fit(library: str, threads: int, shared: int, blocks: int) -> None:
    opened = CtypesBinding(library)
    opened.open(0)
    assert opened.resident(opened.function(opened.load(CODE), "probe_x"), threads, shared) == blocks


def test_a_cluster_of_sixteen_is_allowed_first(launcher: CudaLauncher) -> None:
    named = {"kernel": "probe_cluster_16", "blocks": 16, "cluster": 16}
    with pytest.raises(LaunchError, match="cuLaunchKernel"):
        visit(launcher, **named, portable=1)
    assert visit(launcher, **named, portable=0).status == "ok"


def test_a_block_too_large_is_refused_and_the_next_one_runs(launcher: CudaLauncher) -> None:
    with pytest.raises(LaunchError, match="cuLaunchKernel"):
        visit(launcher, threads=2048)
    assert visit(launcher).status == "ok"


def test_a_full_device(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = CudaLauncher(0, stand_in.DEVICE, CtypesBinding(library))
    monkeypatch.setenv("STAND_IN_TOTAL", str(1 << 16))
    with pytest.raises(MemoryError, match="not enough free memory"):
        visit(launcher)
    monkeypatch.delenv("STAND_IN_TOTAL")
    assert visit(launcher).status == "ok"


def test_an_attribute_that_the_driver_does_not_know(
    library: str, monkeypatch: pytest.MonkeyPatch, toolchain: str
) -> None:
    monkeypatch.setenv("STAND_IN_LACKS", str(driver.REPORTED["clock_khz"]))
    answer = driver.ask(library)
    assert "clock_khz" not in answer.gpus[0].reported
    assert answer.gpus[0].unknown == {"clock_khz": "the driver does not tell it (error 1)"}
    monkeypatch.setattr(driver, "ask", lambda: answer)
    fields = environment.environment(stand_in.DEVICE)
    assert fields["clock_khz_unknown"] == "the driver does not tell it (error 1)"


@pytest.mark.parametrize("capability", [0, 70, 199])
def test_a_compute_capability_that_is_not_known(
    monkeypatch: pytest.MonkeyPatch, toolchain: str, capability: int
) -> None:
    gpu = driver.Gpu("NVIDIA X", capability, 8, 1 << 30)
    monkeypatch.setattr(driver, "ask", lambda: driver.Answer((gpu,), 13050))
    found = {one.selector: one for one in device.discover()}["cuda:0"]
    assert f"sm_{capability}" in found.reason
