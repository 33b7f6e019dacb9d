"""A validation loop as it stands in a run: what estimates need, and the text that other tools read."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from reportgen.errors import UserError
from reportgen.model.architecture import Architecture
from reportgen.model.cost.estimate import Estimate, estimate
from reportgen.model.cost.parse import MARKS, x86_bodies
from reportgen.model.cost.surveys import completed
from reportgen.runs.read import Bundle
from reportgen.runs.schema import ProbeInfo

FAMILY = "validation"
TRANSLATOR = "reportgen.backends.cpu.x86_64.att"
CLOSING = "dec r15\njne loop"
"""Counter and branch, which the timed frame brings."""


@dataclass(frozen=True)
class Subject:
    """One loop."""

    name: str
    title: str
    loop: str
    """What it computes; its variants share the name."""
    items: float
    held_out: bool
    size: int
    """Bytes of its arrays: the working set."""
    before: str
    body: str
    constants: str
    att: tuple[str, ...] = ()
    """The round's instructions in AT&T syntax, once `in_att` has asked for them."""

    @property
    def text(self) -> str:
        """The whole of it, in Intel syntax."""
        return f"{self.before}\nloop:\n{self.body}\n{CLOSING}\nret\n{self.constants}\n"

    @property
    def with_marks(self) -> str:
        """The whole of it, with the assembler's marks about the round."""
        begin, end = (f".byte {MARKS[key]}" for key in ("BEGIN", "END"))
        return f"{self.before}\n{begin}\nloop:\n{self.body}\n{CLOSING}\n{end}\nret\n{self.constants}\n"

    @property
    def marked(self) -> str:
        """The round alone between the marks of llvm-mca and OSACA, in Intel syntax."""
        return (
            ".intel_syntax noprefix\n# LLVM-MCA-BEGIN\n# OSACA-BEGIN\n"
            f"loop:\n{self.body}\n{CLOSING}\n"
            "# OSACA-END\n# LLVM-MCA-END\n"
        )

    @property
    def marked_att(self) -> str:
        """The same in AT&T syntax."""
        return "# OSACA-BEGIN\nloop:\n" + "\n".join(self.att) + "\n# OSACA-END\n"


def subject(name: str, title: str, constants: Mapping[str, Any]) -> Subject:
    """The loop in the constants of a definition, or of a recorded probe."""
    arrays = [str(constants[key]).split() for key in "abc" if key in constants]
    return Subject(
        name=name,
        title=title,
        loop=str(constants["loop"]),
        items=float(constants["items"]),
        held_out=bool(constants.get("held_out", False)),
        size=sum(int(words[1]) for words in arrays),
        before=str(constants["before"]),
        body=str(constants["body"]),
        constants=str(constants["constants"]),
    )


def recorded(probes: Sequence[ProbeInfo]) -> list[Subject]:
    """The loops of a run, in its order."""
    return [
        subject(probe.id.partition("/")[2], probe.title, probe.constants)
        for probe in probes
        if probe.family == FAMILY
    ]


def in_att(subjects: Sequence[Subject]) -> list[Subject]:
    """The loops with their instructions in AT&T syntax: assembled, and decoded in that syntax.

    Raises:
        UserError: the assembler refuses them.
    """
    asked = [{"text": one.with_marks, "intel": True} for one in subjects]
    command = [sys.executable, "-m", TRANSLATOR]
    done = subprocess.run(command, input=msgspec.json.encode(asked), capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise UserError(f"the loops cannot be assembled: {said[0] if said else done.returncode}.")
    answers = msgspec.json.decode(done.stdout, type=list[tuple[str, ...]])
    return [replace(one, att=lines) for one, lines in zip(subjects, answers, strict=True)]


def estimates(
    subjects: Sequence[Subject], architecture: Architecture, survey: Bundle | None = None
) -> dict[str, Estimate]:
    """What the cost model says of each loop, by name; a loop that it cannot read is left out.

    Args:
        subjects: the loops.
        architecture: of a run of the suite.
        survey: of the same device, for what the suite does not know.

    Raises:
        UserError: the model is for another instruction set than the loops.
        BundleError: the survey is damaged.
    """
    if architecture.isa != "x86_64":
        raise UserError(
            f"the loops are x86-64 code, and {architecture.device} is {architecture.isa}.",
            "Name a run of an x86-64 processor with --model.",
        )
    bodies = x86_bodies([(one.name, one.text, True) for one in subjects]) if subjects else []
    known = completed(architecture, bodies, survey)
    return {one.name: estimate(body, known, one.size) for one, body in zip(subjects, bodies, strict=True)}
