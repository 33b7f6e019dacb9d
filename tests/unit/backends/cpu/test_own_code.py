"""The user's own code in the frame: what is built is what was written, and a real core runs it."""

from __future__ import annotations

import pytest

from reportgen.backends.base import Order
from reportgen.backends.cpu import compiler, inspector
from reportgen.backends.cpu.backend import CpuBackend
from reportgen.backends.cpu.generator import CpuGenerator
from reportgen.backends.cpu.isa import host
from reportgen.measurement.code import Wanted, code
from reportgen.model.cost.parse import parse
from reportgen.runs.schema import Program
from reportgen.suite import expand
from reportgen.suite.own_code import suite_of

pytestmark = pytest.mark.skipif(host() != "x86_64", reason="the assembler takes its own machine's code only")

LOOP = """
again:
  movss xmm0, [rdi+rax*4]
  mulss xmm0, [rip+named]
  comiss xmm1, xmm0
  jbe on
  addss xmm2, xmm0
on:
  add rax, 1
  dec rcx
  jnz again
"""


def built(
    text: str, change: tuple[str, str] = ("", "")
) -> tuple[Program, bytes, dict[str, int | float | str]]:
    suite = suite_of([code("it", parse("it", text), None, Wanted())], "x86_64")
    device = CpuBackend().discover()[0].device
    (probe,) = expand.probes(suite, "x86_64")
    point = expand.points(probe, device, {})[0]
    source = CpuGenerator(device, {}).generate(probe, point)
    made = compiler.assemble(source.text.replace(*change))
    return inspector.inspect(made, source.text, source.expect), made.code, dict(source.setup)


def test_a_loop_with_a_branch_and_named_data_is_verified() -> None:
    program, _, _ = built(LOOP)
    assert program.verdict == "verified", program.explanation
    assert "each as it was written" in program.explanation
    assert program.opcodes["mulss"] == 1


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ((".byte 0x48,0x83,0xc0,0x01", ".byte 0x48,0x83,0xc0,0x02"), "is 'add rax,2', and 'add rax,1'"),
        (("dec r14", "dec r13"), "is 'dec r13', and 'dec r14'"),
        ((".rept 1", ".rept 2"), "instructions, found"),
    ],
)
def test_other_code_than_was_written_is_rejected(change: tuple[str, str], complaint: str) -> None:
    program, _, _ = built(LOOP, change)
    assert program.verdict == "rejected"
    assert complaint in program.explanation


def test_a_core_runs_a_chain_of_additions_in_a_cycle_each() -> None:
    backend = CpuBackend()
    found = backend.discover()[0]
    if found.reason:
        pytest.skip(found.reason)
    program, machine_code, setup = built("add rax, rbx")
    order = Order("it", machine_code, program.sha256, setup, 0.05, 0.0, 1, 0)
    batch = backend.launcher(found.selector, found.device).measure(order)
    assert len(batch.gates) >= 8
    assert min(batch.columns["ticks"]) > 0
