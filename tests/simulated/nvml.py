"""A pynvml that says what the environment tells it to.

`STAND_IN_THROTTLE` bits, `STAND_IN_PROCESSES` others on the device, `STAND_IN_NVML_LACKS` a call,
`STAND_IN_C2C` links of NVLink-C2C (none: the device has no such field).
"""

from __future__ import annotations

import os
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

VARIABLE = "STAND_IN_NVML"
"""Set where the worker shall have it."""


class NVMLError(Exception):
    """What a call that is not supported raises."""


def module() -> Any:
    """Of nvidia-ml-py, the calls that are used."""
    made = ModuleType("pynvml")
    told: dict[str, Any] = {
        "NVMLError": NVMLError,
        "NVML_CLOCK_SM": 1,
        "NVML_CLOCK_MEM": 2,
        "NVML_TEMPERATURE_GPU": 0,
        "nvmlInit": lambda: None,
        "nvmlShutdown": lambda: None,
        "nvmlSystemGetDriverVersion": lambda: b"580.95.05",
        "nvmlDeviceGetHandleByPciBusId": _handle,
        "nvmlDeviceGetClockInfo": lambda handle, which: {1: 1980, 2: 3201}[which],
        "nvmlDeviceGetMaxClockInfo": lambda handle, which: {1: 1980, 2: 3201}[which],
        "nvmlDeviceGetTemperature": lambda handle, which: 41,
        "nvmlDeviceGetPowerUsage": lambda handle: 312_500,
        "nvmlDeviceGetEnforcedPowerLimit": lambda handle: 700_000,
        "nvmlDeviceGetCurrentClocksEventReasons": lambda handle: int(
            os.environ.get("STAND_IN_THROTTLE", "0"), 0
        ),
        "nvmlDeviceGetCurrentClocksThrottleReasons": lambda handle: 0x4,
        "nvmlDeviceGetEccMode": lambda handle: (1, 1),
        "nvmlDeviceGetMigMode": lambda handle: (0, 0),
        "nvmlDeviceGetPersistenceMode": lambda handle: 1,
        "nvmlDeviceGetDisplayActive": lambda handle: 0,
        "nvmlDeviceGetCurrPcieLinkGeneration": lambda handle: 5,
        "nvmlDeviceGetCurrPcieLinkWidth": lambda handle: 16,
        "nvmlDeviceGetMaxPcieLinkGeneration": lambda handle: 5,
        "nvmlDeviceGetMaxPcieLinkWidth": lambda handle: 16,
        "nvmlDeviceGetFieldValues": lambda handle, asked: [
            SimpleNamespace(nvmlReturn=3 * (links == 0), value=SimpleNamespace(uiVal=links))
            for _ in asked
            for links in [int(os.environ.get("STAND_IN_C2C", "0"))]
        ],
        "nvmlDeviceGetComputeRunningProcesses": lambda handle: (
            [SimpleNamespace(pid=1)] * int(os.environ.get("STAND_IN_PROCESSES", "0"))
        ),
    }
    lacks = os.environ.get("STAND_IN_NVML_LACKS", "")
    if lacks in told:
        told[lacks] = _refuse
    for name, value in told.items():
        setattr(made, name, value)
    return made


def _handle(pci: bytes) -> str:
    if pci.lower() not in (b"00000000:3b:00.0", b"0000:3b:00.0"):
        raise NVMLError("Not Found")
    return "device"


def _refuse(*arguments: Any) -> None:
    raise NVMLError("Not Supported")


def install() -> None:
    """Make it what `import pynvml` finds, in this process."""
    sys.modules["pynvml"] = module()
