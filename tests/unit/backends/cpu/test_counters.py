"""What perf events say of themselves, in words that help."""

from __future__ import annotations

import ctypes
import errno
import os
from typing import Any

import pytest

from reportgen.backends.cpu import counters


class Kernel:
    """A C library whose perf_event_open answers as told."""

    def __init__(self, result: int, code: int = 0) -> None:
        self.result, self.code = result, code
        self.number = 0

    def syscall(self, number: int, *arguments: Any) -> int:
        self.number = number
        ctypes.set_errno(self.code)
        return self.result


def describe(monkeypatch: pytest.MonkeyPatch, kernel: Any, machine: str = "x86_64") -> str:
    monkeypatch.setattr(counters.platform, "machine", lambda: machine)
    monkeypatch.setattr(counters.ctypes, "CDLL", lambda name, use_errno=False: kernel)
    return counters.describe()


@pytest.mark.parametrize(
    ("code", "status", "words"),
    [
        (errno.EACCES, "not_permitted", "kernel.perf_event_paranoid"),
        (errno.EPERM, "not_permitted", "CAP_PERFMON"),
        (errno.ENOENT, "unsupported", "virtual machines"),
        (errno.EOPNOTSUPP, "unsupported", "no hardware events"),
        (errno.ENOSYS, "unsupported", os.strerror(errno.ENOSYS)),
    ],
)
def test_a_refusal_says_why_and_what_would_help(
    monkeypatch: pytest.MonkeyPatch, code: int, status: str, words: str
) -> None:
    text = describe(monkeypatch, Kernel(-1, code))
    assert text.startswith(f"{status}: ")
    assert words in text


def test_a_counter_that_opens_is_closed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[int] = []
    monkeypatch.setattr(counters.os, "close", closed.append)
    assert describe(monkeypatch, Kernel(77)) == "cycles"
    assert closed == [77]


@pytest.mark.parametrize(("machine", "number"), [("x86_64", 298), ("aarch64", 241)])
def test_each_machine_has_its_own_number(monkeypatch: pytest.MonkeyPatch, machine: str, number: int) -> None:
    kernel = Kernel(-1, errno.ENOENT)
    describe(monkeypatch, kernel, machine)
    assert kernel.number == number


def test_elsewhere_there_is_no_such_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Linux interface" in describe(monkeypatch, Kernel(-1), "riscv64")
    assert "Linux interface" in describe(monkeypatch, object())


def test_here_it_says_one_of_the_three() -> None:
    assert counters.describe().partition(":")[0] in ("cycles", "not_permitted", "unsupported")
