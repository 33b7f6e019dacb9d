"""A stream that computes: what a turn loads and computes is proven from the machine code."""

from __future__ import annotations

import platform
import sys

import pytest

from reportgen.backends.base import Order, Source
from reportgen.backends.cpu.backend import CpuBackend
from reportgen.backends.cpu.blend import GROUP, slots
from reportgen.backends.cpu.generator import CpuGenerator
from reportgen.errors import Unsupported
from tests.unit.backends.cpu.x86 import assembles, device, generate, judge, planned, table

PROBE = "roofline/intensity_sweep"
COUNTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 192, 256, 512, 1024)


def source(count: int, level: str = "l1") -> Source:
    return generate(f"{PROBE}#level={level},multiply_adds={count}")


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("accumulators", "registers"), [(12, 4), (16, 8)])
def test_accumulators_take_equal_turns_and_loads_come_first(
    count: int, accumulators: int, registers: int
) -> None:
    turn = list(slots(count, accumulators, registers))
    every = [one for slot in turn for one in slot.accumulators]
    assert len(every) * GROUP == count * len(turn)
    uses = [every.count(number) for number in range(accumulators)]
    assert max(uses) - min(uses) <= (1 if count > 4 * accumulators else 0)
    assert min(uses) > 0
    loaded = [slot.register for slot in turn] * 2
    for slot in turn:
        at = slot.number + len(turn)
        since = loaded[:at][::-1].index(slot.source) + 1
        assert since == registers // 2  # loads back, across the end of the turn, too
        assert slot.source != slot.register


@assembles
@pytest.mark.parametrize("count", COUNTS)
def test_every_intensity_is_verified_and_is_what_it_says(count: int) -> None:
    made = source(count)
    result = judge(made)
    assert result.verdict == "verified", result.explanation
    assert made.work["flop"] / made.work["bytes"] == pytest.approx(count / 16)
    turn = result.opcodes["vfmadd231ps"] / result.opcodes["vmovups"]
    assert turn == pytest.approx(count / GROUP)


def test_slices_are_whole_turns_and_shorter_where_arithmetic_takes_long() -> None:
    light, heavy = source(64, "dram"), source(1024, "dram")
    for one in (light, heavy):
        assert one.setup["array_bytes"] % one.setup["slice_bytes"] == 0
        assert one.setup["slice_bytes"] % (GROUP * 64) == 0
        assert one.setup["array_bytes"] >= 0.99 * one.setup["bytes"]
    assert heavy.work["flop"] == pytest.approx(light.work["flop"], rel=0.01)


@assembles
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[rbx+rcx+64]", "[rbx+rcx+128]", "not side by side over its 512 bytes"),
        ("vmovups zmm13", "vmovups ymm13", "not side by side over its 512 bytes"),
        ("zmm0, zmm14, zmm14", "zmm0, zmm5, zmm5", "11 instructions compute with what was loaded, not 12"),
        ("vfmadd231ps zmm1,", "vfmadd231ps zmm0,", "11 accumulators take turns, not 12"),
        ("vfmadd231ps zmm1,", "vfmadd213ps zmm1,", "1 vfmadd213ps"),
        ("jne blend", "je done", "no single branch makes a loop"),
        ("blend:\nvmovups zmm12, [rbx+rcx+0]", "vmovups zmm12, [rbx+rcx+0]\nblend:", "outside of the loop"),
    ],
)
def test_another_body_is_rejected(old: str, new: str, told: str) -> None:
    made = source(12)
    assert old in made.text
    result = judge(made, made.text.replace(old, new, 1))
    assert result.verdict == "rejected"
    assert told in result.explanation


def test_a_core_without_multiply_adds_says_so() -> None:
    probe, point = planned()[f"{PROBE}#level=l1,multiply_adds=8"]
    with pytest.raises(Unsupported, match="lacks fma"):
        CpuGenerator(device(("avx", "avx2")), table()).generate(probe, point)


def test_a_core_of_unknown_caches_says_what_is_missing() -> None:
    probe, point = planned()[f"{PROBE}#level=dram,multiply_adds=8"]
    with pytest.raises(Unsupported, match="no last-level cache"):
        CpuGenerator(device(reported={}), table()).generate(probe, point)


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="runs x86-64 machine code on Linux"
)
@pytest.mark.parametrize("count", [1, 1024])
def test_a_visit_on_this_processor(count: int) -> None:
    backend = CpuBackend()
    (candidate, *_) = backend.discover()
    if "fma" not in candidate.device.features:
        pytest.skip("this processor lacks fma")
    made = generate(f"{PROBE}#level=l1,multiply_adds={count}", candidate.device)
    build = backend.builder(candidate.device).build(made)
    assert build.program is not None
    assert build.program.verdict == "verified"
    order = Order(f"{PROBE}#x", build.code, build.program.sha256, made.setup, 0.004, 0.0, 1, 0)
    batch = backend.launcher(candidate.selector, candidate.device).measure(order)
    assert batch.facts["bytes_actual"] == made.setup["array_bytes"]
    assert min(batch.columns["ticks"]) > 0
