"""Which kernels of the suite are executed in tests: every operation, path and word of a setting once.

Generator, compiler (to PTX), launcher and checks are the real ones; the device is `tests/simulated/ptx`.
"""

from __future__ import annotations

from functools import cache

from reportgen.backends.base import Source
from tests.simulated.ptx.points import Code, aspects, family, few
from tests.simulated.ptx.visits import Visits
from tests.unit.backends.cuda import suite

OLDEST = "sm_80"


@cache
def chosen(isa: str) -> tuple[str, ...]:
    """Points: of sm_90 one of each kind, of others what it lacks; of the oldest one of every template, too.

    A kernel's text hardly differs from target to target; `python -m tests.simulated.ptx` visits all of it.
    """
    if isa == "sm_90":
        return tuple(source.point for source in few(with_code(isa)))
    known = frozenset().union(*(aspects(one) for one in with_code("sm_90")))
    some = few(with_code(isa), known)
    if isa != OLDEST:
        return tuple(source.point for source in some)
    kinds = {_kind(one) for one in some}
    first = {_kind(one): one for one in reversed(few(with_code(isa))) if _kind(one) not in kinds}
    return tuple(source.point for source in [*some, *first.values()])


def with_code(isa: str) -> list[Source]:
    return [source for source in suite.generated(isa).sources.values() if source.text]


def _kind(source: Source) -> tuple[str, str]:
    return family(source), str(source.setup.get("kind", "body"))


def visited(isa: str, points: list[str]) -> None:
    """Each point is built, launched and checked.

    Raises:
        AssertionError: one does not end as it should.
    """
    sources = [suite.generated(isa).sources[point] for point in points]
    assert sources
    code = Code()
    code.make(sources)
    assert not code.refused
    visits = Visits(isa, code)
    seen = [visits.visit(source) for source in sources]
    assert [(one.point, one.status, one.reason) for one in seen if one.status != "ok"] == []


def visit_family(name: str) -> None:
    """What is chosen of a family, on sm_90."""
    visited("sm_90", [point for point in chosen("sm_90") if point.startswith(f"{name}/")])
