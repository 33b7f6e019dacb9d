"""A recorded source -> its recorded program with its verdict.  The bytes themselves were not kept."""

from __future__ import annotations

from reportgen.backends.base import Build, Source
from reportgen.runs.read import Bundle
from reportgen.status import Status


class ReplayBuilder:
    """Gives programs as they were recorded, and for points that left no sample their status."""

    def __init__(self, bundle: Bundle) -> None:
        self._programs = bundle.programs
        self._points = {point.id: point for point in bundle.run.points}

    def build(self, source: Source) -> Build:
        """The recorded program of one point."""
        point = self._points[source.point]
        program = self._programs.get(point.program)
        if not point.total or point.status == Status.UNVERIFIED:
            return Build(point.id, program=program, status=point.status, reason=point.reason)
        return Build(point.id, program=program)
