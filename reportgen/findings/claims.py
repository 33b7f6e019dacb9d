"""How far a sentence about one metric goes: which kinds were measured, and which were only read."""

from __future__ import annotations

from reportgen.findings.finding import Claim
from reportgen.findings.metric import Kind, parse

READ = {
    Kind.ENCODED_LATENCY: Claim.COMPILER_ENCODED,
    Kind.ENCODED_ISSUE: Claim.COMPILER_ENCODED,
    Kind.ENCODED_WINDOW: Claim.COMPILER_ENCODED,
    Kind.RESOURCE: Claim.COMPILER_ENCODED,
    Kind.OCCUPANCY: Claim.NOMINAL,
}
"""Kinds of metrics that no device was asked for: read from machine code, or worked out of nominal limits."""


def claim_of(metric: str) -> Claim:
    """The claim level of a metric by itself."""
    return READ.get(parse(metric).kind, Claim.MEASURED)
