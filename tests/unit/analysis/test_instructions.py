"""Slope, plateau and interference on chains of known truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.analysis.slope import NOT_LINEAR, fit_line
from reportgen.runs.schema import Run
from reportgen.status import Status
from tests.simulated.asked import Asked, ok_point, probe_info
from tests.simulated.instruction_points import interference_probes, latency_probes, throughput_probes
from tests.simulated.ports import group_cycles
from tests.simulated.sampler import Timed
from tests.simulated.truth import CpuTruth, Noise
from tests.unit.analysis.cases import Columns, analysed, chain, chains, covers, reject, width

NOISY = CpuTruth()


@given(st.floats(0.25, 60), st.floats(0, 40), st.integers(0, 1000))
@settings(max_examples=15)
def test_a_latency_is_found_under_noise(latency: float, overhead: float, seed: int) -> None:
    found = analysed([chain(lambda n: overhead + latency * n)], NOISY, seed)["latency.x"]
    assert found.status is Status.OK
    assert found.value == pytest.approx(latency, rel=0.005)
    assert found.inputs["linearity"] < 0.01
    assert found.inputs["passes"] == 3
    assert 0.3 < found.inputs["acceptance"] < 0.8
    assert 0 < found.inputs["precision"] < 0.01
    assert found.details["length"] == [48, 96, 144, 192]


def test_intervals_of_latencies_cover() -> None:
    hits = [
        covers(found[f"latency.{name}"], kind.latency)
        for seed in range(25)
        for found in [analysed(latency_probes, NOISY, seed)]
        for name, kind in NOISY.operations.items()
    ]
    assert 0.9 <= np.mean(hits) <= 0.99


def test_companions_are_subtracted_and_repeats_divided() -> None:
    asked = [
        chain(lambda n: 3 + 17 * n, name="pair", companions=["single", "single"], repeat=3),
        chain(lambda n: 3 + 4 * n, name="single"),
    ]
    found = analysed(asked)
    assert found["latency.pair"].value == pytest.approx(3, rel=0.005)
    assert width(found["latency.pair"]) > width(found["latency.single"]) / 3


def test_a_missing_companion_is_named() -> None:
    found = analysed([chain(lambda n: 9 * n, companions=["absent"])])["latency.x"]
    assert (found.status, found.value) == (Status.UNSTABLE, None)
    assert "absent" in found.reason


def test_companions_that_name_each_other_end() -> None:
    asked = [chain(lambda n: n, name=a, companions=[b]) for a, b in (("a", "b"), ("b", "a"))]
    assert {one.status for one in analysed(asked).values()} == {Status.UNSTABLE}


def test_a_bend_is_not_a_latency() -> None:
    found = analysed([chain(lambda n: 3 * n + 0.02 * n * n)])["latency.x"]
    assert found.status is Status.UNSTABLE
    assert found.value is None
    assert "not proportional" in found.reason


def test_a_chain_that_does_not_grow_is_invalid() -> None:
    found = analysed([chain(lambda n: 500 - n)])["latency.x"]
    assert (found.status, found.value) == (Status.INVALID, None)


def test_two_lengths_give_a_value_without_linearity() -> None:
    found = analysed([chain(lambda n: 3 + 4 * n, lengths=(48, 192))])["latency.x"]
    assert found.status is Status.OK
    assert "linearity" not in found.inputs
    assert "not checked" in found.reason
    assert covers(found, 4)


def test_one_length_gives_none() -> None:
    found = analysed([chain(lambda n: 3 + 4 * n, lengths=(48,))])["latency.x"]
    assert (found.status, found.value) == (Status.UNSTABLE, None)


def test_a_single_pass_still_gives_an_interval() -> None:
    found = analysed([chain(lambda n: 3 + 4 * n)], replace(NOISY, passes=1))["latency.x"]
    assert found.status is Status.OK
    assert found.inputs["passes"] == 1
    assert covers(found, 4)


def test_rejected_samples_give_no_value() -> None:
    def all_rejected(columns: Columns) -> None:
        reject(columns, np.ones(len(columns["ticks"]), dtype=bool))

    found = analysed([chain(lambda n: 4 * n)], edit=all_rejected)["latency.x"]
    assert (found.status, found.value, found.n) == (Status.UNSTABLE, None, 0)
    assert found.taken == 120
    assert "0 of 30 samples passed the gates" in found.reason


def test_one_time_of_zero_makes_it_invalid() -> None:
    def stopped(columns: Columns) -> None:
        columns["ticks"][np.flatnonzero(columns["sample"] == 5)] = 0

    found = analysed([chain(lambda n: 4 * n)], edit=stopped)["latency.x"]
    assert (found.status, found.value) == (Status.INVALID, None)
    assert "zero or less" in found.reason


def test_two_modes_are_two_modes() -> None:
    def split(columns: Columns) -> None:
        far = columns["sample"] % 2 == 0
        columns["ticks"] = np.where(far, columns["ticks"] * 18 // 10, columns["ticks"])

    found = analysed([chain(lambda n: 4 * n)], edit=split)["latency.x"]
    assert (found.status, found.value) == (Status.UNSTABLE, None)
    assert found.modes[1] / found.modes[0] == pytest.approx(1.8, rel=0.02)


def test_groups_of_equal_size_are_found_at_their_own_times() -> None:
    """In half of the points most samples are in the slow group, in the others in the fast one."""

    def split(columns: Columns) -> None:
        _, point = np.unique(columns["point"].astype(str), return_inverse=True)
        far = (columns["sample"] + point) % 2 == 0
        columns["ticks"] = np.where(far, columns["ticks"] * 18 // 10, columns["ticks"])

    clean = analysed([chain(lambda n: 4 * n)])["latency.x"]
    found = analysed([chain(lambda n: 4 * n)], edit=split)["latency.x"]
    assert clean.value == pytest.approx(4, rel=0.01)
    assert found.status is Status.UNSTABLE
    assert found.modes[1] / found.modes[0] == pytest.approx(1.8, rel=0.02)


def test_contaminated_samples_that_slip_through_do_not_move_it() -> None:
    noise = Noise(contaminated=0.1, slips=1.0)
    found = analysed([chain(lambda n: 3 + 4 * n)], replace(NOISY, noise=noise))["latency.x"]
    assert found.value == pytest.approx(4, rel=0.003)


def test_a_neighbour_for_a_whole_visit_is_left_out() -> None:
    def disturbed(columns: Columns) -> None:
        visit = (columns["pass"] == 1) & (columns["point"] == "instruction_latency/x#length=96")
        columns["ticks"] = np.where(visit, columns["ticks"] * 2, columns["ticks"])

    found = analysed([chain(lambda n: 3 + 4 * n)], edit=disturbed)["latency.x"]
    assert found.value == pytest.approx(4, rel=0.003)
    assert found.inputs["passes"] == 2


def test_one_of_two_visits_of_a_length_does_not_bend_the_line() -> None:
    """Two visits of the shortest chain; one was disturbed (79.9 and 142.9 cycles were seen)."""

    def disturbed(columns: Columns) -> None:
        shortest = columns["point"] == "instruction_latency/x#length=48"
        columns["ticks"] = np.where(shortest & (columns["pass"] == 1), columns["ticks"] * 2, columns["ticks"])
        columns["gate"] = np.where(shortest & (columns["pass"] == 2), "issue rate low", columns["gate"])

    found = analysed([chain(lambda n: 3 + 1.5 * n)], edit=disturbed)["latency.x"]
    assert found.value == pytest.approx(1.5, rel=0.01)


def rhythm(spread: float) -> Callable[[Columns], None]:
    """Every visit of a chain takes its own time."""

    def edit(columns: Columns) -> None:
        names, point = np.unique(columns["point"].astype(str), return_inverse=True)
        visits = np.random.default_rng(3).uniform(0, spread, (len(names), columns["pass"].max() + 1))
        columns["ticks"] = (columns["ticks"] * (1 + visits[point, columns["pass"]])).astype(np.int64)

    return edit


def test_a_chain_that_settles_into_another_rhythm_every_time_has_a_wide_interval() -> None:
    found = analysed([chain(lambda n: 1.5 * n)], edit=rhythm(0.12))["latency.x"]
    assert found.status is Status.OK
    assert found.low is not None
    assert found.high is not None
    assert 0.05 < (found.high - found.low) / 1.5 < 0.5
    assert found.low < 1.5 * 1.06 < found.high


def test_lengths_that_are_off_because_visits_differ_say_so() -> None:
    found = analysed([chain(lambda n: 1.5 * n)], edit=rhythm(0.3))["latency.x"]
    assert found.inputs["linearity"] > NOT_LINEAR
    assert found.status is Status.OK
    assert "visits of one length differ by" in found.reason


def test_a_chain_whose_visits_have_nothing_in_common_has_no_latency() -> None:
    found = analysed([chain(lambda n: 1.5 * n)], edit=rhythm(2.0))["latency.x"]
    assert found.status is Status.UNSTABLE
    assert "from visit to visit, too much to tell a slope" in found.reason


def test_the_line_is_exact_on_exact_values() -> None:
    steps = np.repeat([48.0, 96, 144, 192], 3)
    line = fit_line(steps, 7 + 2.5 * steps)
    assert line.slope == pytest.approx(2.5)
    assert line.intercept == pytest.approx(7)
    assert line.error == pytest.approx(0, abs=1e-9)
    assert line.kept.all()


def test_an_uninspected_program_makes_it_unverified() -> None:
    def uninspected(run: Run) -> Run:
        points = tuple(
            msgspec.structs.replace(point, status=Status.UNVERIFIED, reason="no decoder")
            for point in run.points
        )
        return msgspec.structs.replace(run, points=points)

    found = analysed([chain(lambda n: 4 * n)], change=uninspected)["latency.x"]
    assert (found.status, found.reason) == (Status.UNVERIFIED, "no decoder")
    assert found.value == pytest.approx(4, rel=0.003)


# -- plateau --------------------------------------------------------------------------------------


@given(st.floats(1, 8), st.floats(0.1, 1.9), st.integers(0, 1000))
@settings(max_examples=15)
def test_a_plateau_and_its_knee_are_found(latency: float, plateau: float, seed: int) -> None:
    found = analysed([chains(lambda k: min(k / latency, plateau))], NOISY, seed)
    rate, interval = found["throughput.x"], found["issue_interval.x"]
    assert rate.value == pytest.approx(plateau, rel=0.01)
    assert interval.value == pytest.approx(1 / plateau, rel=0.01)
    assert interval.low == pytest.approx(1 / (rate.high or 0))
    knee = rate.details["knee"]
    assert knee >= 0.98 * plateau * latency
    assert len(rate.details["accumulators"]) == len(rate.details["rate"]) == 6


def test_intervals_of_throughputs_cover() -> None:
    hits = []
    for seed in range(20):
        found = analysed(throughput_probes, NOISY, seed)
        for name, kind in NOISY.operations.items():
            one = found.get(f"throughput.{name}")
            if one is not None and one.high is not None:
                hits.append(covers(one, min(kind.rate, NOISY.front_end)))
    assert 0.9 <= np.mean(hits) <= 0.99


def test_a_rate_that_still_rises_is_a_bound() -> None:
    found = analysed([chains(lambda k: k / 12, counts=(1, 2, 4, 8))])
    rate, interval = found["throughput.x"], found["issue_interval.x"]
    assert (rate.status, rate.high) == (Status.CENSORED, None)
    assert rate.low == pytest.approx(8 / 12, rel=0.01)
    assert (interval.status, interval.value) == (Status.UNSTABLE, None)
    assert "at most 1.5" in interval.reason


def test_a_limit_met_between_two_settings_is_a_plateau() -> None:
    found = analysed([chains(lambda k: min(k / 4, 2.0), counts=(1, 12))])["throughput.x"]
    assert (found.status, found.details["knee"]) == (Status.OK, 12)
    assert covers(found, 2)
    creeping = analysed([chains(lambda k: {1: 1.0, 8: 2.6, 16: 2.9}[k], counts=(1, 8, 16))])["throughput.x"]
    assert creeping.status is Status.CENSORED


def test_one_setting_shows_no_plateau() -> None:
    found = analysed([chains(lambda k: 1.0, counts=(8,))])["throughput.x"]
    assert found.status is Status.CENSORED
    assert "Only 8 accumulators" in found.reason


# -- interference ---------------------------------------------------------------------------------


def truth_of(first: str, second: str, count: Any) -> float:
    one, other = {first: count(first)}, {second: count(second)}
    both = {first: 2 * count(first)} if first == second else one | other
    alone = [group_cycles(NOISY, part) for part in (one, other)]
    return (group_cycles(NOISY, both) - max(alone)) / min(alone)


def test_indices_are_found_and_covered() -> None:
    def count(name: str) -> int:
        return max(1, round(NOISY.operations[name].rate))

    hits = []
    for seed in range(4):
        for metric, found in analysed(interference_probes, NOISY, seed).items():
            _, first, second = metric.split(".")
            truth = truth_of(first, second, count)
            assert found.value == pytest.approx(truth, abs=0.05)
            hits.append(covers(found, truth))
    assert 0.92 <= np.mean(hits) <= 0.985


def test_a_pair_at_the_front_ends_rate_says_so() -> None:
    narrow = replace(NOISY, front_end=3)
    found = analysed(lambda truth: interference_probes(truth)[:1], narrow)
    crowded = found["interference.shift.l1_load"]  # five instructions, at three a cycle
    assert crowded.details["at_front_end"] is True
    assert crowded.details["cycles_together"] == pytest.approx(5 / 3, rel=0.01)
    assert "front end" in crowded.reason
    roomy = found["interference.integer_mul.integer_mul"]
    assert roomy.details["at_front_end"] is False
    assert roomy.value == pytest.approx(1, abs=0.01)
    assert roomy.reason == ""


def test_a_pair_without_one_alone_has_a_reason() -> None:
    def without(columns: Columns) -> None:
        reject(columns, columns["point"] == "pipeline_interference/int_vs_fp#first=fp64_mul,second=")

    found = analysed(lambda truth: interference_probes(truth)[1:2], NOISY, edit=without)
    one = found["interference.integer_mul.fp64_mul"]
    assert (one.status, one.value) == (Status.UNSTABLE, None)
    assert "passed the gates" in one.reason


def arranged(interleaved: float, blocked: float) -> Asked:
    """A pair of one cycle each a group, in two arrangements."""
    probe = "pipeline_interference/matrix"
    work = {"groups": 24.0, "first_count": 2.0, "second_count": 2.0, "instructions": 96.0}
    alone = [
        Timed(ok_point(probe, {"first": name, "second": ""}, work=work | {"instructions": 48.0}), cycles=24.0)
        for name in ("a", "b")
    ]
    pair = [
        Timed(ok_point(probe, {"first": "a", "second": "b", "order": order}, work=work), cycles=24.0 * cycles)
        for order, cycles in (("interleaved", interleaved), ("blocked", blocked))
    ]
    info = probe_info(probe, "interference", "interference", "ratio", "together?", variable="pair")
    return info, alone + pair


def test_the_faster_arrangement_counts() -> None:
    found = analysed([arranged(1.25, 1.0)], NOISY)
    assert list(found) == ["interference.a.b"]
    one = found["interference.a.b"]
    assert one.value == pytest.approx(0, abs=0.005)
    assert one.details["order"] == "blocked"
    assert one.details["arrangements"] == pytest.approx({"interleaved": 1.25, "blocked": 1.0}, rel=0.003)
    assert [name for name in one.points if "order" in name] == [
        "pipeline_interference/matrix#first=a,second=b,order=blocked"
    ]


def test_arrangements_that_take_the_same_time_are_taken_together() -> None:
    one = analysed([arranged(2.0, 2.0)], NOISY)["interference.a.b"]
    assert one.value == pytest.approx(1, abs=0.005)
    assert one.reason == ""
    assert len([name for name in one.points if "order" in name]) == 2


def test_an_arrangement_without_samples_leaves_the_other() -> None:
    def without(columns: Columns) -> None:
        reject(columns, np.char.endswith(columns["point"].astype(str), "order=blocked"))

    one = analysed([arranged(1.25, 1.0)], NOISY, edit=without)["interference.a.b"]
    assert one.value == pytest.approx(0.25, abs=0.005)
    assert one.details["order"] == "interleaved"
    assert list(one.details["arrangements"]) == ["interleaved"]
