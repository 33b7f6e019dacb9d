"""Pairs of kinds of instructions on a quarter of a drawn multiprocessor.

They have pipes of their own, or one for both, or a port before their pipes that both pass.

A kind keeps its pipe for `interval` cycles an instruction, and the port that several pipes share for `port`
cycles; a quarter starts one instruction a cycle.  What two kinds take together at best is the longest of what
each of these is kept for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement

from reportgen.backends.base import Source
from tests.simulated.asked import ok_point
from tests.simulated.chooser import Chooser
from tests.simulated.gpu_truth import EMPTY, Question, Simulated, asked, source
from tests.simulated.multiprocessor import BRANCH, COUNTING, QUARTERS, WARP

PROBE = "pipeline_interference/matrix"
KINDS = ("integer_add", "fp32_fma", "fp64_fma", "exp2", "popcnt", "shared_load")
DRAWN = 4
"""Kinds of one device that are paired."""
FILLED = 4.0
"""Cycles of a pipe that a result takes at most, less a few: so many chains as a pair has fill it."""


@dataclass(frozen=True)
class Kind:
    """One kind of instruction in a quarter of a multiprocessor."""

    latency: float
    interval: float
    """Cycles for which an instruction keeps its pipe."""
    pipe: int
    port: float = 0.0
    """Cycles for which it keeps the port that pipes share; 0: it does not pass it."""
    ahead: int = 0
    """Instructions that its pipe takes before their turn."""


Kinds = Mapping[str, Kind]


def draw(choose: Chooser) -> dict[str, Kind]:
    """Some kinds of a device, and what they keep busy."""
    left = list(KINDS)
    names = [left.pop(choose.whole(0, len(left) - 1)) for _ in range(DRAWN)]
    ported = choose.real(0.5, 1.0)
    found = {}
    for name in sorted(names, key=KINDS.index):
        interval = float(choose.pick((1, 2, 4, 4, 8)))
        slow = interval >= 4
        found[name] = Kind(
            latency=interval * choose.real(1.0, FILLED) + 3,
            interval=interval,
            pipe=choose.whole(0, 2),
            port=ported * interval if slow and choose.chance(0.75) else 0.0,
            ahead=choose.pick((0, 2, 6)) if slow else 0,
        )
    return found


def busy(kinds: Kinds, counts: Mapping[str, float]) -> float:
    """Cycles of a group at best: of the fullest pipe, of the port, or of starting so many."""
    pipes = {kinds[name].pipe for name in counts}
    by_pipe = [
        sum(count * kinds[name].interval for name, count in counts.items() if kinds[name].pipe == pipe)
        for pipe in pipes
    ]
    port = sum(count * kinds[name].port for name, count in counts.items())
    return max(*by_pipe, port, sum(counts.values()))


def index(kinds: Kinds, first: str, second: str) -> float:
    """The true interference index of a pair."""
    alone = [busy(kinds, {name: 1.0}) for name in (first, second)]
    together = busy(kinds, {first: 1.0, second: 1.0} if first != second else {first: 2.0})
    return (together - max(alone)) / min(alone)


def share_pipe(kinds: Kinds, first: str, second: str) -> bool:
    """Whether one pipe serves both."""
    return kinds[first].pipe == kinds[second].pipe


def share_port(kinds: Kinds, first: str, second: str) -> bool:
    """Whether both pass the port."""
    return bool(kinds[first].port and kinds[second].port)


def questions(kinds: Kinds) -> Iterator[Question]:
    """The matrix of these kinds."""
    settings = [(name, "") for name in kinds]
    settings += combinations_with_replacement(kinds, 2)
    yield asked(PROBE), [_point(kinds, first, second) for first, second in settings]


@cache
def _source(first: str, second: str) -> Source:
    return source(PROBE, first=first, second=second, order="interleaved")


def _point(kinds: Kinds, first: str, second: str) -> Simulated:
    made = _source(first, second)
    some = [kinds[name] for name in (first, second) if name]
    settings = {"first": first, "second": second, "order": "interleaved"}
    repetitions = int(made.setup["threads"]) // WARP * int(made.setup["turns"])
    return Simulated(
        ok_point(PROBE, settings, work=dict(made.work)), (_span(made, some) + EMPTY,), repetitions
    )


@dataclass
class _Warp:
    at: float
    chains: list[float]
    done: int = 0


def _span(made: Source, kinds: Sequence[Kind]) -> float:
    """Cycles of a window.  Of warps that can go on, the one that went last does."""
    each = int(made.work["groups"] * (made.work["first_count"] + made.work["second_count"]))
    total = each * int(made.setup["turns"])
    chains = int(made.work["first_count"] + made.work["second_count"])
    warps = [_Warp(0.0, [0.0] * chains) for _ in range(int(made.setup["threads"]) // WARP // QUARTERS)]
    free: dict[int, float] = {}
    begun: dict[int, list[float]] = {kind.pipe: [] for kind in kinds}
    issue = port = end = 0.0
    chosen = warps[0]
    while waiting := [warp for warp in (chosen, *warps) if warp.done < total]:
        best = float("inf")
        for warp in waiting:
            kind = kinds[warp.done % len(kinds)]
            queue = begun[kind.pipe]
            if not kind.ahead:
                room = max(free.get(kind.pipe, 0.0), port if kind.port else 0.0)
            else:
                room = queue[-kind.ahead] if len(queue) >= kind.ahead else 0.0
            when = max(issue, warp.at, warp.chains[warp.done % chains], room)
            if when < best:
                chosen, best = warp, when
        kind = kinds[chosen.done % len(kinds)]
        begin = max(best, free.get(kind.pipe, 0.0), port if kind.port else 0.0)
        free[kind.pipe] = begin + kind.interval
        port = begin + kind.port if kind.port else port
        begun[kind.pipe].append(begin)
        chosen.chains[chosen.done % chains] = begin + kind.latency
        chosen.done += 1
        chosen.at = issue = end = best + 1
        if not chosen.done % each:
            issue += COUNTING
            chosen.at = issue + BRANCH - COUNTING
    return end
