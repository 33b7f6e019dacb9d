"""A bundle in, everything that is computed from it out."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.analysis.derive import derive as analyse
from reportgen.analysis.quantity import Quantity
from reportgen.findings import gates
from reportgen.findings.derive import derive as find
from reportgen.findings.evidence import gather
from reportgen.findings.finding import Finding
from reportgen.findings.hypotheses import Conclusion, conclude
from reportgen.model.architecture import Architecture
from reportgen.model.build import build
from reportgen.roofline.ridges import ridges
from reportgen.runs.read import Bundle


@dataclass(frozen=True)
class Derived:
    """What a report is rendered from."""

    bundle: Bundle
    quantities: tuple[Quantity, ...]
    """Ridges included; numbers that break a physical limit are withheld (status `invalid`)."""
    findings: tuple[Finding, ...]
    architecture: Architecture
    conclusions: dict[str, Conclusion]
    """Probe id -> how its hypothesis ended, and by which rule."""


def derive_bundle(bundle: Bundle) -> Derived:
    """Quantities, findings and the architecture model of a bundle.

    Gates run before ridges, so that no ridge is built on a number that breaks a limit.

    Raises:
        BundleError: a file of the bundle is missing, truncated or edited.
    """
    run = bundle.run
    measured = analyse(bundle)
    contradictions = gates.check(gather(run, measured))
    kept = gates.withhold(measured, contradictions)
    crossings = ridges(kept)
    findings = find(run, (*measured, *crossings))
    every = (*kept, *crossings)
    return Derived(
        bundle=bundle,
        quantities=every,
        findings=findings,
        architecture=build(run, every, findings),
        conclusions=conclude(gather(run, kept), contradictions),
    )
