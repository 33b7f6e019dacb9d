"""What of the surroundings goes into a run: a fixed list of fields.

No host name, user, serial number or path is on it.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path

from reportgen.backends.cpu import processor
from reportgen.backends.cpu.device import allowed_cpus

_HUGE = Path("/sys/kernel/mm/transparent_hugepage/enabled")
_GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
_TURBO = Path("/sys/devices/system/cpu/cpufreq/boost")


def environment() -> dict[str, int | float | str | bool]:
    """Kernel, Python, huge pages, governor, microcode, allowed CPUs, memory limit, load."""
    fields: dict[str, int | float | str | bool] = {
        "os": platform.system(),
        "kernel": platform.release().partition("-")[0],
        "python": platform.python_version(),
        "cpus_allowed": len(allowed_cpus()),
        "memory_bytes": processor.memory_limit(),
        "load_at_start": round(os.getloadavg()[0], 2),
    }
    told = processor.identity()
    virtual = processor.virtual(told)
    if virtual is not None:
        fields["hypervisor"] = virtual
    if told.get("microcode"):
        fields["microcode"] = told["microcode"]
    for name, path in (("huge_pages", _HUGE), ("governor", _GOVERNOR), ("boost", _TURBO)):
        try:
            fields[name] = path.read_text(encoding="ascii").strip()
        except OSError:
            fields[name] = "not reported"
    return fields
