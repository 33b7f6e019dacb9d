"""Control words, listings, and cubins that the disassembler cannot read."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from reportgen.backends.cuda import compiler, elf, sass, toolkit
from reportgen.errors import CompileError
from tests.unit.backends.cuda.corpus import corpus


def test_bits_of_an_sm_90_ffma() -> None:
    control = sass.Control.decode(0x000FC80000000005)
    assert (control.stall, control.yields, control.wait, control.reuse) == (4, 0, 0, 0)
    assert control.write_barrier == control.read_barrier == sass.NO_BARRIER
    assert str(control) == "------ - - Y  4"


def test_each_field_alone() -> None:
    assert sass.Control.decode(11 << 41).stall == 11
    assert sass.Control.decode(1 << 45).yields == 1
    assert sass.Control.decode(5 << 46).write_barrier == 5
    assert sass.Control.decode(3 << 49).read_barrier == 3
    assert sass.Control.decode(0b100001 << 52).wait == 0b100001
    assert sass.Control.decode(0b1010 << 58).reuse == 0b1010


def test_columns_name_the_barriers() -> None:
    text = str(sass.Control(2, 1, 0, 3, 0b000101, 0))
    assert text == "0-2--- 3 0 -  2"


def test_repetition_is_folded() -> None:
    control = sass.Control(4, 0, 7, 7, 0, 0)
    step = sass.Instruction(0, "FFMA", "R0,R0,R1,R2", "", control)
    last = sass.Instruction(16, "EXIT", "", "@P0", control)
    lines = sass.listing([step, step, step, last]).splitlines()
    assert lines == ["------ - - Y  4  FFMA R0, R0, R1, R2    ; x 3", "------ - - Y  4  @P0 EXIT"]


def test_words_and_records_must_be_as_many() -> None:
    with pytest.raises(CompileError, match="read 1 instructions from 2 words"):
        sass.decode([{"opcode": "NOP"}], bytes(32))


def test_a_disassembler_that_cannot_read_a_cubin_says_so(toolchain: str) -> None:
    whole = compiler.compile_kernels(corpus(75)[:1], "sm_75")["corpus_0"]
    assert isinstance(whole, bytes)
    broken = whole[:200] + bytes(200) + whole[400:]
    with pytest.raises(CompileError, match=r"nvdisasm [\d.]+ cannot read this cubin .*at least as new"):
        sass.disassemble(broken[:600])


def test_an_older_disassembler_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One that does not know the target ends with a message and no JSON."""
    old = tmp_path / "nvdisasm"
    old.write_text(
        "#!/bin/sh\n"
        'case "$1" in --version) echo "release 12.2, V12.2.140";; *)\n'
        'echo "nvdisasm fatal : $4 is not a supported Elf file" >&2; exit 1;; esac\n'
    )
    old.chmod(old.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(toolkit, "find", lambda: toolkit.Toolkit(old, old, None, old))
    with pytest.raises(CompileError, match=r"nvdisasm 12.2.140 .*the cubin is not a supported Elf file"):
        sass.disassemble(b"\x7fELF")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "no 64-bit ELF header"),
        (b"MZ" + bytes(100), "no 64-bit ELF header"),
        (b"\x7fELF\x02\x01" + bytes(100), "ELF machine 0"),
    ],
)
def test_what_is_no_cubin(data: bytes, says: str) -> None:
    with pytest.raises(CompileError, match=says):
        elf.Cubin(data)


def test_a_cut_cubin(toolchain: str) -> None:
    whole = compiler.compile_kernels(corpus(75)[:1], "sm_75")["corpus_0"]
    assert isinstance(whole, bytes)
    with pytest.raises(CompileError, match="cut off"):
        elf.Cubin(whole[: len(whole) // 2])


def test_a_kernel_that_is_not_there(toolchain: str) -> None:
    whole = compiler.compile_kernels(corpus(75)[:1], "sm_75")["corpus_0"]
    assert isinstance(whole, bytes)
    with pytest.raises(CompileError, match="no kernel 'other', only corpus_0"):
        elf.Cubin(whole).code("other")
