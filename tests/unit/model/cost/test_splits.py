"""Loads across the border of a cache line, and loads with an index: what the run measured of them."""

from __future__ import annotations

import pytest

from reportgen.model.architecture import Instruction
from reportgen.model.cost import splits
from reportgen.model.cost.estimate import Estimate, estimate
from reportgen.model.cost.parse import parse
from tests.unit.model.cost.machine import core, fact

LINE = 64.0
STENCIL = """loop:
 vmovups ymm0, [rsi+rax]
 vaddps ymm0, ymm0, [rsi+rax+4]
 vaddps ymm0, ymm0, [rsi+rax+36]
 vmovups [rdi+rax+8], ymm0
 add rax, 32
 dec r15
 jne loop
"""


def operation(name: str, latency: float | None, interval: float | None) -> Instruction:
    return Instruction(
        operation=name, title=name, form="mov {d}, {m}",
        dependent_latency=None if latency is None else fact(f"latency.{name}", latency),
        issue_interval=None if interval is None else fact(f"issue_interval.{name}", interval),
    )  # fmt: skip


def cost(text: str, *more: Instruction) -> Estimate:
    return estimate(parse("s.s", text), core(instructions=(*core().instructions, *more)))


def resources(found: Estimate) -> float:
    return next(bound.cycles for bound in found.bounds if bound.name == "resources")


def test_the_share_of_rounds_follows_from_the_step() -> None:
    code = parse("s.s", STENCIL).instructions
    # 32 bytes at 4 and at 36 of a line, moved on by 32: each crosses in every other round; a store is no load
    assert splits.shares(code, LINE) == {1: 0.5, 2: 0.5}
    assert splits.shares(code, 32.0) == {1: 1.0, 2: 1.0}
    standing = parse("t.s", "vmovups ymm0, [rsi+40]\nvmovups ymm1, [rsi+32]\n").instructions
    assert splits.shares(standing, LINE) == {0: 1.0}
    unknown = parse("u.s", "loop:\nmov rax, [rax+60]\ndec r15\njne loop\n").instructions
    assert splits.shares(unknown, LINE) == {}


def test_what_is_added_to_an_address_in_the_round_counts() -> None:
    code = parse("m.s", "loop:\nadd rsi, 8\nvmovups ymm0, [rsi+32]\nadd rsi, 56\ndec r15\njne loop\n")
    assert splits.shares(code.instructions, LINE) == {1: 1.0}


def test_a_border_costs_what_was_measured() -> None:
    plain = resources(cost(STENCIL))
    assert "loads that lie in two cache lines: 1 a round, if arrays begin at one" in cost(STENCIL).notes
    # a border a round, at 1 cycle instead of a half
    assert resources(cost(STENCIL, operation("l1_load_split_256", None, 1.0))) == pytest.approx(plain + 0.5)
    # where it is as fast as any other, nothing is added
    assert resources(cost(STENCIL, operation("l1_load_split_256", None, 0.5))) == pytest.approx(plain)


def test_an_address_with_an_index_takes_its_own_latency() -> None:
    chase = "loop:\n mov rax, [rsi+rax*8]\n dec r15\n jne loop\n"
    indexed = operation("l1_load_indexed", 5.0, None)
    assert cost(chase).cycles == pytest.approx(4.0)
    assert cost(chase, indexed).cycles == pytest.approx(5.0)
    plain = chase.replace("rsi+rax*8", "rax")
    assert cost(plain, indexed).cycles == pytest.approx(4.0)
