"""Many devices on all cores; the results do not depend on how many cores there are."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager

from calibration import gpu_judge, judge
from calibration.counts import Cores, Gpus, Seeds, count, count_gpus
from calibration.judge import Judged
from reportgen.collect.progress import Progress

Job = tuple[str, int, bool]
"""Part (`CORES` or `GPUS`), seed, troubled."""
CORES, GPUS = "cores", "GPUs"
CHUNK = 2
"""Jobs a worker takes at a time: some devices take ten times as long as others."""


def cores(seeds: Seeds, workers: int, progress: Progress) -> Cores:
    """Draw cores, judge them and count.

    Args:
        seeds: which devices.
        workers: processes; with 1 everything happens in this one.
        progress: is told of every device.
    """
    return count(seeds, *_judged(CORES, seeds, workers, progress))


def gpus(seeds: Seeds, workers: int, progress: Progress) -> Gpus:
    """Draw GPUs, judge them and count; the arguments are those of `cores`."""
    return count_gpus(seeds, *_judged(GPUS, seeds, workers, progress))


def _judged(part: str, seeds: Seeds, workers: int, progress: Progress) -> tuple[list[Judged], list[Judged]]:
    """As they are, and troubled."""
    numbers = range(seeds.first, seeds.first + seeds.devices)
    jobs = [(part, seed, rough) for seed in numbers for rough in (False, True)]
    found: dict[bool, list[Judged]] = {False: [], True: []}
    progress.stage(f"simulated {part}", len(jobs))
    with _judging(jobs, workers) as judged:
        for (_, seed, rough), one in zip(jobs, judged, strict=True):
            found[rough].append(one)
            progress.step(f"device {seed}{', troubled' if rough else ''}")
    return found[False], found[True]


@contextmanager
def _judging(jobs: list[Job], workers: int) -> Iterator[Iterator[Judged]]:
    """Results in the order of the jobs."""
    if workers <= 1:
        yield map(_judge, jobs)
        return
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        yield pool.imap(_judge, jobs, CHUNK)


def _judge(job: Job) -> Judged:
    part, seed, rough = job
    return judge.judge(seed, rough) if part == CORES else gpu_judge.judge(seed, rough)
