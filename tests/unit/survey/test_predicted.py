"""The bodies that llvm-mca is asked about are those that are timed."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.backends.cpu.isa import host
from reportgen.collect.progress import Silent
from reportgen.suite.survey import Asked, form_of
from reportgen.survey.predicted import regions, said
from reportgen.validation.llvm_mca import LlvmMca

FEATURES = ("avx", "bmi2")
RECORDED = {"implicit": "", "flags": "", "extension": "x86-64", "encoding": "legacy"}
MULX = form_of(
    "mulx_r64_r64_r64",
    RECORDED
    | {
        "code": "vex_mulx_r64_r64_rm64",
        "text": "mulx {0}, {1}, {2}",
        "operands": "r64:w r64:w r64:r",
        "implicit": "rdx:r",
        "extension": "bmi2",
        "encoding": "vex",
    },
)
ADD = form_of("add_m64_r64", RECORDED | {
    "code": "add_rm64_r64", "text": "add qword ptr [{0}], {1}", "operands": "m64:rw r64:r", "flags": "w",
})  # fmt: skip


def test_there_is_a_body_for_each_number_in_steps_of_it() -> None:
    asked = Asked(MULX, ("throughput:2", "throughput:4", "3to1:16", "3to1:48"))
    rate, chain = regions(asked, FEATURES)
    assert (rate.name, rate.steps, rate.like) == ("mulx_r64_r64_r64 throughput", 4, "bmi2")
    assert len(rate.lines) == 4
    assert chain.name == "mulx_r64_r64_r64 3to1"
    assert chain.steps == len(chain.lines) == 2
    assert all(line.startswith("mulx ") for line in (*rate.lines, *chain.lines))


def test_a_chain_through_memory_waits_for_what_it_wrote_and_a_rate_does_not() -> None:
    rate, chain = regions(Asked(ADD, ("throughput:16", "1to1:16", "1to1:48")), FEATURES)
    assert (rate.meets, chain.meets) == (False, True)
    assert len(set(rate.lines)) == 16
    assert len(set(chain.lines)) == 1


def test_a_tool_that_is_not_there_is_named(tmp_path: Path) -> None:
    found = said([Asked(MULX, ("3to1:16",))], FEATURES, LlvmMca(path=str(tmp_path)), Silent())
    assert found.absent.startswith("no llvm-mca on the search path")
    assert not found.forms


@pytest.mark.skipif(host() != "x86_64", reason="llvm-mca takes the host for its processor")
def test_the_installed_llvm_mca_is_asked_of_forms() -> None:
    tool = LlvmMca()
    if tool.missing():
        pytest.skip(tool.missing())
    asked = [Asked(MULX, ("throughput:4", "3to1:16")), Asked(ADD, ("throughput:16", "1to1:16"))]
    found = said(asked, FEATURES, tool, Silent())
    assert found.target
    told = found.numbers(MULX.key) | {f"memory {key}": value for key, value in found.numbers(ADD.key).items()}
    assert set(told) == {"throughput", "3to1", "memory throughput", "memory 1to1"}
    assert told["throughput"] < told["3to1"]
    assert told["memory throughput"] < told["memory 1to1"]
