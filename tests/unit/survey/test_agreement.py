"""Which form of a survey a curated operation is, and when two numbers agree."""

from __future__ import annotations

import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.analysis.survey_rows import FormRow, PairLatency
from reportgen.runs.schema import Run
from reportgen.status import Status
from reportgen.suite.load import load_suite
from reportgen.survey.agreement import agreement, chained, operands
from tests.simulated.cpu import make_run
from tests.simulated.truth import CpuTruth

TABLE = load_suite().tables["x86_64"]


@pytest.fixture(scope="module")
def run() -> Run:
    return make_run(CpuTruth(), 1)[0]


def quantity(metric: str, value: float, half: float = 0.0) -> Quantity:
    return Quantity(metric, "", Status.OK, "", "", value=value, low=value - half, high=value + half)


def form(key: str, interval: float, pair: str, cycles: float) -> FormRow:
    latency = PairLatency(pair, Status.OK, cycles, cycles, cycles)
    return FormRow(
        key,
        key.partition("_")[0],
        (),
        "",
        "",
        "",
        Status.OK,
        interval,
        interval,
        interval,
        latencies=(latency,),
    )


@pytest.mark.parametrize(
    ("name", "kinds", "pair"),
    [
        ("popcnt", ("r64", "r64"), "2→1"),
        ("integer_add", ("r64", "r64"), "1→1"),
        ("fp32_add_256", ("ymm", "ymm", "ymm"), "2→1"),
    ],
)
def test_a_curated_operation_is_a_form(name: str, kinds: tuple[str, ...], pair: str) -> None:
    assert operands(TABLE[name]) == kinds
    assert chained(TABLE[name].form) == pair


def test_most_curated_operations_of_one_instruction_are_forms() -> None:
    single = [row for row in TABLE.values() if row.form and ";" not in row.form]
    assert sum(operands(row) is not None for row in single) > 0.8 * len(single)


def test_numbers_agree_within_a_share_or_where_intervals_meet(run: Run) -> None:
    rows = [form("popcnt_r64_r64", 0.25, "2→1", 1.0), form("add_r64_r64", 0.26, "1→1", 1.05)]
    known = [
        quantity("throughput.popcnt", 4.0), quantity("latency.popcnt", 1.01),
        quantity("throughput.integer_add", 4.0, 0.2), quantity("latency.integer_add", 1.0),
    ]  # fmt: skip
    found = agreement(rows, run, known, TABLE)
    assert (found.compared, found.within) == (4, 3)
    assert [(one.key, one.what) for one in found.apart] == [("add_r64_r64", "1→1")]


def test_a_bound_is_not_compared(run: Run) -> None:
    import msgspec

    row = msgspec.structs.replace(form("popcnt_r64_r64", 0.25, "2→1", 1.0), status=Status.CENSORED)
    found = agreement([row], run, [quantity("throughput.popcnt", 1.0)], TABLE)
    assert found.compared == 0
