"""What a driver refuses is refused by the stand-in, and no visit leaves anything behind on the device."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from reportgen.backends.base import Order
from reportgen.backends.cuda import clock, compiler, nvml, toolkit, vendor_gemm
from reportgen.backends.cuda import launcher as cuda_launcher
from reportgen.backends.cuda.clock import Frame
from reportgen.backends.cuda.ctypes_binding import CtypesBinding
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.errors import LaunchError, Unsupported
from tests.simulated import nvml as stand_in_nvml
from tests.simulated import stand_in
from tests.simulated.host_gpu import HostGpu
from tests.unit.backends.cuda.points import source, visit

ALIVE = "etmsa"
"""Events, textures, modules, streams, allocations."""


def built(factory: pytest.TempPathFactory) -> str:
    made = stand_in.build(factory.mktemp("driver"))
    if made is None:
        pytest.skip("no C compiler is here to build a stand-in for the driver")
    return str(made)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    return built(tmp_path_factory)


@pytest.fixture(scope="module")
def gpu(tmp_path_factory: pytest.TempPathFactory) -> CtypesBinding:
    opened = CtypesBinding(built(tmp_path_factory))  # of its own, which nobody has started
    with pytest.raises(LaunchError, match="NOT_INITIALIZED 3"):
        opened.allocate(4)
    opened.open(0)
    return opened


def alive(library: str) -> list[int]:
    told = ctypes.CDLL(library)
    return [told.stand_in_alive(ord(kind)) for kind in ALIVE]


def test_a_thread_without_a_context_is_refused(gpu: CtypesBinding) -> None:
    said: list[str] = []

    def elsewhere() -> None:
        try:
            gpu.allocate(4)
        except LaunchError as error:
            said.append(str(error))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert said == ["cuMemAlloc_v2: there is no context (CUDA_ERROR_INVALID_CONTEXT 201)"]


def test_memory_has_bounds_and_is_given_back_once(gpu: CtypesBinding) -> None:
    address = gpu.allocate(4096)
    for wrong in (
        lambda: gpu.allocate(0),
        lambda: gpu.write(address + 4090, bytes(8)),
        lambda: gpu.read(address - 4, 8),
        lambda: gpu.fill(address, 0, 1025),
        lambda: gpu.fill(address + 2, 0, 1),
        lambda: gpu.copy(address, address + 64, 128),
        lambda: gpu.free(address + 256),
    ):
        with pytest.raises(LaunchError, match="INVALID_VALUE 1"):
            wrong()
    assert gpu.read(address, 4) != bytes(4)  # memory is not cleared
    gpu.free(address)
    with pytest.raises(LaunchError, match="INVALID_VALUE 1"):
        gpu.free(address)


def test_marks_must_have_passed(gpu: CtypesBinding) -> None:
    start, stop = gpu.event(), gpu.event()
    gpu.record(start)
    with pytest.raises(LaunchError, match="INVALID_HANDLE 400"):
        gpu.milliseconds(start, stop)
    kernel = gpu.function(gpu.load(b"stand-in o 128 fine\0"), "probe_x")
    address = gpu.allocate(4096)
    gpu.launch(kernel, (1, 1, 1), (1, 1, 1), 0, [(address, 8)])
    gpu.record(stop)
    with pytest.raises(LaunchError, match="NOT_READY 600"):
        gpu.milliseconds(start, stop)
    gpu.synchronize()
    assert gpu.milliseconds(start, stop) == pytest.approx(0.005)
    gpu.end_event(stop)
    with pytest.raises(LaunchError, match="INVALID_HANDLE 400"):
        gpu.milliseconds(start, stop)
    gpu.end_event(start)
    gpu.free(address)


def test_a_texture_lies_in_memory_of_its_own(gpu: CtypesBinding) -> None:
    address = gpu.allocate(4096)
    for at, size in ((address + 64, 64), (address, 8192), (address, 0)):
        with pytest.raises(LaunchError, match="INVALID_VALUE 1"):
            gpu.texture(at, size)
    gpu.end_texture(gpu.texture(address, 4096))
    gpu.free(address)


def test_what_is_asked_of_a_kernel_stays(gpu: CtypesBinding) -> None:
    module = gpu.load(b"stand-in o 128 fine\0")
    gpu.set_function_attribute(gpu.function(module, "probe_x"), 8, 100_000)
    assert gpu.function_attribute(gpu.function(module, "probe_x"), 8) == 100_000


PAIR = """
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(64) probe_pair(unsigned *out) {
  __shared__ unsigned held[8192];
  held[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = held[63 - threadIdx.x];
}
"""


@pytest.mark.parametrize(
    ("blocks", "threads", "shared"),
    [(3, 64, 0), (2, 128, 0), (2, 64, (16 << 10) + 1)],
    ids=["half a cluster", "more threads than it is built for", "more shared memory than was asked for"],
)
def test_a_launch_that_does_not_fit_the_machine_code(
    gpu: CtypesBinding, toolchain: str, blocks: int, threads: int, shared: int
) -> None:
    module = gpu.load(compiler.compile_kernel(compiler.Kernel("probe_pair", PAIR), "sm_90"))
    with pytest.raises(LaunchError, match="NOT_FOUND 500"):
        gpu.function(module, "probe_pear")
    kernel, address = gpu.function(module, "probe_pair"), gpu.allocate(4096)
    assert gpu.function_attribute(kernel, 1) == 32 << 10
    with pytest.raises(LaunchError, match="INVALID_VALUE 1"):
        gpu.launch(kernel, (blocks, 1, 1), (threads, 1, 1), shared, [(address, 8)])
    gpu.launch(kernel, (2, 1, 1), (64, 1, 1), 16 << 10, [(address, 8)])
    gpu.free(address)


@pytest.mark.parametrize("kind", ["body", "saturated", "held", "empty", "kernel", "link"])
def test_a_visit_leaves_nothing_behind(library: str, toolchain: str, kind: str) -> None:
    launcher = CudaLauncher(0, stand_in.DEVICE, CtypesBinding(library))
    setup: dict[str, int | float | str] = {
        "kind": kind, "kernel": "probe_x", "arguments": "input:float; output:unsigned; clocks:unsigned",
        "threads": 32, "turns": 4, "n": 64, "way": "queued", "direction": "both", "bytes": 1 << 16,
    }  # fmt: skip
    order = Order("p", b"stand-in ioc 128 fine\0", "sha", setup, 0.001, 0.0, 1, 0)
    launcher.measure(order)  # loads the module, which stays
    before = alive(library)
    launcher.measure(order)
    assert alive(library) == before


def test_a_texture_goes_before_its_memory(launcher: tuple[CudaLauncher, HostGpu]) -> None:
    gpu = launcher[1]
    visit(launcher, source("memory_hierarchy/on_chip_sweep", path="texture", bytes=4096))
    assert gpu.textures == []
    assert gpu.events == 0


def test_launches_are_held_up_longer_where_the_host_is_slow(
    toolchain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, now = Frame(HostGpu(), "sm_90"), [0.0]
    monkeypatch.setattr(clock.time, "perf_counter", lambda: now[0])
    held: list[float] = []
    monkeypatch.setattr(frame, "hold", held.append)

    def batch(seconds: float) -> float:
        frame.hold_up(8)
        now[0] += seconds
        frame.queued()
        return held[-1]

    first = batch(100e-6)  # 10 microseconds a launch
    assert batch(400e-6) == first == pytest.approx(150.0)
    assert batch(100e-6) == pytest.approx(225.0)
    for _ in range(8):
        batch(1.0)
    assert batch(0.0) == pytest.approx(600.0)  # a host that stops now and then holds nothing up for long


@pytest.mark.parametrize(("cycles", "held"), [(198_000, 198_000), (290_000, 290_000), (9_000_000, 400_000)])
def test_a_device_is_held_up_for_so_long_whatever_its_clock(
    toolchain: str, monkeypatch: pytest.MonkeyPatch, cycles: int, held: int
) -> None:
    gpu, asked = HostGpu(clocks=[cycles]), []
    frame = Frame(gpu, "sm_90")
    frame.pace()
    monkeypatch.setattr(gpu, "launch", lambda *given: asked.append(given[-1][1][0]))
    frame.hold(100.0)
    assert asked == [held]  # a wait of HostGpu takes 100 microseconds


def test_a_rest_is_followed_by_another_look_at_the_clock(
    launcher: tuple[CudaLauncher, HostGpu], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float] = []
    monkeypatch.setattr(Frame, "settle", lambda frame: looks.append(0.0))
    made = source("instruction_latency/fp32_fma", length=32)
    visit(launcher, made)
    looks.clear()
    visit(launcher, made)
    assert looks == []
    monkeypatch.setattr(cuda_launcher, "RESTED_SECONDS", 0.0)
    visit(launcher, made)
    assert looks == [0.0]


@pytest.mark.parametrize("name", ["CUDA_LAUNCH_BLOCKING", "NVIDIA_TF32_OVERRIDE"])
def test_variables_that_change_what_is_asked_do_not_reach_the_driver(
    library: str, toolchain: str, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "1")
    CudaLauncher(0, stand_in.DEVICE, CtypesBinding(library))
    assert name not in os.environ


def test_a_library_that_has_a_call_under_its_old_name_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_NVML_LACKS", nvml.REASONS[0])
    monkeypatch.setitem(sys.modules, "pynvml", stand_in_nvml.module())
    assert nvml.read("00000000:3b:00.0")["gpu_throttle"] == "power cap"


@pytest.mark.parametrize(("serves", "first"), [("12040", "12"), ("13000", "13"), ("", "13")])
def test_the_vendors_library_of_the_drivers_own_version_comes_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, serves: str, first: str
) -> None:
    asked: list[str] = []

    def absent(path: str) -> Any:
        asked.append(path)
        raise OSError("not here")

    monkeypatch.setenv(toolkit.SERVES, serves)
    monkeypatch.setattr(ctypes, "CDLL", absent)
    with pytest.raises(Unsupported, match="cuBLAS"):
        vendor_gemm.load()
    majors = [path.partition(".so.")[2].split(".")[0] for path in asked]
    assert majors[0] == first
    assert {"12", "13"} <= set(majors)
