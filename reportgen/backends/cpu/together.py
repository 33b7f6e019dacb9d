"""Several threads of this process, each on a core of its own, that begin together."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from reportgen.backends.cpu.frame import Stamps
from reportgen.errors import LaunchError

PATIENCE = 30.0
"""Seconds within which all threads must have come to their cores."""


def in_step(
    cpus: Sequence[int], run: Callable[[int], list[Stamps]], before: Callable[[int], None] = lambda _: None
) -> list[list[Stamps]]:
    """What `run` gives on each core, in the order of `cpus`.

    Machine code begins when every thread is where it shall be: threads that meet inside of it would wait
    without end for one that could not be pinned.

    Args:
        cpus: a core for each thread.
        run: index of a thread -> its samples.
        before: called on the thread's core before all begin.

    Raises:
        LaunchError: a thread could not be pinned, or did not begin.
    """
    meeting = threading.Barrier(len(cpus))
    results: list[list[Stamps]] = [[] for _ in cpus]
    faults: list[Exception] = []

    def work(index: int) -> None:
        try:
            os.sched_setaffinity(0, {cpus[index]})
            before(index)
            meeting.wait(PATIENCE)
            results[index] = run(index)
        except (OSError, threading.BrokenBarrierError, LaunchError) as error:
            faults.append(error)
            meeting.abort()

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(cpus))]
    started: list[threading.Thread] = []
    try:
        for thread in threads:
            thread.start()
            started.append(thread)
    except RuntimeError as error:  # the system gives no more threads
        faults.append(error)
        with suppress(threading.BrokenBarrierError):
            meeting.abort()
    for thread in started:
        thread.join()
    if faults:
        raise LaunchError(
            f"threads on the cores {', '.join(map(str, cpus))} did not begin together: {faults[0]}"
        )
    return results
