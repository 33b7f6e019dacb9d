"""One long visit under load, cut into windows of time: what a device reaches at first, and what it holds.

A launch is a window.  All are queued before the first one ends, so that the device does not rest between two
of them; meanwhile NVML is asked now and then for clock, temperature and power.
"""

from __future__ import annotations

import time

from reportgen.backends import gates
from reportgen.backends.base import Batch, Order, empty_columns
from reportgen.backends.cuda import rows
from reportgen.backends.cuda.binding import Binding
from reportgen.backends.cuda.buffers import SENTINEL
from reportgen.backends.cuda.clock import Frame
from reportgen.backends.cuda.marks import marks
from reportgen.backends.cuda.nvml import Watch
from reportgen.backends.cuda.shots import NS_OF_MS, Outside, Prepared, first_block, shoot
from reportgen.errors import LaunchError

WINDOW_SECONDS = 0.01
LEAST_WINDOWS, MOST_WINDOWS = 12, 256
ASKED_SECONDS = 0.1
"""How often NVML is asked."""
LOGGED = ("sm_clock_mhz", "gpu_temperature_c", "gpu_power_w")


def hold(order: Order, prepared: Prepared, binding: Binding, frame: Frame, watch: Watch) -> Batch:
    """Windows back to back for as long as the order says; a row each, in the order of time.

    `ticks` are cycles of one multiprocessor, and `calibration_after` the nanoseconds of the same window, so
    that every window tells its own clock.

    Raises:
        LaunchError: the kernel did not run, or it took no time.
        DeviceLost: the context is spoilt.
    """
    passed = prepared.passed
    with marks(binding, 2) as (start, stop):
        outside = Outside(start, stop, frame.hold_up, frame.queued)
        warm = shoot(binding, prepared, 0, outside)  # loads the kernel too, which takes its time
        milliseconds = shoot(binding, prepared, 1, outside).milliseconds
    if milliseconds <= 0:
        raise LaunchError("the clock stood still: a launch took no time")
    windows = max(LEAST_WINDOWS, min(MOST_WINDOWS, round(order.seconds / WINDOW_SECONDS)))
    shorter = int(passed.setup["turns"])
    turns = max(1, round(shorter * order.seconds / windows * 1e3 / milliseconds))
    passed.set("turns", turns)
    room = passed.allocate(windows * passed.clock_bytes)
    binding.fill(room, SENTINEL, windows * passed.clock_bytes // 4)
    columns = empty_columns()
    gated: list[str] = []
    with marks(binding, windows + 1) as events:
        pace = frame.pace()
        began = time.perf_counter()
        binding.record(events[0])
        for number in range(windows):
            passed.set("clocks", room + number * passed.clock_bytes)
            binding.launch(
                prepared.function, prepared.grid, (prepared.threads, 1, 1), prepared.shared, passed.values
            )
            binding.record(events[number + 1])
        log = _log(watch, began + order.seconds)
        binding.synchronize()
        spent = time.perf_counter() - began
        for number in range(windows):
            cycles = first_block(binding, prepared, room + number * passed.clock_bytes)
            ns = round(binding.milliseconds(events[number], events[number + 1]) * NS_OF_MS)
            start = pace.stamp + round(binding.milliseconds(events[0], events[number]) * NS_OF_MS)
            rows.add(
                columns, sample=number, start=start, ticks=cycles, pace=(cycles, ns), warmup=warm.ticks[0],
                repetitions=prepared.repetitions // shorter * turns,
            )  # fmt: skip
            gated.append(gates.ACCEPTED if cycles > 0 and ns > 0 else gates.STOOD_STILL)
    facts: dict[str, int | float | str] = {
        "windows": windows,
        "turns": turns,
        "threads": prepared.threads,
        "blocks": prepared.blocks,
        "results": "not compared: the load is one stretch",
    }
    return Batch(
        point=order.point,
        columns=columns,
        gates=gated,
        stop="time cap",
        facts=facts | log,
        seconds={"measure": spent},
    )


def _log(watch: Watch, until: float) -> dict[str, int | float | str]:
    """What NVML says in the course of the visit, one value behind the other; nothing where it is silent."""
    said: dict[str, list[str]] = {}
    while watch.known and time.perf_counter() < until:
        found = watch.now()
        for name in LOGGED:
            if name in found:
                said.setdefault(name, []).append(f"{found[name]:g}")
        time.sleep(ASKED_SECONDS)
    return {f"log.{name}": " ".join(values) for name, values in said.items()}
