"""Runs that were begun and not sealed: finding one, and the command that goes on with it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from reportgen.collect import journal
from reportgen.collect.journal import Entry, Header
from reportgen.errors import RunRefused
from reportgen.runs import store, write
from reportgen.runs.schema import VALIDATION
from reportgen.suite.own_code import FAMILY as OWN_CODE
from reportgen.suite.survey import FAMILY as SURVEYED

_VERBS = {VALIDATION: "validate", SURVEYED: "survey", OWN_CODE: "measure"}
"""Family that all probes of a run are of -> the command that began it; of any others `collect`."""
_CALLED = {
    "validate": "a validation", "survey": "a survey", "measure": "a measurement",
    "collect": "a run of the suite",
}  # fmt: skip


@dataclass(frozen=True)
class Interruption:
    """An interrupted run as its folder has it."""

    folder: Path
    header: Header
    entries: list[Entry]
    length: int
    """Bytes of the journal that are whole."""


def find(data: Path, resume: str, verb: str) -> Interruption:
    """The run of `data` that `resume` names and the command `verb` can go on with.

    Raises:
        RunRefused: none is there, or its journal is damaged.
    """
    wanted = resume.rpartition("/")[2].removesuffix(write.PARTIAL)
    begun = store.list_partial(data)
    matching = [ref for ref in begun if wanted in (store.LATEST, ref.run)]
    if not matching:
        runs = ", ".join(ref.run for ref in begun) or "none"
        raise RunRefused(
            f"no interrupted run '{resume}' in '{data}'; there: {runs}.",
            "Start a new one without --resume.",
        )
    folder = matching[0].path
    header, entries, length = journal.read(folder / journal.JOURNAL)
    if header.version != journal.JOURNAL_VERSION:
        raise RunRefused(
            f"run {header.run} was begun by another version of reportgen.",
            "Resume it with that one, or start anew.",
        )
    begun_by = _verb(header)
    if begun_by != verb:
        going_on = resume_command(header.run, data, begun_by)
        raise RunRefused(f"run {header.run} is {_CALLED[begun_by]}.", f"Go on with: {going_on}")
    return Interruption(folder, header, entries, length)


def going_on(folder: Path, data: Path) -> str:
    """The exact command that goes on with the interrupted run in `folder`, or why there is none.

    Args:
        folder: the `.partial` folder of the run.
        data: folder of the runs.
    """
    try:
        header, _, _ = journal.read(folder / journal.JOURNAL)
    except RunRefused as error:
        return f"not to be gone on with: {error}"
    return resume_command(header.run, data, _verb(header))


def _verb(header: Header) -> str:
    """The command that began a run."""
    return next(
        (verb for family, verb in _VERBS.items() if header.probes.startswith(f"{family}/")), "collect"
    )


def resume_command(run: str, data: Path, verb: str = "collect") -> str:
    """The exact command that goes on with an interrupted run."""
    return f"reportgen {verb} --resume {run} --data {shlex.quote(str(data))}"
