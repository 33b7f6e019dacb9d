"""What a launch costs: of an empty kernel, in a row of launches, and with a wait after each."""

from __future__ import annotations

import time
from collections.abc import Sequence

from reportgen.backends import gates
from reportgen.backends.base import Batch, Order, empty_columns
from reportgen.backends.cuda import rows
from reportgen.backends.cuda.binding import Binding, Handle
from reportgen.backends.cuda.buffers import UNWRITTEN
from reportgen.backends.cuda.clock import Frame
from reportgen.backends.cuda.marks import marks
from reportgen.backends.cuda.shots import NS_OF_MS, Prepared
from reportgen.errors import LaunchError

KIND = "empty"
LAUNCHES = 64
"""Of one sample."""
LEAST_SAMPLES, MOST_SAMPLES = 16, 64


def overhead(order: Order, prepared: Prepared, binding: Binding, frame: Frame) -> Batch:
    """A row a sample of `LAUNCHES` launches.

    `mode` `queued`: the device works them off one after the other, timed by its events.  `waited`: the host
    waits for each before it starts the next, timed by its clock.

    Raises:
        LaunchError: the kernel did not run.
        DeviceLost: the context is spoilt.
    """
    prepared.passed.refresh()
    _launch(prepared, binding)
    binding.synchronize()
    address, size = prepared.passed.results[0]
    if binding.read(address, min(size, 4)) == UNWRITTEN.to_bytes(4, "little"):
        raise LaunchError("the kernel did not run: it left no results")
    columns = empty_columns()
    began = time.perf_counter()
    with marks(binding, 2) as events:
        stop = _samples(order, prepared, binding, frame, events, columns)
    gated = [gates.ACCEPTED if ticks > 0 else gates.STOOD_STILL for ticks in columns["ticks"]]
    facts: dict[str, int | float | str] = {"blocks": prepared.blocks, "threads": prepared.threads}
    seconds = {"measure": time.perf_counter() - began}
    return Batch(order.point, columns, gated, stop=stop, facts=facts, seconds=seconds)


def _samples(
    order: Order,
    prepared: Prepared,
    binding: Binding,
    frame: Frame,
    events: Sequence[Handle],
    columns: dict[str, list[int]],
) -> str:
    """Rows until they are precise or a cap is reached; which of these it was."""
    began = time.perf_counter()
    for number in range(MOST_SAMPLES):
        pace = frame.pace()
        if prepared.passed.setup.get("mode") == "waited":
            ns = _each_waited_for(prepared, binding)
        else:
            frame.hold_up(LAUNCHES)
            binding.record(events[0])
            for _ in range(LAUNCHES):
                _launch(prepared, binding)
            binding.record(events[1])
            frame.queued()
            binding.synchronize()
            ns = round(binding.milliseconds(*events) * NS_OF_MS)
        rows.add(
            columns, sample=number, start=pace.stamp, ticks=round(ns * pace.cycles / pace.nanoseconds),
            pace=(pace.cycles, pace.nanoseconds), repetitions=LAUNCHES,
        )  # fmt: skip
        enough = number + 1 >= LEAST_SAMPLES
        if enough and gates.precise([float(ticks) for ticks in columns["ticks"]]):
            return "precise"
        if enough and time.perf_counter() - began > order.seconds:
            return "time cap"
    return "sample cap"


def _each_waited_for(prepared: Prepared, binding: Binding) -> int:
    begun = time.perf_counter_ns()
    for _ in range(LAUNCHES):
        _launch(prepared, binding)
        binding.synchronize()
    return time.perf_counter_ns() - begun


def _launch(prepared: Prepared, binding: Binding) -> None:
    binding.launch(
        prepared.function, prepared.grid, (prepared.threads, 1, 1), prepared.shared, prepared.passed.values
    )
