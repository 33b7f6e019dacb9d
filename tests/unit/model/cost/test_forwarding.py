"""What goes through memory in a loop, by the widths and place of the load: as measured where a run asked."""

from __future__ import annotations

import pytest

from reportgen.model.architecture import Architecture
from reportgen.model.cost import graph
from reportgen.model.cost.estimate import estimate
from reportgen.model.cost.instruction import Body
from reportgen.model.cost.parse import x86_bodies
from tests.unit.model.cost.machine import core, fact

END = "; dec r15; jne loop"
LOOPS = {
    "same": "add qword ptr [rsp+8], rax",
    "byte": "movzx ebx, byte ptr [rsp+8]; add ebx, eax; mov [rsp+8], bl",
    "part": "mov ebx, [rsp+12]; add rbx, rax; mov [rsp+8], rbx",
    "wider": "mov rbx, [rsp+8]; add rbx, rax; mov [rsp+8], ebx",
    "across": "mov rbx, [rsp+12]; add rbx, rax; mov [rsp+8], rbx",
    "before": "mov rbx, [rsp+4]; add rbx, rax; mov [rsp+8], rbx",
    "vector": "vmovups xmm0, [rsp+8]; vpaddd xmm0, xmm0, xmm1; vmovq [rsp+8], xmm0",
    "files": "vmovq xmm0, [rsp+8]; vmovq rbx, xmm0; mov [rsp+8], rbx",
    "late": "vmovups ymm0, [rsi+rax-4]; vpaddd ymm0, ymm0, ymm1; vmovups [rsi+rax], ymm0; add rax, 32",
}
CASES = {
    "64_64.0": 7.0, "64_64.0.short_loop": 1.0, "8_8.0": 6.9, "8_8.0.short_loop": 6.4, "64_32.4": 6.9,
    "32_64.0": 19.0, "64_64.4": 19.0, "v64_v128.0": 21.0, "v256_v256.16": 22.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def bodies() -> dict[str, Body]:
    texts = [(name, "loop:\n" + (text + END).replace(";", "\n") + "\n", True) for name, text in LOOPS.items()]
    return dict(zip(LOOPS, x86_bodies(texts), strict=True))


def asked() -> Architecture:
    """A core of which a run knows some cases."""
    facts = tuple(fact(f"store_to_load.{case}", cycles, "cycle", 0.01) for case, cycles in CASES.items())
    return core(facts=(*core().facts, *facts))


@pytest.mark.parametrize(
    ("name", "case", "register"),
    [
        ("same", "64_64.0", graph.MEMORY),
        ("byte", "8_8.0", graph.MEMORY),
        ("part", "64_32.4", graph.OVERLAP),
        ("wider", "32_64.0", graph.OVERLAP),
        ("across", "64_64.4", graph.OVERLAP),
        ("before", "64_64.-4", graph.OVERLAP),
        ("vector", "v64_v128.0", graph.OVERLAP),
        ("late", "v256_v256.28", graph.OVERLAP),
    ],
)
def test_widths_and_place_are_told(name: str, case: str, register: str, bodies: dict[str, Body]) -> None:
    (edge,) = [one for one in graph.edges(bodies[name].instructions) if one.case]
    assert (edge.register, edge.case, edge.rounds) == (register, case, 1)


def test_a_load_into_another_register_file_has_no_case(bodies: dict[str, Body]) -> None:
    (edge,) = [one for one in graph.edges(bodies["files"].instructions) if one.register == graph.MEMORY]
    assert edge.case == ""


@pytest.mark.parametrize(
    ("name", "cycles"),
    [
        ("same", 1.0),  # by the name of its register, and the addition
        ("byte", 8.0),  # 6.4 and the addition, in whole cycles
        ("part", 7.9),
        ("wider", 20.0),
        ("across", 20.0),
        ("before", 20.0),  # not measured: as what else reads beyond a store
        ("vector", 22.0),
        ("late", 23.0),  # at another place of the same widths
    ],
)
def test_a_loop_waits_as_measured(name: str, cycles: float, bodies: dict[str, Body]) -> None:
    assert estimate(bodies[name], asked()).cycles == pytest.approx(cycles, rel=0.03)


@pytest.mark.parametrize("name", ["part", "wider", "across", "before", "vector", "late"])
def test_nothing_is_made_up_for_a_run_that_did_not_ask(name: str, bodies: dict[str, Body]) -> None:
    assert estimate(bodies[name], core()).cycles <= 2.0


def test_a_short_loop_is_the_estimate_and_a_long_one_the_end_of_its_range(bodies: dict[str, Body]) -> None:
    one = estimate(bodies["same"], asked())
    assert one.low == pytest.approx(1.0, rel=0.03)  # what was renamed may take nothing beside the addition
    assert one.cycles == pytest.approx(1.0, rel=0.03)
    assert one.high >= 8.0


def test_a_load_of_other_bytes_is_named(bodies: dict[str, Body]) -> None:
    told = estimate(bodies["wider"], asked()).notes[-1]
    assert told == "'mov rbx,[rsp+8]' reads other bytes than 'mov [rsp+8],ebx' wrote: it takes 19 cycles"
    assert estimate(bodies["wider"], core()).notes[-1].endswith(": taken as if it waited for nothing")
    assert not any("other bytes" in note for note in estimate(bodies["same"], asked()).notes)
