"""Copies between host and device through the launcher: their time, their data, what is said of the link."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from reportgen.backends.base import Batch, Order
from reportgen.backends.cuda import budget, host_place, link, link_data, nvml
from reportgen.backends.cuda.ctypes_binding import CtypesBinding
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.backends.cuda.link_data import PAGE, Pattern, pageable, wipe
from reportgen.errors import LaunchError, Unsupported
from tests.simulated import nvml as stand_in_nvml
from tests.simulated import stand_in
from tests.simulated.host_gpu import LINK_NS, LINK_RATE, HostGpu
from tests.unit.backends.cuda import suite
from tests.unit.backends.cuda.points import source, visit

COPY, LOADS, STREAM = "host_link/copy", "host_link/mapped_read", "host_link/mapped_stream"
SIZE = 1 << 16
GHZ = 1.98

Launched = tuple[CudaLauncher, HostGpu]


def copied(launcher: Launched, way: str = "queued", direction: str = "to_device", size: int = SIZE) -> Batch:
    setup: dict[str, int | float | str] = {
        "kind": "link", "way": way, "direction": direction, "bytes": size,
    }  # fmt: skip
    return launcher[0].measure(Order("p", b"", "", setup, 0.002, 0.0, 7, 0))


@pytest.fixture
def held(launcher: Launched) -> Iterator[Launched]:
    """All that a visit takes is given back."""
    gpu = launcher[1]
    before = len(gpu.memory_of)
    yield launcher
    assert (len(gpu.memory_of), gpu.hosted, gpu.streams) == (before, {}, [])


@pytest.mark.parametrize(("direction", "each"), [("to_device", 1), ("to_host", 1), ("both", 1)])
def test_copies_in_a_row_are_timed_by_events(held: Launched, direction: str, each: int) -> None:
    batch = copied(held, direction=direction)
    assert (batch.status, batch.reason) == ("ok", "")
    count = batch.columns["repetitions"][0]
    assert count == link.calls.MOST_CALLS
    one = LINK_NS + SIZE // LINK_RATE  # both directions have a stream of their own
    assert set(batch.columns["ticks"]) == {round(count * one * each * GHZ)}
    wanted = {"bytes_actual": SIZE, "host_memory": "page-locked", "library": "the driver", "binding": "host"}
    assert batch.facts.items() >= wanted.items()


@pytest.mark.parametrize("way", ["waited", "pageable"])
@pytest.mark.parametrize("direction", ["to_device", "to_host"])
def test_the_host_waits_for_each_by_its_own_clock(held: Launched, way: str, direction: str) -> None:
    batch = copied(held, way, direction)
    assert (batch.status, batch.reason) == ("ok", "")
    assert min(batch.columns["ticks"]) > 0
    assert batch.facts["host_memory"] == ("pageable" if way == "pageable" else "page-locked")


@pytest.mark.parametrize(
    ("way", "direction"), [("queued", "to_device"), ("queued", "both"), ("pageable", "to_host")]
)
def test_what_did_not_arrive_is_seen(held: Launched, way: str, direction: str) -> None:
    held[1].broken_link = True
    batch = copied(held, way, direction)
    held[1].broken_link = False
    assert (batch.status, set(batch.gates)) == ("invalid", {"wrong result"})
    assert f"1 of {SIZE // PAGE} pages" in batch.reason


@pytest.mark.parametrize(
    ("way", "direction"), [("waited", "both"), ("pageable", "both"), ("queued", "up"), ("sent", "to_host")]
)
def test_what_it_does_not_know(held: Launched, way: str, direction: str) -> None:
    with pytest.raises(LaunchError, match="does not know how to copy"):
        copied(held, way, direction)


def test_a_host_without_room_leaves_nothing_behind(held: Launched, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(size: int) -> link_data.HostMemory:
        raise MemoryError("out of memory (cuMemHostAlloc)")

    monkeypatch.setattr(held[1], "host_memory", full)
    with pytest.raises(MemoryError, match="cuMemHostAlloc"):
        copied(held)


@pytest.mark.parametrize("pages", [1, 255, 256, 600])
def test_every_page_of_a_pattern_is_another(pages: int) -> None:
    made = Pattern(pages * PAGE, np.random.default_rng(1))
    memory = pageable(pages * PAGE)
    assert made.wrong(memory) == pages
    made.write(memory)
    assert made.wrong(memory) == 0
    words = memory.own[-(-memory.own.ctypes.data // PAGE) * PAGE - memory.own.ctypes.data :]
    data = words[: memory.size].reshape(pages, PAGE)
    assert len({page.tobytes() for page in data}) == pages
    data[[0, -1]] = data[[-1, 0]]  # pages in each other's place
    assert made.wrong(memory) == (2 if pages > 1 else 0)
    wipe(memory)
    assert made.wrong(memory) == pages


@pytest.mark.parametrize("size", [0, PAGE + 8])
def test_a_pattern_is_of_whole_pages(size: int) -> None:
    with pytest.raises(ValueError, match="whole pages"):
        Pattern(size, np.random.default_rng(1))


def test_where_process_and_device_are(tmp_path: Path) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "sys/devices/system/cpu/cpu7/node1").mkdir(parents=True)
    device = tmp_path / "sys/bus/pci/devices/0000:3b:00.0"
    device.mkdir(parents=True)
    fields = " ".join(str(n) for n in range(3, 53)).replace("39", "7")
    (tmp_path / "proc/self/stat").write_text(f"1 (a) name) {fields}\n")
    (device / "numa_node").write_text("1\n")
    assert host_place.of_process(tmp_path) == {"host_cpu": 7, "host_node": 1}
    assert host_place.of_device("00000000:3b:00.0", tmp_path) == {"device_node": 1}
    (device / "numa_node").write_text("-1\n")  # a system of one node does not say
    assert host_place.of_device("00000000:3B:00.0", tmp_path) == {}
    assert host_place.of_device("", tmp_path) == {}
    assert host_place.of_process(tmp_path / "nowhere") == {}


def test_what_nvml_says_of_the_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", stand_in_nvml.module())
    wanted = {"pcie_generation": 5, "pcie_width": 16, "pcie_generation_most": 5, "pcie_width_most": 16}
    assert nvml.Watch("00000000:3b:00.0").link() == wanted  # it answers for a field that the device has not
    monkeypatch.setenv("STAND_IN_C2C", "10")
    assert nvml.Watch("00000000:3b:00.0").link() == wanted | {"c2c_links": 10}
    monkeypatch.setenv("STAND_IN_NVML_LACKS", "nvmlDeviceGetFieldValues")
    monkeypatch.setitem(sys.modules, "pynvml", stand_in_nvml.module())
    assert "c2c_links" not in nvml.Watch("00000000:3b:00.0").link()
    assert nvml.Watch("").link() == {}


def test_loads_from_memory_of_the_host(held: Launched) -> None:
    made = source(LOADS, path="volatile", bytes=SIZE)
    plain = source("memory_hierarchy/pointer_chasing", path="volatile", bytes=SIZE)
    assert made.text.replace(str(made.setup["kernel"]), "k") == plain.text.replace(
        str(plain.setup["kernel"]), "k"
    )
    seen = []
    mapped = held[1].mapped

    def watch(memory: link_data.HostMemory) -> int:
        seen.append(memory.size)
        return mapped(memory)

    held[1].mapped = watch  # type: ignore[method-assign]
    batch = visit(held, made)
    del held[1].mapped
    assert (batch.status, batch.reason, batch.facts["bytes_actual"]) == ("ok", "", SIZE)
    assert seen == [SIZE - 128 + 8]  # of the last line only its node


def test_a_stream_through_memory_of_the_host_goes_through_it_once(held: Launched) -> None:
    made = source(STREAM, kernel="read", width=16, blocks=64, bytes=1 << 20)
    batch = visit(held, made)
    assert (batch.status, batch.reason) == ("ok", "")
    assert (batch.facts["rounds"], batch.facts["bytes_actual"]) == (1, 1 << 20)


def test_nothing_is_built_of_a_copy() -> None:
    generated = suite.generated("sm_90")
    refused = {point: why for point, why in generated.unsupported.items() if point.startswith(COPY)}
    assert len(refused) == 29
    assert all("nothing to build for a target" in why for why in refused.values())
    with pytest.raises(Unsupported, match="needs a device and its host"):
        source(COPY, way="queued", direction="both", bytes=SIZE)


def test_the_plan_gives_them_seconds() -> None:
    chases = [one for one in suite.generated("sm_90").sources.values() if one.point.startswith("host_link/")]
    assert len(chases) == 6
    copies = []
    for size in (4096, 1 << 28):
        made = source(STREAM, kernel="read", width=16, blocks=64, bytes=1 << 20)
        setup = made.setup | {"kind": "link", "direction": "both", "bytes": size}
        copies.append(budget.seconds(type(made)("p", "", {}, {}, setup)))
    assert copies[0] < 0.1 < copies[1] < 1.5


def test_memory_that_the_host_does_not_lock_is_not_said_to_be_the_devices(
    drivers: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    if "ctypes" not in drivers:
        pytest.skip("no C compiler is here to build a stand-in for the driver")
    monkeypatch.setenv("STAND_IN_HOST", "4096")
    gpu = CtypesBinding(str(drivers["ctypes"] / "libcuda.so.1"))
    gpu.open(0)
    with pytest.raises(MemoryError, match="the host has not so much memory that may be page-locked"):
        gpu.host_memory(8192)
    gpu.close()


@pytest.fixture(scope="module")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Binding -> folder of a driver that it can load."""
    found = {}
    made = {name: tmp_path_factory.mktemp("driver") for name in ("ctypes", "pycuda", "cuda-bindings")}
    if stand_in.build(made["ctypes"]) is not None:
        found["ctypes"] = made["ctypes"]
    if not stand_in.build_for_pycuda(made["pycuda"]):
        found["pycuda"] = made["pycuda"]
    if find_spec("cuda") is not None and find_spec("cuda.bindings") is not None:
        stand_in.build(made["cuda-bindings"], "-DWITH_PROC_ADDRESS")
        found["cuda-bindings"] = made["cuda-bindings"]
    return found


SCRIPT = """
from reportgen.backends.cuda import binding, link_data
import numpy as np
gpu = binding.choose()
gpu.open(0)
host, pattern = gpu.host_memory(1 << 16), link_data.Pattern(1 << 16, np.random.default_rng(1))
pattern.write(host)
device, streams = gpu.allocate(1 << 16), [gpu.stream(), gpu.stream()]
start, stop = gpu.event(), gpu.event()
gpu.record(start)
gpu.send(device, host, streams[0])
gpu.record(stop, streams[0])
gpu.synchronize()
link_data.wipe(host)
other = link_data.pageable(1 << 16)
gpu.fetch(other, device, streams[1])
gpu.synchronize()
pages = pattern.wrong(host), pattern.wrong(other)
there = gpu.mapped(host)
print(gpu.name, *pages, there == host.address, f"{1e6 * gpu.milliseconds(start, stop):.0f}")
for one in streams:
    gpu.end_stream(one)
gpu.free_host(host)
gpu.free(device)
gpu.close()
"""


@pytest.mark.parametrize("name", ["ctypes", "pycuda", "cuda-bindings"])
def test_each_binding(drivers: dict[str, Path], name: str) -> None:
    if name not in drivers:
        pytest.skip(f"{name} is not installed, or no C compiler is here")
    there = os.pathsep.join([str(stand_in.ROOT), os.environ.get("PYTHONPATH", "")])
    told = {"LD_LIBRARY_PATH": str(drivers[name]), "PYTHONPATH": there, "REPORTGEN_CUDA_BINDING": name}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=os.environ | told, capture_output=True, text=True, check=False
    )
    if name == "cuda-bindings" and "ImportError" in done.stderr:
        pytest.skip(f"{name} asks a driver for more than the stand-in has")
    assert done.stdout.split() == [name, "16", "0", "True", str(1800 + SIZE // 55)], done.stderr
