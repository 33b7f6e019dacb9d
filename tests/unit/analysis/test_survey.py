"""A rate that instances' own waiting may explain is a bound; any other is the instruction's."""

from __future__ import annotations

import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval
from reportgen.analysis.survey import _bound, _waits
from reportgen.status import Status


def latency(pair: str, cycles: float) -> Quantity:
    return Quantity("survey.x.latency", "cycle", Status.OK, "", "", value=cycles, details={"pair": pair})


def rate(value: float) -> Interval:
    return Interval(value, value, value)


@pytest.mark.parametrize(
    ("rates", "most", "latencies", "bounded"),
    [
        ({12: 2.0}, 12, [latency("1to1", 4.0)], False),  # 12 over 4 would be 3
        ({9: 1.0}, 9, [latency("1to1", 9.0)], True),
        ({9: 1.0}, 9, [latency("2to1", 9.0)], False),  # nothing waits for what is only written
        ({9: 1.0}, 9, [latency("flagstoflags", 9.0)], False),
        ({6: 1.5, 12: 2.0}, 12, [], False),  # levelled off between the two
        ({6: 1.0, 12: 1.99}, 12, [], True),
    ],
)
def test_what_waiting_explains_is_a_bound(
    rates: dict[int, float], most: int, latencies: list[Quantity], bounded: bool
) -> None:
    found = _bound({count: rate(value) for count, value in rates.items()}, most, latencies)
    assert bool(found) is bounded


@pytest.mark.parametrize(
    ("cycles", "per_cycle", "waits"),
    [
        (5.04, 0.52, True),
        (0.5, 2.0, False),  # as quick as instances of registers of their own
        (0.66, 4.0, False),  # less than any result takes
        (16.1, 1 / 16, False),
        (None, 2.0, True),  # what has no number says why
        (5.0, None, True),
    ],
)
def test_what_is_overwritten_has_a_latency_only_where_it_is_waited_for(
    cycles: float | None, per_cycle: float | None, waits: bool
) -> None:
    rated = Quantity("survey.x.throughput", "instruction/cycle", Status.OK, "", "", value=per_cycle)
    one = Quantity("survey.x.latency.1to1", "cycle", Status.OK, "", "", value=cycles)
    assert _waits(one, [rated]) is waits
