"""A recorded run as a backend hands it to the runner, questions and order included."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.runs.schema import Point, ProbeInfo, Run
from reportgen.suite.definition import Definition, PlannedPoint, Probe


@dataclass(frozen=True)
class Recording:
    """What was asked in a recorded run, and in which order it was answered."""

    run: Run
    visits: tuple[tuple[int, int, str], ...]
    """(order, pass, point) of every visit that left samples, in order."""

    def probes(self) -> dict[str, Probe]:
        """Probes by id; their definitions say only what the run kept."""
        return {info.id: _probe(info) for info in self.run.probes}

    def planned(self, point: Point) -> PlannedPoint:
        """The point as the suite once planned it."""
        return PlannedPoint(point.id, point.probe, point.settings)


def _probe(info: ProbeInfo) -> Probe:
    definition = Definition(
        question=info.question,
        hypothesis=info.hypothesis,
        variable=info.variable,
        template="recorded",
        analysis=info.analysis,
        metric=info.metric,
        unit=info.unit,
        settings={},
    )
    return Probe(
        id=info.id,
        family=info.family,
        definition=definition,
        question=info.question,
        hypothesis=info.hypothesis,
        title=info.title,
        metric=info.metric,
        operations=(info.operation,) if info.operation else (),
    )
