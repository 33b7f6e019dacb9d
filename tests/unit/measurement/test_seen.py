"""What a row says that has no single time."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.measurement.derive import seen
from reportgen.runs.schema import Point
from reportgen.status import Status


def quantity(status: Status = Status.UNSTABLE, modes: tuple[float, ...] = (), **details: object) -> Quantity:
    return Quantity("loop.one", "cycle", status, "p/one", "slope", reason="why", modes=modes, details=details)


def point(steps: float) -> Point:
    return Point(f"p/one/{steps:g}", "p/one", {}, Status.OK, work={"steps": steps} if steps else {})


def test_bodies_that_find_their_data_at_two_levels_give_a_range() -> None:
    said = seen(quantity(length=[100.0, 125.0, 200.0], cycles=[110.0, 160.0, 310.0]), [point(100.0)])
    assert said == (
        "Seen: 1.1 to 1.55 cycles a round, by bodies of 100 to 200 rounds, "
        "what comes before the first one included."
    )


def test_two_groups_are_told_by_the_round() -> None:
    some = [point(0.0), point(100.0), point(200.0)]
    assert "groups at 1.1 and 2.2 cycles a round" in seen(quantity(modes=(220.0, 110.0)), some)


def test_nothing_is_added_to_what_has_a_time_or_was_never_timed() -> None:
    line = {"length": [100.0, 200.0], "cycles": [110.0, 210.0]}
    assert seen(quantity(Status.OK, **line), []) == ""
    assert seen(quantity(), [point(100.0)]) == ""
    assert seen(quantity(modes=(1.0, 2.0)), [point(0.0)]) == ""
    assert seen(quantity(length=[100.0], cycles=[110.0]), []) == ""
