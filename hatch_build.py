"""Build hook: a wheel carries the suite as `reportgen/_probes`; an editable install does not.

`probes/` stays at the top of the repository, where people look for it.  In an editable install
a copy would go stale with the first edit, so there `reportgen.suite.location` finds the folder
itself beside the package.
"""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ShipProbes(BuildHookInterface):  # type: ignore[type-arg]  # generic only in hatchling's own checks
    """Adds `probes/` to standard wheels."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called once a target before its files are gathered; `version` is `standard` or `editable`."""
        if version == "standard":
            build_data["force_include"]["probes"] = "reportgen/_probes"
