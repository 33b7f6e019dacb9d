"""What only a GPU, its driver or its toolkit can do to a run."""

from __future__ import annotations

import ctypes
import sys
from types import ModuleType
from typing import Any

import pytest

from reportgen.backends.cuda import compiler, device, driver, environment, nvml, targets
from reportgen.backends.cuda.generator import CudaGenerator
from reportgen.errors import Unsupported
from reportgen.runs.schema import Device
from reportgen.suite import expand
from reportgen.suite.load import load_suite

FIRST, SECOND = "00000000:17:00.0", "00000000:3b:00.0"


def two_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """NVML numbers its devices in the order of the bus; the driver was told to begin with the second."""
    clocks = {FIRST: 1410, SECOND: 1980}
    made = ModuleType("pynvml")
    told: dict[str, Any] = {
        "NVMLError": RuntimeError,
        "NVML_CLOCK_SM": 1,
        "NVML_CLOCK_MEM": 2,
        "nvmlInit": lambda: None,
        "nvmlShutdown": lambda: None,
        "nvmlDeviceGetHandleByPciBusId": lambda pci: pci.decode(),
        "nvmlDeviceGetClockInfo": lambda handle, which: clocks[handle],
    }
    for name, value in told.items():
        setattr(made, name, value)
    monkeypatch.setitem(sys.modules, "pynvml", made)
    gpus = tuple(driver.Gpu(f"GPU at {pci}", 90, 132, 1 << 30, pci) for pci in (SECOND, FIRST))
    monkeypatch.setattr(driver, "ask", lambda: driver.Answer(gpus, 13000))


def test_one_gpu_s_clock_beside_the_other_s_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen: clock and name read from physical GPU 0 while GPU 1 was measured.

    Right: match by UUID or PCI id.
    """
    two_devices(monkeypatch)
    for ordinal, clock in ((0, 1980), (1, 1410)):
        measured = Device("g", "cuda", "NVIDIA", "GPU", "sm_90", reported={"ordinal": ordinal})
        assert environment.environment(measured)["sm_clock_mhz"] == clock
    assert "nvml_unknown" in nvml.read("")


def test_a_toolkit_newer_than_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen: newer toolkit than driver: "unsupported toolchain" at load time.

    Right: exact-target machine code, versions compared before the run, one clear message.
    """
    monkeypatch.setattr(compiler, "version", lambda: "13.5.37")
    monkeypatch.setattr(compiler, "supported", lambda: (90,))
    monkeypatch.setattr(compiler, "fingerprint", lambda: "NVRTC 13.5.37")
    gpu = driver.Gpu("NVIDIA H200", 90, 132, 141 << 30)
    monkeypatch.setattr(driver, "ask", lambda: driver.Answer((gpu,), 12040))
    found = next(one for one in device.discover() if one.selector == "cuda:0")
    assert found.reason == (
        "the driver serves CUDA 12.4, older than the compiler (13.5.37); update the driver, or install the "
        "compiler of CUDA 12"
    )
    assert "\n" not in found.reason


class Library:
    """A driver without the clock rate, which newer ones no longer tell."""

    def cuDeviceGetName(self, text: Any, length: int, number: int) -> int:  # noqa: N802 - the driver's name
        text.value = b"NVIDIA H200"
        return 0

    def cuDeviceTotalMem_v2(self, size: Any, number: int) -> int:  # noqa: N802
        return 0

    def cuDeviceGetAttribute(self, value: Any, which: int, number: int) -> int:  # noqa: N802
        ctypes.cast(value, ctypes.POINTER(ctypes.c_int)).contents.value = {75: 9, 76: 0}.get(which, 132)
        return 1 if which == driver.REPORTED["clock_khz"] else 0


def test_a_property_that_a_newer_toolkit_dropped() -> None:
    """Seen: `clockRate` gone from the CUDA 13 device properties.

    Right: device attributes.
    """
    found = driver._gpu(Library(), 0)  # type: ignore[arg-type]
    assert found.capability == 90
    assert "clock_khz" not in found.reported
    assert found.unknown["clock_khz"] == "the driver does not tell it (error 1)"
    assert found.reported["l2_bytes"] == 132


@pytest.mark.parametrize(
    ("isa", "target"), [("sm_120", "sm_120a"), ("sm_121", "sm_121a"), ("sm_90", ""), ("sm_100", "")]
)
def test_instructions_that_vanish_without_a_suffix(isa: str, target: str) -> None:
    """Seen: block-scaled matrix instructions vanish silently on sm_120 vs sm_120a.

    Right: target suffix per probe; `unsupported` with the reason.
    """
    suite = load_suite()
    machine = targets.device(targets.parse(isa))
    generator = CudaGenerator(machine, suite.tables["cuda"])
    asked = [
        (probe, point)
        for probe in expand.probes(suite, isa)
        if any(name.startswith("mma_") and "_mxf8_" in name for name in probe.operations)
        for point in expand.points(probe, machine, suite.tables["cuda"])
        if "mxf8" in f"{point.settings.get('operation', '')} {' '.join(probe.operations)}"
    ]
    seen, reasons = set(), set()
    for probe, point in asked:
        try:
            source = generator.generate(probe, point)
        except Unsupported as error:
            reasons.add(str(error))
        else:
            if "mxf8" in source.text or "mxf8f6f4" in source.text:
                seen.add(source.setup["target"])
    assert asked
    assert seen == ({target} if target else set())
    if not target:
        assert all(reasons)
        assert any("sm_120a" in reason for reason in reasons)
