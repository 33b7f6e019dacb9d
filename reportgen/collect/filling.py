"""How much of a kernel one multiprocessor holds at a time, and what reads of registers cost a mix at most.

That is worked out from the vendor's limits and the program, not measured; it stands beside what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from reportgen.backends.base import Backend, Source
from reportgen.collect.messages import Made
from reportgen.collect.toolchain import FILLING, Targets
from reportgen.errors import UserError
from reportgen.runs.schema import Point, Run

PAIRS = "interference"
"""Analysis whose programs say what their reads of registers may cost."""


def filled(backend: Backend, run: Run, made: Mapping[str, Made]) -> Run:
    """The run with facts of the points that ask what a multiprocessor holds; what was measured stays.

    Args:
        backend: of the run's device; one that has no such limits leaves the run as it is.
        run: assembled, not yet sealed.
        made: programs by point.
    """
    if not isinstance(backend, Targets):
        return run
    asked = {probe.id for probe in run.probes if probe.family == FILLING or probe.analysis == PAIRS}
    return msgspec.structs.replace(
        run,
        points=tuple(
            _with_facts(backend, run, point, made[point.id])
            if point.probe in asked and point.id in made
            else point
            for point in run.points
        ),
    )


def _with_facts(backend: Targets, run: Run, point: Point, one: Made) -> Point:
    if one.build.program is None:
        return point
    source = Source(point.id, "", {}, one.work, one.setup)
    try:
        known = backend.point_facts(run.device, source, one.build)
    except UserError:  # the limits of this device are in no table: then nothing stands beside its numbers
        return point
    return msgspec.structs.replace(point, facts=known | point.facts)
