"""Cycles of a round, of a probe with one point."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from reportgen.status import Status
from tests.simulated.asked import Asked, ok_point, probe_info
from tests.simulated.sampler import Timed
from tests.unit.analysis.cases import Columns, analysed, covers, reject

TRUTH = 7.25


def asked(cycles: float = TRUTH) -> list[Asked]:
    info = probe_info("validation/sum", "rounds", "loop.sum", "cycle", "how many?", variable="loop")
    point = ok_point("validation/sum", {"loop": "sum"}, work={"rounds": 1.0, "items": 8.0})
    return [(info, [Timed(point, cycles=cycles)])]


def test_a_round_takes_what_it_takes() -> None:
    found = analysed(asked())["loop.sum"]
    assert found.status is Status.OK
    assert found.value == pytest.approx(TRUTH, rel=0.01)
    assert covers(found, TRUTH)
    assert (found.unit, found.method, found.details["items"]) == ("cycle", "cost-model", 8.0)
    assert found.points == ("validation/sum#loop=sum",)


def test_two_groups_of_samples_are_no_time() -> None:
    def split(columns: Columns) -> None:
        slow = columns["sample"] % 2 == 1
        columns["ticks"] = np.where(slow, columns["ticks"] * 2, columns["ticks"])

    found = analysed(asked(), edit=split)["loop.sum"]
    assert found.status is Status.UNSTABLE
    assert found.value is None
    assert "two groups" in found.reason


def test_a_loop_that_was_not_sampled_says_why() -> None:
    def all_rejected(columns: Columns) -> None:
        reject(columns, np.ones(len(columns["gate"]), dtype=bool))

    found = analysed(asked(), edit=all_rejected)["loop.sum"]
    assert (found.status, found.value) == (Status.UNSTABLE, None)
    assert "samples passed the gates" in found.reason


def test_a_point_that_could_not_run_keeps_its_reason() -> None:
    def lacking(run):
        points = (
            msgspec.structs.replace(point, status=Status.UNSUPPORTED, reason="this processor lacks avx512f")
            for point in run.points
        )
        return msgspec.structs.replace(run, points=tuple(points))

    found = analysed(asked(), change=lacking)["loop.sum"]
    assert (found.status, found.reason) == (Status.UNSUPPORTED, "this processor lacks avx512f")
