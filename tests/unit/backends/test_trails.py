"""Layouts that tempt a prefetcher: what is compared visits the same lines and pages, in another order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.backends import trails
from reportgen.backends.layouts import LINE, Offsets
from reportgen.suite.load import load_suite

KIB = 1024
STRIDES = load_suite().definitions["memory_hierarchy/prefetch_stride"]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def lines(offsets: Offsets, each: int) -> Offsets:
    """Lines, a row a run."""
    return (offsets // LINE).reshape(-1, each)


@pytest.mark.parametrize("step", STRIDES.settings["step"])
def test_both_orders_visit_every_line_once_in_the_same_runs(step: str) -> None:
    steps = tuple(int(part) for part in step.split("_"))
    ordered, shuffled = (
        lines(trails.runs(512 * KIB, steps, 16, order, rng()), 16) for order in ("in_order", "shuffled")
    )
    covered = sorted(ordered.reshape(-1))
    assert covered == list(range(len(covered)))
    assert len(covered) > 8000  # but for a block that does not fit
    assert [set(run) for run in ordered] == [set(run) for run in shuffled]  # the same runs in the same order
    apart = np.diff(ordered, axis=1)
    assert all((apart[:, at] == steps[at % len(steps)]).all() for at in range(15))
    kept = np.all(shuffled == ordered, axis=1)
    assert kept.mean() < 0.01
    assert len(set(ordered[:-1, -1] - ordered[1:, 0])) > 10  # a run's end tells nothing of the next


@given(st.integers(1, 40), st.sampled_from((1, 2, 4, 16, 64)), st.booleans())
@settings(max_examples=20, deadline=None)
def test_runs_of_any_step_cover_their_block(step: int, length: int, down: bool) -> None:
    found = trails.runs(step * length * LINE * 3, (-step if down else step,), length, "in_order", rng())
    assert sorted(found // LINE) == list(range(step * length * 3))


def test_steps_that_leave_gaps_are_refused() -> None:
    with pytest.raises(ValueError, match="without a gap"):
        trails.runs(64 * KIB, (3, -1), 16, "in_order", rng())


@pytest.mark.parametrize("count", [1, 3, 16, 64])
@pytest.mark.parametrize("order", ["in_order", "shuffled"])
def test_streams_go_through_pages_of_their_own(count: int, order: str) -> None:
    found = lines(trails.streams(1024 * KIB, count, order, rng()), count)
    assert len(set(found.reshape(-1))) == found.size
    pages = found // trails.LINES
    for stream in range(count):
        own = set(pages[:, stream])
        assert not own & {page for other in range(count) if other != stream for page in pages[:, other]}
    places = found[0] % trails.LINES
    if order == "in_order":
        assert len(set(places)) == count  # evenly apart: they do not meet in the sets of a cache
        follows = np.diff(found, axis=0) == 1
        assert follows.mean() > 0.95
    else:
        assert (np.diff(found, axis=0) == 1).mean() < 0.1


@pytest.mark.parametrize("case", load_suite().definitions["memory_hierarchy/prefetch_near"].settings["case"])
def test_lines_behind_others_are_where_the_case_says(case: str) -> None:
    ends, length, distance = trails.case_of(case)
    found = lines(trails.behind(256 * KIB, length, ends, distance, rng()), length + 1)
    runs, others = found[:, :-1], found[:, -1]
    assert len(set(found.reshape(-1))) == found.size  # no line is asked for twice
    assert (np.diff(runs, axis=1) == 1).all()
    last = runs[:, -1]
    assert (others == np.roll(last, 1) + distance).all()  # of the run before
    page, other_page = np.roll(last, 1) // trails.LINES, others // trails.LINES
    assert len(set(page)) == len(page)
    if ends == "border":
        assert (last % trails.LINES == trails.LINES - 1).all()
        assert (other_page == page + 1).all()
    else:
        assert (other_page == page).all()
        assert (runs[:, 0] // trails.LINES == last // trails.LINES).all()
    if ends in ("even", "odd"):
        assert (last % 2 == (ends == "odd")).all()


NEAR = "even.up_1 even.up_2 even.up_32"


@pytest.mark.parametrize(
    "setup",
    [
        {"trail": "runs", "step": "4", "length": 16, "in_turn": "order", "turns": "in_order shuffled"},
        {"trail": "streams", "count": 8, "loads": 8, "in_turn": "order", "turns": "in_order shuffled"},
        {"trail": "behind", "in_turn": "case", "turns": NEAR},
        {"trail": "behind", "in_turn": "case", "turns": "run.up_1 run.up_40"},
        {"trail": "runs", "step": "1", "length": 1, "in_turn": "order", "turns": "in_order"},
    ],
)
def test_layouts_in_turn_visit_the_same_places_apart_from_each_other(setup: dict[str, int | str]) -> None:
    size, loads = 1024 * KIB, int(setup.get("loads", 1))
    every = trails.in_turn({"size": size, "loads": loads, **setup}, 3)
    arms = len(str(setup["turns"]).split())
    assert len(every) == arms
    assert len({len(own) for own in every}) == 1
    words = np.concatenate(every)
    assert len(set(words)) == len(words)  # a word of its own in each line
    first = every[0] // LINE
    for at, own in enumerate(every[1:], 1):
        assert (own % LINE == 8 * at).all()
        ahead = len(own) * at // arms
        # in the beginning it stands where the first comes to after its share of the way
        place = own[: 16 * loads] // LINE // trails.LINES
        there = first[ahead - 16 * loads : ahead + 32 * loads] // trails.LINES
        assert len(set(place) & set(there)) >= len(set(place)) - loads


def test_cases_that_are_compared_have_the_same_runs() -> None:
    setup = {"size": 256 * KIB, "loads": 1, "trail": "behind", "in_turn": "case", "turns": NEAR}
    rows = []
    for at, own in enumerate(trails.in_turn(setup, 5)):
        pairs = np.roll(own - 8 * at, len(own) * at // 3).reshape(-1, 2) // LINE
        rows.append(pairs)
    assert (rows[0][:, 0] == rows[1][:, 0]).all()
    assert (rows[0][:, 0] == rows[2][:, 0]).all()
    assert (rows[2][:, 1] - rows[0][:, 1] == 31).all()


def test_what_one_visit_compares() -> None:
    cases = load_suite().definitions["memory_hierarchy/prefetch_near"].settings["case"]
    assert trails.compared("case", "odd.down_1", cases) == ["odd.down_32", "odd.down_1"]
    assert len(trails.compared("case", "even.up_1", cases)) == 6
    assert all(len(trails.compared("case", case, cases)) <= 8 for case in cases)  # words of a line
    assert trails.compared("order", "shuffled", ["in_order", "shuffled"]) == ["in_order", "shuffled"]


def test_the_same_seed_gives_the_same_layout() -> None:
    setup = {"trail": "runs", "size": 64 * KIB, "order": "shuffled", "step": "1_3", "length": 16}
    assert (trails.laid_out(setup, rng(7)) == trails.laid_out(setup, rng(7))).all()
    assert (trails.laid_out(setup, rng(7)) != trails.laid_out(setup, rng(8))).any()


@pytest.mark.parametrize("case", ["even", "even.sideways_1", "page.up_1", "even.up_-1", ""])
def test_no_such_case(case: str) -> None:
    with pytest.raises(ValueError, match="names no line behind others"):
        trails.case_of(case)
