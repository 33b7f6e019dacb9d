"""The simulated loop: which operations choose their resource when, and what that costs."""

from __future__ import annotations

import pytest

from reportgen.model.cost.estimate import AGAIN, estimate
from reportgen.model.cost.latency import Latencies
from reportgen.model.cost.parse import x86_bodies
from reportgen.model.cost.simulate import simulate
from reportgen.model.cost.uses import Uses
from reportgen.model.cost.x86_64 import take
from tests.unit.model.cost.machine import core


def simulated(text: str) -> float:
    (body,) = x86_bodies([("loop", f"loop:\n{text}\ndec r15\njne loop", True)])
    uses, forms = Uses(core()), Uses(core()).forms
    taken = {one: take(one, forms) for one in body.instructions}
    return simulate(body.instructions, taken, Latencies(core(), taken), uses, 6.0)


def test_a_load_goes_where_no_store_and_no_computation_is() -> None:
    """Loads have three resources here, one of them the stores', one that of an addition."""
    copy = "mov rbx, [rsi+rax]\nmov [rdi+rax], rbx\nadd rax, 8"
    assert simulated(copy) == pytest.approx(1.0, rel=0.02)


def test_computations_choose_before_they_can_run() -> None:
    """Chosen when they can run, eight multiplications and additions would never wait for each other."""
    crossed = "\n".join(["imul rbx, rax", "add rcx, rbx", "add rdx, rcx", "add rsi, rdx"])
    assert simulated(crossed) >= 3.0


def test_loads_alone_fill_all_of_their_resources() -> None:
    loads = "\n".join(f"mov r{8 + number}, [rsi+{8 * number}]" for number in range(6))
    assert simulated(loads) == pytest.approx(2.0, rel=0.1)


def test_no_end_of_a_range_is_surer_than_a_loop_that_is_measured_again() -> None:
    (body,) = x86_bodies([("loop", "loop:\nimul rax, rbx\ndec r15\njne loop", True)])
    found = estimate(body, core())
    assert found.low <= found.cycles * (1 - AGAIN)
    assert found.high >= found.cycles * (1 + AGAIN)
