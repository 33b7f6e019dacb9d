"""Which processors are devices, why some cannot be used, and names that never change."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from reportgen.backends.cpu import device as cpu_device
from reportgen.backends.cpu import environment, processor

XEON = {
    "vendor_id": "GenuineIntel", "cpu family": "6", "model": "143", "stepping": "8",
    "model name": "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", "flags": "sse2 hypervisor",
}  # fmt: skip
EPYC = {
    "vendor_id": "AuthenticAMD", "cpu family": "25", "model": "17", "stepping": "1",
    "model name": "AMD EPYC 9R14 96-Core Processor", "flags": "sse2",
}  # fmt: skip
CORE = {
    "vendor_id": "GenuineIntel", "cpu family": "6", "model": "151", "stepping": "2",
    "model name": "12th Gen Intel(R) Core(TM) i9-12900K",
}  # fmt: skip
NEOVERSE = {
    "CPU implementer": "0x41", "CPU architecture": "8", "CPU variant": "0x1", "CPU part": "0xd40",
    "CPU revision": "1",
}  # fmt: skip
UNKNOWN_ARM = NEOVERSE | {"CPU part": "0xfff"}


def identify(monkeypatch: pytest.MonkeyPatch, fields: dict[str, str], kind: str = "") -> Any:
    monkeypatch.setattr(processor, "identity", lambda path=None, cpu=None: fields)
    monkeypatch.setattr(processor, "caches", lambda cpu: {"l1d_bytes": 32768})
    return cpu_device._device("x86_64", kind, (0, 1), ("sse2",), {})


@pytest.mark.parametrize(
    ("fields", "kind", "name"),
    [
        (XEON, "", "intel-xeon-platinum-8481c-f6m143s8"),
        (EPYC, "", "amd-epyc-9r14-f25m17s1"),
        (CORE, "atom", "12th-gen-intel-core-i9-12900k-f6m151s2-atom"),
        (NEOVERSE, "", "arm-neoverse-v1-r1p1"),
        (UNKNOWN_ARM, "", "arm-part-0xfff-r1p1"),
    ],
)
def test_the_id_is_made_of_what_does_not_change(
    monkeypatch: pytest.MonkeyPatch, fields: dict[str, str], kind: str, name: str
) -> None:
    found = identify(monkeypatch, fields, kind)
    assert found.id == name
    # clocks, microcode and load may differ from day to day
    later = fields | {"cpu MHz": "1799.999", "bogomips": "5192.28", "microcode": "0x2b000603"}
    assert identify(monkeypatch, later, kind).id == name


def test_cores_of_two_kinds_have_two_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    assert identify(monkeypatch, CORE, "core").id != identify(monkeypatch, CORE, "atom").id
    assert identify(monkeypatch, CORE, "core").reported["core_type"] == "core"


def test_what_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    found = identify(monkeypatch, XEON)
    assert found.vendor == "Intel"
    assert found.name == XEON["model name"]
    assert {"family": 6, "model": 143, "stepping": 8, "hypervisor": "yes"}.items() <= found.reported.items()
    assert found.reported["page_bytes"] in (4096, 16384, 65536)
    assert "hypervisor" not in identify(monkeypatch, EPYC).reported
    assert found.cores == 2
    assert found.memory_bytes > 0


def test_a_processor_that_tells_nothing_still_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    found = identify(monkeypatch, {})
    assert found.name.endswith("processor")
    assert found.id
    assert set(found.id) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


def test_discovery_here_names_one_device_a_core_type() -> None:
    first, again = cpu_device.discover(), cpu_device.discover()
    assert [one.device.id for one in first] == [one.device.id for one in again]
    assert first
    assert all(one.selector.startswith("cpu") for one in first)


def test_another_system_is_listed_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_device.sys, "platform", "darwin")
    monkeypatch.setattr(cpu_device.platform, "processor", lambda: "i386")
    monkeypatch.delattr(cpu_device.os, "sched_getaffinity")  # Linux has it, others may not
    (found,) = cpu_device.discover()
    assert found.reason == "the CPU backend runs on Linux, this is darwin"
    assert found.device.id == "i386"


def test_an_isa_without_a_frame_is_listed_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_device, "host", lambda: "riscv64")
    found = cpu_device.discover()
    assert {one.reason for one in found} == {"the CPU backend measures x86_64 and aarch64; this is riscv64"}
    assert all(one.device.isa == "riscv64" for one in found)


def test_an_aarch64_type_has_the_id_of_its_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the same whether or not CPUs of the other types may be used."""
    fields = NEOVERSE | {
        "CPU part": "0xd0b",
        "CPU variant": "0x4",
        "model name": "ARMv8 Processor rev 1 (v8l)",
    }
    monkeypatch.setattr(processor, "virtual", lambda fields: None)
    alone = identify(monkeypatch, fields)
    assert (alone.name, alone.id) == ("ARM Cortex-A76", "arm-cortex-a76-r4p1")
    assert "hypervisor" not in alone.reported
    one_of_two = identify(monkeypatch, fields, "cortex-a76")
    assert one_of_two.id == alone.id
    assert one_of_two.reported["core_type"] == "cortex-a76"
    slower = identify(monkeypatch, fields, "cortex-a76-capacity600")
    assert slower.id == "arm-cortex-a76-r4p1-capacity600"


def test_hybrid_cores_are_selected_by_their_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    types = {"core": (0, 1), "atom": (2, 3)}
    monkeypatch.setattr(processor, "core_types", lambda allowed: types)
    monkeypatch.setattr(cpu_device, "_features", lambda: (("sse2",), {}))
    monkeypatch.setattr(cpu_device, "host", lambda: "x86_64")
    monkeypatch.setattr(processor, "caches", lambda cpu: {"l1d_bytes": 32768 + cpu})
    found = {one.selector: one for one in cpu_device.discover()}
    assert set(found) == {"cpu:core", "cpu:atom"}
    assert found["cpu:atom"].device.reported["l1d_bytes"] == 32770  # asked of one of its own CPUs
    assert cpu_device.cpus_of("cpu:atom") == (2, 3)
    assert cpu_device.cpus_of("cpu") == (0, 1)
    assert cpu_device.cpus_of("cpu:nosuch") == (0, 1)


def test_the_environment_holds_its_fixed_list_and_nothing_else() -> None:
    fields = environment.environment()
    required = {"os", "kernel", "python", "cpus_allowed", "memory_bytes", "load_at_start"}
    optional = {"hypervisor", "microcode", "huge_pages", "governor", "boost"}
    assert required <= set(fields) <= required | optional
    assert "-" not in str(fields["kernel"])  # a distribution's suffix may name a machine


def test_whether_it_is_a_virtual_machine_is_absent_where_nobody_tells(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(processor, "HYPERVISOR", (tmp_path / "hypervisor",))
    monkeypatch.setattr(processor, "identity", lambda path=None, cpu=None: NEOVERSE)
    assert "hypervisor" not in environment.environment()
    (tmp_path / "hypervisor").mkdir()
    assert environment.environment()["hypervisor"] is True
    monkeypatch.setattr(processor, "identity", lambda path=None, cpu=None: EPYC)
    assert environment.environment()["hypervisor"] is False
    monkeypatch.setattr(processor, "identity", lambda path=None, cpu=None: XEON)
    assert environment.environment()["hypervisor"] is True


def test_a_set_of_one_cpu_is_a_device_of_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pinning starts from the allowed set; nothing is asked of cores outside it."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    assert cpu_device.allowed_cpus() == (0,)
    assert {candidate.device.cores for candidate in cpu_device.discover()} == {1}
    assert cpu_device.cpus_of("cpu") == (0,)
