"""llvm-mca: a simulation with the scheduling model of LLVM's back end.

Total cycles of a thousand rounds, over a thousand: dependencies included, which its `Block RThroughput`
leaves out.  Data come from the first level, branches are predicted.  The processor is `native`: what
this version of LLVM takes the host for.  Many small bodies at once are `llvm_mca_regions`'.

Source: documentation of llvm-mca.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from reportgen.validation.others import Answer, Ran, complaint, run
from reportgen.validation.subject import Subject

ROUNDS = 1000
HOST = "native"
"""What this version of LLVM takes the host for."""
_NAME = re.compile(r"llvm-mca(?:-\d+)?")
_VERSION = re.compile(r"LLVM version (\d+(?:\.\d+)*)")
_HOST = re.compile(r"Host CPU: (\S+)")
_UNKNOWN = "is not a recognized processor"
_CYCLES = re.compile(r"^Total Cycles:\s+(\d+)", re.MULTILINE)


@dataclass
class LlvmMca:
    """The newest of those on the search path, under whatever name a distribution gave it."""

    path: str = field(default_factory=lambda: os.environ.get("PATH", ""))
    name: str = "llvm-mca"
    given: str = ""
    """This program, instead of the newest."""
    processor: str = HOST
    """Whose model is asked, in LLVM's names."""

    def missing(self) -> str:
        """Why it cannot be asked."""
        if self._program is None and self.given:
            return f"no program '{self.given}'"
        if self._program is None:
            return "no llvm-mca on the search path: it comes with LLVM (package llvm)"
        if self.processor != HOST and _UNKNOWN in self.simulate(given="nop\n").err:
            return f"llvm-mca {self.identity()[0]} knows no processor '{self.processor}'"
        return ""

    def identity(self) -> tuple[str, str]:
        """LLVM's version, and the name of the processor in it."""
        assert self._program is not None
        said = run(self._program, "--version").out
        host = _HOST.search(said)
        target = host[1] if host and self.processor == HOST else self.processor
        return _version(said), target

    def ask(self, subject: Subject) -> Answer:
        """Cycles of a round."""
        ran = self.simulate(f"-iterations={ROUNDS}", given=subject.marked)
        found = _CYCLES.search(ran.out)
        # some versions leave out what they cannot read, say so, and call that success
        if ran.code or found is None or ": error: " in ran.err:
            return Answer(fault=complaint(ran))
        return Answer(int(found[1]) / ROUNDS)

    def simulate(self, *words: str, given: str) -> Ran:
        """One start of it for this processor, with the text of a program; only where it is not missing."""
        assert self._program is not None
        return run(self._program, f"-mcpu={self.processor}", *words, "-", given=given)

    @cached_property
    def _program(self) -> Path | None:
        if self.given:
            named = shutil.which(self.given, path=self.path)
            return Path(named) if named else None
        found: dict[tuple[int, ...], Path] = {}
        for folder in filter(None, self.path.split(os.pathsep)):
            for place in sorted(Path(folder).glob("llvm-mca*")):
                if _NAME.fullmatch(place.name) and os.access(place, os.X_OK):
                    version = _version(run(place, "--version").out)
                    if version:
                        found.setdefault(tuple(int(part) for part in version.split(".")), place)
        return found[max(found)] if found else None


def _version(said: str) -> str:
    match = _VERSION.search(said)
    return match[1] if match else ""
