"""Stores and loads at places that the machine code names: the program is what was meant, or is rejected."""

from __future__ import annotations

import platform
import sys

import pytest

from reportgen.backends.base import Order, Source
from reportgen.backends.cpu.accesses import Operand, case_of, displacement
from reportgen.backends.cpu.backend import CpuBackend
from reportgen.backends.cpu.frame import SCRATCH_BYTES
from reportgen.backends.cpu.generator import CpuGenerator
from reportgen.errors import Unsupported
from tests.unit.backends.cpu.x86 import assembles, device, generate, judge, planned, table, with_body

STORED = "memory_hierarchy/store_to_load"
PROBES = (STORED, f"{STORED}_short_loop", "memory_hierarchy/split_access", "memory_hierarchy/address_alias")


def source(case: str = "64_32.4") -> Source:
    return generate(f"{STORED}#case={case},length=48")


def points(probe: str) -> list[str]:
    return [name for name in planned() if name.startswith(f"{probe}#")]


@assembles
@pytest.mark.parametrize("probe", PROBES)
def test_every_point_is_verified(probe: str) -> None:
    assert len(points(probe)) > 15
    for point in points(probe):
        result = judge(generate(point))
        assert result.verdict == "verified", f"{point}: {result.explanation}"


def rejected(made: Source, *lines: str) -> str:
    result = judge(made, with_body(made, *lines))
    assert result.verdict == "rejected"
    return result.explanation


@assembles
@pytest.mark.parametrize(
    ("store", "load", "why"),
    [
        ("mov [r13], rcx", "mov ecx, [rbx-56]", "wanted accesses"),  # behind the store
        ("mov [r13], rcx", "mov ecx, [rbx-61]", "wanted accesses"),  # another part of it
        ("mov [r13], rcx", "mov rcx, [rbx-60]", "wanted accesses"),  # wider
        ("mov [r13], ecx", "mov ecx, [rbx-60]", "wanted accesses"),  # narrower
        ("mov [r13], rcx", "mov edx, [rbx-60]", "not every load brings"),  # for no store
        ("mov [r13], rdx", "mov ecx, [rbx-60]", "not every load brings"),  # of nothing that was loaded
        ("mov [r13], rcx", "mov ebx, [rbx-60]", "not every load brings"),  # over its own base
        ("mov [rbx], rcx", "mov ecx, [r13+4]", "wanted accesses"),
    ],
)
def test_a_pair_that_is_another_is_rejected(store: str, load: str, why: str) -> None:
    assert why in rejected(source(), *[store, load] * 48)


@assembles
def test_one_pair_that_is_another_is_enough() -> None:
    pairs = ["mov [r13], rcx", "mov ecx, [rbx-60]"] * 47
    assert "not every load brings" in rejected(source(), *pairs, "mov [r13], rcx", "mov edx, [rbx-60]")


@assembles
def test_stores_and_loads_that_do_not_take_turns_are_rejected() -> None:
    lines = [*["mov [r13], rcx"] * 48, *["mov ecx, [rbx-60]"] * 48]
    assert "not every load brings" in rejected(source(), *lines)


@assembles
@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("lea rbx, [r13+72]", "does not stand before the body"),
        ("lea rbx, [r13+64]\n  mov rbx, rcx", "is not the last to set its register"),
    ],
)
def test_a_base_that_is_elsewhere_is_rejected(line: str, why: str) -> None:
    made = source()
    result = judge(made, made.text.replace("lea rbx, [r13+64]", line))
    assert result.verdict == "rejected"
    assert why in result.explanation


@assembles
def test_an_access_that_is_not_split_is_rejected() -> None:
    made = generate("memory_hierarchy/split_access#access=load_64_latency,place=line,length=48")
    assert "wanted accesses 48 load 8 rbx-68" in rejected(made, *["mov rbx, [rbx-72]"] * 48)


@assembles
@pytest.mark.parametrize(
    ("store", "load"),
    [("mov [r13+4096], rbx", "mov rcx, [rbx]"), ("mov [r13+4096], rcx", "mov rbx, [rbx]")],
)
def test_loads_that_do_not_wait_for_each_other_are_rejected(store: str, load: str) -> None:
    made = generate("memory_hierarchy/address_alias#distance=4096,length=48")
    assert "not every load finds its address" in rejected(made, *[store, load] * 48)


def test_cases_and_places() -> None:
    case = case_of("v128_v64.8")
    assert (case.store, case.load, case.offset) == (Operand(16, True), Operand(8, True), 8)
    assert case_of("64_64.0.same_register").same_register
    assert not case_of("64_64.0.short_loop").same_register
    with pytest.raises(Unsupported, match="no store and load"):
        case_of("64-64")
    for size in (8, 16, 32):
        starts = [displacement(place, size) for place in ("aligned", "inside", "line", "page")]
        lines = [(start // 64, (start + size - 1) // 64) for start in starts]
        assert starts[0] % 64 == 0
        assert lines == [(-2, -2), (-2, -2), (-2, -1), (-1, 0)]


def test_no_access_leaves_the_scratch_memory() -> None:
    probe, _ = planned()[points("memory_hierarchy/address_alias")[0]]
    assert max(probe.definition.settings["distance"]) + 8 <= SCRATCH_BYTES


def test_a_core_without_wide_vectors_says_so() -> None:
    probe, point = planned()[f"{STORED}#case=v512_v512.0,length=48"]
    with pytest.raises(Unsupported, match="lacks avx512f"):
        CpuGenerator(device(("avx",)), table()).generate(probe, point)


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="runs x86-64 machine code on Linux"
)
@pytest.mark.parametrize(
    "point",
    [
        f"{STORED}#case=64_64.4,length=48",
        "memory_hierarchy/split_access#access=load_64_latency,place=page,length=48",
        "memory_hierarchy/split_access#access=store_64_interval,place=page,length=48",
        "memory_hierarchy/address_alias#distance=16384,length=48",
    ],
)
def test_a_visit_on_this_processor(point: str) -> None:
    backend = CpuBackend()
    (candidate, *_) = backend.discover()
    made = generate(point)
    build = backend.builder(candidate.device).build(made)
    assert build.program is not None
    order = Order(point, build.code, build.program.sha256, made.setup, 0.004, 0.0, 1, 0)
    batch = backend.launcher(candidate.selector, candidate.device).measure(order)
    assert min(batch.columns["ticks"]) > 0
