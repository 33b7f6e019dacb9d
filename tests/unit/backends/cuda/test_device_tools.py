"""Codes of the driver, choice of a binding, ncu's tables, NVML without its package."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reportgen.backends.cuda import binding, counters, driver, environment, nvml, results
from reportgen.backends.cuda.counters import Reading
from reportgen.errors import BackendUnavailable, DeviceLost, LaunchError, UserError
from tests.simulated import nvml as nvml_module
from tests.simulated import stand_in

DATA = Path(__file__).resolve().parents[3] / "data/ncu"
"""Layouts of ncu's tables, as versions of it print them, among what else goes to the same stream."""


def test_the_long_table() -> None:
    found = counters.read((DATA / "long.txt").read_text())
    kernel = "copy(array(float32, 1d), array(float32, 1d))"
    assert found == [
        Reading("0", kernel, "DRAM Frequency", "hz", 4963609951.19),
        Reading("0", kernel, "Elapsed Cycles", "cycle", 18021.0),
    ]


def test_the_wide_table() -> None:
    assert counters.read((DATA / "wide.csv").read_text()) == [
        Reading("0", "probe_a", "dram__bytes.sum", "byte", 2e9),
        Reading("0", "probe_a", "gpu__time_duration.sum", "ns", 1500.5),
        Reading("1", "probe_b", "dram__bytes.sum", "byte", 64.0),
        Reading("1", "probe_b", "sm__throughput.avg.pct", "%", 12.5),
    ]
    assert counters.read("no table here\n") == []


@pytest.mark.parametrize(
    ("text", "value"), [("1,5", 1.5), ("1,500", 1500.0), ("1.5", 1.5), ("", None), ("N/A", None), ("x", None)]
)
def test_numbers(text: str, value: float | None) -> None:
    assert counters.number(text) == value


def test_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert counters.refused("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n").startswith(
        "not_permitted: "
    )
    assert counters.refused("==ERROR== Failed to connect\n") == "unsupported: ncu says: Failed to connect"
    assert counters.refused("all is well") == ""
    monkeypatch.setattr(counters.shutil, "which", lambda name: None)
    assert counters.describe() == "unsupported: Nsight Compute (ncu) is not installed"
    monkeypatch.setattr(counters.shutil, "which", lambda name: "/bin/ncu")
    parameters = tmp_path / "params"
    parameters.write_text("RmProfilingAdminOnly: 1\n")
    monkeypatch.setattr(counters.os, "geteuid", lambda: 1000)
    assert "NVreg_RestrictProfilingToAdminUsers=0" in counters.describe(parameters)


def test_root_is_not_refused_before_it_has_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = tmp_path / "params"
    parameters.write_text("RmProfilingAdminOnly: 1\n")
    monkeypatch.setattr(counters.os, "geteuid", lambda: 0)
    monkeypatch.setattr(counters.shutil, "which", lambda name: str(DATA / "stand_in.py"))
    assert counters.describe(parameters) == "ncu 2025.3.1.0"


def test_what_a_code_becomes() -> None:
    with pytest.raises(DeviceLost, match="CUDA_ERROR_ILLEGAL_ADDRESS 700"):
        binding.fail(700, "cuCtxSynchronize")
    with pytest.raises(MemoryError, match="not enough free memory"):
        binding.fail(2, "cuMemAlloc")
    with pytest.raises(PermissionError):
        binding.fail(800, "cuInit")
    with pytest.raises(LaunchError, match="not known here"):
        binding.fail(4711, "cuInit")
    assert "nvidia-fabricmanager" in results.explain(802, "cuInit")


def test_a_binding_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(binding.VARIABLE, "nonsense")
    with pytest.raises(UserError, match="pycuda, cuda-bindings, ctypes"):
        binding.choose()
    monkeypatch.setenv(binding.VARIABLE, "cuda-bindings")
    monkeypatch.setitem(sys.modules, "cuda", None)
    with pytest.raises(BackendUnavailable, match="Pip install cuda-bindings"):
        binding.choose()
    assert "CUDA_ENABLE_CURAND = False" in binding.remedy("fatal error: curand.h: No such file")
    assert "--gpus all" in binding.remedy("libcuda.so.1: cannot open shared object file")
    assert [name for name, _, _ in binding.available()] == ["pycuda", "cuda-bindings", "ctypes"]


def test_nvml_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert "pip install nvidia-ml-py" in str(nvml.read("0000:3b:00.0")["nvml_unknown"])
    assert nvml.throttle(0x1) == "none"
    assert nvml.throttle(0x1 | 0x4 | 0x40) == "power cap, thermal (hardware)"


def told(monkeypatch: pytest.MonkeyPatch, serves: int = 99000, **changes: str) -> dict[str, object]:
    for name, value in changes.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(sys.modules, "pynvml", nvml_module.module())
    gpu = driver.Gpu("NVIDIA H200", 90, 132, 1 << 30, "0000:3b:00.0")
    monkeypatch.setattr(driver, "ask", lambda: driver.Answer((gpu,), serves))
    return dict(environment.environment(stand_in.DEVICE))


def test_the_state_of_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = told(monkeypatch)
    assert (fields["sm_clock_mhz"], fields["gpu_power_w"], fields["gpu_throttle"]) == (1980, 312.5, "none")
    assert (fields["gpu_ecc"], fields["gpu_mig"], fields["gpu_persistence"]) == (True, False, True)
    assert "warning" not in fields
    assert not [name for name in fields if name.endswith("_unknown")]


def test_a_device_that_others_use_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = told(monkeypatch, STAND_IN_PROCESSES="2", STAND_IN_THROTTLE="0x20")
    assert fields["gpu_other_processes"] == 2
    assert "2 other processes use the device" in str(fields["warning"])
    assert "clocks are held down: thermal (software)" in str(fields["warning"])


def test_a_compiler_newer_than_the_driver_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, toolchain: str
) -> None:
    fields = told(monkeypatch, serves=12000)
    assert "is newer than the driver, which may refuse its programs" in str(fields["warning"])


def test_a_field_that_nvml_refuses_has_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = told(monkeypatch, STAND_IN_NVML_LACKS="nvmlDeviceGetEccMode")
    assert fields["gpu_ecc_unknown"] == "Not Supported"
    assert "gpu_ecc" not in fields


def test_what_stands_in_for_nvml_has_no_call_that_nvml_has_not() -> None:
    real = pytest.importorskip("pynvml", reason="nvidia-ml-py is not installed")
    assert [name for name in vars(nvml_module.module()) if name[0] != "_" and not hasattr(real, name)] == []


def test_a_device_that_nvml_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", nvml_module.module())
    assert nvml.read("0000:99:00.0") == {"nvml_unknown": "Not Found"}
    watch = nvml.Watch("0000:99:00.0")
    assert not watch.known
    assert watch() == {}


def test_nvml_is_not_asked_at_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", nvml_module.module())
    watch = nvml.Watch("0000:3b:00.0")
    first = watch()
    assert first["sm_clock_mhz"] == 1980
    monkeypatch.setenv("STAND_IN_THROTTLE", "0x40")
    assert watch()["throttle_bits"] == 0  # what was said a moment ago
    assert watch.now()["throttle_bits"] == 0x40
    monkeypatch.setattr(nvml, "FRESH_SECONDS", -1.0)
    assert watch()["throttle_bits"] == 0x40
