"""Pairs of kinds of instructions on a quarter of a drawn multiprocessor.

They have pipes of their own, or one for both, or one of two for both, or a port before their pipes that both
pass.  On the way there, reads of registers may hold up a mix that neither kind alone waits for, and code may
come no faster than some rate.

A kind keeps a pipe for `interval` cycles an instruction, and the port that several pipes share for `port`
cycles; a quarter starts one instruction a cycle.  What two kinds take together at best is the longest of what
each of these is kept for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations_with_replacement

from reportgen.analysis.interference import STALLS
from reportgen.backends.base import Source
from tests.simulated.asked import ok_point
from tests.simulated.chooser import Chooser
from tests.simulated.gpu_truth import EMPTY, Question, Simulated, asked, source
from tests.simulated.multiprocessor import BRANCH, COUNTING, QUARTERS, WARP

PROBE = "pipeline_interference/matrix"
NAMED = {
    "pipeline_interference/fp32_vs_fp64": ("fp32_fma", "fp64_fma"),
    "pipeline_interference/compute_vs_load": ("fp32_fma", "shared_load"),
}
"""Probes of one pair, which are told apart by a hypothesis."""
KINDS = ("integer_add", "fp32_fma", "fp64_fma", "exp2", "popcnt", "shared_load")
DRAWN = 4
"""Kinds of one device that are paired."""
WIDE = ("integer_add", "fp32_fma")
"""Kinds that may have two pipes of sixteen lanes, and so start in every cycle."""
RARE = (2, 2, 4, 16, 32, 64)
"""Cycles of a pipe of double precision: few lanes of a whole multiprocessor, a quarter of them each."""
BINDS = 0.02
"""Share of its time by which a mix is held up by what binds it."""
FILLED = 4.0
"""Cycles of a pipe that a result takes at most, less a few: so many chains as a pair has fill it."""


@dataclass(frozen=True)
class Kind:
    """One kind of instruction in a quarter of a multiprocessor."""

    latency: float
    interval: float
    """Cycles for which an instruction keeps its pipe."""
    pipes: tuple[int, ...]
    """Any of which takes it."""
    port: float = 0.0
    """Cycles for which it keeps the port that pipes share; 0: it does not pass it."""
    ahead: int = 0
    """Instructions that its pipe takes before their turn."""
    reads: int = 0
    """Cycles that reads of its registers take beyond one beside another kind, by its machine code."""


@dataclass(frozen=True)
class Kinds:
    """Kinds of a device, and what all of them pass."""

    by_name: Mapping[str, Kind] = field(default_factory=dict)
    waits: float = 0.0
    """Share of the cycles of reads that hold up what follows."""
    supply: float = 1.0
    """Cycles of an instruction that code takes to come."""

    def __bool__(self) -> bool:
        return bool(self.by_name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __getitem__(self, name: str) -> Kind:
        return self.by_name[name]

    def starts(self, names: Sequence[str]) -> list[float]:
        """Cycles from the start of an instruction to the next one's, of one kind or of two in turn."""
        mixed = len(set(names)) > 1
        return [max(self.supply, 1 + mixed * self.waits * self[name].reads) for name in names]


def draw(choose: Chooser) -> Kinds:
    """Some kinds of a device, and what they keep busy."""
    left = list(KINDS)
    names = [left.pop(choose.whole(0, len(left) - 1)) for _ in range(DRAWN)]
    ported = choose.real(0.5, 1.0)
    found = {}
    halves = choose.pick(("", *WIDE, "both"))
    read = choose.pick((0, 0, 1, 2))
    for name in sorted(names, key=KINDS.index):
        interval = float(choose.pick(RARE if name == "fp64_fma" else (1, 2, 4, 4, 8)))
        pipes: tuple[int, ...] = (choose.whole(0, 2),)
        if name in WIDE and halves in (name, "both"):
            interval, pipes = 2.0, (0, 1)
        slow = interval >= 4
        found[name] = Kind(
            latency=interval / len(pipes) * choose.real(1.0, FILLED) + 3,
            interval=interval,
            pipes=pipes,
            port=ported * interval if slow and choose.chance(0.75) else 0.0,
            ahead=choose.pick((0, 2, 6)) if slow else 0,
            reads=choose.whole(0, read),
        )
    supply = choose.pick((1.0, 1.0, 1.0, 1.0, 1.0, choose.real(1.2, 2.5)))
    return Kinds(found, waits=choose.pick((0.0, 0.5, 1.0)), supply=supply)


def busy(kinds: Kinds, counts: Mapping[str, float]) -> float:
    """Cycles of a group at best: of the fullest pipes, of the port, or of starting so many."""
    sets = {kinds[name].pipes for name in counts}
    sets |= {tuple(sorted({pipe for some in sets for pipe in some}))}
    by_pipe = [
        sum(
            count * kinds[name].interval
            for name, count in counts.items()
            if set(kinds[name].pipes) <= set(pipes)
        )
        / len(pipes)
        for pipes in sets
    ]
    port = sum(count * kinds[name].port for name, count in counts.items())
    started = sum(
        count * start for count, start in zip(counts.values(), kinds.starts(list(counts)), strict=True)
    )
    return max(*by_pipe, port, started)


def index(kinds: Kinds, first: str, second: str) -> float:
    """The true interference index of a pair."""
    alone = [busy(kinds, {name: 1.0}) for name in (first, second)]
    together = busy(kinds, {first: 1.0, second: 1.0} if first != second else {first: 2.0})
    return (together - max(alone)) / min(alone)


def share_pipe(kinds: Kinds, first: str, second: str) -> bool:
    """Whether one pipe serves both."""
    return bool(set(kinds[first].pipes) & set(kinds[second].pipes))


def share_port(kinds: Kinds, first: str, second: str) -> bool:
    """Whether both pass the port."""
    return bool(kinds[first].port and kinds[second].port)


def held_by_reads(kinds: Kinds, first: str, second: str) -> bool:
    """Whether a mix of both would take less if its reads of registers held nothing up."""
    return _less(kinds, replace(kinds, waits=0.0), first, second)


def held_by_supply(kinds: Kinds, first: str, second: str) -> bool:
    """Whether a mix of both would take less if code came as fast as a quarter starts it."""
    return _less(kinds, replace(kinds, supply=1.0), first, second)


def _less(kinds: Kinds, other: Kinds, first: str, second: str) -> bool:
    both = {first: 1.0, second: 1.0}
    return busy(other, both) < (1 - BINDS) * busy(kinds, both)


def questions(kinds: Kinds) -> Iterator[Question]:
    """The matrix of these kinds, and the named pairs among them."""
    settings = [(name, "") for name in kinds]
    settings += combinations_with_replacement(kinds, 2)
    yield asked(PROBE), [_point(kinds, PROBE, first, second) for first, second in settings]
    for probe, (first, second) in NAMED.items():
        if {first, second} <= set(kinds):
            alone = ((first, ""), (second, ""), (first, second))
            yield asked(probe), [_point(kinds, probe, *names) for names in alone]


@cache
def _source(first: str, second: str) -> Source:
    return source(PROBE, first=first, second=second, order="interleaved")


def _point(kinds: Kinds, probe: str, first: str, second: str) -> Simulated:
    made = _source(first, second)
    names = [name for name in (first, second) if name]
    settings = {"first": first, "second": second, "order": "interleaved"}
    repetitions = int(made.setup["threads"]) // WARP * int(made.setup["turns"])
    mixed = len(set(names)) > 1
    each = made.work["groups"] * made.work["first_count"]
    stalls = mixed * each * sum(kinds[name].reads for name in names)
    cycles = _taken(tuple(kinds[name] for name in names), tuple(kinds.starts(names)), first, second)
    point = ok_point(probe, settings, work=dict(made.work), facts={STALLS: stalls})
    return Simulated(point, (cycles + EMPTY,), repetitions)


@cache
def _taken(some: tuple[Kind, ...], starts: tuple[float, ...], first: str, second: str) -> float:
    return _span(_source(first, second), some, starts)


@dataclass
class _Warp:
    at: float
    chains: list[float]
    done: int = 0


def _span(made: Source, kinds: Sequence[Kind], starts: Sequence[float]) -> float:
    """Cycles of a window.  Of warps that can go on, the one that went last does."""
    each = int(made.work["groups"] * (made.work["first_count"] + made.work["second_count"]))
    total = each * int(made.setup["turns"])
    chains = int(made.work["first_count"] + made.work["second_count"])
    warps = [_Warp(0.0, [0.0] * chains) for _ in range(int(made.setup["threads"]) // WARP // QUARTERS)]
    free: dict[int, float] = {}
    begun: dict[tuple[int, ...], list[float]] = {kind.pipes: [] for kind in kinds}
    issue = port = end = 0.0
    chosen = warps[0]
    while waiting := [warp for warp in (chosen, *warps) if warp.done < total]:
        best = float("inf")
        for warp in waiting:
            kind = kinds[warp.done % len(kinds)]
            queue = begun[kind.pipes]
            if not kind.ahead:
                room = max(min(free.get(pipe, 0.0) for pipe in kind.pipes), port if kind.port else 0.0)
            else:
                room = queue[-kind.ahead] if len(queue) >= kind.ahead else 0.0
            when = max(issue, warp.at, warp.chains[warp.done % chains], room)
            if when < best:
                chosen, best = warp, when
        turn = chosen.done % len(kinds)
        kind = kinds[turn]
        pipe = min(kind.pipes, key=lambda one: free.get(one, 0.0))
        begin = max(best, free.get(pipe, 0.0), port if kind.port else 0.0)
        free[pipe] = begin + kind.interval
        port = begin + kind.port if kind.port else port
        begun[kind.pipes].append(begin)
        chosen.chains[chosen.done % chains] = begin + kind.latency
        chosen.done += 1
        chosen.at = issue = best + starts[turn]
        end = best + 1
        if not chosen.done % each:
            issue += COUNTING
            chosen.at = issue + BRANCH - COUNTING
    return end
