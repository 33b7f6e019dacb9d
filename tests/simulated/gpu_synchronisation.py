"""Waiting and sharing on a simulated GPU: barriers, fences, atomics that meet, paths of a warp."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.backends.base import Source
from tests.simulated.asked import ok_point
from tests.simulated.gpu_devices import planned
from tests.simulated.gpu_truth import EMPTY, GpuTruth, Question, Simulated, asked, source

FAMILY = "gpu_synchronisation"
Settings = dict[str, int | str]


def _asked(name: str, cycles: Callable[[Settings, Source], float]) -> Question:
    """All points of a probe, with the cycles of one row, empty window not included."""
    probe = f"{FAMILY}/{name}"
    found = []
    for settings in planned(probe):
        made = source(probe, **settings)
        point = ok_point(
            probe, dict(settings), work=dict(made.work), facts={"threads": made.setup["threads"]}
        )
        repetitions = _repetitions(made)
        found.append(Simulated(point, (cycles(settings, made) + EMPTY,), repetitions))
    return asked(probe), found


def _repetitions(made: Source) -> int:
    if made.setup.get("kind") != "contended":
        return 1
    return int(made.setup["turns"]) * int(made.setup["threads"]) // 32 * int(made.setup["blocks"])


def block_barrier(truth: GpuTruth) -> Question:
    def cycles(settings: Settings, made: Source) -> float:
        each = truth.barrier + truth.barrier_warp * (int(settings["warps"]) - 1)
        return 30 + made.work["steps"] * each

    return _asked("block_barrier", cycles)


def memory_barrier(truth: GpuTruth) -> Question:
    return _asked("memory_barrier", lambda _, made: 30 + made.work["steps"] * truth.memory_barrier)


def cluster_barrier(truth: GpuTruth) -> Question:
    def cycles(settings: Settings, made: Source) -> float:
        each = truth.cluster_barrier + truth.cluster_block * (int(settings["cluster"]) - 2)
        return 60 + made.work["steps"] * each

    return _asked("cluster_barrier", cycles)


def fence(truth: GpuTruth) -> Question:
    def cycles(settings: Settings, made: Source) -> float:
        scope = ("block", "device", "system").index(str(settings["scope"]))
        each = truth.fences if settings["case"] == "alone" else truth.fences_behind
        return 20 + made.work["steps"] * each[scope]

    return _asked("fence", cycles)


def atomic_conflict(truth: GpuTruth) -> Question:
    def cycles(settings: Settings, made: Source) -> float:
        alone, further = truth.atomic_shared if settings["space"] == "shared" else truth.atomic_global
        return made.work["steps"] * (alone + further * (32 // int(settings["distinct"]) - 1))

    return _asked("atomic_conflict", cycles)


def atomic_rate(truth: GpuTruth) -> Question:
    def cycles(settings: Settings, made: Source) -> float:
        blocks = int(settings["blocks"])
        rate = {
            "one_address": truth.one_address,
            "own_address": truth.own_address * min(1, blocks / truth.multiprocessors),
            "one_line": truth.one_line,
            "spread": truth.apart * min(1, blocks / truth.multiprocessors),
        }[str(settings["place"])]
        return made.work["op"] * _repetitions(made) / rate * truth.clock_hz

    return _asked("atomic_rate", cycles)


def divergence(truth: GpuTruth) -> Question:
    def cycles(settings: Settings, _made: Source) -> float:
        paths = int(settings["paths"])
        further = max(0, paths - 1) * truth.path_again
        return truth.asking + (truth.path * (1 + further) if paths else 0.0)

    return _asked("divergence", cycles)


QUESTIONS = (
    block_barrier, memory_barrier, cluster_barrier, fence, atomic_conflict, atomic_rate, divergence,
)  # fmt: skip
