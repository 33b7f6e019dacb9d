"""Loops and choices: which graphs inside an operation count, and how often.

A loop or scan counts its body times the trip count.  If that depends on data, one trip is counted and
the total says so.  Of the branches of a choice the one with the most work counts: an upper bound.  A
function that was not inlined counts its body once a call.
"""

from __future__ import annotations

from reportgen.workload.graph import Body, Op
from reportgen.workload.rules.registry import no_work

LOOPS = frozenset({"Loop", "Scan", "While"})
CHOICES = frozenset({"If"})
CALLS = frozenset({"Call"})

no_work(*LOOPS, *CHOICES, *CALLS, view=True)


def is_choice(op: Op) -> bool:
    """Whether only one of the bodies runs."""
    return op.kind in CHOICES


def trips(body: Body) -> int:
    """How often a body counts."""
    return 1 if body.times is None else body.times


def doubt(op: Op) -> str:
    """What is not certain of an operation with bodies, or nothing."""
    if any(body.times is None for body in op.bodies):
        return f"{op.label}: the trip count depends on data, so one trip is counted"
    if is_choice(op) and len(op.bodies) > 1:
        return f"{op.label}: of its branches the one with the most work is counted"
    if op.attrs.get("may_end_early"):
        return f"{op.label}: may end before its {op.bodies[0].times} trips, all of them are counted"
    return ""
