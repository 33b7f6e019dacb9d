"""Resources from times of mixes: found again on machines of known ports, and honest where they cannot be."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import pytest

from reportgen.model import mapping
from reportgen.model.assignment import Alternative
from reportgen.model.mapping import Group, Mix, explain, predicted, undecided
from tests.simulated import mixtures
from tests.simulated.instruction_points import MATRIX
from tests.simulated.population import seeded
from tests.simulated.truth import CpuTruth

NOISE = 0.003
"""Relative standard deviation of a time; what repeats of an interference point scatter by."""
MACHINES = 40


def found(groups: tuple[Group, ...]) -> mixtures.Signatures:
    return Counter(one for group in groups for one in group.alternatives[0].resources)


def pair(*rows: tuple[float, float, float], **intervals: float) -> tuple[Group, ...]:
    """Groups of two kinds from rows of counts and cycles."""
    first, second = intervals
    return explain(intervals, [Mix(first, second, *row) for row in rows])


def recovered(
    machines: list[CpuTruth], kinds: tuple[str, ...], proportions: tuple[tuple[int, int], ...]
) -> float:
    """Share of machines whose first explanation is their ports up to renaming."""
    hits = 0
    for seed, truth in enumerate(machines):
        times = mixtures.mixes(truth, kinds, proportions, NOISE, seed)
        groups = explain(mixtures.intervals(truth, kinds, NOISE, seed), times)
        hits += found(groups) == mixtures.signatures(truth, kinds)
    return hits / len(machines)


def test_nine_in_ten_mappings_are_recovered_with_the_proportions_of_the_suite() -> None:
    drawn = (seeded(seed) for seed in range(4 * MACHINES))
    told = [truth for truth in drawn if mixtures.tellable(truth)][:MACHINES]
    assert len(told) == MACHINES
    assert recovered(told, mixtures.PIPELINED, mixtures.PROPORTIONS) >= 0.9


def test_wider_proportions_find_dividers_too() -> None:
    wide = ((1, 1), *((k, 1) for k in (2, 4, 8, 16, 32)), *((1, k) for k in (2, 4, 8, 16, 32)))
    drawn = (replace(seeded(seed), front_end=16.0, limits=()) for seed in range(60))
    told = [truth for truth in drawn if mixtures.tellable(truth, MATRIX, 32)][:15]
    assert len(told) == 15
    assert recovered(told, MATRIX, wide) >= 0.9


def test_kinds_that_never_slow_each_other_share_nothing() -> None:
    groups = pair((10, 10, 5.0), (20, 10, 10.0), (10, 20, 10.0), a=0.5, b=0.5)
    assert [group.kinds for group in groups] == [("a",), ("b",)]
    assert all(len(group.alternatives[0].resources) == 2 for group in groups)


def test_a_kind_inside_another_is_told_by_the_mix_that_fills_the_larger() -> None:
    # four resources, one of which serves b as well
    (group,) = pair((20, 5, 6.25), (5, 5, 5.0), a=0.25, b=1.0)
    assert found((group,)) == Counter({frozenset("ab"): 1, frozenset("a"): 3})
    assert group.complete


def test_an_instruction_that_keeps_its_resources_for_two_cycles() -> None:
    # wide = two halves on the two resources of narrow
    rows = [(10, 10, 15.0), (20, 10, 20.0), (10, 20, 25.0), (40, 10, 30.0), (10, 40, 45.0)]
    (group,) = pair(*rows, narrow=0.5, wide=1.0)
    assert found((group,)) == Counter({frozenset(("narrow", "wide")): 2})
    assert group.alternatives[0].busy["wide"] == pytest.approx(2.0)


def test_a_mix_at_the_rate_of_the_front_end_binds_nobody() -> None:
    mixes = [Mix("a", "b", 10, 10, 5.0, front_end=5.0)]
    assert len(explain({"a": 0.25, "b": 0.25}, mixes)) == 2
    assert undecided({"a": 0.25, "b": 0.25}, mixes) == (("a", "b"),)


def test_what_cannot_be_told_is_said() -> None:
    hidden = [Mix("add", "mul", 5, 5, 5.0)]
    told = [*hidden, Mix("add", "mul", 20, 5, 5.0)]
    assert undecided({"add": 0.25, "mul": 1.0}, hidden) == (("add", "mul"),)
    assert undecided({"add": 0.25, "mul": 1.0}, told) == ()


def test_equally_good_explanations_are_listed() -> None:
    # b and c on one each of the three resources of a; d on two of them, and the front end hides with whom
    mixes = [
        Mix("a", "b", 20, 5, 25 / 3), Mix("a", "c", 20, 5, 25 / 3), Mix("a", "d", 20, 10, 10.0),
        Mix("b", "c", 5, 5, 5.0), Mix("d", "b", 10, 5, 7.5, 7.5), Mix("d", "c", 10, 5, 7.5, 7.5),
    ]  # fmt: skip
    (group,) = explain({"a": 1 / 3, "b": 1.0, "c": 1.0, "d": 0.5}, mixes)
    assert group.complete
    assert {frozenset(one.resources) for one in group.alternatives} == {
        frozenset((frozenset("abd"), frozenset("ac"), frozenset("ad"))),
        frozenset((frozenset("acd"), frozenset("ab"), frozenset("ad"))),
    }


def test_three_that_share_by_twos_take_the_smaller_explanation() -> None:
    mixes = [Mix(one, other, 20, 20, 40 / 3) for one, other in itertools.combinations("abc", 2)]
    (group,) = explain(dict.fromkeys("abc", 0.5), mixes)
    assert found((group,)) == Counter(frozenset(one) for one in ("ab", "bc", "ac"))


def test_times_of_a_mapping_are_those_of_a_perfect_scheduler() -> None:
    shuffle = Alternative(
        (
            frozenset(("fma",)),
            frozenset(("fma", "shuffle")),
            frozenset(("add", "shuffle")),
            frozenset(("add",)),
        ),
        {"fma": 1.0, "shuffle": 1.0, "add": 1.0},
    )
    assert predicted(shuffle, {"fma": 12, "shuffle": 12}) == 8.0
    assert predicted(shuffle, {"fma": 12, "add": 12}) == 6.0
    assert predicted(shuffle, {"fma": 12, "add": 12, "shuffle": 12}) == 9.0
    assert predicted(shuffle, {"load": 3}) == 0.0


def test_the_same_mixes_give_the_same_mapping_in_any_order() -> None:
    truth = replace(CpuTruth(), front_end=16.0)
    mixes = list(mixtures.mixes(truth, noise=NOISE))
    times = mixtures.intervals(truth)
    assert found(explain(times, mixes)) == found(explain(times, mixes[::-1]))


def test_a_time_faster_than_its_parts_is_no_reason_to_fail() -> None:
    assert len(pair((10, 10, 3.0), a=0.5, b=0.5)) == 2
    assert mapping.explain({}, []) == ()
