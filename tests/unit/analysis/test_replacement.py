"""Shares of misses of a set whose policy is known, and which policies they leave."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from dataclasses import replace
from functools import cache

import msgspec
import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.analysis.replacement import RECORD, Reading, predicted, read, simulated
from reportgen.analysis.replacement_policies import BY_CHANCE, Order, Policy, candidates, share
from reportgen.status import Status
from tests.data.replacement import record, search
from tests.simulated.asked import Asked
from tests.simulated.memory_points import line_probe
from tests.simulated.replacement_points import (
    OUTER,
    REPLACEMENT,
    definition,
    replacement_probe,
    true_share,
)
from tests.simulated.truth import CpuTruth
from tests.unit.analysis.cases import analysed

SEQUENCES = definition().constants["sequences"]
WAYS = sorted(map(int, SEQUENCES))
NAMES = [name for name in definition().settings["sequence"] if name not in ("hits", "misses")]
PLAIN = ["LRU", "FIFO", "PLRU", "MRU", "NRU", "QLRU_H00_M2_R0_U0_UMO", "QLRU_H11_M1_R0_U0"]


def device(policy: str, ways: int = 8) -> CpuTruth:
    """A core with noise whose first level has so many ways and such a policy."""
    truth = CpuTruth(replacement=policy)
    return replace(truth, caches=(replace(truth.caches[0], ways=ways), *truth.caches[1:]))


@cache
def shares(policy: str, ways: int = 8, seed: int = 3) -> tuple[Quantity, ...]:
    """What the analysis makes of the samples of the device."""
    return tuple(analysed(lambda one: [replacement_probe(one)], device(policy, ways), seed).values())


def reading(quantities: tuple[Quantity, ...]) -> Reading:
    found = read(list(quantities))
    assert found is not None
    return found


@pytest.mark.parametrize("ways", WAYS)
@pytest.mark.parametrize("policy", PLAIN)
def test_a_policy_is_recovered_and_most_others_are_excluded(policy: str, ways: int) -> None:
    found = reading(shares(policy, ways))
    assert policy in found.left
    assert len(found.left) < 0.2 * found.simulated == 0.2 * len(candidates(ways))
    known = {name for name in found.left if search.known(name)}
    assert len(known) <= 2, known


@pytest.mark.parametrize("ways", WAYS)
def test_chance_is_not_taken_for_a_rule(ways: int) -> None:
    """Random replacement is left, and none of the policies without chance that people know."""
    found = reading(shares("random", ways))
    assert "random" in found.left
    assert not [name for name in found.left if search.known(name) and name not in BY_CHANCE]
    assert "random" not in reading(shares("LRU", ways)).left


@pytest.mark.parametrize("ways", WAYS)
@pytest.mark.parametrize("policy", sorted(BY_CHANCE))
def test_policies_with_chance_leave_themselves(policy: str, ways: int) -> None:
    """Of twelve ways a tree may never hold all lines that fit: what a share is relative to is part of it."""
    assert policy in reading(shares(policy, ways)).left


def test_noise_of_any_seed_leaves_the_truth() -> None:
    for policy, seed in itertools.product(("LRU", "PLRU"), range(3)):
        assert policy in reading(shares(policy, 8, seed)).left


class _MostRecent(Order):
    """The line visited last makes room: nobody builds that."""

    def visit(self, line: int) -> bool:
        there = line in self.lines
        if there:
            self.lines.remove(line)
        else:
            self.lines.pop(0)
        self.lines.insert(0, line)
        return there


def test_a_policy_that_is_not_simulated_leaves_none() -> None:
    def steady(policy: Policy, text: str) -> float:
        lines = tuple(map(int, text.split()))
        return sum([not policy.visit(line) for _ in range(40) for line in lines][-20 * len(lines) :]) / (
            20 * len(lines)
        )

    odd = {name: steady(_MostRecent(8, random.Random(0)), SEQUENCES["8"][name]) for name in NAMES}

    def suite(truth: CpuTruth) -> list[Asked]:
        return [replacement_probe(truth, odd)]

    found = reading(tuple(analysed(suite, device("LRU"), 1).values()))
    assert not found.left
    assert len(found.excluded) == len(candidates(8))
    assert found.excluded[0].beyond > 1
    assert found.excluded == tuple(sorted(found.excluded, key=lambda one: one.beyond))


def test_shares_hold_the_truth_within_what_is_allowed() -> None:
    for quantity in shares("PLRU"):
        name = quantity.metric.rpartition(".")[2]
        assert quantity.status is Status.OK
        assert quantity.value == pytest.approx(true_share(device("PLRU"), name), rel=0.05, abs=0.01)
        assert quantity.details["sequence"] == SEQUENCES["8"][name]
        hit, time, miss = quantity.details["cycles"]
        assert hit < time <= 1.1 * miss


def test_each_exclusion_names_the_sequence_and_both_shares() -> None:
    by_metric = {quantity.metric: quantity for quantity in shares("PLRU")}
    for one in reading(shares("PLRU")).excluded:
        quantity = by_metric[one.metric]
        assert one.measured == quantity.value
        assert one.predicted == predicted(one.policy, quantity)
        low, high = one.predicted
        assert not low <= one.measured <= high


def test_without_a_time_for_hits_nothing_is_told() -> None:
    def suite(truth: CpuTruth) -> list[Asked]:
        info, timed = replacement_probe(truth)
        first = timed[0]
        failed = msgspec.structs.replace(first.point, status=Status.FAILED, reason="It crashed.")
        return [(info, [replace(first, point=failed, cycles=0.0), *timed[1:]])]

    (quantity,) = analysed(suite, device("LRU"), 0).values()
    assert quantity.metric == "memory.l1.misses"
    assert quantity.status is Status.FAILED
    assert "'hits'" in quantity.reason
    assert read([quantity]) is None


def test_lines_that_do_not_share_a_set_are_no_evidence() -> None:
    """Where lines that should drive each other out are not slower, no share can be told."""
    none = dict.fromkeys(definition().settings["sequence"], 0.0)
    (quantity,) = analysed(lambda one: [replacement_probe(one, none)], device("LRU"), 0).values()
    assert quantity.status is Status.UNSUPPORTED
    assert "spreads them over several sets" in quantity.reason


def outer(shares: dict[str, float] | None = None) -> dict[str, Quantity]:
    """The second level of a core, of eight ways."""
    truth = device("PLRU")
    second = replace(truth, caches=(truth.caches[0], replace(truth.caches[1], ways=8), truth.caches[2]))
    return analysed(lambda one: [replacement_probe(one, shares, OUTER)], second, 2)


def test_a_second_level_is_read_as_the_first_is() -> None:
    found = outer()
    assert list(found) == [f"memory.l2.misses.{name}" for name in NAMES]
    assert reading(tuple(found.values())).left == ("PLRU",)


def test_a_second_level_whose_sets_are_filled_unevenly_tells_nothing() -> None:
    (quantity,) = outer({"hits": 0.3}).values()
    assert (quantity.metric, quantity.status) == ("memory.l2.misses", Status.UNSUPPORTED)
    assert "do not lie beside each other in the host's memory" in quantity.reason


def test_both_levels_ask_the_same_sequences() -> None:
    first, second = (definition(probe).constants["sequences"] for probe in (REPLACEMENT, OUTER))
    assert {ways: {"few": "0 1"} | some for ways, some in first.items()} == second


def test_ways_without_sequences_are_unsupported() -> None:
    found = analysed(lambda one: [line_probe(one), replacement_probe(one)], device("LRU", 7), 0)
    quantity = found["memory.l1.misses"]
    assert quantity.status is Status.UNSUPPORTED
    assert "7 ways" in quantity.reason


def hits(policy: str, ways: int, lines: list[int]) -> str:
    """Which visits hit (+) of a set that was filled by lines 0, 1, ... in this order."""
    made = candidates(ways)[policy](ways, random.Random(1))
    for line in range(ways):
        made.visit(line)
    return "".join("+" if made.visit(line) else "-" for line in lines)


def test_policies_give_up_the_line_that_their_papers_say() -> None:
    four = {
        "LRU": "++---",  # 4 takes the place of 2, 2 that of 3
        "FIFO": "++-++",  # 0 was first in, so 4 takes its place
        "PLRU": "++-+-",  # 0 turned the root away from itself and 2, 1 its own fork to 3
    }
    for policy, seen in four.items():
        assert hits(policy, 4, [1, 0, 4, 2, 3]) == seen, policy
    # the last bit sets all others: 4 takes the first place with a bit, that of 0
    assert hits("MRU", 4, [4, 0]) == "--"
    # a line that is not visited again never leaves the end of the order
    assert hits("LIP", 4, [9, 8, 9, 8]) == "----"


def test_states_that_repeat_give_exact_shares() -> None:
    circle = tuple(range(9))
    assert share("LRU", 8, circle) == (1.0, 1.0)
    assert share("MRU", 8, circle) == pytest.approx((4 / 7, 4 / 7))
    low, high = share("random", 8, circle)
    # share m of a circle of n lines: a line survives m n misses with (1 - 1/ways) each
    assert low <= high
    assert 0.5 * (low + high) == pytest.approx(1 - (7 / 8) ** (9 * 0.5 * (low + high) - 0.5), abs=0.05)
    assert share("BIP", 8, circle)[1] < 0.3


@pytest.mark.parametrize("ways", WAYS)
def test_sequences_are_those_that_were_searched_for(ways: int) -> None:
    held = json.loads(search.RECORD.read_text(encoding="utf-8"))[str(ways)]
    asked = SEQUENCES[str(ways)]
    assert [asked[name] for name in NAMES] == held
    assert set(asked) == set(definition().settings["sequence"])
    for text in asked.values():
        lines = tuple(map(int, text.split()))
        assert search.renamed(lines) == lines
        assert max(Counter(lines).values()) <= search.MOST_VISITS
        assert len(lines) <= search.PERIOD * ways


@pytest.mark.parametrize("ways", WAYS)
def test_predictions_are_recorded_as_they_are_simulated(ways: int) -> None:
    held = json.loads(RECORD.read_text(encoding="utf-8"))[str(ways)]
    assert set(held) == set(SEQUENCES[str(ways)].values())
    text = SEQUENCES[str(ways)]["s1"]
    some = list(candidates(ways))[:: 9 if ways <= 8 else 40]
    for policy in some:
        low, high = share(policy, ways, tuple(map(int, text.split())))
        assert simulated(ways, text, policy) == (round(low, record.DIGITS), round(high, record.DIGITS))


@pytest.mark.parametrize("ways", WAYS)
def test_what_was_found_is_among_what_the_seed_draws(ways: int) -> None:
    chance = search.seeded(ways)
    drawn = {*search.plain(ways), *(search.drawn(ways, chance) for _ in range(search.DRAWN))}
    for name in NAMES:
        assert tuple(map(int, SEQUENCES[str(ways)][name].split())) in drawn, name


def test_a_search_takes_what_tells_most_apart_first() -> None:
    first, *others = search.chosen(2, count=2, wanted=2)
    assert set(first) > {0, 1}
    pairs = [search.told_apart(search.predicted(2, one)) for one in (first, *others)]
    assert all(search.weight(pairs[0]) >= search.weight(some) for some in pairs)
    near = {"LRU": (0.3, 0.3), "random": (0.1, 0.2), "FIFO": (0.25, 0.6), "MRU": (0.5, 0.5)}
    apart = search.told_apart(near)
    assert apart == {("LRU", "MRU"), ("LRU", "random"), ("random", "MRU")}
    assert search.weight(apart) == 3 * search.WEIGHT
    assert search.weight(frozenset({("LRU", "QLRU_H00_M0_R0_U0")})) == 1
