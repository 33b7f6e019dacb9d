"""Identity, caches, core types and limits, from made-up system files and CPUID leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.backends.cpu import arm_cores, processor
from reportgen.errors import LaunchError
from tests.unit.backends.cpu.x86 import executes

INTEL = """processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 143
model name\t: Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz
stepping\t: 8
flags\t\t: fpu sse2 hypervisor

processor\t: 1
vendor_id\t: GenuineIntel
model name\t: another
"""
ARM = """processor\t: 0
Features\t: fp asimd asimdhp
CPU implementer\t: 0x41
CPU part\t: 0xd05

processor\t: 4
Features\t: fp asimd asimdhp i8mm
CPU implementer\t: 0x41
CPU part\t: 0xd0b

"""


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


# -- identity -----------------------------------------------------------------------------------------


def test_identity_is_the_first_processor_s(tmp_path: Path) -> None:
    path = write(tmp_path, {"cpuinfo": INTEL}) / "cpuinfo"
    fields = processor.identity(path)
    assert fields["model name"] == "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz"
    assert (fields["cpu family"], fields["model"], fields["stepping"]) == ("6", "143", "8")
    assert "hypervisor" in fields["flags"].split()


def test_identity_of_one_core_of_several_kinds(tmp_path: Path) -> None:
    path = write(tmp_path, {"cpuinfo": ARM}) / "cpuinfo"
    assert processor.identity(path, 4)["CPU part"] == "0xd0b"
    assert processor.identity(path, 0)["CPU part"] == "0xd05"
    assert processor.identity(path, 77)["CPU part"] == "0xd05"  # not listed: the first


def test_without_cpuinfo_there_is_no_identity(tmp_path: Path) -> None:
    assert processor.identity(tmp_path / "cpuinfo") == {}


def test_a_processor_without_rdtscp_says_so() -> None:
    assert processor.without_rdtscp({"flags": "fpu tsc rdtscp lm"}) == {}
    assert processor.without_rdtscp({"Features": "fp asimd"}) == {}
    assert "segment" in processor.without_rdtscp({"flags": "fpu tsc lm"})["rdtscp"]


def test_arm_features_in_the_assembler_s_names() -> None:
    fields = {"Features": "fp asimd asimdhp asimddp bf16 i8mm crc32 pmull sha2 atomics evtstrm"}
    assert processor.arm_features(fields) == set("neon fullfp16 dotprod bf16 i8mm crc aes sha2 lse".split())
    assert processor.arm_features({}) == set()


# -- caches -------------------------------------------------------------------------------------------

CACHES = {
    "cpu3/cache/index0/level": "1\n", "cpu3/cache/index0/type": "Data\n", "cpu3/cache/index0/size": "48K\n",
    "cpu3/cache/index0/ways_of_associativity": "12\n", "cpu3/cache/index0/coherency_line_size": "64\n",
    "cpu3/cache/index1/level": "1\n", "cpu3/cache/index1/type": "Instruction\n",
    "cpu3/cache/index1/size": "32K\n",
    "cpu3/cache/index2/level": "2\n", "cpu3/cache/index2/type": "Unified\n", "cpu3/cache/index2/size": "2M\n",
    "cpu3/cache/index2/ways_of_associativity": "16\n",
    "cpu3/cache/index3/level": "3\n", "cpu3/cache/index3/type": "Unified\n",
    "cpu3/cache/index3/size": "107520K\n",
}  # fmt: skip


def test_caches_from_sysfs(tmp_path: Path) -> None:
    assert processor.caches(3, write(tmp_path, CACHES)) == {
        "l1i_bytes": 32768, "l1d_bytes": 49152, "l1d_ways": 12, "line_bytes": 64, "l2_bytes": 2 << 20,
        "l2_ways": 16, "l3_bytes": 107520 << 10,
    }  # fmt: skip


def test_half_a_cache_entry_is_passed_over(tmp_path: Path) -> None:
    files = {name: text for name, text in CACHES.items() if not name.endswith("index2/size")}
    found = processor.caches(3, write(tmp_path, files))
    assert "l2_bytes" not in found
    assert found["l1d_bytes"] == 49152


def leaves(monkeypatch: pytest.MonkeyPatch, values: dict[tuple[int, int], tuple[int, int, int, int]]) -> None:
    monkeypatch.setattr(processor.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(processor, "cpuid", lambda leaf, subleaf=0: values.get((leaf, subleaf), (0, 0, 0, 0)))


def shape(kind: int, level: int, ways: int, line: int, sets: int) -> tuple[int, int, int, int]:
    return kind | level << 5, (ways - 1) << 22 | (line - 1), sets - 1, 0


def test_without_sysfs_intel_s_leaf_4_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leaves(monkeypatch, {
        (4, 0): shape(1, 1, 12, 64, 64), (4, 1): shape(2, 1, 8, 64, 64), (4, 2): shape(3, 2, 16, 64, 2048),
        (4, 3): shape(3, 3, 15, 64, 114688),
    })  # fmt: skip
    assert processor.caches(0, tmp_path) == {
        "l1i_bytes": 32768, "l1d_bytes": 49152, "l1d_ways": 12, "line_bytes": 64, "l2_bytes": 2 << 20,
        "l2_ways": 16, "l3_bytes": 15 * 64 * 114688, "l3_ways": 15,
    }  # fmt: skip


def test_without_sysfs_amd_s_own_leaf_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {
        (0, 0): (0x10, 0x68747541, 0x444D4163, 0x69746E65), (0x80000000, 0): (0x80000028, 0, 0, 0),
        (0x8000001D, 0): shape(1, 1, 8, 64, 64), (0x8000001D, 1): shape(2, 1, 8, 64, 64),
        (0x8000001D, 2): shape(3, 2, 8, 64, 2048), (0x8000001D, 3): shape(3, 3, 16, 64, 32768),
    }  # fmt: skip
    leaves(monkeypatch, values)
    found = processor.caches(0, tmp_path)
    assert (found["l1d_bytes"], found["l2_bytes"], found["l3_bytes"]) == (32768, 1 << 20, 32 << 20)
    leaves(monkeypatch, values | {(0x80000000, 0): (0x80000008, 0, 0, 0)})
    assert processor.caches(0, tmp_path) == {}  # an older one has no such leaf


def test_nothing_is_known_where_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor.platform, "machine", lambda: "aarch64")
    assert processor.caches(0, tmp_path) == {}

    def refuse(leaf: int, subleaf: int = 0) -> tuple[int, int, int, int]:
        raise LaunchError("no executable memory")

    monkeypatch.setattr(processor.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(processor, "cpuid", refuse)
    assert processor.caches(0, tmp_path) == {}


@executes
def test_cpuid_runs_on_this_machine(tmp_path: Path) -> None:
    highest, *name = processor.cpuid(0)
    assert highest > 0
    text = b"".join(part.to_bytes(4, "little") for part in (name[0], name[2], name[1]))
    assert text.isascii()
    vendor = processor.identity().get("vendor_id")
    assert vendor in (None, text.decode())
    assert processor.tile_palettes() >= 0


# -- core types -----------------------------------------------------------------------------------------


def test_one_kind_of_core_has_no_name(tmp_path: Path) -> None:
    assert processor.core_types((0, 1, 2), tmp_path) == {"": (0, 1, 2)}


def test_intel_s_hybrid_cores_are_separate(tmp_path: Path) -> None:
    root = write(tmp_path, {"cpu_core/cpus": "0-7\n", "cpu_atom/cpus": "8-11,14\n"})
    assert processor.core_types((0, 3, 8, 9, 14, 20), root) == {"core": (0, 3), "atom": (8, 9, 14)}
    assert processor.core_types((8, 9), root) == {"atom": (8, 9)}  # only these are allowed here


def test_capacities_are_separate_where_nobody_tells_the_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processor, "CPUINFO", tmp_path / "cpuinfo")
    capacity = {0: 446, 1: 446, 2: 1024, 3: 1024}
    root = write(tmp_path, {f"system/cpu/cpu{n}/cpu_capacity": f"{c}\n" for n, c in capacity.items()})
    assert processor.core_types((0, 1, 2, 3), root) == {"capacity446": (0, 1), "capacity1024": (2, 3)}
    assert processor.core_types((2, 3), root) == {"": (2, 3)}  # all that may be used are alike


MIDR = {
    "a55": 0x411FD050,
    "a76": 0x414FD0B1,
    "v1": 0x411FD401,
    "icestorm": 0x611F0221,
    "firestorm": 0x611F0231,
}
"""Main ID registers: implementer, variant, architecture, part, revision."""


def cpus(root: Path, *kinds: tuple[str, int]) -> tuple[Path, tuple[int, ...]]:
    """A folder as /sys/devices, with a CPU of each core and capacity (0: none told)."""
    files = {}
    for cpu, (kind, capacity) in enumerate(kinds):
        folder = f"system/cpu/cpu{cpu}"
        files[f"{folder}/regs/identification/midr_el1"] = f"{MIDR[kind]:#018x}\n"
        if capacity:
            files[f"{folder}/cpu_capacity"] = f"{capacity}\n"
    return write(root, files), tuple(range(len(kinds)))


@pytest.mark.parametrize(
    ("kinds", "found"),
    [
        ([("v1", 0)] * 2, {"": (0, 1)}),
        # the biggest comes first: it is what `cpu` means
        ([("a55", 430), ("a55", 430), ("a76", 1024)], {"cortex-a76": (2,), "cortex-a55": (0, 1)}),
        ([("icestorm", 485), ("firestorm", 1024)], {"m1-firestorm": (1,), "m1-icestorm": (0,)}),
        # nobody tells capacities: the cores differ all the same
        ([("a55", 0), ("a76", 0)], {"cortex-a55": (0,), "cortex-a76": (1,)}),
        # each core's own highest clock
        ([("v1", 1024), ("v1", 1007), ("v1", 990)], {"": (0, 1, 2)}),
        # three clusters of two cores
        (
            [("a55", 250), ("a76", 700), ("a76", 690), ("a76", 1024)],
            {"cortex-a76-capacity1024": (3,), "cortex-a76-capacity700": (1, 2), "cortex-a55": (0,)},
        ),
    ],
)
def test_aarch64_s_cores_are_separate(
    tmp_path: Path, kinds: list[tuple[str, int]], found: dict[str, tuple[int, ...]]
) -> None:
    root, allowed = cpus(tmp_path, *kinds)
    types = processor.core_types(allowed, root)
    assert (types, list(types)) == (found, list(found))


def test_without_sysfs_the_kernel_s_list_tells_the_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processor, "CPUINFO", write(tmp_path, {"cpuinfo": ARM}) / "cpuinfo")
    monkeypatch.setattr(processor, "host", lambda: "aarch64")
    assert processor.core_types((0, 4), tmp_path) == {"cortex-a55": (0,), "cortex-a76": (4,)}


@pytest.mark.parametrize(
    ("midr", "name"),
    [
        ("0x00000000410fd083", "Cortex-A72"), ("0x00000000413fd0c1", "Neoverse-N1"),
        ("0x00000000410fd4f0", "Neoverse-V2"), ("0x00000000611f0230", "M1 Firestorm"),
        ("0x00000000461f0010", "A64FX"), ("0x00000000410fdff0", "part 0xdff"), ("", ""), ("none", ""),
    ],
)  # fmt: skip
def test_names_of_cores(midr: str, name: str) -> None:
    assert arm_cores.core(arm_cores.fields_of(midr)) == name


# -- memory ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "smaller"), [("1048576", True), ("max", False), ("", False), ("9223372036854771712", False)]
)
def test_a_control_group_s_limit_counts(monkeypatch: pytest.MonkeyPatch, text: str, smaller: bool) -> None:
    monkeypatch.setattr(processor, "_read", lambda path: "")
    machine = processor.memory_limit()
    assert machine > 1048576
    monkeypatch.setattr(processor, "_read", lambda path: text if path.name == "memory.max" else "")
    assert processor.memory_limit() == (1048576 if smaller else machine)


def test_the_older_control_group_s_limit_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    old = "memory.limit_in_bytes"
    monkeypatch.setattr(processor, "_read", lambda path: "2097152" if path.name == old else "")
    assert processor.memory_limit() == 2097152
