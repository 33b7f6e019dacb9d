"""Threads that share a core now and then: the canaries of all visits tell which samples were which."""

from __future__ import annotations

from reportgen.backends import gates
from reportgen.backends.base import Batch
from reportgen.collect import own_cores
from reportgen.collect.journal import Entry
from tests.simulated.faulty import Faulty

CLOCK = Faulty().clock()
BEST = 4.0
EMPTY = 20
CHAIN = CLOCK.calibration_cycles + EMPTY
"""Ticks of the calibration where a tick is a cycle."""
POINT = "memory_hierarchy/bandwidth_saturation#cores=2"


def canary(rate: float) -> int:
    return round(CLOCK.canary_instructions / rate) + EMPTY


def visit(number: int, *rates: tuple[float, float], threads: int = 2, point: str = POINT) -> Entry:
    """One sample for each pair of issue rates: of all threads but the last, of the last."""
    rows = [(sample, thread) for sample in range(len(rates)) for thread in range(threads)]
    each = [canary(rates[sample][thread == threads - 1]) for sample, thread in rows]
    columns = {
        "sample": [sample for sample, _ in rows],
        "thread": [thread for _, thread in rows],
        "ticks": [8000] * len(rows),
        "empty": [EMPTY] * len(rows),
        "calibration_before": [CHAIN] * len(rows),
        "calibration_after": [CHAIN] * len(rows),
        "canary_before": each,
        "canary_after": each,
    }
    return Entry(number, number, Batch(point, columns, [gates.ACCEPTED] * len(rows), facts={}), 0, 1.0)


def accepted(*entries: Entry, best: float = BEST, passes: int = 3) -> list[int]:
    """Rows of each visit that count."""
    judged = own_cores.judge(entries, [entry.batch.gates for entry in entries], CLOCK, best, passes)
    assert {gate for verdict in judged for gate in verdict} <= {gates.ACCEPTED, gates.SLOW}
    return [verdict.count(gates.ACCEPTED) for verdict in judged]


OWN, SHARED = (BEST, BEST), (BEST / 2, BEST / 2)


def test_a_visit_on_one_core_is_set_aside_beside_two_on_their_own() -> None:
    assert accepted(visit(0, *[SHARED] * 5), visit(1, *[OWN] * 5), visit(2, *[OWN] * 5)) == [0, 10, 10]


def test_one_thread_that_is_slow_takes_its_sample_with_it() -> None:
    assert accepted(visit(0, *[OWN] * 4, (BEST, BEST / 2)), visit(1, *[OWN] * 3)) == [8, 6]


def test_threads_that_always_share_count_all() -> None:
    assert accepted(visit(0, *[SHARED] * 5), visit(1, *[SHARED] * 5)) == [10, 10]


def test_full_rate_in_one_visit_alone_is_no_claim() -> None:
    assert accepted(visit(0, *[OWN] * 9), visit(1, *[SHARED] * 9)) == [18, 18]
    assert accepted(visit(0, *[OWN] * 5, *[SHARED] * 4), passes=1) == [10]


def test_a_point_seen_at_full_rate_now_and_then_wants_another_visit() -> None:
    def undecided(*entries: Entry, passes: int = 3) -> set[str]:
        verdicts = [entry.batch.gates for entry in entries]
        return own_cores.undecided(entries, verdicts, CLOCK, BEST, passes)

    mixed = [visit(0, *[OWN] * 9), visit(1, *[SHARED] * 9)]
    assert undecided(*mixed) == {POINT}
    assert undecided(*mixed, visit(2, *[OWN] * 5)) == set()
    assert undecided(*mixed, passes=1) == set()
    assert undecided(visit(0, *[SHARED] * 9), visit(1, *[SHARED] * 9)) == set()


def test_too_few_samples_at_full_rate_are_no_claim() -> None:
    assert accepted(visit(0, OWN, OWN, SHARED), visit(1, OWN, OWN, SHARED)) == [6, 6]


def test_one_thread_and_unknown_rates_are_left_to_the_gates() -> None:
    alone = [visit(0, *[OWN] * 5, threads=1), visit(1, *[OWN] * 5, SHARED, threads=1)]
    assert accepted(*alone) == [5, 6]
    assert accepted(visit(0, *[OWN] * 5), visit(1, *[OWN] * 5, SHARED), best=0.0) == [10, 12]


def test_library_calls_take_no_canary() -> None:
    calls = [visit(number, *[OWN] * 5) for number in range(2)]
    for entry in calls:
        entry.batch.columns["canary_before"] = [0] * 10
    assert accepted(*calls) == [10, 10]


def test_load_that_is_held_is_judged_by_no_canary() -> None:
    held = [visit(number, *[OWN] * 5, SHARED) for number in range(2)]
    for entry in held:
        entry.batch.facts["windows"] = 6
    assert accepted(*held) == [12, 12]


def test_points_are_judged_each_by_its_own_visits() -> None:
    other = visit(2, *[SHARED] * 3, point="another")
    assert accepted(visit(0, *[OWN] * 5), visit(1, *[OWN] * 5), other) == [10, 10, 6]


def test_what_the_gates_refused_stays_refused() -> None:
    entries = [visit(0, *[OWN] * 5), visit(1, *[OWN] * 5)]
    verdicts = [list(entry.batch.gates) for entry in entries]
    verdicts[0][:2] = [gates.DISAGREE] * 2
    (first, _) = own_cores.judge(entries, verdicts, CLOCK, BEST, 2)
    assert first[:3] == [gates.DISAGREE, gates.DISAGREE, gates.ACCEPTED]
