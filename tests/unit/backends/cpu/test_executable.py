"""Executable memory: written, then executed, by whichever way the system allows."""

from __future__ import annotations

import ctypes
import mmap
import os
from typing import Any

import pytest

from reportgen.backends.cpu import executable
from reportgen.backends.cpu.executable import Executable
from reportgen.errors import LaunchError
from tests.unit.backends.cpu.x86 import executes

SUM = bytes.fromhex("8b07 0306 c3")  # mov eax, [rdi]; add eax, [rsi]; ret


class Refusing:
    """A C library whose mprotect is denied, as under SELinux `deny_execmem`."""

    def mprotect(self, address: int, size: int, protection: int) -> int:
        ctypes.set_errno(13)
        return -1


def total(program: Executable) -> int:
    one, two = ctypes.c_int32(30), ctypes.c_int32(12)
    return program.call(ctypes.addressof(one), ctypes.addressof(two))


@executes
def test_code_runs_and_reads_back_as_it_was_written() -> None:
    program = Executable(SUM, 0)
    assert total(program) == 42
    assert program.bytes(len(SUM)) == SUM


@executes
def test_the_entry_is_an_offset() -> None:
    assert total(Executable(b"\xcc" * 16 + SUM, 16)) == 42


def test_the_mapping_cannot_be_written_any_more() -> None:
    program = Executable(SUM, 0)
    with open("/proc/self/maps", encoding="ascii") as maps:  # noqa: PTH123 (a file of the kernel)
        (line,) = [line for line in maps if line.startswith(f"{program.address:x}-")]
    assert line.split()[1].startswith("r-x")


@executes
def test_a_memory_file_where_mprotect_is_denied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executable, "_libc", Refusing())
    program = Executable(SUM, 0)
    assert total(program) == 42
    assert program.bytes(len(SUM)) == SUM


def test_both_ways_denied_is_one_line_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(executable, "_libc", Refusing())
    monkeypatch.setattr(os, "memfd_create", refuse)
    with pytest.raises(LaunchError) as caught:
        Executable(SUM, 0)
    message = str(caught.value)
    assert "no executable memory" in message
    assert "deny_execmem" in message
    assert "\n" not in message


def test_an_old_python_without_memory_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executable, "_libc", Refusing())
    monkeypatch.delattr(os, "memfd_create")
    with pytest.raises(LaunchError):
        Executable(SUM, 0)


@pytest.mark.parametrize("length", [1, mmap.PAGESIZE, mmap.PAGESIZE + 1])
def test_any_length_is_mapped_whole(length: int) -> None:
    code = bytes(index % 251 for index in range(length))
    program = Executable(code, 0)
    assert program.bytes(length) == code
    assert program.size % mmap.PAGESIZE == 0


# -- instruction cache --------------------------------------------------------------------------------


class Libgcc:
    """Records calls of `__clear_cache`."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, int]] = []
        record = self.calls

        class Function:
            argtypes: Any = None
            restype: Any = None

            def __call__(self, start: int, end: int) -> None:
                record.append((start, end))

        setattr(self, "__clear_cache", Function())


def test_aarch64_synchronises_its_instruction_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    libgcc = Libgcc()
    monkeypatch.setattr(executable, "host", lambda: "aarch64")
    monkeypatch.setattr(executable.ctypes, "CDLL", lambda name: libgcc)
    program = Executable(SUM, 0)
    assert libgcc.calls == [(program.address, program.address + len(SUM))]


def test_aarch64_without_libgcc_relies_on_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise OSError("libgcc_s.so.1: cannot open shared object file")

    monkeypatch.setattr(executable, "host", lambda: "aarch64")
    monkeypatch.setattr(executable.ctypes, "CDLL", missing)
    assert Executable(SUM, 0).bytes(len(SUM)) == SUM


def test_x86_64_needs_no_such_call(monkeypatch: pytest.MonkeyPatch) -> None:
    libgcc = Libgcc()
    monkeypatch.setattr(executable, "host", lambda: "x86_64")
    monkeypatch.setattr(executable.ctypes, "CDLL", lambda name: libgcc)
    Executable(SUM, 0)
    assert libgcc.calls == []
