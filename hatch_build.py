"""Build hook: a wheel carries suite, published figures, validation loops and pages; an editable install not.

`probes/` becomes `reportgen/_probes`, `data/published/` becomes `reportgen/_published`, `data/golden/`
becomes `reportgen/_golden`, `validation/` becomes `reportgen/_validation`, `docs/` and `mkdocs.yml` lie in
`reportgen/_site`.  All stay at the top of the repository, where people look for them.  In an editable install
a copy would go stale with the first edit, so there `reportgen.suite.location`, `reportgen.suite.loops`,
`reportgen.findings.published.library`, `reportgen.workload.golden` and `reportgen.site.project` find the
originals beside the package.
"""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHIPPED = {
    "probes": "reportgen/_probes",
    "data/published": "reportgen/_published",
    "data/golden": "reportgen/_golden",
    "validation": "reportgen/_validation",
    "docs": "reportgen/_site/docs",
    "mkdocs.yml": "reportgen/_site/mkdocs.yml",
}


class ShipData(BuildHookInterface):  # type: ignore[type-arg]  # generic only in hatchling's own checks
    """Adds what lies outside the package to standard wheels."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called once a target before its files are gathered; `version` is `standard` or `editable`."""
        if version == "standard":
            build_data["force_include"] |= SHIPPED
