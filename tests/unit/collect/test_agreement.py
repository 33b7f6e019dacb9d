"""Points whose visits disagree: which are told, and that few are."""

from __future__ import annotations

import msgspec

from reportgen.backends import gates
from reportgen.backends.base import Batch, ClockConstants
from reportgen.collect.agreement import MOST, disagreeing
from reportgen.collect.journal import Entry
from tests.simulated.faulty import Faulty

CLOCK = Faulty().clock()
EMPTY = 20


def visit(point: str, time: float, pace: float = 1.0, gate: str = gates.ACCEPTED, many: int = 1) -> Entry:
    """Five samples of so many ticks a repetition, on a clock of `pace` ticks a cycle."""
    chain = round(CLOCK.calibration_cycles * pace) + EMPTY
    columns = {
        "sample": list(range(5)),
        "thread": [0] * 5,
        "ticks": [round(time * many) + EMPTY] * 5,
        "repetitions": [many] * 5,
        "empty": [EMPTY] * 5,
        "calibration_before": [chain] * 5,
        "calibration_after": [chain] * 5,
    }
    return Entry(0, 0, Batch(point, columns, [gate] * 5, facts={}), 0, 1.0)


def told(*entries: Entry, clock: ClockConstants = CLOCK) -> set[str]:
    names = sorted({entry.batch.point for entry in entries})
    return disagreeing(entries, [entry.batch.gates for entry in entries], clock, names, len(names))


def test_one_visit_that_took_long_is_told() -> None:
    agreeing = [visit("a", 1000), visit("a", 1010), visit("a", 1100)]
    assert told(*agreeing, visit("b", 1000), visit("b", 8000), visit("b", 1005)) == {"b"}
    assert told(*agreeing) == set()


def test_a_clock_that_moved_and_more_repetitions_are_no_disagreement() -> None:
    assert told(visit("a", 1000), visit("a", 1500, pace=1.5), visit("a", 1000, many=7)) == set()


def test_ticks_that_are_cycles_are_taken_as_they_are() -> None:
    cycles = msgspec.structs.replace(CLOCK, calibration_cycles=0)
    assert told(visit("a", 1000), visit("a", 1500, pace=1.5), clock=cycles) == {"a"}


def test_samples_that_do_not_count_do_not_disagree() -> None:
    assert told(visit("a", 1000), visit("a", 9000, gate=gates.SLOW), visit("a", 1001)) == set()


def test_the_worst_come_first_and_few_are_visited_again() -> None:
    entries = [visit(f"p{n:02}", time) for n in range(50) for time in (1000, 1300 + 10 * n)]
    assert told(*entries) == {"p48", "p49"}
    assert len(told(*entries)) == round(MOST * 50)
