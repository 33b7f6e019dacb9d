"""Two loads that miss and what stands between them: the program is what was meant, its visits are whole."""

from __future__ import annotations

import platform
import sys

import msgspec
import pytest

from reportgen.backends.base import Order, Source
from reportgen.backends.cpu.backend import CpuBackend
from reportgen.backends.cpu.generator import CpuGenerator
from reportgen.errors import Unsupported
from tests.unit.backends.cpu.x86 import assembles, device, generate, judge, planned, table, with_body

PROBE = "out_of_order/instruction_window"
MISSES = "out_of_order/parallel_misses"
FILLINGS = ("mixed", "integer", "vector", "load", "store", "waiting_integer", "waiting_vector")


def source(filling: str, count: int = 20) -> Source:
    return generate(f"{PROBE}#filling={filling},count={count}")


@assembles
@pytest.mark.parametrize("filling", FILLINGS)
def test_every_filling_is_verified(filling: str) -> None:
    result = judge(source(filling))
    assert result.verdict == "verified", result.explanation
    assert result.facts.get("chains", 0) == (2 if filling.startswith("waiting") else 0)


@assembles
def test_loads_that_do_not_stand_at_the_halves_are_rejected() -> None:
    body = source("integer")
    lines = ["mov rbx, [rbx]", "mov rbp, [rbp]", *["lea rax, [rsi+1]"] * 40]
    result = judge(body, with_body(body, *lines))
    assert result.verdict == "rejected"
    assert "two loads that shall miss do not stand at the beginning of two equal halves" in result.explanation


@assembles
def test_what_shall_wait_and_does_not_is_rejected() -> None:
    body = source("waiting_integer")
    free = ["lea rax, [rsi+1]"] * 20
    lines = ["mov rbx, [rbx]", *free, "mov rbp, [rbp]", *free]
    result = judge(body, with_body(body, *lines))
    assert result.verdict == "rejected"
    assert "wanted 2 dependency chains, found 0" in result.explanation


@assembles
@pytest.mark.parametrize("chains", [0, 1, 2, 4, 8, 10])
def test_chases_side_by_side_and_a_list_are_verified(chains: int) -> None:
    result = judge(generate(f"{MISSES}#chains={chains}"))
    assert result.verdict == "verified", result.explanation
    assert result.facts.get("chains", 0) == chains


@assembles
def test_a_chase_that_waits_for_another_is_rejected() -> None:
    body = generate(f"{MISSES}#chains=2")
    result = judge(body, with_body(body, *["mov rbx, [rbx]", "mov rcx, [rbx]"] * 40))
    assert result.verdict == "rejected"
    assert "wanted 2 dependency chains, found 1" in result.explanation


def test_a_core_without_wide_vectors_says_so() -> None:
    probe, point = planned()[f"{PROBE}#filling=vector,count=20"]
    with pytest.raises(Unsupported, match="lacks avx2"):
        CpuGenerator(device(("avx",)), table()).generate(probe, point)


HERE = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="runs x86-64 machine code on Linux"
)


@HERE
def test_a_visit_on_this_processor_follows_both_chases() -> None:
    backend = CpuBackend()
    (candidate, *_) = backend.discover()
    if "avx2" not in candidate.device.features:
        pytest.skip("this processor lacks avx2")
    build = backend.builder(candidate.device).build(source("store"))
    assert build.program is not None
    setup = {"kind": "window", "bytes": 1 << 20}
    order = Order(f"{PROBE}#x", build.code, build.program.sha256, setup, 0.004, 0.0, 1, 0)
    launcher = backend.launcher(candidate.selector, candidate.device)
    batch = launcher.measure(order)
    assert batch.facts["bytes_actual"] == 1 << 20
    assert min(batch.columns["ticks"]) > 0
    again = launcher.measure(msgspec.structs.replace(order, code=b"", seed=7))  # over the same memory
    assert len(again.columns["ticks"]) >= 8


@HERE
@pytest.mark.parametrize("chains", [10, 0])
def test_a_visit_of_many_misses_walks_on(chains: int) -> None:
    backend = CpuBackend()
    (candidate, *_) = backend.discover()
    made = generate(f"{MISSES}#chains={chains}")
    build = backend.builder(candidate.device).build(made)
    assert build.program is not None
    setup = made.setup | {"bytes": 1 << 20}
    order = Order(f"{MISSES}#x", build.code, build.program.sha256, setup, 0.004, 0.0, 1, 0)
    batch = backend.launcher(candidate.selector, candidate.device).measure(order)
    assert batch.facts["bytes_actual"] == 1 << 20
    assert min(batch.columns["ticks"]) > 0
