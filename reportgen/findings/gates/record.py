"""What a gate is, and what it leaves behind when a number does not pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from reportgen.findings.evidence import Evidence


class Severity(StrEnum):
    """What becomes of a number that fails."""

    LIMIT = "limit"
    """A physical limit is broken: the number is withheld, its status becomes `invalid`."""
    RELATION = "relation"
    """Two numbers do not fit each other: both stay, both lose confidence, both say so."""


@dataclass(frozen=True, slots=True)
class Breach:
    """One failure: the metrics that do not fit, and the sentence that says how."""

    metrics: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Gate:
    """A rule that published numbers obey.

    `check` looks at usable quantities only and skips what the run does not hold, so a gate that
    cannot be evaluated passes.
    """

    name: str
    severity: Severity
    statement: str
    """The rule in words."""
    source: str
    """Where the limit comes from."""
    causes: tuple[str, ...]
    """Likely causes when it fails, most likely first."""
    check: Callable[[Evidence], Iterator[Breach]]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A failed gate, as findings show it."""

    gate: str
    severity: Severity
    metrics: tuple[str, ...]
    text: str
    causes: tuple[str, ...]

    def sentence(self) -> str:
        """What failed, with the likely causes."""
        return f"{self.text} Likely causes: {'; '.join(self.causes)}."
