"""Under what conditions a GPU is measured: driver, binding, what NVML tells; a fixed list of fields."""

from __future__ import annotations

from reportgen.backends.cuda import binding, driver, nvml
from reportgen.runs.schema import Device

Fields = dict[str, int | float | str | bool]


def environment(device: Device) -> Fields:
    """Fields that may leave the machine; what cannot be told is a field `*_unknown` with the reason."""
    answer = driver.ask()
    ordinal = int(device.reported.get("ordinal", 0))
    fields: Fields = {"cuda_driver": f"{answer.version // 1000}.{answer.version % 1000 // 10}"}
    working = [name for name, _, reason in binding.available() if not reason]
    fields["cuda_binding"] = working[0] if working else "none"
    if device.reported.get("slice"):
        fields["mig_slice"] = True
    here = answer.gpus[ordinal] if ordinal < len(answer.gpus) else None
    if here is not None:
        fields |= {f"{name}_unknown": why for name, why in here.unknown.items()}
    fields |= nvml.read(here.pci if here is not None else "")
    worries = _worries(fields, device)
    return fields | ({"warning": "; ".join(worries)} if worries else {})


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
    if (held := str(fields.get("gpu_throttle", "none"))) != "none":
        found.append(f"clocks are held down: {held}")
    return found
