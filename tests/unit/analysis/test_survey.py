"""A rate that instances' own waiting may explain is a bound; any other is the instruction's."""

from __future__ import annotations

import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval
from reportgen.analysis.survey import _bound
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
