"""Clocks, temperature, power and the like of one GPU, through NVML where nvidia-ml-py is installed.

The device is matched by its PCI address: NVML numbers devices otherwise than CUDA does.  Every field may be
missing, each with its reason; nothing is ever set.
"""

from __future__ import annotations

import time
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
REASONS = ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons")
"""The call that tells them, and what it was called before: a new package may meet an old library."""
NORMAL = 0x1
"""Bits that mean nothing bad."""


C2C_LINKS = 170
"""`NVML_FI_DEV_C2C_LINK_COUNT`: links of NVLink-C2C, which joins a GPU to the processor beside it."""
FRESH_SECONDS = 0.25
"""How long an answer is good for."""
HARMFUL = 0x8 | 0x20 | 0x40 | 0x80
"""Bits of a device that is too hot, or whose supply fails: it is not in the state that was asked about.

A power cap is not among them: so a device works under load, and the clock beside every sample shows it.
"""


class Watch:
    """NVML kept open for one device, to be asked before and after every visit.

    Args:
        pci: address of the device; empty where it is not known.
    """

    def __init__(self, pci: str) -> None:
        self._handle: Any = None
        self._nvml: Any = None
        self._said: dict[str, float] = {}
        self._asked = float("-inf")
        try:
            import pynvml

            pynvml.nvmlInit()
            if pci:
                self._handle = pynvml.nvmlDeviceGetHandleByPciBusId(pci.encode())
                self._nvml = pynvml
        except ImportError:
            pass
        except Exception:  # noqa: BLE001 - whatever a driver's own library does, nothing needs it
            self._handle = None

    @property
    def known(self) -> bool:
        """Whether there is anything to be heard; why not stands in the run's environment."""
        return self._handle is not None

    def __call__(self) -> dict[str, float]:
        """The same as `now`, or what that said a moment ago: asking takes longer than a short visit."""
        if time.monotonic() - self._asked > FRESH_SECONDS:
            self._said = self.now()
            self._asked = time.monotonic()
        return self._said

    def link(self) -> dict[str, int | float | str]:
        """What it tells of the link to the host now, and of the most that device and system allow.

        A link that idles may be at a lower generation: ask when it has just worked.
        """
        if not self.known:
            return {}
        nvml, handle = self._nvml, self._handle
        asked: dict[str, Callable[[], int]] = {
            "pcie_generation": lambda: nvml.nvmlDeviceGetCurrPcieLinkGeneration(handle),
            "pcie_width": lambda: nvml.nvmlDeviceGetCurrPcieLinkWidth(handle),
            "pcie_generation_most": lambda: nvml.nvmlDeviceGetMaxPcieLinkGeneration(handle),
            "pcie_width_most": lambda: nvml.nvmlDeviceGetMaxPcieLinkWidth(handle),
            "c2c_links": lambda: _field(nvml, handle, C2C_LINKS),
        }
        found: dict[str, int | float | str] = {}
        for name, ask in asked.items():
            try:
                found[name] = int(ask())
            except (nvml.NVMLError, AttributeError, TypeError, ValueError, IndexError):
                continue
        return found

    def now(self) -> dict[str, float]:
        """What it tells of clocks, temperature and power, and `throttle_bits`."""
        if not self.known:
            return {}
        nvml, handle = self._nvml, self._handle
        asked: dict[str, Callable[[], float]] = {
            "sm_clock_mhz": lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM),
            "memory_clock_mhz": lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM),
            "gpu_temperature_c": lambda: nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU),
            "gpu_power_w": lambda: nvml.nvmlDeviceGetPowerUsage(handle) / 1000,
            "throttle_bits": lambda: _reasons(nvml, handle),
        }
        found = {}
        for name, ask in asked.items():
            try:
                found[name] = float(ask())
            except (nvml.NVMLError, AttributeError, TypeError, ValueError):
                continue
        return found


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
        handle = pynvml.nvmlDeviceGetHandleByPciBusId(pci.encode())
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
        "gpu_throttle": lambda: throttle(_reasons(nvml, handle)),
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


def _reasons(nvml: Any, handle: Any) -> int:
    """Bits of `THROTTLE`, by the first call that package and library both have."""
    try:
        return int(getattr(nvml, REASONS[0])(handle))
    except (nvml.NVMLError, AttributeError):
        return int(getattr(nvml, REASONS[1])(handle))


def _field(nvml: Any, handle: Any, which: int) -> int:
    """A field's value; the call itself succeeds where the field is none of the device's.

    Raises:
        ValueError: the device has no such field.
    """
    (found,) = nvml.nvmlDeviceGetFieldValues(handle, [which])
    if found.nvmlReturn:
        raise ValueError(f"NVML answers with {found.nvmlReturn} for field {which}")
    return int(found.value.uiVal)


def throttle(bits: int) -> str:
    """`none`, or what holds the clocks down."""
    named = [text for bit, text in THROTTLE.items() if bits & bit and not bit & NORMAL]
    return ", ".join(named) or "none"


def _text(value: str | bytes) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _say(error: Exception) -> str:
    return str(error) or type(error).__name__
