"""Clocks, temperature, power and the like of one GPU, through NVML where nvidia-ml-py is installed.

The device is matched by its PCI address: NVML numbers devices otherwise than CUDA does.  Every field may be
missing, each with its reason; nothing is ever set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Fields = dict[str, int | float | str | bool]

THROTTLE: dict[int, str] = {
    0x1: "idle",
    0x2: "application clocks",
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "thermal (software)",
    0x40: "thermal (hardware)",
    0x80: "power brake",
    0x100: "display clocks",
}
"""Bits of `nvmlDeviceGetCurrentClocksEventReasons`."""
NORMAL = 0x1
"""Bits that mean nothing bad."""


def read(pci: str) -> Fields:
    """What NVML says of the device at a PCI address; `nvml_unknown` says why nothing is known.

    Reasons of single fields are in `<field>_unknown`.
    """
    try:
        import pynvml
    except ImportError:
        return {"nvml_unknown": "nvidia-ml-py is not installed (pip install nvidia-ml-py)"}
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return {"nvml_unknown": _say(error)}
    try:
        if not pci:
            return {"nvml_unknown": "the driver does not tell the PCI address"}
        handle = pynvml.nvmlDeviceGetHandleByPciBusId_v2(pci.encode())
        return _fields(pynvml, handle)
    except (pynvml.NVMLError, AttributeError) as error:
        return {"nvml_unknown": _say(error)}
    finally:
        pynvml.nvmlShutdown()


def _fields(nvml: Any, handle: Any) -> Fields:
    def clock(name: str) -> Callable[[], int]:
        return lambda: int(nvml.nvmlDeviceGetClockInfo(handle, getattr(nvml, name)))

    def most(name: str) -> Callable[[], int]:
        return lambda: int(nvml.nvmlDeviceGetMaxClockInfo(handle, getattr(nvml, name)))

    asked: dict[str, Callable[[], int | float | str | bool]] = {
        "gpu_driver": lambda: _text(nvml.nvmlSystemGetDriverVersion()),
        "sm_clock_mhz": clock("NVML_CLOCK_SM"),
        "memory_clock_mhz": clock("NVML_CLOCK_MEM"),
        "sm_clock_most_mhz": most("NVML_CLOCK_SM"),
        "gpu_temperature_c": lambda: int(nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU)),
        "gpu_power_w": lambda: nvml.nvmlDeviceGetPowerUsage(handle) / 1000,
        "gpu_power_limit_w": lambda: nvml.nvmlDeviceGetEnforcedPowerLimit(handle) / 1000,
        "gpu_throttle": lambda: throttle(int(nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle))),
        "gpu_ecc": lambda: bool(nvml.nvmlDeviceGetEccMode(handle)[0]),
        "gpu_mig": lambda: bool(nvml.nvmlDeviceGetMigMode(handle)[0]),
        "gpu_persistence": lambda: bool(nvml.nvmlDeviceGetPersistenceMode(handle)),
        "gpu_display": lambda: bool(nvml.nvmlDeviceGetDisplayActive(handle)),
        "gpu_other_processes": lambda: len(nvml.nvmlDeviceGetComputeRunningProcesses(handle)),
    }
    found: Fields = {}
    for name, ask in asked.items():
        try:
            found[name] = ask()
        except (nvml.NVMLError, AttributeError, TypeError, ValueError) as error:
            found[f"{name}_unknown"] = _say(error)
    return found


def throttle(bits: int) -> str:
    """`none`, or what holds the clocks down."""
    named = [text for bit, text in THROTTLE.items() if bits & bit and not bit & NORMAL]
    return ", ".join(named) or "none"


def _text(value: str | bytes) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _say(error: Exception) -> str:
    return str(error) or type(error).__name__
