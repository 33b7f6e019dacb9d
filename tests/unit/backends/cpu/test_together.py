"""Threads begin together, or not at all."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from reportgen.backends.cpu.frame import Stamps
from reportgen.backends.cpu.together import in_step
from reportgen.errors import LaunchError

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="pins threads by a Linux call")
NOWHERE = 1 << 14
"""A CPU that no machine has."""


def stamps(cpu: int) -> Stamps:
    return Stamps(0, 1, 0, 1, 1, 1, 1, 1, cpu)


@linux
def test_each_thread_runs_on_its_core_and_results_keep_the_order() -> None:
    cpu = min(os.sched_getaffinity(0))
    seen: dict[int, set[int]] = {}

    def run(index: int) -> list[Stamps]:
        seen[index] = os.sched_getaffinity(0)
        return [stamps(index)]

    assert in_step((cpu, cpu), run) == [[stamps(0)], [stamps(1)]]
    assert seen == {0: {cpu}, 1: {cpu}}


@linux
def test_a_core_that_is_not_to_be_had_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu = min(os.sched_getaffinity(0))
    called: list[int] = []
    ended: list[str] = []

    class Meeting(threading.Barrier):
        """Where nobody's time runs out: only who cannot come sends the others away."""

        def wait(self, timeout: float | None = None) -> int:
            assert timeout
            return super().wait()

        def abort(self) -> None:
            ended.append("by who could not come")
            super().abort()

    monkeypatch.setattr(threading, "Barrier", Meeting)

    def run(index: int) -> list[Stamps]:
        called.append(index)
        return []

    with pytest.raises(LaunchError, match=f"threads on the cores {cpu}, {NOWHERE} did not begin together"):
        in_step((cpu, NOWHERE), run)
    assert not called
    assert ended
    assert threading.active_count() < 10


@linux
def test_a_fault_of_one_thread_is_told() -> None:
    cpu = min(os.sched_getaffinity(0))

    def before(index: int) -> None:
        if index:
            raise LaunchError("no memory for this one")

    with pytest.raises(LaunchError, match="no memory for this one"):
        in_step((cpu, cpu), lambda _: [], before)
