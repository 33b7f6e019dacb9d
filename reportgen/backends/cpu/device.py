"""The CPUs that are here: one device a core type, named by what does not change."""

from __future__ import annotations

import os
import platform
import re
import sys

from reportgen.backends.base import Candidate
from reportgen.backends.cpu import arm_cores, processor
from reportgen.backends.cpu.isa import host
from reportgen.runs.schema import Device

_VENDORS = {"GenuineIntel": "Intel", "AuthenticAMD": "AMD", "CentaurHauls": "VIA", "HygonGenuine": "Hygon"}
ISAS = ("x86_64", "aarch64")
"""ISAs with a launcher."""


def allowed_cpus() -> tuple[int, ...]:
    """CPUs of this process's set: the only ones that pinning may use."""
    return tuple(sorted(os.sched_getaffinity(0)))


def discover() -> list[Candidate]:
    """One candidate a core type; `reason` says why a type cannot be measured here."""
    isa = host()
    if sys.platform != "linux":
        # nothing below may be asked of another system
        name = platform.processor() or platform.machine()
        stranger = Device(id=_slug("", name, {}, ""), backend="cpu", vendor="", name=name, isa=isa)
        return [Candidate("cpu", stranger, f"the CPU backend runs on Linux, this is {sys.platform}")]
    reason = ""
    if isa not in ISAS:
        reason = f"the CPU backend measures {' and '.join(ISAS)}; this is {isa}"
    features, notes = ((), {}) if reason else _features()
    return [
        Candidate(f"cpu:{kind}" if kind else "cpu", _device(isa, kind, cpus, features, notes), reason)
        for kind, cpus in processor.core_types(allowed_cpus()).items()
    ]


def cpus_of(selector: str) -> tuple[int, ...]:
    """The allowed CPUs of a selector `cpu` or `cpu:<type>`."""
    types = processor.core_types(allowed_cpus())
    kind = selector.partition(":")[2]
    return types.get(kind) or next(iter(types.values()))


def _features() -> tuple[tuple[str, ...], dict[str, str]]:
    """Instruction-set extensions that may be used, and why what is advertised may not."""
    from reportgen.backends.cpu.compiler import host_features

    names = set(host_features())
    tiles = {name for name in names if name.startswith("amx-")}
    if tiles and not processor.tile_palettes():
        notes = {"amx": "advertised without a tile palette in CPUID leaf 1Dh, so it cannot be used"}
        return tuple(sorted(names - tiles)), notes
    return tuple(sorted(names)), {}


def _device(
    isa: str, kind: str, cpus: tuple[int, ...], features: tuple[str, ...], notes: dict[str, str]
) -> Device:
    fields = processor.identity(cpu=cpus[0])
    vendor = _VENDORS.get(fields.get("vendor_id", ""), "") or arm_cores.IMPLEMENTERS.get(
        fields.get("CPU implementer", ""), ""
    )
    core = arm_cores.core(fields)
    # on AArch64 the model's name, where a kernel gives one, is that of the architecture
    named = fields.get("model name", "") if not core else ""
    name = named or f"{vendor or platform.machine()} {core or 'processor'}"
    reported: dict[str, int | float | str] = dict(processor.caches(cpus[0]))
    for key, source in (("family", "cpu family"), ("model", "model"), ("stepping", "stepping")):
        if fields.get(source, "").isdigit():
            reported[key] = int(fields[source])
    for key, source in (("variant", "CPU variant"), ("revision", "CPU revision")):
        if fields.get(source):
            reported[key] = int(fields[source], 0)
    reported |= notes | processor.without_rdtscp(fields)
    reported["page_bytes"] = os.sysconf("SC_PAGE_SIZE")
    if processor.virtual(fields):
        reported["hypervisor"] = "yes"
    if kind:
        reported["core_type"] = kind
    return Device(
        # an AArch64 type is called by its core, which the name says already
        id=_slug(vendor, name, reported, kind.removeprefix(arm_cores.label(fields))),
        backend="cpu",
        vendor=vendor,
        name=name,
        isa=isa,
        features=features,
        cores=len(cpus),
        memory_bytes=processor.memory_limit(),
        reported=reported,
    )


def _slug(vendor: str, name: str, reported: dict[str, int | float | str], kind: str) -> str:
    """Folder and URL name from vendor, model and stepping (AArch64: part, variant, revision)."""
    text = re.sub(r"\((R|TM|C)\)|CPU|Processor|@.*|\d+-Core", " ", name, flags=re.IGNORECASE)
    if vendor and vendor.lower() not in text.lower():
        text = f"{vendor} {text}"
    parts = [text]
    if "family" in reported:
        parts.append(f"f{reported['family']}m{reported.get('model', 0)}s{reported.get('stepping', 0)}")
    if "revision" in reported:
        parts.append(f"r{reported.get('variant', 0)}p{reported['revision']}")
    return re.sub(r"[^a-z0-9]+", "-", " ".join([*parts, kind]).lower()).strip("-")
