"""Calls of code that is not ours, several to a sample: routines of the vendor's, copies of the driver's."""

from __future__ import annotations

import time
from collections.abc import Callable

from reportgen.backends import gates
from reportgen.backends.base import Batch, Order, empty_columns
from reportgen.backends.cuda import rows
from reportgen.backends.cuda.clock import Frame
from reportgen.backends.cuda.shots import NS_OF_MS
from reportgen.errors import LaunchError

LEAST_MS = 1.0
"""Of one sample: events are read to about a microsecond."""
MOST_CALLS, MOST_SAMPLES, LEAST_SAMPLES = 128, 32, 8

Facts = dict[str, int | float | str]


def sample(
    order: Order,
    frame: Frame,
    several: Callable[[int], float],
    check: Callable[[], str],
    facts: Facts,
) -> Batch:
    """Rows of as many calls as make a sample long enough, until they are precise or a cap is reached.

    Args:
        order: with its point and its cap.
        frame: clock of the device.
        several: makes so many calls, and says how many milliseconds they took.
        check: what is wrong with what they left, after all of them; empty: nothing.
        facts: of the point.

    Raises:
        LaunchError: a call takes no time.
    """
    several(1)
    first = several(1)
    if first <= 0:
        raise LaunchError("the clock stood still: a call took no time")
    calls = max(1, min(MOST_CALLS, round(LEAST_MS / first)))
    columns = empty_columns()
    began = time.perf_counter()
    stop_reason, spent = "sample cap", 0.0
    for number in range(MOST_SAMPLES):
        pace = frame.pace()
        ticks = round(several(calls) * NS_OF_MS * pace.cycles / pace.nanoseconds)
        rows.add(
            columns, sample=number, start=pace.stamp, ticks=ticks, pace=(pace.cycles, pace.nanoseconds),
            warmup=round(first * NS_OF_MS * pace.cycles / pace.nanoseconds), repetitions=calls,
        )  # fmt: skip
        spent = time.perf_counter() - began
        if number + 1 >= LEAST_SAMPLES and gates.precise([float(value) for value in columns["ticks"]]):
            stop_reason = "precise"
            break
        if spent > order.seconds and number + 1 >= LEAST_SAMPLES:
            stop_reason = "time cap"
            break
    wrong = check()
    mark = gates.WRONG if wrong else gates.ACCEPTED
    return Batch(
        point=order.point,
        columns=columns,
        gates=[mark] * len(columns["ticks"]),
        status="invalid" if wrong else "ok",
        reason=wrong,
        stop=stop_reason,
        facts=facts | {"launches": calls},
        seconds={"measure": spent},
    )
