"""What a survey comes to: a row a form, what was left out and why, agreement with the suite; JSON-ready."""

from __future__ import annotations

import fnmatch

import msgspec

from reportgen.analysis.survey_rows import FormRow

SURVEY_SCHEMA = 1


class Reason(msgspec.Struct, frozen=True):
    """Forms and opcodes that are not asked of, for one reason."""

    reason: str
    what: tuple[str, ...]
    """Keys of forms, or the decoder's names of opcodes."""


class Compared(msgspec.Struct, frozen=True):
    """One number that the suite has too."""

    key: str
    operation: str
    """Of the suite's instruction table."""
    what: str
    """`throughput` (cycles an instruction) or the pair of a latency."""
    survey: float
    suite: float
    within: bool


class Agreement(msgspec.Struct, frozen=True):
    """A survey beside a run of the suite on the same device."""

    run: str
    share: float
    """Two numbers agree within this ratio, or where their intervals meet."""
    compared: int
    within: int
    apart: tuple[Compared, ...]
    """Those that do not agree, the farthest first."""


class Survey(msgspec.Struct, frozen=True):
    """All of it."""

    schema: int
    run: str
    created: str
    device: str
    name: str
    forms: int
    """That the processor has and both tools agree on; a survey may have been asked of some only."""
    rows: tuple[FormRow, ...]
    left_out: tuple[Reason, ...]
    agreement: Agreement | None = None


def matching(found: Survey, glob: str) -> list[FormRow]:
    """The rows that one of the comma-separated patterns of keys names."""
    patterns = [part.strip() for part in glob.split(",")]
    return [row for row in found.rows if any(fnmatch.fnmatchcase(row.key, part) for part in patterns)]
