"""Where in the host this process runs, and where the device is: near memory is reached on a shorter way.

Read from Linux (`/proc`, `/sys`; Documentation/ABI/testing/sysfs-bus-pci, sysfs-devices-system-cpu); what
another system or a container does not tell is left out.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path("/")
_PROCESSOR = 36
"""Field of `/proc/self/stat` behind the name, from 0: `processor` (proc_pid_stat(5), field 39)."""

Fields = dict[str, int | float | str]


def of_process(root: Path = ROOT) -> Fields:
    """`host_cpu`, on which this process ran last, and `host_node`, its NUMA node."""
    try:
        behind = (root / "proc/self/stat").read_text(errors="replace").rpartition(")")[2].split()
        cpu = int(behind[_PROCESSOR])
    except (OSError, ValueError, IndexError):
        return {}
    nodes = [
        int(place.name.removeprefix("node"))
        for place in (root / f"sys/devices/system/cpu/cpu{cpu}").glob("node[0-9]*")
        if place.name.removeprefix("node").isdigit()
    ]
    return {"host_cpu": cpu, **({"host_node": nodes[0]} if nodes else {})}


def of_device(pci: str, root: Path = ROOT) -> Fields:
    """`device_node`, the NUMA node that a device is at; nothing where the system does not say.

    Args:
        pci: `00000000:3b:00.0`, domain, bus, device, function.
        root: of the file system.
    """
    domain, _, rest = pci.lower().partition(":")
    try:
        place = root / f"sys/bus/pci/devices/{int(domain, 16):04x}:{rest}/numa_node"
        node = int(place.read_text())
    except (OSError, ValueError):
        return {}
    return {"device_node": node} if node >= 0 else {}
