"""Lines of a GPU simulator's configuration: a measured option is set, and one with a gap is a comment.

A simulator takes whole cycles, so values are rounded; the comment above an option has them unrounded, with
interval, claim, confidence and metric id.  An option of which any part is not known is left to the reader:
it stands as a comment with `?` in place of what is missing.  No number here is a default.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.model.architecture import Architecture, Fact
from reportgen.model.cost.gpu_memory import SCHEDULERS
from reportgen.model.exports import heading
from reportgen.status import USABLE

LATENCY = ("latency.{}", "tensor.latency.{}", "encoded.latency.{}")
INITIATION = ("issue_interval.{}", "tensor.issue_interval.{}", "encoded.issue.{}")
"""Metrics of an operation, the measured ones first.  A measured interval is that of a whole multiprocessor,
an encoded one that of one warp, and a simulator's initiation interval that of one unit."""


@dataclass(frozen=True, slots=True)
class Part:
    """One value of an option: what it is, and the fact that gives it, where there is one."""

    what: str
    fact: Fact | None
    times: int = 1
    """By which the fact is multiplied."""

    @property
    def whole(self) -> str:
        """The value in whole cycles, at least one, or `?`."""
        if self.fact is None or self.fact.value is None:
            return "?"
        return str(max(1, round(self.fact.value * self.times)))

    @property
    def note(self) -> str:
        """The comment above the option."""
        if self.fact is None:
            return f"# {self.what}: not known"
        times = f", times {self.times} schedulers of a multiprocessor (nominal)" if self.times > 1 else ""
        return f"# {self.what}: {heading.told(self.fact)}{times}"


def lacks(architecture: Architecture) -> str:
    """Why a run gives no configuration of a GPU simulator; empty where it does."""
    if not architecture.isa.startswith("sm_"):
        return f"it is written for NVIDIA GPUs, and this run is of {architecture.isa}"
    return ""


class Facts:
    """Facts of one run by metric; only those with a value that may be used."""

    def __init__(self, architecture: Architecture) -> None:
        self._facts = {fact.metric: fact for fact in architecture.facts}

    def first(self, *metrics: str) -> Fact | None:
        """The first of some metrics that has a value."""
        for metric in metrics:
            fact = self._facts.get(metric)
            if fact is not None and fact.status in USABLE and fact.value is not None:
                return fact
        return None

    def latency(self, what: str, operations: Sequence[str]) -> Part:
        """Latency of the first of some operations that has one."""
        return Part(what, self._of(LATENCY, operations))

    def initiation(self, what: str, operations: Sequence[str]) -> Part:
        """Initiation interval of one unit, of the first of some operations that has one."""
        fact = self._of(INITIATION, operations)
        measured = fact is not None and not fact.metric.startswith("encoded.")
        return Part(what, fact, SCHEDULERS if measured else 1)

    def _of(self, metrics: Sequence[str], operations: Sequence[str]) -> Fact | None:
        for operation in operations:
            found = self.first(*(metric.format(operation) for metric in metrics))
            if found is not None:
                return found
        return None


def option(name: str, *parts: Part) -> list[str]:
    """One option with a comment for each of its values."""
    return [*(part.note for part in parts), setting(name, ",".join(part.whole for part in parts))]


def setting(name: str, values: str) -> str:
    """The line of an option; a comment where any of its values is not known."""
    return f"# {name} {values}" if "?" in values else f"{name} {values}"


def head(architecture: Architecture, *more: str) -> list[str]:
    """The heading of a configuration as comments."""
    told = [*heading.lines(architecture), *more]
    if heading.toolchain_only(architecture):
        told.append(
            "Latencies and initiation intervals are compiler-encoded: distances that the vendor's assembler "
            "keeps, lower bounds of what the device takes."
        )
    return [*(f"# {line}" for line in told), ""]


def encode(lines: Sequence[str]) -> bytes:
    """The file as UTF-8."""
    return ("\n".join(lines) + "\n").encode()
