"""The whole suite at once: order, statuses, and no number that is none."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pytest

from reportgen.analysis.derive import derive, quantities
from reportgen.analysis.quantity import Quantity
from reportgen.runs.read import load
from reportgen.status import USABLE, Status
from tests.simulated.asked import probe_info
from tests.simulated.cpu import make_bundle, make_records
from tests.simulated.suite import everything
from tests.simulated.truth import CpuTruth
from tests.unit.analysis.cases import QUIET, Columns, analysed, chain, reject

NOISY = CpuTruth()


def numbers_in(value: Any) -> Iterator[float]:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield float(value)
    elif isinstance(value, dict):
        for part in value.values():
            yield from numbers_in(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from numbers_in(part)


def is_sound(one: Quantity) -> None:
    """What every consumer relies on."""
    assert all(math.isfinite(number) for number in numbers_in(msgspec.to_builtins(one))), one.metric
    assert one.reason or one.status is Status.OK, f"{one.metric} has no reason"
    assert one.n <= one.taken or not one.taken
    if one.status not in USABLE:
        assert (one.value, one.low, one.high) == (None, None, None), one.metric
        return
    assert one.value is not None
    assert one.low is not None
    if one.status is Status.CENSORED:
        assert one.high is None
        return
    assert one.high is not None
    assert one.low <= one.value <= one.high, one.metric
    assert one.n >= 5
    assert one.points
    assert "acceptance" in one.inputs


def every_second_point_refused(columns: Columns) -> None:
    ids = np.unique(columns["point"].astype(str))
    reject(columns, np.isin(columns["point"].astype(str), ids[::2]))


def everything_refused(columns: Columns) -> None:
    reject(columns, np.ones(len(columns["point"]), dtype=bool))


def clock_stopped(columns: Columns) -> None:
    columns["ticks"] = columns["empty"].copy()


def one_accepted(columns: Columns) -> None:
    reject(columns, columns["sample"] != 3)


@pytest.mark.parametrize(
    "edit", [None, every_second_point_refused, everything_refused, clock_stopped, one_accepted]
)
def test_whatever_the_samples_no_number_is_none(edit: Any) -> None:
    found = analysed(everything, NOISY, seed=4, edit=edit)
    for one in found.values():
        is_sound(one)
    assert msgspec.json.decode(msgspec.json.encode(list(found.values())), type=list[Quantity])


def test_most_of_a_noisy_run_ends_ok_and_a_probe_gives_a_metric_once() -> None:
    run, columns, _ = make_records(NOISY, 7)
    found = quantities(run, pa.table(columns))
    assert len({(one.probe, one.metric) for one in found}) == len(found)
    ended = [one.status for one in found if one.status is not Status.UNSUPPORTED]
    assert ended.count(Status.OK) / len(ended) > 0.85
    order = [info.id for info in run.probes]
    assert [order.index(one.probe) for one in found] == sorted(order.index(one.probe) for one in found)


def test_a_probe_of_refused_points_is_one_row_with_the_reason() -> None:
    found = analysed(everything, NOISY)
    missing = found["latency.fp16_fma"]
    assert (missing.status, missing.reason) == (Status.UNSUPPORTED, "The device lacks avx512fp16.")
    assert found["throughput.warps"].reason == "Not a GPU."
    noisy = found["latency.aes_round"]
    assert noisy.status is Status.UNSTABLE
    assert "quieter machine" in noisy.reason


def test_an_unknown_analysis_fails_with_its_name() -> None:
    info, timed = chain(lambda n: n)
    found = analysed([(msgspec.structs.replace(info, analysis="occupancy"), timed)])["latency.x"]
    assert (found.status, found.value) == (Status.FAILED, None)
    assert "'occupancy'" in found.reason


def test_a_probe_without_points_gives_nothing() -> None:
    info = probe_info("instruction_latency/none", "slope", "latency.none", "cycle", "how long?")
    assert "latency.none" not in analysed([(info, []), chain(lambda n: n)])


def test_samples_in_any_order_of_points_give_the_same() -> None:
    run, columns, _ = make_records(QUIET, 2, lambda truth: everything(truth)[:3])
    rows = np.argsort(columns["point"].astype(str), kind="stable")
    shuffled = {name: column[rows] for name, column in columns.items()}
    assert quantities(run, pa.table(columns)) == quantities(run, pa.table(shuffled))


def test_a_bundle_on_disk_gives_what_its_records_give(tmp_path: Path) -> None:
    def few(truth: CpuTruth) -> Any:
        return everything(truth)[:4]

    run, columns, _ = make_records(QUIET, 2, few)
    bundle = load(make_bundle(QUIET, 2, tmp_path / run.run, few))
    assert derive(bundle) == quantities(run, pa.table(columns))


def test_an_empty_run_has_no_quantities() -> None:
    run, columns, _ = make_records(QUIET, 2, lambda truth: everything(truth)[:1])
    nothing = pa.table({name: column[:0] for name, column in columns.items()})
    found = quantities(run, nothing)
    assert [one.status for one in found] == [Status.UNSTABLE]
    assert quantities(msgspec.structs.replace(run, probes=(), points=()), nothing) == ()
