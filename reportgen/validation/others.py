"""Other models of the same loops: what one said, or why it is absent."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from reportgen.validation.subject import Subject

JOBS = 2
"""Programs at once: each is one process, and this runs before anything is timed."""
SECONDS = 60.0
"""A tool that takes longer for one loop hangs."""


class Said(msgspec.Struct, frozen=True):
    """What a model says of the loops; sealed with the run, as the tool may be another one tomorrow."""

    name: str
    version: str = ""
    target: str = ""
    """The processor that it took this one for."""
    absent: str = ""
    """Why it says nothing at all."""
    cycles: dict[str, float] = {}
    """Of a round, by loop."""
    unknown: dict[str, tuple[str, ...]] = {}
    """Instructions that it does not know and took to cost nothing, by loop."""
    faults: dict[str, str] = {}
    """Why it says nothing of a loop."""


@dataclass(frozen=True)
class Answer:
    """Of one loop: cycles, or the fault."""

    cycles: float = 0.0
    unknown: tuple[str, ...] = ()
    fault: str = ""


class Tool(Protocol):
    """A model that is a program of its own."""

    name: str

    def missing(self) -> str:
        """Why it cannot be asked here; empty where it can."""

    def identity(self) -> tuple[str, str]:
        """Version, and the processor that it takes this one for."""

    def ask(self, subject: Subject) -> Answer:
        """What it says of a loop."""


def ask(tool: Tool, subjects: Sequence[Subject], step: Callable[[str], None]) -> Said:
    """What `tool` says of all loops; `step` is called with the name of each that is done."""
    absent = tool.missing()
    if absent:
        return Said(tool.name, absent=absent)
    version, target = tool.identity()

    def one(subject: Subject) -> Answer:
        answer = tool.ask(subject)
        step(subject.name)
        return answer

    with ThreadPoolExecutor(JOBS) as pool:
        answers = dict(zip((each.name for each in subjects), pool.map(one, subjects), strict=True))
    return Said(
        name=tool.name,
        version=version,
        target=target,
        cycles={name: answer.cycles for name, answer in answers.items() if not answer.fault},
        unknown={name: answer.unknown for name, answer in answers.items() if answer.unknown},
        faults={name: answer.fault for name, answer in answers.items() if answer.fault},
    )


@dataclass(frozen=True)
class Ran:
    """A program that came to its end, or a fault in its place."""

    code: int
    out: str
    err: str


def run(program: Path, *words: str, given: str = "") -> Ran:
    """Run a program; what cannot be started, or hangs, is a code other than 0 with the reason in `err`."""
    try:
        done = subprocess.run(
            [str(program), *words], input=given, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Ran(-1, "", f"no answer within {SECONDS:g} s")
    except OSError as error:
        return Ran(-1, "", f"it cannot be started ({error.strerror})")
    return Ran(done.returncode, done.stdout, done.stderr)


def complaint(ran: Ran) -> str:
    """The line of its messages that says what is wrong."""
    lines = [line.strip() for line in (ran.err or ran.out).splitlines() if line.strip()]
    named = [line for line in lines if "error" in line.lower()]
    text = (named or lines or [f"exit code {ran.code}"])[0]
    return text.rpartition("error: ")[2] or text
