"""Under what conditions a GPU is measured: driver, binding, what NVML tells; a fixed list of fields."""

from __future__ import annotations

from reportgen.backends.cuda import binding, compiler, driver, nvml
from reportgen.backends.cuda import device as cuda_device
from reportgen.errors import UserError
from reportgen.runs.schema import Device

Fields = dict[str, int | float | str | bool]


def environment(device: Device) -> Fields:
    """Fields that may leave the machine; what cannot be told is a field `*_unknown` with the reason."""
    answer = driver.ask()
    ordinal = int(device.reported.get("ordinal", 0))
    fields: Fields = {"cuda_driver": f"{answer.version // 1000}.{answer.version % 1000 // 10}"}
    working = [name for name, _, reason in binding.available() if not reason]
    fields["cuda_binding"] = working[0] if working else "none"
    words = device.name.split()
    if cuda_device.MIG in words:
        fields["mig_slice"] = True
    if cuda_device.MPS in words:
        fields["mps_share"] = words[-1]
    here = answer.gpus[ordinal] if ordinal < len(answer.gpus) else None
    if here is not None:
        fields |= {f"{name}_unknown": why for name, why in here.unknown.items()}
    fields |= nvml.read(here.pci if here is not None else "")
    worries = [*_worries(fields, device), *_newer(answer.version)]
    return fields | ({"warning": "; ".join(worries)} if worries else {})


def _newer(serves: int) -> list[str]:
    """What there is to fear of a compiler that is newer than the driver."""
    try:
        release = compiler.version()
    except UserError:  # nothing can be built, and whoever builds says so
        return []
    major, minor = (int(part) for part in f"{release}.0".split(".")[:2])
    if not serves or 1000 * major + 10 * minor <= serves:
        return []
    return [f"the compiler ({release}) is newer than the driver, which may refuse its programs"]


def _worries(fields: Fields, device: Device) -> list[str]:
    """What about the device may spoil a run, each with what it means."""
    found = []
    others = int(fields.get("gpu_other_processes", 0))
    if others:
        found.append(f"{others} other processes use the device: they take its time, memory and power")
    if device.reported.get("watchdog") or fields.get("gpu_display"):
        found.append("a display is attached or a watchdog is on: the driver stops kernels of seconds")
    if fields.get("mig_slice") or fields.get("gpu_mig"):
        found.append("the device is partitioned (MIG): what is measured is a slice, not the whole card")
    if share := fields.get("mps_share"):
        found.append(f"the device is shared (MPS): this process may use {share} of its threads")
    if (held := str(fields.get("gpu_throttle", "none"))) != "none":
        found.append(f"clocks are held down: {held}")
    return found
