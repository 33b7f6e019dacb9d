"""What operating system and processor say of themselves: identity and caches.

`/proc/cpuinfo` and sysfs first; where a container hides sysfs, the processor's own CPUID leaves
(Intel SDM vol. 2A leaf 4, AMD APM vol. 3 leaf 8000_001Dh, same layout).
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path

from reportgen.backends.cpu import arm_cores
from reportgen.backends.cpu.executable import Executable
from reportgen.backends.cpu.isa import host
from reportgen.errors import LaunchError
from reportgen.units import parse_size

SYSFS = Path("/sys/devices/system/cpu")
CPUINFO = Path("/proc/cpuinfo")
HYPERVISOR = Path("/proc/device-tree/hypervisor"), Path("/sys/hypervisor/type")

_CPUID = bytes.fromhex("53 8b07 8b4f04 0fa2 8906 895e04 894e08 89560c 5b c3".replace(" ", ""))
"""push rbx; eax, ecx from [rdi]; cpuid; eax, ebx, ecx, edx to [rsi]; pop rbx; ret"""

_TILE_LEAF = 0x1D
_ARM_FEATURES = {
    "asimd": "neon", "asimdhp": "fullfp16", "asimddp": "dotprod", "bf16": "bf16", "i8mm": "i8mm",
    "crc32": "crc", "pmull": "aes", "sha2": "sha2", "atomics": "lse",
}  # fmt: skip
"""Kernel's name of a hardware capability -> LLVM's (whose `aes` includes the polynomial multiply)."""


RDTSCP = "rdtscp"
"""Of what is reported: there only where the processor lacks this instruction, which names its CPU."""


def without_rdtscp(fields: Mapping[str, str]) -> dict[str, str]:
    """The word about it, of one processor's fields; empty where it is there, or flags are not listed.

    Guests of QEMU with a generic processor model (`qemu64`, `kvm64` and models built on them) lack it.
    """
    if RDTSCP in fields.get("flags", RDTSCP).split():
        return {}
    return {RDTSCP: "lacking: a sample's CPU is read from the segment limit in which Linux keeps its number"}


def identity(path: Path | None = None, cpu: int | None = None) -> dict[str, str]:
    """One processor's fields of /proc/cpuinfo, keys as the kernel writes them; empty without it.

    The first processor's where `cpu` is not given or not listed.
    """
    try:
        text = (path or CPUINFO).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    blocks = [
        {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in part.splitlines())}
        for part in text.split("\n\n")
    ]
    return next((block for block in blocks if block.get("processor") == str(cpu)), blocks[0])


def caches(cpu: int, root: Path = SYSFS) -> dict[str, int | float | str]:
    """`l1i_bytes`, `l1d_bytes`, ..., `line_bytes`, `<level>_ways`, as reported; never measured."""
    found: dict[str, int | float | str] = {}
    for index in sorted((root / f"cpu{cpu}" / "cache").glob("index*")):
        level, kind, size = (_read(index / name) for name in ("level", "type", "size"))
        if not level or not size:
            continue
        if kind == "Instruction":
            if level == "1":
                found["l1i_bytes"] = _bytes(size)
            continue
        name = "l1d" if level == "1" else f"l{level}"
        found[f"{name}_bytes"] = _bytes(size)
        for file, key in (("ways_of_associativity", f"{name}_ways"), ("coherency_line_size", "line_bytes")):
            text = _read(index / file)
            if text.isdigit():
                found[key] = int(text)
    return found or _caches_by_cpuid()


def _bytes(size: str) -> int:
    """As Linux writes it: "32K"."""
    return parse_size(size.replace("K", "KiB").replace("M", "MiB"))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def cpuid(leaf: int, subleaf: int = 0) -> tuple[int, int, int, int]:
    """eax, ebx, ecx, edx of a CPUID leaf."""
    import ctypes

    program = Executable(_CPUID, 0)
    inputs, outputs = (ctypes.c_uint32 * 2)(leaf, subleaf), (ctypes.c_uint32 * 4)()
    program.call(ctypes.addressof(inputs), ctypes.addressof(outputs))
    return outputs[0], outputs[1], outputs[2], outputs[3]


def _caches_by_cpuid() -> dict[str, int | float | str]:
    if platform.machine() != "x86_64":
        return {}
    try:
        amd = cpuid(0)[2] == 0x444D4163  # "cAMD"
        leaf = 0x8000001D if amd else 4
        if amd and cpuid(0x80000000)[0] < leaf:
            return {}
        found: dict[str, int | float | str] = {}
        for subleaf in range(8):
            eax, ebx, ecx, _ = cpuid(leaf, subleaf)
            kind, level = eax & 31, eax >> 5 & 7
            if kind == 0:
                break
            ways, parts, line = (ebx >> 22) + 1, (ebx >> 12 & 0x3FF) + 1, (ebx & 0xFFF) + 1
            if kind == 2:  # instruction cache
                if level == 1:
                    found["l1i_bytes"] = ways * parts * line * (ecx + 1)
                continue
            name = "l1d" if level == 1 else f"l{level}"
            found[f"{name}_bytes"] = ways * parts * line * (ecx + 1)
            found[f"{name}_ways"] = ways
            found["line_bytes"] = line
        return found
    except LaunchError:
        return {}


def virtual(fields: Mapping[str, str]) -> bool | None:
    """Whether this is a virtual machine, of one processor's fields; None where nobody tells.

    An x86-64 hypervisor shows itself in the flags.  On AArch64 only some do, in the device tree or sysfs.
    """
    if "flags" in fields:
        return "hypervisor" in fields["flags"].split()
    return True if any(path.exists() for path in HYPERVISOR) else None


def tile_palettes() -> int:
    """The highest AMX tile palette (CPUID leaf 1Dh); 0 where there is none.

    A virtual machine may advertise AMX and hide this leaf; the first tile instruction then faults.
    """
    try:
        return cpuid(_TILE_LEAF)[0] if cpuid(0)[0] >= _TILE_LEAF else 0
    except LaunchError:
        return 0


def arm_features(fields: dict[str, str]) -> set[str]:
    """What Linux lists as `Features` on AArch64, in LLVM's names; LLVM's own discovery leaves some out."""
    return {_ARM_FEATURES[name] for name in fields.get("Features", "").split() if name in _ARM_FEATURES}


def memory_limit() -> int:
    """Bytes of memory that may be used: the smaller of the machine's and the control group's."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for name in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        text = _read(Path(name))
        if text.isdigit():
            total = min(total, int(text))
    return total


def core_types(allowed: tuple[int, ...], root: Path = Path("/sys/devices")) -> dict[str, tuple[int, ...]]:
    """Allowed CPUs by core type; a hybrid processor's types are separate devices.

    Intel lists them under `cpu_core` and `cpu_atom`; AArch64 CPUs have a main ID register and a
    `cpu_capacity`.
    """
    types: dict[str, tuple[int, ...]] = {}
    for name in ("core", "atom", "lowpower"):
        members = _cpu_list(_read(root / f"cpu_{name}" / "cpus"))
        chosen = tuple(cpu for cpu in allowed if cpu in members)
        if chosen:
            types[name] = chosen
    if types:
        return types
    folders = {cpu: root / "system" / "cpu" / f"cpu{cpu}" for cpu in allowed}
    capacities = {cpu: _read(folder / "cpu_capacity") for cpu, folder in folders.items()}
    return arm_cores.types(
        {cpu: arm_cores.label(main_id(cpu, folder)) for cpu, folder in folders.items()},
        {cpu: int(text) for cpu, text in capacities.items() if text.isdigit()},
    )


def main_id(cpu: int, folder: Path) -> dict[str, str]:
    """Implementer and part of an AArch64 CPU as /proc/cpuinfo names them; empty elsewhere.

    Not all of sysfs is there in a container, and /proc/cpuinfo lists CPUs that are online.
    """
    told = arm_cores.fields_of(_read(folder / "regs" / "identification" / "midr_el1"))
    return told or (identity(cpu=cpu) if host() == "aarch64" else {})


def _cpu_list(text: str) -> set[int]:
    members: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        members |= set(range(int(first), int(last or first) + 1))
    return members
