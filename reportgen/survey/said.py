"""What another model says of the forms of a survey, as it is sealed with the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

PLACE = "others"
"""Where it stands in a run's plan, as in that of a validation."""


class Said(msgspec.Struct, frozen=True):
    """Of one model; sealed, as the tool may be another one tomorrow."""

    name: str
    version: str = ""
    target: str = ""
    """The processor that it took this one for."""
    absent: str = ""
    """Why it says nothing at all."""
    forms: dict[str, str] = {}
    """By key: `throughput:0.25 2to1:1`, cycles an instruction and of a step."""
    faults: dict[str, tuple[str, ...]] = {}
    """Why it says nothing, and of what: `key throughput`."""

    def numbers(self, key: str) -> dict[str, float]:
        """Cycles by what was asked of a form; empty where nothing is known of it."""
        parts = (part.rpartition(":") for part in self.forms.get(key, "").split())
        return {what: float(cycles) for what, _, cycles in parts}


def recorded(plan: Mapping[str, Any]) -> tuple[Said, ...]:
    """What a run's plan holds; nothing of a run that asked none."""
    return tuple(msgspec.convert(plan.get(PLACE, []), list[Said]))
