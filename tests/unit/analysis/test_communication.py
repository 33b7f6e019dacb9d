"""What cores share: times and ends are found where they are, modes are told, what is missing says why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.analysis.line_transfer import both_ways, settled
from reportgen.analysis.quantity import Quantity
from reportgen.findings.metric import parse
from reportgen.status import Status
from tests.simulated.asked import Asked
from tests.simulated.communication_points import (
    CONTENDED,
    DISTANCES,
    Moved,
    contended_probe,
    locked_probe,
    sharing_probe,
    transfer_probe,
    true_sharing,
)
from tests.simulated.truth import CpuTruth
from tests.simulated.truth_lines import TrueSharing
from tests.unit.analysis.cases import QUIET, Columns, analysed

STORE = "communication.transfer.store"
GRANULE = "communication.false_sharing.locked_add.granule"


def everything(truth: CpuTruth) -> list[Asked]:
    return [transfer_probe(truth), locked_probe(truth), sharing_probe(truth), contended_probe(truth)]


def cores(number: int, truth: CpuTruth = QUIET, **sharing: float) -> CpuTruth:
    return replace(truth, cores=number, sharing=replace(TrueSharing(), **sharing))


def holds(truth: CpuTruth, quantity: Quantity, slack: float) -> bool:
    right = true_sharing(truth, parse(quantity.metric))
    if right is None or quantity.value is None:
        return True
    assert quantity.low is not None
    assert quantity.high is not None
    return quantity.low / slack <= right <= quantity.high * slack


@given(
    st.sampled_from([2, 4, 8, 16]),
    st.sampled_from([0, 2, 4]),
    st.floats(15e-9, 150e-9),
    st.floats(1.6, 20.0),
    st.sampled_from([32, 64, 128, 256]),
    st.integers(0, 50),
)
@settings(max_examples=10, deadline=None)
def test_whatever_is_true_lies_in_its_interval(
    number: int, group: int, near: float, shared: float, granule: int, seed: int
) -> None:
    truth = cores(
        number, CpuTruth(), group=group, near=near, far=3 * near, shared=shared, granule=granule, visit=0.01
    )
    found = analysed(everything, truth, seed)
    assert {one.status for one in found.values()} <= {Status.OK, Status.UNSTABLE}
    assert sum(one.status is Status.OK for one in found.values()) > 0.8 * len(found)
    for quantity in found.values():
        assert holds(truth, quantity, 1.04), quantity.metric


def test_two_cores_are_one_pair() -> None:
    found = analysed(everything, cores(2))
    assert f"{STORE}.farthest" not in found
    quantity = found[STORE]
    assert quantity.value == pytest.approx(26e-9, rel=0.02)
    assert quantity.details["pairs"] == ["0-1", "1-0"]
    assert quantity.details["cpus"] == ["0 1", "1 0"]
    assert quantity.details["intercept"] == pytest.approx(9e-9, rel=0.6)
    assert found[f"{STORE}.cycles"].unit == "cycle"


def test_nearest_and_farthest_of_groups() -> None:
    truth = cores(8, group=4)
    found = analysed([transfer_probe(truth)], truth)
    assert found[STORE].value == pytest.approx(26e-9, rel=0.04)
    assert found[f"{STORE}.farthest"].value == pytest.approx(95e-9, rel=0.04)
    assert len(found[STORE].details["pairs"]) == 56
    assert found[f"{STORE}.farthest"].details["pair"] == both_ways(found[f"{STORE}.farthest"].details["pair"])


def test_one_core_says_why_there_is_nothing() -> None:
    truth = cores(1)
    found = analysed(everything, truth)
    assert {one.status for one in found.values()} == {Status.UNSUPPORTED}
    assert "this process may use 1" in found["communication.transfer"].reason
    assert "shares nothing with another one" in found["communication.contended.locked_add.rate"].reason


# -- modes --------------------------------------------------------------------------------------------


def passes(truth: CpuTruth, number: int = 6) -> CpuTruth:
    return replace(truth, passes=number)


def test_a_cpu_that_moves_between_visits_has_two_modes_and_no_number() -> None:
    truth = passes(cores(2))
    found = analysed([transfer_probe(truth, Moved(0.4, 4.0))], truth)[STORE]
    assert found.status is Status.UNSTABLE
    assert found.value is None
    assert "not always the same cores" in found.reason
    low, high = found.modes
    assert low == pytest.approx(26e-9, rel=0.1)
    assert high == pytest.approx(104e-9, rel=0.1)


def test_a_pair_that_moves_does_not_take_the_others_with_it() -> None:
    truth = passes(cores(4))
    probe, timed = transfer_probe(truth)
    moving = [
        replace(one, draw=Moved(0.5, 4.0)) if both_ways(str(one.point.settings["pair"])) == "2-3" else one
        for one in timed
    ]
    found = analysed([(probe, moving)], truth)[STORE]
    assert found.status is Status.OK
    assert found.reason == "1 of 6 pairs gave no time."
    assert list(found.details["modes"]) == ["2-3"]


def test_a_single_visit_elsewhere_is_left_out() -> None:
    truth = passes(cores(2))

    def elsewhere(columns: Columns) -> None:
        first = columns["order"] == columns["order"].min()
        columns["ticks"] = np.where(first, columns["ticks"] * 5, columns["ticks"])

    found = analysed([transfer_probe(truth)], truth, edit=elsewhere)[STORE]
    assert found.status is Status.OK
    assert found.value == pytest.approx(26e-9, rel=0.03)


@pytest.mark.parametrize(
    ("values", "kept", "modes"),
    [
        ([1.0, 4.0], [True, True], ()),
        ([1.0, 1.1, 1.2, 1.3], [True] * 4, ()),
        ([1.0, 1.1, 4.0, 1.0], [True, True, False, True], ()),
        ([4.0, 4.1, 1.0, 4.2], [True, True, False, True], ()),
        ([1.0, 4.0, 1.0, 4.0], [True] * 4, (1.0, 4.0)),
        ([1.0] * 9 + [4.0] * 2, [True] * 9 + [False] * 2, ()),
    ],
)
def test_visits_are_cut_where_they_fall_apart(
    values: list[float], kept: list[bool], modes: tuple[float, ...]
) -> None:
    found, groups = settled(np.array(values))
    assert found.tolist() == kept
    assert groups == modes


# -- what is missing, and what cannot be ----------------------------------------------------------------


def test_a_partner_that_never_answers_leaves_the_other_pairs() -> None:
    truth = cores(3)
    found = analysed([transfer_probe(truth, silent="0-2")], truth)[STORE]
    assert found.status is Status.OK
    assert "0-2" not in found.details["pairs"]
    assert "2-0" in found.details["pairs"]


def test_a_silent_pair_alone_says_so() -> None:
    truth = cores(2)
    probe, timed = transfer_probe(truth, silent="0-1")
    only = [one for one in timed if one.point.settings["pair"] == "0-1"]
    found = analysed([(probe, only), sharing_probe(truth)], truth)["communication.transfer"]
    assert found.status is Status.UNSTABLE
    assert "partner did not answer" in found.reason


def test_time_that_does_not_grow_in_proportion_has_no_number() -> None:
    truth = cores(2)
    probe, timed = transfer_probe(truth)
    bent = [
        replace(one, seconds=one.seconds * (3 if one.point.settings["rounds"] == 8 else 1)) for one in timed
    ]
    found = analysed([(probe, bent)], truth)[STORE]
    assert found.status is Status.UNSTABLE


def test_one_number_of_rounds_is_no_slope() -> None:
    truth = cores(2)
    probe, timed = transfer_probe(truth)
    found = analysed([(probe, [one for one in timed if one.point.settings["rounds"] == 4])], truth)[STORE]
    assert found.status is Status.SKIPPED
    assert "a slope needs more" in found.reason


@pytest.mark.parametrize("granule", [16, 32, 64, 128, 256])
def test_the_granule_is_found_at_any_distance(granule: int) -> None:
    truth = cores(2, granule=granule)
    found = analysed([sharing_probe(truth)], truth)
    quantity = found[GRANULE]
    assert (quantity.low, quantity.high) == (granule / 2, granule)
    assert found[GRANULE.replace("granule", "shared")].value == pytest.approx(7.0 * 4.8, rel=0.01)
    assert found[GRANULE.replace("granule", "apart")].value == pytest.approx(7.0, rel=0.01)


def test_a_dearer_neighbour_is_told_and_moves_no_end() -> None:
    truth = cores(2, beside=1.2)
    quantity = analysed([sharing_probe(truth)], truth)[GRANULE]
    assert (quantity.low, quantity.high) == (32, 64)
    assert quantity.details["beside"] == pytest.approx(1.2, rel=0.01)
    assert analysed([sharing_probe(cores(2))], cores(2))[GRANULE].details["beside"] == pytest.approx(
        1, rel=0.01
    )


def test_threads_of_one_core_show_no_cost_of_sharing() -> None:
    truth = cores(2, shared=1.05)
    quantity = analysed([sharing_probe(truth)], truth)[GRANULE]
    assert quantity.status is Status.UNSTABLE
    assert "as two threads of one core do" in quantity.reason
    assert quantity.details["distance"] == list(DISTANCES)


def test_a_cost_that_comes_and_goes_has_no_end() -> None:
    truth = cores(2)
    probe, timed = sharing_probe(truth)
    odd = [
        replace(one, cycles=one.cycles / (4.8 if one.point.settings["distance"] == 16 else 1))
        for one in timed
    ]
    quantity = analysed([(probe, odd)], truth)[GRANULE]
    assert quantity.status is Status.UNSTABLE
    assert "comes and goes" in quantity.reason


def test_two_distances_are_no_end() -> None:
    truth = cores(2)
    probe, timed = sharing_probe(truth)
    some = [one for one in timed if one.point.settings["distance"] in (8, 512)]
    assert analysed([(probe, some)], truth)[GRANULE].status is Status.SKIPPED


def test_rates_count_all_threads_and_cycles_each_one() -> None:
    truth = cores(4)
    found = analysed([contended_probe(truth)], truth)
    rate, each = (found[f"communication.contended.locked_add.{name}"] for name in ("rate", "cycles"))
    assert rate.details["cores"] == [1, 2, 4]
    assert each.value == pytest.approx(7.0 * 4 * 2.4, rel=0.01)
    assert rate.value == pytest.approx(4 * truth.cycle_hz / (7.0 * 4 * 2.4), rel=0.05)
    assert "communication.contended.read.rate" not in found
    assert (
        found["communication.contended.read.cycles"].details["cycles"][0]
        < found["communication.contended.read.cycles"].details["cycles"][1]
    )


def test_without_all_cores_there_is_no_contended_number() -> None:
    truth = cores(4)
    probe, timed = contended_probe(truth)
    refused = [
        replace(one, accepted=0.0) if one.point.settings["cores"] == 4 else one
        for one in timed
        if one.point.probe == CONTENDED
    ]
    found = analysed([(probe, refused)], truth)["communication.contended.locked_add.rate"]
    assert found.status is Status.UNSTABLE
    assert "passed the gates" in found.reason


def late(share: float) -> Callable[[Columns], None]:
    """In a share of the samples the second thread begins late, and both have the line alone for a while."""

    def edit(columns: Columns) -> None:
        struck = columns["sample"] % 10 < 10 * share
        length = columns["ticks"] - columns["empty"]
        ticks = np.where(struck, columns["empty"] + length * 0.6, columns["ticks"]).astype(np.int64)
        columns["start"] = columns["start"] + np.where(struck & (columns["thread"] == 1), ticks // 2, 0)
        columns["ticks"] = ticks

    return edit


def test_samples_whose_threads_were_not_at_work_at_once_do_not_count() -> None:
    truth = passes(cores(2))
    found = analysed([sharing_probe(truth), contended_probe(truth)], truth, edit=late(0.7))
    assert found[GRANULE.replace("granule", "shared")].value == pytest.approx(7.0 * 4.8, rel=0.01)
    assert found["communication.contended.locked_add.cycles"].value == pytest.approx(7.0 * 2 * 2.4, rel=0.01)
    rate = found["communication.contended.locked_add.rate"]
    assert rate.value == pytest.approx(2 * truth.cycle_hz / (7.0 * 2 * 2.4), rel=0.05)


def test_where_they_never_were_all_samples_count() -> None:
    truth = passes(cores(2))
    found = analysed([sharing_probe(truth)], truth, edit=late(1.0))[GRANULE.replace("granule", "shared")]
    assert found.status is Status.OK
    assert found.value == pytest.approx(0.6 * 7.0 * 4.8, rel=0.02)


def test_visits_that_differ_too_much_give_no_number() -> None:
    truth = cores(2)

    def scattered(columns: Columns) -> None:
        columns["ticks"] = (columns["ticks"] * np.array([1.0, 1.2, 1.4])[columns["pass"]]).astype(np.int64)

    found = analysed([contended_probe(truth)], truth, edit=scattered)
    quantity = found["communication.contended.locked_add.cycles"]
    assert quantity.status is Status.UNSTABLE
    assert "run again while the machine is quiet" in quantity.reason
    assert quantity.details["cores"] == [1, 2]
