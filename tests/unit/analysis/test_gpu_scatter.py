"""Where whole visits of a simulated GPU are disturbed, steps and lines are hidden and not denied."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from reportgen.analysis.derive import quantities
from reportgen.analysis.gpu_further import BENT
from reportgen.analysis.gpu_pressure import HIDDEN
from reportgen.analysis.quantity import Quantity
from reportgen.status import Status
from tests.simulated.gpu import make
from tests.simulated.gpu_execution import bank_sweep, registers
from tests.simulated.gpu_truth import GpuTruth, Question

TRUTH = GpuTruth()


def scattered(question: Question, by: float, only: int | None = None) -> Question:
    """Every visit of all points, or of one, takes longer by chance."""
    info, points = question

    def longer(cycles: tuple[float, ...], chance: np.random.Generator) -> tuple[float, ...]:
        return tuple((1 + by * abs(chance.normal())) * each for each in cycles)

    return info, [
        replace(one, drawn=lambda chance, cycles=one.cycles: longer(cycles, chance))
        if only is None or number == only
        else one
        for number, one in enumerate(points)
    ]


def found(question: Question) -> dict[str, Quantity]:
    run, rows = make(TRUTH, asked=[question])
    return {one.metric: one for one in quantities(run, pa.table(rows))}


def test_no_step_is_stated_where_all_are_hidden() -> None:
    (one,) = found(scattered(registers(TRUTH), 2.0)).values()
    assert (one.status, one.value) == (Status.UNSTABLE, None)
    assert "scatter" in one.reason


def test_a_step_of_little_more_than_its_scatter_is_hidden() -> None:
    quiet = found(registers(TRUTH))
    assert all(one.details[HIDDEN] == [] for one in quiet.values())
    some = found(scattered(registers(TRUTH), 0.1))
    assert 0 < len(some) < len(quiet)
    hidden = {setting for one in some.values() for setting in one.details[HIDDEN]}
    missed = {setting for one in some.values() for setting in one.details["unseen"]}
    assert missed <= hidden


def test_strides_off_the_line_within_their_scatter_do_not_deny_that_there_is_one() -> None:
    name = "execution.shared_bank_strides.banks"
    one = found(scattered(bank_sweep(TRUTH), 0.4))[name]
    assert (one.status, one.details[BENT]) == (Status.UNSTABLE, False)
    assert "within the scatter" in one.reason
    sure = found(bank_sweep(replace(TRUTH, meeting_power=0.3, conflict=20.0)))[name]
    assert (sure.status, sure.details[BENT]) == (Status.UNSTABLE, True)


def test_lanes_that_add_little_and_not_the_same_have_no_number() -> None:
    by_metric = found(bank_sweep(replace(TRUTH, shared_latency=33.8, meeting_power=0.67, conflict=1.74)))
    stem = "execution.shared_bank_strides"
    assert by_metric[f"{stem}.banks"].value == 32
    one = by_metric[f"{stem}.conflict"]
    assert (one.status, one.details[BENT]) == (Status.UNSTABLE, False)
