"""Rows of samples: a GPU has no canary, and its clock is a pair of cycles and nanoseconds."""

from __future__ import annotations


def add(
    columns: dict[str, list[int]],
    *,
    sample: int,
    start: int,
    ticks: int,
    pace: tuple[int, int],
    repetitions: int,
    warmup: int = 0,
    thread: int = 0,
    empty: int = 0,
    multiprocessor: int = -1,
) -> None:
    """Append one row.

    Args:
        columns: those of `empty_columns`.
        sample: its number within the visit.
        start: nanoseconds of the device's timer.
        ticks: cycles.
        pace: cycles and nanoseconds of one stretch of time, which say how fast the clock is.
        repetitions: of the body.
        warmup: cycles of the launch before the first sample, 0 where there is none.
        thread: number of the row within its sample.
        empty: cycles of an empty window.
        multiprocessor: the one it ran on; -1 where that is not one.
    """
    row = {
        "sample": sample,
        "thread": thread,
        "start": start,
        "ticks": ticks,
        "empty": empty,
        "calibration_before": pace[0],
        "calibration_after": pace[1],
        "canary_before": 0,
        "canary_after": 0,
        "warmup": warmup,
        "repetitions": repetitions,
        "cpu": multiprocessor,
    }
    for name, value in row.items():
        columns[name].append(value)
