"""Accesses by where they lie: each time in its interval, groups cut where they part, what a place adds."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.analysis.quantity import Quantity
from reportgen.analysis.store_to_load import grouped, place
from reportgen.runs.schema import Run
from reportgen.status import Status
from tests.simulated.access_points import (
    alias_probe,
    alias_time,
    pair_latency,
    short_loop_probe,
    split_probe,
    split_time,
    store_to_load_probe,
)
from tests.simulated.asked import Asked
from tests.simulated.truth import CpuTruth, TrueAccess
from tests.unit.analysis.cases import Columns, analysed

QUIET = CpuTruth().quiet()


def found(truth: CpuTruth, seed: int = 0) -> dict[str, Quantity]:
    def suite(one: CpuTruth) -> list[Asked]:
        return [store_to_load_probe(one), short_loop_probe(one), split_probe(one), alias_probe(one)]

    return analysed(suite, truth, seed)


@cache
def quiet() -> dict[str, Quantity]:
    return found(QUIET)


def near(quantity: Quantity, truth: float) -> bool:
    assert quantity.low is not None
    assert quantity.high is not None
    return quantity.low - 0.003 * truth <= truth <= quantity.high + 0.003 * truth


@given(
    st.floats(3.0, 8.0), st.floats(11.0, 25.0), st.floats(0.5, 3.0), st.floats(0.0, 9.0), st.integers(0, 100)
)
@settings(max_examples=5, deadline=None)
def test_every_time_is_found(forwarded: float, waits: float, vector: float, alias: float, seed: int) -> None:
    truth = replace(
        CpuTruth(), access=TrueAccess(forwarded=forwarded, waits=waits, vector=vector, alias=alias)
    )
    told = 0
    for metric, quantity in found(truth, seed).items():
        if quantity.status is not Status.OK:
            continue
        stem, _, rest = metric.partition(".")
        if stem == "store_to_load":
            expected = pair_latency(truth, rest)
        elif rest.startswith("split."):
            _, where, access = rest.split(".")
            expected = split_time(truth, access, where)
        else:
            expected = alias_time(truth, int(rest.partition(".")[2]))
        told += 1
        assert quantity.value == pytest.approx(expected, rel=0.02)
        assert near(quantity, expected), metric
    assert told > 60


def test_groups_are_cut_where_latencies_lie_apart() -> None:
    quantities = quiet()
    groups = grouped(q for name, q in quantities.items() if name.startswith("store_to_load."))
    assert len(groups) == 3
    renamed, forwarded, waited = ({q.metric for q in group} for group in groups)
    assert "store_to_load.64_64.0.same_register" in renamed
    assert "store_to_load.64_64.0.short_loop" in renamed
    assert "store_to_load.64_64.0" in forwarded
    assert "store_to_load.v256_v128.16" in forwarded
    assert all(q.details["place"] in ("same", "within") for group in groups[:2] for q in group)
    assert {"store_to_load.64_64.4", "store_to_load.v64_v256.0"} <= waited
    assert all(q.details["place"] in ("beyond", "across") for q in groups[2])


def test_what_lies_near_is_one_group() -> None:
    truth = replace(QUIET, access=TrueAccess(renamed=5.0, forwarded=5.0, waits=7.0))
    assert len(grouped(q for n, q in found(truth).items() if n.startswith("store_to_load."))) == 1
    assert grouped([]) == ()


def test_groups_whose_intervals_touch_are_one() -> None:
    quantity = next(iter(quiet().values()))
    low = msgspec.structs.replace(quantity, value=5.0, low=4.0, high=9.5)
    high = msgspec.structs.replace(quantity, value=12.0, low=9.0, high=15.0)
    assert len(grouped([low, high])) == 1
    assert len(grouped([low, msgspec.structs.replace(high, low=11.0)])) == 2


@pytest.mark.parametrize(
    ("store", "load", "offset", "expected"),
    [(8, 8, 0, "same"), (8, 4, 4, "within"), (8, 4, 0, "within"), (4, 8, 0, "beyond"), (8, 4, 6, "across")],
)
def test_the_place_of_a_load(store: int, load: int, offset: int, expected: str) -> None:
    assert place(store, load, offset) == expected


def test_what_a_place_adds_and_what_it_does_not() -> None:
    quantities = quiet()
    line = quantities["access.split.line.load_64_latency"]
    value, low, high = line.details["added"]
    assert low <= 1.0 <= high
    assert value == pytest.approx(1.0, abs=0.02)
    assert line.details["factor"][0] == pytest.approx(1.25, rel=0.01)
    inside = quantities["access.split.inside.load_64_latency"].details
    assert line.details["differs"] is True
    assert inside["differs"] is False
    assert inside["added"][0] == pytest.approx(0.0, abs=0.02)
    assert "added" not in quantities["access.split.aligned.load_64_latency"].details
    assert quantities["access.alias.4096"].details["added"][0] == pytest.approx(4.0, abs=0.05)
    assert quantities["access.alias.4096"].details["equal_low_bits"] is True
    assert quantities["access.alias.4104"].details["equal_low_bits"] is False
    assert "added" not in quantities["access.alias.2048"].details


def test_pairs_that_do_not_all_cost_the_same_have_no_latency() -> None:
    def uneven(truth: CpuTruth) -> list[Asked]:
        info, some = store_to_load_probe(truth)
        return [(info, [replace(one, cycles=one.cycles + 40) for one in some])]

    quantity = analysed(uneven, QUIET, 0)["store_to_load.64_64.0"]
    assert quantity.status is Status.UNSTABLE
    assert quantity.value is None
    assert "not proportional" in quantity.reason


@pytest.mark.parametrize("status", [Status.OK, Status.UNVERIFIED])
def test_visits_that_differ_have_an_interval_for_all_of_them(status: Status) -> None:
    """Pairs of 64 bytes on a Zen 3 core: 5.98, 6.12, 6.26, 6.7 or 7.3 cycles, another in each visit."""
    rhythms = {
        ("48", 0): 1.0,
        ("48", 1): 1.22,
        ("48", 2): 1.05,
        ("96", 0): 1.0,
        ("96", 1): 1.0,
        ("96", 2): 1.0,
    }

    def edit(columns: Columns) -> None:
        for (length, visit), factor in rhythms.items():
            at = np.char.endswith(columns["point"].astype(str), f"case=64_64.0,length={length}")
            at &= columns["pass"] == visit
            columns["ticks"] = np.where(at, columns["ticks"] * factor, columns["ticks"]).astype(np.int64)

    def inspected(run: Run) -> Run:
        reason = "" if status is Status.OK else "no decoder"
        points = tuple(msgspec.structs.replace(one, status=status, reason=reason) for one in run.points)
        return msgspec.structs.replace(run, points=points)

    some = analysed([store_to_load_probe(QUIET)], QUIET, edit=edit, change=inspected)
    quantity, even = some["store_to_load.64_64.0"], some["store_to_load.32_32.0"]
    truth = pair_latency(QUIET, "64_64.0")
    assert quantity.status is even.status is status
    assert quantity.low == pytest.approx(truth, rel=0.01)
    assert quantity.high == pytest.approx(1.22 * truth, rel=0.01)
    assert "Visits of one loop took" in quantity.reason
    assert quantity.reason.startswith("no decoder") is (status is Status.UNVERIFIED)
    assert quantity.inputs["linearity"] > even.inputs["linearity"]


def test_one_length_gives_no_latency() -> None:
    def short(truth: CpuTruth) -> list[Asked]:
        info, some = store_to_load_probe(truth)
        return [(info, [one for one in some if one.point.settings["length"] == 48])]

    quantity = analysed(short, QUIET, 0)["store_to_load.64_64.0"]
    assert quantity.value is None
