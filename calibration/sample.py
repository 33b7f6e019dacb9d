"""Many devices on all cores; the results do not depend on how many cores there are."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager

from calibration.counts import Calibration, Seeds, count
from calibration.judge import Judged, judge
from reportgen.collect.progress import Progress

Job = tuple[int, bool]
CHUNK = 2
"""Jobs a worker takes at a time: some devices take ten times as long as others."""


def calibrate(seeds: Seeds, workers: int, progress: Progress) -> Calibration:
    """Draw the devices, judge them and count.

    Args:
        seeds: which devices.
        workers: processes; with 1 everything happens in this one.
        progress: is told of every device.
    """
    jobs = [
        (seed, rough) for seed in range(seeds.first, seeds.first + seeds.devices) for rough in (False, True)
    ]
    found: dict[bool, list[Judged]] = {False: [], True: []}
    progress.stage("simulated devices", len(jobs))
    with _judging(jobs, workers) as judged:
        for (seed, rough), one in zip(jobs, judged, strict=True):
            found[rough].append(one)
            progress.step(f"device {seed}{', troubled' if rough else ''}")
    return count(seeds, found[False], found[True])


@contextmanager
def _judging(jobs: list[Job], workers: int) -> Iterator[Iterator[Judged]]:
    """Results in the order of the jobs."""
    if workers <= 1:
        yield map(_judge, jobs)
        return
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        yield pool.imap(_judge, jobs, CHUNK)


def _judge(job: Job) -> Judged:
    return judge(*job)
