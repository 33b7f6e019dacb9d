"""Pairs of samples taken in turn: how often they err, what they need, which of them count."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pyarrow as pa
import pytest

from reportgen.analysis import paired
from reportgen.analysis.cycles import Timing
from reportgen.analysis.derive import quantities
from reportgen.analysis.evidence import Evidence
from reportgen.runs.schema import Point
from reportgen.status import Status
from tests.simulated import prefetch_points as made
from tests.simulated.cpu import make_records
from tests.simulated.truth import CpuTruth

QUESTIONS = 11
VISITS = np.repeat([0, 1, 2], 12)


def drawn(rng: np.random.Generator, kind: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """36 values whose median is 1."""
    if kind == "normal":
        return rng.normal(1.0, 0.2, 36)
    if kind == "skewed":
        return np.exp(rng.standard_normal(36))
    return 1.0 + rng.standard_cauchy(36)


@pytest.mark.parametrize("kind", ["normal", "skewed", "wild"])
@pytest.mark.parametrize("questions", [1, QUESTIONS])
def test_answers_err_no_more_often_than_stated(kind: str, questions: int) -> None:
    """Asked whether a median lies above itself, every answer is an error."""
    rng = np.random.default_rng(3)
    wrong = sum(
        paired.above(drawn(rng, kind), VISITS, 1.0, questions).told != "undecided" for _ in range(2000)
    )
    assert wrong / 2000 < paired.ERROR / questions + 0.01


@pytest.mark.parametrize(("gain", "told"), [(1.6, "yes"), (1.0, "no"), (1.15, "undecided")])
def test_clear_cases_are_told(gain: float, told: str) -> None:
    rng = np.random.default_rng(1)
    values = gain * np.exp(0.05 * rng.standard_normal(36))
    answer = paired.above(values, VISITS, 1.15, QUESTIONS)
    assert answer.told == told
    assert bool(answer.why) == (told == "undecided")
    assert answer.interval.low < answer.interval.value < answer.interval.high


def test_what_is_needed() -> None:
    """Nine heads in a row are the fewest that come less often than one time in 220, either way."""
    enough = paired.above(np.full(9, 2.0), VISITS[8:17], 1.0, QUESTIONS)
    assert enough.told == "yes"
    few = paired.above(np.full(8, 2.0), VISITS[8:16], 1.0, QUESTIONS)
    assert (few.told, few.why) == ("undecided", "8 pairs of samples count; 9 are needed.")
    one = paired.above(np.full(12, 2.0), VISITS[:12], 1.0, QUESTIONS)
    assert (one.told, one.why) == ("undecided", "Pairs of 1 visits count; 2 are needed.")
    none = paired.above(np.array([]), VISITS[:0], 1.0, QUESTIONS)
    assert none.told == "undecided"
    assert np.isnan(none.interval.value)


def test_visits_that_disagree_tell_nothing() -> None:
    values = np.where(VISITS == 1, 0.5, 2.0)
    counted = np.concatenate([np.full(24, 0), VISITS])  # many pairs of the first
    answer = paired.above(np.concatenate([np.full(24, 2.0), values]), counted, 1.0, QUESTIONS)
    assert (answer.told, answer.why) == ("undecided", "1 of 3 visits say otherwise.")


def timing(cycles: list[float], samples: list[int], start: int, number: int = 0) -> Timing:
    count = len(cycles)
    ones = np.ones(count, dtype=np.int64)
    begins = start + 100 * np.array(samples, dtype=np.int64)
    return Timing(
        cycles=np.array(cycles), seconds=np.array(cycles), passes=ones * number, sample=np.array(samples),
        thread=ones * 0, place=ones, start=begins, stop=begins + 50, repetitions=ones, taken=count,
        impossible=0,
    )  # fmt: skip


def evidence(first: Timing, second: Timing) -> tuple[Evidence, Point, Point]:
    info, some = made.stride_probe(CpuTruth())
    slow, fast = some[1].point, some[0].point
    return Evidence(None, info, (slow, fast), {slow.id: first, fast.id: second}), slow, fast  # type: ignore[arg-type]


def test_samples_of_one_number_are_pairs_and_the_others_pairs_of_their_visit() -> None:
    asked, slow, fast = evidence(timing([10, 20, 30], [1, 2, 5], 0), timing([2, 4, 8, 16], [2, 3, 4, 5], 50))
    assert paired.in_turn(slow)
    found = paired.pairs(asked, slow, fast, (1.0, 2.0))
    assert found.slow.tolist() == [20, 30, 10]
    assert found.fast.tolist() == [1, 8, 2]
    assert found.gains.tolist() == [20, 3.75, 5]
    assert found.savings.tolist() == [19, 22, 8]
    assert found.visits.tolist() == [0, 0, 0]


def test_samples_beside_a_busy_neighbour_are_pairs_and_no_times() -> None:
    """Two of each visit pass the gates: enough for a time, and too few for an answer."""
    run, columns, _ = make_records(CpuTruth().quiet(), 3, lambda truth: [made.stride_probe(truth)])
    held = (columns["gate"] == "accepted") & (columns["sample"] > 2)
    for gate, told in (("issue rate low", "yes"), ("calibrations disagree", "undecided")):
        table = pa.table(columns | {"gate": np.where(held, gate, columns["gate"])})
        (one,) = (each for each in quantities(run, table) if each.metric == "prefetch.stride.up_4")
        assert one.n == 12
        assert one.details["followed"] == told


def test_visits_that_were_not_shared_give_no_pairs() -> None:
    """A worker that ended between the two points takes the second one later, in a visit of its own."""
    later = timing([2, 4], [1, 2], 100_000)
    asked, slow, fast = evidence(timing([10, 20], [1, 2], 0), later)
    assert not len(paired.pairs(asked, slow, fast, (1.0, 1.0)).slow)
    other = replace(later, start=later.start - 100_000, stop=later.stop - 100_000, passes=later.passes + 1)
    asked, slow, fast = evidence(timing([10, 20], [1, 2], 0), other)
    assert not len(paired.pairs(asked, slow, fast, (1.0, 1.0)).slow)


def test_points_of_visits_of_their_own_are_known() -> None:
    _, (one, *_) = made.stride_probe(CpuTruth())
    assert one.point.status is Status.OK
    assert not paired.in_turn(msgspec.structs.replace(one.point, facts={}))
