"""AArch64 cores by what their main ID register says: names of makers and cores, and which CPUs are alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

IMPLEMENTERS = {
    "0x41": "ARM", "0x42": "Broadcom", "0x43": "Cavium", "0x46": "Fujitsu", "0x48": "HiSilicon",
    "0x4e": "NVIDIA", "0x50": "APM", "0x51": "Qualcomm", "0x61": "Apple", "0x6d": "Microsoft",
    "0x70": "Phytium", "0xc0": "Ampere",
}  # fmt: skip
CORES = {
    "0x41": {
        "0xd03": "Cortex-A53", "0xd04": "Cortex-A35", "0xd05": "Cortex-A55", "0xd06": "Cortex-A65",
        "0xd07": "Cortex-A57", "0xd08": "Cortex-A72", "0xd09": "Cortex-A73", "0xd0a": "Cortex-A75",
        "0xd0b": "Cortex-A76", "0xd0c": "Neoverse-N1", "0xd0d": "Cortex-A77", "0xd0e": "Cortex-A76AE",
        "0xd40": "Neoverse-V1", "0xd41": "Cortex-A78", "0xd42": "Cortex-A78AE", "0xd44": "Cortex-X1",
        "0xd46": "Cortex-A510", "0xd47": "Cortex-A710", "0xd48": "Cortex-X2", "0xd49": "Neoverse-N2",
        "0xd4a": "Neoverse-E1", "0xd4b": "Cortex-A78C", "0xd4c": "Cortex-X1C", "0xd4d": "Cortex-A715",
        "0xd4e": "Cortex-X3", "0xd4f": "Neoverse-V2", "0xd80": "Cortex-A520", "0xd81": "Cortex-A720",
        "0xd82": "Cortex-X4", "0xd83": "Neoverse-V3AE", "0xd84": "Neoverse-V3", "0xd85": "Cortex-X925",
        "0xd87": "Cortex-A725", "0xd8e": "Neoverse-N3",
    },
    "0x42": {"0x100": "Brahma-B53", "0x516": "Vulcan"},
    "0x43": {"0x0a1": "ThunderX", "0x0af": "ThunderX2"},
    "0x46": {"0x001": "A64FX"},
    "0x48": {"0xd01": "TSV110"},
    "0x4e": {"0x003": "Denver 2", "0x004": "Carmel", "0x010": "Olympus"},
    "0x51": {"0x001": "Oryon", "0xc00": "Falkor"},
    "0x61": {
        "0x022": "M1 Icestorm", "0x023": "M1 Firestorm", "0x024": "M1 Pro Icestorm",
        "0x025": "M1 Pro Firestorm", "0x028": "M1 Max Icestorm", "0x029": "M1 Max Firestorm",
        "0x032": "M2 Blizzard", "0x033": "M2 Avalanche", "0x034": "M2 Pro Blizzard",
        "0x035": "M2 Pro Avalanche", "0x038": "M2 Max Blizzard", "0x039": "M2 Max Avalanche",
    },
    "0x6d": {"0xd49": "Azure Cobalt 100"},
    "0xc0": {"0xac3": "Ampere-1", "0xac4": "Ampere-1A"},
}  # fmt: skip
"""Implementer -> part -> name (Linux, arch/arm64/include/asm/cputype.h)."""
ALIKE = 0.8
"""CPUs of one core whose capacities differ by less are of one type: firmware tells each core's own highest
clock, which differs by some percent between the cores of a server."""


def core(fields: Mapping[str, str]) -> str:
    """Name of a core, of the fields of /proc/cpuinfo; `part 0xd99` of one not known, empty of none."""
    part = fields.get("CPU part", "")
    if not part:
        return ""
    return CORES.get(fields.get("CPU implementer", ""), {}).get(part, f"part {part}")


def label(fields: Mapping[str, str]) -> str:
    """The same as a word of a selector: `cortex-a76`."""
    return re.sub(r"[^a-z0-9]+", "-", core(fields).lower()).strip("-")


def fields_of(midr: str) -> dict[str, str]:
    """A main ID register, as sysfs writes it, in the fields of /proc/cpuinfo; none of what is no number."""
    try:
        value = int(midr, 16)
    except ValueError:
        return {}
    return {"CPU implementer": f"{value >> 24 & 0xFF:#04x}", "CPU part": f"{value >> 4 & 0xFFF:#05x}"}


def types(cores: Mapping[int, str], capacities: Mapping[int, int]) -> dict[str, tuple[int, ...]]:
    """CPUs by core type, the one of the highest capacity first; a single type has no name.

    Args:
        cores: CPU -> label of its core; empty where nobody tells.
        capacities: CPU -> what the scheduler thinks it can do, 1024 the most; 0 where nobody tells.
    """
    groups: list[tuple[str, int, list[int]]] = []
    for cpu in sorted(cores, key=lambda one: (-capacities.get(one, 0), one)):
        name, capacity = cores[cpu], capacities.get(cpu, 0)
        near = (one for one in groups if one[0] == name and capacity >= ALIKE * one[1])
        found = next(near, None)
        if found is None:
            groups.append((name, capacity, [cpu]))
        else:
            found[2].append(cpu)
    if len(groups) <= 1:
        return {"": tuple(sorted(cores))}
    return {_named(name, capacity, groups): tuple(sorted(cpus)) for name, capacity, cpus in groups}


def _named(name: str, capacity: int, groups: Sequence[tuple[str, int, list[int]]]) -> str:
    """A type by its core; by its capacity too where several types are of this core."""
    alone = sum(other == name for other, _, _ in groups) == 1
    return name if alone and name else f"{name}-capacity{capacity}".lstrip("-")
