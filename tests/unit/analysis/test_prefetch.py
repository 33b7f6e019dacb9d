"""Lines fetched ahead: times in their intervals; what is followed and what came along, or not told."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.analysis.prefetch import BROUGHT, FOLLOWED, LITTLE, Time, brought, followed, spelled
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval
from reportgen.status import Status
from tests.simulated import prefetch_points as made
from tests.simulated.asked import Asked
from tests.simulated.expected import true_value
from tests.simulated.truth import CpuTruth
from tests.simulated.truth_lines import TruePrefetch
from tests.unit.analysis.cases import Columns, analysed

QUIET = CpuTruth().quiet()
NONE = TruePrefetch(steps=frozenset(), unrolled=frozenset(), along=0)


@cache
def found(known: TruePrefetch = TruePrefetch()) -> dict[str, Quantity]:  # noqa: B008 - frozen
    return analysed(made.probes, replace(QUIET, prefetch=known), 3)


def answers(known: TruePrefetch, stem: str, key: str) -> dict[str, str]:
    return {
        metric.removeprefix(f"{stem}."): quantity.details[key]
        for metric, quantity in found(known).items()
        if metric.startswith(f"{stem}.") and key in quantity.details
    }


@given(
    st.floats(10.0, 20.0), st.floats(45.0, 90.0), st.integers(2, 4), st.integers(0, 4), st.integers(8, 36),
    st.integers(0, 100),
)  # fmt: skip
@settings(max_examples=5, deadline=None)
def test_every_time_is_found(
    near: float, far: float, training: int, along: int, ahead: int, seed: int
) -> None:
    known = TruePrefetch(near=near, far=far, training=training, along=along, ahead=ahead)
    truth = replace(QUIET, prefetch=known)
    told = 0
    for quantity in analysed(made.probes, truth, seed).values():
        true = true_value(truth, quantity)
        if quantity.value is None or quantity.high is None:
            continue
        assert quantity.low is not None
        assert true is not None
        assert quantity.low * 0.97 <= true <= quantity.high * 1.03, quantity.metric
        told += 1
    assert told > 45


def test_steps_that_are_followed() -> None:
    told = answers(TruePrefetch(), "prefetch.stride", "followed")
    assert told.pop("pattern_1_3") == "no"
    assert set(told) == {f"up_{step}" for step in (1, 2, 3, 4, 8, 16, 32, 64)} | {"down_1", "down_4"}
    assert set(told.values()) == {"yes"}
    many = answers(TruePrefetch(), "prefetch.stride_unrolled", "followed")
    assert many == {"up_1": "yes", "up_2": "no", "up_4": "no", "up_16": "no", "down_1": "yes"}


def test_a_core_without_prefetchers_follows_nothing() -> None:
    for stem in ("prefetch.stride", "prefetch.stride_unrolled", "prefetch.stride_dram"):
        assert set(answers(NONE, stem, "followed").values()) == {"no"}
    assert set(answers(NONE, "prefetch.near", "brought").values()) == {"no"}
    streams = found(NONE)["prefetch.streams"]
    assert streams.status is Status.UNSTABLE
    assert "nothing ends" in streams.reason


def test_lines_that_come_along_in_any_order_leave_the_question_open() -> None:
    """Shuffled lines of a small step cost a third of the dearest: that order adds nothing tells nothing."""
    known = TruePrefetch(steps=frozenset({16}), along=2, near=5.0, far=90.0)
    told = answers(known, "prefetch.stride", "followed")
    assert told["up_4"] == "no"
    assert told["up_1"] in ("no", "undecided")
    nearer = replace(known, far=5.5, near=1.0)
    assert answers(nearer, "prefetch.stride", "followed")["up_16"] == "yes"


def test_little_to_gain_is_said() -> None:
    known = TruePrefetch(steps=frozenset({16}), along=2, near=1.0, far=90.0)

    def cheap(truth: CpuTruth) -> list[Asked]:
        info, some = made.stride_probe(truth)
        return [
            (
                info,
                [
                    replace(o, cycles=o.cycles / 2 if o.point.settings["step"] == "1" else o.cycles)
                    for o in some
                ],
            )
        ]

    quantity = analysed(cheap, replace(QUIET, prefetch=known), 3)["prefetch.stride.up_1"]
    assert quantity.details["followed"] == "undecided"
    assert quantity.details["why"] == LITTLE


def test_neighbours_pairs_and_what_lies_ahead() -> None:
    single = answers(TruePrefetch(along=2), "prefetch.near", "brought")
    assert {case for case, told in single.items() if told == "yes" and case.startswith("even")} == {
        *("even.up_1", "even.up_2", "even.down_1", "even.down_2"),
    }
    assert single["odd.up_1"] == single["odd.down_1"] == "yes"
    pairs = answers(TruePrefetch(along=0, pairs=True), "prefetch.near", "brought")
    assert {case for case, told in pairs.items() if told == "yes" and case[0] in "eo"} == {
        *("even.up_1", "odd.down_1"),
    }
    far = answers(TruePrefetch(ahead=20, crosses=False), "prefetch.near", "brought")
    assert far["run.up_16"] == "yes"
    assert far["run.up_24"] == "no"
    assert far["border.up_1"] == "no"
    assert answers(TruePrefetch(), "prefetch.near", "brought")["border.up_1"] == "yes"


def test_what_is_farthest_is_compared_with_nothing() -> None:
    for metric in ("even.up_32", "even.down_32", "odd.up_32", "run.up_40", "border.up_40"):
        assert "saved" not in found()[f"prefetch.near.{metric}"].details
    assert found()["prefetch.near.even.down_4"].details["far"] == -32
    assert found()["prefetch.near.odd.down_1"].details["far"] == -32


@pytest.mark.parametrize(("streams", "low", "high"), [(4, 4, 8), (20, 16, 24), (40, 32, 48)])
def test_streams_lie_between_two_numbers(streams: int, low: float, high: float) -> None:
    quantity = found(TruePrefetch(streams=streams))["prefetch.streams"]
    assert (quantity.low, quantity.high) == (low, high)


def test_more_streams_than_were_asked_for_are_a_bound() -> None:
    quantity = found(TruePrefetch(streams=100))["prefetch.streams"]
    assert quantity.status is Status.CENSORED
    assert quantity.low == 64
    assert quantity.high is None


@pytest.mark.parametrize("count", [8, 48, 64])
def test_a_neighbour_at_one_number_of_streams_hides_no_end(count: int) -> None:
    """Shuffled lines that were pushed out to memory there leave order much to save, whatever it saves."""

    def disturbed(truth: CpuTruth) -> list[Asked]:
        info, some = made.streams_probe(truth)
        worse = {"count": count, "order": "shuffled"}
        return [(info, [replace(o, cycles=o.cycles * 6) if o.point.settings == worse else o for o in some])]

    quantity = analysed(disturbed, QUIET, 3)["prefetch.streams"]
    assert (quantity.low, quantity.high) == (32, 48)


def test_few_numbers_of_streams_tell_nothing() -> None:
    def few(truth: CpuTruth) -> list[Asked]:
        info, some = made.streams_probe(truth)
        return [(info, some[:6])]

    assert analysed(few, QUIET, 0)["prefetch.streams"].status is Status.SKIPPED


def test_lines_of_a_run_by_their_place() -> None:
    known = TruePrefetch(along=0, training=4)
    run = {name: q for name, q in found(known).items() if name.startswith("prefetch.run.")}
    assert [name.rpartition(".")[2] for name in run] == [
        *("1", "2", "3_4", "5_8", "9_16", "17_32", "33_64"),
    ]
    assert run["prefetch.run.3_4"].value == pytest.approx(known.far, rel=0.05)
    assert run["prefetch.run.5_8"].value == pytest.approx(known.near, rel=0.05)


def test_a_missing_half_leaves_the_rest() -> None:
    def without(truth: CpuTruth) -> list[Asked]:
        asked = []
        for info, some in made.probes(truth):
            kept = [one for one in some if one.point.settings.get("order") != "shuffled"]
            asked.append((info, kept))
        return asked

    told = analysed(without, QUIET, 0)
    assert told["prefetch.stride.up_4"].value is not None
    assert "followed" not in told["prefetch.stride.up_4"].details
    assert told["prefetch.streams"].value is None


def test_visits_that_disagree_leave_what_pairs_tell() -> None:
    def edit(columns: Columns) -> None:
        steps = np.char.startswith(columns["point"].astype(str), "memory_hierarchy/prefetch_stride#step=4,")
        columns["ticks"][steps & (columns["pass"] == 1)] *= 8

    told = analysed(made.probes, QUIET, 3, edit=edit)["prefetch.stride.up_4"]
    assert (told.status, told.value) == (Status.UNSTABLE, None)
    assert told.reason.startswith("Visits disagree: all they tell is ")
    assert told.details["followed"] == "yes"


def time(*visits: float, room: float = 0.01) -> Time:
    middle = float(np.median(visits))
    return Time(Interval(middle, middle / (1 + room), middle * (1 + room)), np.array(visits))


def of_visits_alone(truth: CpuTruth) -> list[Asked]:
    """The same points as runs have them in which each had visits of its own."""
    return [
        (info, [replace(one, company="", point=msgspec.structs.replace(one.point, facts={})) for one in some])
        for info, some in made.probes(truth)
    ]


def test_runs_of_visits_alone_tell_as_they_did() -> None:
    told = analysed(of_visits_alone, QUIET, 3)
    assert told["prefetch.stride.up_4"].details["followed"] == "yes"
    assert told["prefetch.stride.pattern_1_3"].details["followed"] == "no"
    assert told["prefetch.near.run.up_1"].details["brought"] == "yes"
    assert told["prefetch.near.odd.down_1"].details["far"] == -32
    assert not any("why" in quantity.details for quantity in told.values())
    assert (told["prefetch.streams"].low, told["prefetch.streams"].high) == (32, 48)


def test_visits_that_nothing_but_turns_tells_apart() -> None:
    """Each visit as a whole takes up to three times as long as another: what took turns in it tells yet."""
    noise = replace(QUIET.noise, memory_visit=0.5)
    truth = replace(QUIET, noise=noise, prefetch=TruePrefetch(far=45.0, near=30.0))
    told = []
    for asked in (made.probes, of_visits_alone):
        found = analysed(asked, truth, 5)
        told.append([found[f"prefetch.stride.up_{step}"].details["followed"] for step in (4, 8, 16, 32, 64)])
    assert set(told[0]) == {"yes"}
    assert "undecided" in told[1]


def test_three_visits_beyond_three_tell_where_intervals_do_not() -> None:
    fast, slow = time(16.0, 15.9, 16.1), time(52.0, 430.0, 55.0, room=60.0)
    assert followed(slow, fast) == "yes"
    assert followed(time(52.0, 430.0, room=60.0), fast) == "undecided"
    assert followed(time(52.0, 430.0, 15.0, room=60.0), fast) == "undecided"
    assert brought(slow, fast) == "yes"
    assert brought(fast, slow) == "no"
    near_by = 16.0 + BROUGHT
    assert brought(time(near_by, near_by, near_by, room=0.5), fast) == "undecided"
    assert followed(time(*(one * FOLLOWED for one in fast.visits)), fast) == "undecided"


def test_names_of_steps() -> None:
    assert [spelled(step) for step in ("4", "-1", "1_3")] == ["up_4", "down_1", "pattern_1_3"]


def test_quantities_are_records() -> None:
    for quantity in found().values():
        assert msgspec.json.decode(msgspec.json.encode(quantity), type=Quantity) == quantity
