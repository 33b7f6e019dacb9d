"""Small simulated runs, analysed: what every test of the analysis starts from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.runs.schema import Run
from tests.simulated.asked import Asked, ok_point, probe_info
from tests.simulated.cpu import make_records
from tests.simulated.sampler import Timed
from tests.simulated.truth import CpuTruth

Columns = dict[str, np.ndarray[Any, Any]]
QUIET = CpuTruth().quiet()


def analysed(
    asked: list[Asked] | Callable[[CpuTruth], list[Asked]],
    truth: CpuTruth = QUIET,
    seed: int = 1,
    edit: Callable[[Columns], None] | None = None,
    change: Callable[[Run], Run] | None = None,
) -> dict[str, Quantity]:
    """Quantities by metric of a run of some probes, after `edit` of its samples and `change` of it."""
    suite = asked if callable(asked) else lambda _: asked
    run, columns, _ = make_records(truth, seed, suite)
    if edit is not None:
        edit(columns)
    if change is not None:
        run = change(run)
    return {one.metric: one for one in quantities(run, pa.table(columns))}


def chain(
    cycles: Callable[[int], float],
    lengths: tuple[int, ...] = (48, 96, 144, 192),
    name: str = "x",
    **constants: Any,
) -> Asked:
    """A latency probe whose chain of n steps takes `cycles(n)`."""
    probe = f"instruction_latency/{name}"
    info = probe_info(
        probe, "slope", f"latency.{name}", "cycle", "how long?", variable="length", operation=name,
        constants=constants,
    )  # fmt: skip
    timed = [
        Timed(ok_point(probe, {"length": length}, work={"steps": length}), cycles=cycles(length))
        for length in lengths
    ]
    return info, timed


def chains(rate: Callable[[int], float], counts: tuple[int, ...] = (1, 2, 4, 8, 12, 16)) -> Asked:
    """A throughput probe that issues `rate(k)` instructions a cycle from k accumulators."""
    probe = "instruction_throughput/x"
    info = probe_info(
        probe, "plateau", "throughput.x", "instruction/cycle", "how many?", variable="accumulators"
    )
    timed = [
        Timed(ok_point(probe, {"accumulators": count}, work={"instructions": 384}), cycles=384 / rate(count))
        for count in counts
    ]
    return info, timed


def reject(columns: Columns, rows: np.ndarray[Any, Any]) -> None:
    """Mark some samples as not accepted."""
    columns["gate"] = np.where(rows, "issue rate low", columns["gate"].astype(str)).astype(object)


def covers(quantity: Quantity, truth: float) -> bool:
    """Whether the interval holds the truth, its ends included."""
    return quantity.low is not None and quantity.high is not None and quantity.low <= truth <= quantity.high


def width(quantity: Quantity) -> float:
    """Width of a closed interval."""
    assert quantity.low is not None
    assert quantity.high is not None
    return quantity.high - quantity.low
