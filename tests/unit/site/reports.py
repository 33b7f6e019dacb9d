"""A report of a bundle, as the site makes it of one that it has derived."""

from __future__ import annotations

from reportgen.model.derive import derive_bundle
from reportgen.runs.read import Bundle
from reportgen.site.report import Report


def reported(bundle: Bundle) -> Report:
    """Everything that is derived from it; nothing to take away."""
    found = derive_bundle(bundle)
    return Report(
        run=bundle.run,
        architecture=found.architecture,
        quantities=found.quantities,
        findings=found.findings,
        bundle=bundle,
        downloads=(),
        digest="0" * 64,
    )
