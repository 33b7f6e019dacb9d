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


AGREES, SLOWER, FASTER, UNCLEAR, UNKNOWN = "agrees", "slower", "faster", "unclear", "unknown"
VERDICTS = {
    AGREES: "the two agree",
    SLOWER: "the device took longer than the model says",
    FASTER: "the device took less than the model says",
    UNCLEAR: "what the model says lies in the measured interval, which is wide",
    UNKNOWN: "the model says nothing",
}
"""Of a number that was measured."""

RATE, REGISTERS, STORES, ACROSS = "rate", "registers", "memory", "across"
KINDS = {
    RATE: "cycles an instruction",
    REGISTERS: "latency from register to register",
    STORES: "latency through memory",
    ACROSS: "latency across register files",
}
"""Of numbers that are compared."""


class Count(msgspec.Struct, frozen=True):
    """Numbers of one kind beside a scheduling model."""

    kind: str
    """A key of `KINDS`."""
    compared: int
    """That were measured, and that the model says something of."""
    agree: int
    slower: int
    faster: int
    unclear: int
    unknown: int
    """That were measured, and that it says nothing of."""


class Modelled(msgspec.Struct, frozen=True):
    """A survey beside the scheduling model of a compiler."""

    name: str
    version: str
    target: str
    """The processor that it took this one for."""
    absent: str
    """Why it says nothing at all."""
    counts: tuple[Count, ...]
    unknown: tuple[Reason, ...]
    """What it says nothing of, `key throughput` or `key 2to1`, by the reason."""


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
    modelled: tuple[Modelled, ...] = ()
    """Beside a scheduling model, whose numbers stand in the rows; none where none was asked."""


def matching(found: Survey, glob: str) -> list[FormRow]:
    """The rows that one of the comma-separated patterns of keys names."""
    patterns = [part.strip() for part in glob.split(",")]
    return [row for row in found.rows if any(fnmatch.fnmatchcase(row.key, part) for part in patterns)]
