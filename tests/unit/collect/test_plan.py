from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from reportgen.collect import plan
from reportgen.errors import UserError
from reportgen.status import Status
from tests.simulated.faulty import DEVICE, suite

SUITE = suite("fine", "good", "sound")


def made(glob: str = "*", quick: bool = False, seed: int = 1, passes: int | None = None) -> plan.Plan:
    return plan.make(SUITE, DEVICE, glob, quick, seed, passes)


def names(asked: plan.Plan) -> list[str]:
    return [entry.point.id for entry in asked.entries]


def test_everything_is_asked_in_suite_order() -> None:
    asked = made()
    assert names(asked) == list(asked.sequence)
    assert not asked.settled
    assert asked.passes == plan.PASSES


def test_what_is_not_asked_is_recorded_as_skipped_with_the_reason() -> None:
    asked = made("memory_hierarchy/*")
    assert names(asked) == ["memory_hierarchy/slow#how=fine"]
    assert len(asked.sequence) == 4
    assert {(point.status, point.reason) for point in asked.settled.values()} == {
        (Status.SKIPPED, "not asked for: --probes 'memory_hierarchy/*'")
    }
    quick = made(quick=True)
    assert quick.settled["memory_hierarchy/slow#how=fine"].reason == "left out by --quick"
    assert quick.passes == plan.QUICK_PASSES
    assert made(passes=7, quick=True).passes == 7


@pytest.mark.parametrize("glob", ["*", "instruction_latency", "*/trial", "nothing/*, instruction_*"])
def test_a_glob_names_probes_or_families(glob: str) -> None:
    assert "instruction_latency/trial#how=fine" in names(made(glob))


def test_a_glob_that_matches_nothing_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(UserError, match="no probe matches 'memory_hierarchi'") as raised:
        made("memory_hierarchi")
    assert "Did you mean memory_hierarchy" in raised.value.remedy


def test_every_pass_visits_every_point_once_in_an_order_of_its_own() -> None:
    asked = made(passes=5)
    visits = plan.main_visits(asked, names(asked))
    assert [visit.order for visit in visits] == list(range(len(visits)))
    passes = [[visit.point for visit in visits if visit.number == number] for number in range(5)]
    assert all(sorted(points) == sorted(names(asked)) for points in passes)
    assert len({tuple(points) for points in passes}) > 1
    assert visits == plan.main_visits(made(passes=5), names(asked))
    assert visits != plan.main_visits(made(passes=5, seed=2), names(asked))


def behind() -> plan.Plan:
    """A plan whose probe `slow` is asked behind all others."""
    whole = suite("fine", "good", "sound")
    slow = msgspec.structs.replace(whole.definitions["memory_hierarchy/slow"], last=True)
    whole.definitions["memory_hierarchy/slow"] = slow
    return plan.make(whole, DEVICE, "*", False, 1, None)


def test_what_is_asked_last_comes_behind_all_passes_of_the_others() -> None:
    asked = behind()
    (last,) = plan.lasting(asked)
    assert last == "memory_hierarchy/slow#how=fine"
    visits = plan.main_visits(asked, names(asked))
    assert [visit.point == last for visit in visits] == [False] * (len(visits) - 3) + [True] * 3
    assert [visit.number for visit in visits[-3:]] == [0, 1, 2]
    assert [visit.order for visit in visits] == list(range(len(visits)))
    extra = plan.extra_visits(asked, 40, 0, [last, *names(asked)[:2]])
    assert [visit.point == last for visit in extra] == [False, False, True]
    assert [visit.order for visit in extra] == [40, 41, 42]


def test_the_drift_mark_is_visited_at_start_middle_and_end() -> None:
    asked = made(passes=2)
    visits = plan.main_visits(asked, names(asked))
    visits += plan.last_visit(asked, len(visits), names(asked))
    marks = [visit for visit in visits if visit.number >= asked.passes]
    assert [visit.order for visit in marks] == [0, len(visits) // 2, len(visits) - 1]
    assert len({visit.point for visit in marks}) == 1
    assert len({(visit.number, visit.point) for visit in visits}) == len(visits)


def test_a_plan_without_a_measurable_point_has_no_visits() -> None:
    assert plan.main_visits(made(), []) == []
    assert plan.last_visit(made(), 0, []) == []


def test_extra_rounds_have_passes_of_their_own() -> None:
    asked = made(passes=2)
    main = plan.main_visits(asked, names(asked))
    numbers = Counter(visit.number for visit in main)
    for round_ in range(plan.EXTRA_ROUNDS):
        extra = plan.extra_visits(asked, 100, round_, ["a", "b"])
        assert [visit.order for visit in extra] == [100, 101]
        (number,) = {visit.number for visit in extra}
        assert number not in numbers
        assert number > asked.passes + 2
        numbers[number] += 1


def test_every_visit_has_a_seed_of_its_own() -> None:
    seeds = {plan.visit_seed(made(), order) for order in range(100)}
    assert len(seeds) == 100


def test_points_that_are_sampled_in_turn_follow_each_other() -> None:
    asked = made(passes=8)
    first, second, third, fourth = names(asked)
    together = {first: "one", fourth: "one"}
    visits = plan.main_visits(asked, names(asked), together)
    every = [[visit for visit in visits if visit.number == number] for number in range(8)]
    for one in every:
        assert sorted(visit.point for visit in one) == sorted(names(asked))
        order = {visit.point: visit.order for visit in one}
        assert order[fourth] == order[first] + 1  # the drift mark never stands between them
    assert len({tuple(visit.point for visit in one) for one in every}) > 2
    assert {one[0].point for one in every} > {second, third}


def test_a_further_visit_takes_the_company_along() -> None:
    together = {"p1": "a", "p4": "a", "p2": "b", "p3": "b"}
    extra = plan.extra_visits(made(), 10, 0, ["p4", "p0"], together)
    assert sorted(visit.point for visit in extra) == ["p0", "p1", "p4"]
    names = [visit.point for visit in extra]
    assert abs(names.index("p1") - names.index("p4")) == 1
