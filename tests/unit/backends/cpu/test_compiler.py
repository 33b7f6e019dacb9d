"""Assembly becomes machine code with a header, and what is no such code is refused."""

from __future__ import annotations

import struct
import subprocess
import sys

import pytest

from reportgen.backends.cpu import compiler, processor
from reportgen.backends.cpu.compiler import MachineCode
from reportgen.errors import CompileError
from tests.unit.backends.cpu.x86 import assembles, generate


def test_the_header_gives_the_parts() -> None:
    code = struct.pack("<4Q", 32, 40, 48, 56) + bytes(32)
    found = MachineCode.from_bytes(code, "aarch64")
    assert (found.entry, found.body, found.body_end, found.end) == (32, 40, 48, 56)
    assert found.code == code
    assert found.isa == "aarch64"


@pytest.mark.parametrize(
    "offsets",
    [
        (0, 40, 48, 56),  # inside the header
        (40, 40, 48, 56),  # a body that is the entry
        (32, 48, 40, 56),  # ends before it begins
        (32, 40, 56, 48),
        (32, 40, 48, 1 << 40),  # beyond the code
    ],
)
def test_offsets_out_of_order_are_refused(offsets: tuple[int, ...]) -> None:
    with pytest.raises(CompileError, match="header of offsets is out of order"):
        MachineCode.from_bytes(struct.pack("<4Q", *offsets) + bytes(32), "x86_64")


@pytest.mark.parametrize("code", [b"", bytes(31)])
def test_less_than_a_header_is_no_code(code: bytes) -> None:
    with pytest.raises(CompileError, match="the assembler gave no code"):
        MachineCode.from_bytes(code, "x86_64")


@assembles
def test_a_source_is_assembled_the_same_way_twice() -> None:
    text = generate("instruction_latency/integer_add#length=48").text
    first, second = compiler.assemble(text), compiler.assemble(text)
    assert first == second
    assert first.isa == "x86_64"
    assert first.code[first.body : first.body_end] == bytes.fromhex("4c01f3") * 48  # add rbx, r14


@assembles
def test_a_wrong_mnemonic_ends_the_process_with_a_message() -> None:
    script = "from reportgen.backends.cpu.compiler import assemble; assemble('frobnicate rax, rbx\\n')"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert result.returncode != 0
    assert "invalid instruction mnemonic 'frobnicate'" in result.stderr


@assembles
def test_the_toolchain_is_named() -> None:
    found = compiler.toolchain()
    assert {"assembler", "llvmlite", "llvm", "triple", "cpu", "features"} == set(found)
    assert found["triple"].startswith("x86_64")
    assert "sse2" in found["features"].split(",")


def test_aarch64_features_come_from_the_kernel_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "host", lambda: "aarch64")
    monkeypatch.setattr(
        processor, "identity", lambda: {"Features": "fp asimd asimddp asimdhp i8mm bf16 nonsense"}
    )
    assert {"neon", "dotprod", "fullfp16", "i8mm", "bf16"} <= set(compiler.host_features())
    assert "nonsense" not in compiler.host_features()
