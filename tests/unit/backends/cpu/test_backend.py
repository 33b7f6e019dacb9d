"""The builder's answers, and what the backend says of its tools."""

from __future__ import annotations

import pytest

from reportgen.backends.base import Source
from reportgen.backends.cpu import compiler, isa
from reportgen.backends.cpu.backend import CpuBackend, CpuBuilder
from reportgen.errors import CompileError, Unsupported
from tests.unit.backends.cpu.x86 import assembles, decodes, device, generate, with_body

POINT = "instruction_latency/integer_mul#length=48"


@assembles
def test_a_sound_source_is_built() -> None:
    source = generate(POINT)
    build = CpuBuilder().build(source)
    assert (build.point, build.status, build.reason) == (source.point, "ok", "")
    assert build.program is not None
    assert build.program.verdict == "verified"
    assert build.program.source == source.text
    assert build.program.size == len(build.code)


@assembles
def test_a_program_that_was_not_meant_is_invalid_and_keeps_its_listing() -> None:
    source = generate(POINT)
    wrong = Source(POINT, with_body(source, *["add rbx, r14"] * 48), source.expect, {}, {})
    build = CpuBuilder().build(wrong)
    assert build.status == "invalid"
    assert "found 48 add" in build.reason
    assert build.program is not None
    assert "add rbx,r14" in build.program.listing


def test_no_code_is_a_failure_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: str) -> None:
        raise CompileError("the assembler gave no code")

    monkeypatch.setattr(compiler, "assemble", refuse)
    build = CpuBuilder().build(Source(POINT, "", {"kind": "frame"}, {}, {}))
    assert (build.status, build.reason, build.program) == ("failed", "the assembler gave no code", None)


@assembles
def test_the_decoder_is_named_beside_the_assembler() -> None:
    named = CpuBackend().toolchain(device())
    assert named["decoder"].startswith("iced-x86 ")
    assert named["assembler"] == "LLVM integrated assembler"


@pytest.mark.parametrize("name", [pytest.param("x86_64", marks=decodes), "aarch64"])
def test_every_isa_with_a_table_has_a_decoder_and_forms(name: str) -> None:
    assert isa.decoder(name).LOOP
    assert isa.assembly(name).CHASE


def test_no_other_isa_has_them() -> None:
    with pytest.raises(Unsupported, match="no decoder for riscv64"):
        isa.decoder("riscv64")


@pytest.mark.parametrize(
    ("machine", "name"),
    [("x86_64", "x86_64"), ("AMD64", "x86_64"), ("arm64", "aarch64"), ("ppc64le", "ppc64le")],
)
def test_machines_go_by_the_names_of_the_tables(
    monkeypatch: pytest.MonkeyPatch, machine: str, name: str
) -> None:
    monkeypatch.setattr(isa.platform, "machine", lambda: machine)
    assert isa.host() == name
