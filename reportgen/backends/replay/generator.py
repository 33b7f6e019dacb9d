"""A recorded point -> its recorded source."""

from __future__ import annotations

from reportgen.backends.base import Source
from reportgen.runs.read import Bundle
from reportgen.suite.definition import PlannedPoint, Probe


class ReplayGenerator:
    """Gives sources as they were recorded; a point without a program has an empty one."""

    def __init__(self, bundle: Bundle) -> None:
        self._programs = bundle.programs
        self._points = {point.id: point for point in bundle.run.points}

    def generate(self, probe: Probe, point: PlannedPoint) -> Source:
        """Source and work of one point."""
        recorded = self._points[point.id]
        program = self._programs.get(recorded.program)
        return Source(point.id, program.source if program else "", {}, recorded.work, {"kind": "replay"})
