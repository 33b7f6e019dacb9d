"""Lines of a GPU simulator's configuration: a measured option is set, and one with a gap is a comment.

A simulator takes whole cycles, so values are rounded; the comment above an option has them unrounded, with
interval, claim, confidence and metric id.  An option of which any part is not known is left to the reader:
it stands as a comment with `?` in place of what is missing.  No number here is a default.
"""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.model.architecture import Architecture, Fact
from reportgen.model.exports import heading
from reportgen.status import USABLE

LATENCY = ("latency.{}", "encoded.latency.{}")
INITIATION = ("issue_interval.{}", "encoded.issue.{}")
"""Metrics of an operation, the measured one first: cycles of one warp on one scheduler."""


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

    def of(self, metrics: Sequence[str], operations: Sequence[str]) -> Fact | None:
        """The first of some operations of which one of `metrics` has a value."""
        for operation in operations:
            found = self.first(*(metric.format(operation) for metric in metrics))
            if found is not None:
                return found
        return None


def option(name: str, parts: Sequence[tuple[str, Fact | None]]) -> list[str]:
    """One option with a comment for each part.

    Args:
        name: of the option, with its dash.
        parts: what each value of the option is, and the fact that gives it.
    """
    return [*notes(parts), setting(name, ",".join(whole(fact) for _, fact in parts))]


def notes(parts: Sequence[tuple[str, Fact | None]]) -> list[str]:
    """A comment for each part of an option."""
    return [f"# {what}: {heading.told(fact) if fact else 'not known'}" for what, fact in parts]


def setting(name: str, values: str) -> str:
    """The line of an option; a comment where any of its values is not known."""
    return f"# {name} {values}" if "?" in values else f"{name} {values}"


def whole(fact: Fact | None) -> str:
    """A value in whole cycles, at least one, or `?`."""
    return "?" if fact is None or fact.value is None else str(max(1, round(fact.value)))


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
