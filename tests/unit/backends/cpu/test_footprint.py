"""Straight code of many sizes: each is what was meant to its last byte, and is run as such."""

from __future__ import annotations

import platform
import sys

import msgspec
import pytest

from reportgen.backends.base import Order, Source
from reportgen.backends.cpu import compiler
from reportgen.backends.cpu.backend import CpuBackend
from reportgen.backends.cpu.compiler import MachineCode
from reportgen.backends.cpu.inspector import inspect
from reportgen.backends.cpu.isa import assembly
from reportgen.errors import Unsupported
from reportgen.runs.schema import Program
from tests.data.aarch64 import golden
from tests.unit.backends.cpu.machine_code import body_of, with_body
from tests.unit.backends.cpu.x86 import assembles, generate

PROBE = "front_end/code_footprint"
LENGTHS = {"nop4": 4, "nop8": 8, "move2": 2, "move4": 4}
KINDS = {"nop": "nop", "move": "mov"}


def source(instruction: str, size: int = 1024) -> Source:
    return generate(f"{PROBE}#instruction={instruction},bytes={size}")


def judged(made: Source, body: bytes | None = None) -> Program:
    code = compiler.assemble(made.text)
    return inspect(code if body is None else with_body(code, body), made.text, made.expect)


@assembles
@pytest.mark.parametrize("instruction", LENGTHS)
@pytest.mark.parametrize("size", [1024, 4 << 20])
def test_every_kind_and_size_is_verified(instruction: str, size: int) -> None:
    made = source(instruction, size)
    program = judged(made)
    assert program.verdict == "verified", program.explanation
    count = size // LENGTHS[instruction]
    assert program.opcodes == {KINDS[instruction.rstrip("0123456789")]: count}
    assert program.facts["instructions"] == made.work["steps"] == count
    assert made.work["bytes"] == size
    assert f"x {size // int(made.expect['unit'])}\n" in program.listing
    assert len(program.listing) < 200


@assembles
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda body: body[:-4], "found 255 nop"),
        (lambda body: body[:400] + bytes.fromhex("89f089f1") + body[404:], "found 2 mov, 255 nop"),
        (lambda body: bytes.fromhex("01f001f0") * (len(body) // 4), "found 512 add"),
        # a unit that is not whole instructions: what follows it would be read as something else
        (lambda body: bytes.fromhex("9090900f") * (len(body) // 4), "wanted 256 nop"),
    ],
)
def test_code_that_is_not_what_was_meant_is_rejected(change: object, fault: str) -> None:
    made = source("nop4")
    assert callable(change)
    program = judged(made, change(body_of(compiler.assemble(made.text))))
    assert program.verdict == "rejected"
    assert fault in program.explanation


@assembles
def test_instructions_that_wait_for_each_other_are_rejected() -> None:
    made = source("move4")
    expect = {**made.expect, "add": made.expect["mov"]}
    del expect["mov"]
    code = compiler.assemble(made.text)
    body = bytes.fromhex("3e4801f0") * (len(body_of(code)) // 4)  # add rax, rsi
    program = inspect(with_body(code, body), made.text, expect)
    assert program.verdict == "rejected"
    assert "wanted 0 dependency chains, found 1" in program.explanation


def test_aarch64_code_of_an_independent_assembler_is_verified() -> None:
    name = f"{PROBE}#instruction=move4,bytes=1216"
    code = MachineCode.from_bytes(golden.code(name), "aarch64")
    program = inspect(code, "", golden.sources()[name].expect)
    assert program.verdict == "verified", program.explanation
    assert program.opcodes == {"mov": 1216 // 4}


def test_a_length_that_an_isa_lacks_is_not_asked() -> None:
    with pytest.raises(Unsupported, match="every instruction has four bytes"):
        assembly("aarch64").filler("nop8")
    with pytest.raises(Unsupported, match="not made of 'move3'"):
        assembly("x86_64").filler("move3")


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="runs x86-64 machine code on Linux"
)
def test_a_visit_on_this_processor_passes_through_all_of_it() -> None:
    backend = CpuBackend()
    (candidate, *_) = backend.discover()
    made = source("move2", 4 << 20)
    build = backend.builder(candidate.device).build(made)
    assert build.program is not None
    order = Order(f"{PROBE}#x", build.code, build.program.sha256, {"kind": "footprint"}, 0.004, 0.0, 1, 0)
    launcher = backend.launcher(candidate.selector, candidate.device)
    batch = launcher.measure(order)
    (count,) = set(batch.columns["repetitions"])
    assert count >= 1
    assert min(batch.columns["warmup"]) > 0
    again = launcher.measure(msgspec.structs.replace(order, code=b"", seed=7))
    assert len(again.columns["ticks"]) >= 4
    assert set(again.columns["repetitions"]) == {count}  # found once, the same on every visit
