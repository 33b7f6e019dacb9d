"""What every exported file says of itself: device, run, date, tool, and how far its numbers go."""

from __future__ import annotations

from reportgen import __version__
from reportgen.findings.finding import Claim
from reportgen.model.architecture import Architecture, Fact
from reportgen.units import significant

DATA_LICENCE = "CC-BY-4.0"
"""Of what was measured; the program has its own."""


def toolchain_only(architecture: Architecture) -> bool:
    """Whether a run holds what an assembler encodes, and nothing that was measured on a device."""
    claims = {fact.claim for fact in architecture.facts}
    return Claim.COMPILER_ENCODED in claims and Claim.MEASURED not in claims


def title(architecture: Architecture) -> str:
    """What a run is called where it is cited."""
    kind = "Toolchain reference" if toolchain_only(architecture) else "Measured architecture report"
    return f"{kind}: {architecture.name}"


def lines(architecture: Architecture) -> tuple[str, ...]:
    """The heading of a file, one statement a line, without comment marks."""
    found = [
        title(architecture),
        f"device {architecture.device}, {architecture.isa}, run {architecture.run}",
        f"{_when(architecture)}, suite {architecture.suite or '?'}, written by reportgen {__version__}",
        f"data licence {DATA_LICENCE}",
    ]
    if toolchain_only(architecture):
        found.append("Nothing here was measured on a device: numbers are those that the assembler encodes.")
    if architecture.supersedes:
        found.append(f"supersedes run {architecture.supersedes}")
    return tuple(found)


def _when(architecture: Architecture) -> str:
    done = "built" if toolchain_only(architecture) else "measured"
    return f"{done} {architecture.created[:10]}"


def told(fact: Fact) -> str:
    """A fact in a comment: value, interval, claim, confidence and metric id; else why it has no value."""
    if fact.value is None:
        return f"{fact.metric}: no value ({fact.status}{f': {fact.reason}' if fact.reason else ''})"
    spread = ""
    if fact.low is not None and fact.high is not None and fact.low != fact.high:
        spread = f" [{significant(fact.low, 5)}, {significant(fact.high, 5)}]"
    unit = f" {fact.unit}" if fact.unit else ""
    return (
        f"{fact.metric} = {significant(fact.value, 5)}{spread}{unit}, {fact.claim}, "
        f"confidence {fact.confidence:.2f}"
    )
