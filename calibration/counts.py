"""From judged devices to the numbers that are published: `docs/method/calibration.json`."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import msgspec
import numpy as np

from calibration.gpu_kinds import GpuKind
from calibration.judge import Claimed, Judged, Stated
from calibration.kinds import Kind, Meaning
from reportgen.analysis.robust import NORMAL_95
from reportgen.findings.finding import Verdict
from reportgen.findings.interference import CANNOT_TELL, PARTLY, SEPARATE, SHARED

FORMAT = 3
"""Raised when a key of the published file changes."""
TENTHS = 10
LEAST_FINDINGS = 100
"""A tenth with fewer findings is too small to be held to `WITHIN`."""
WITHIN = 0.05
"""Share of right findings may differ by this from the mean confidence of a tenth."""
COVERED = (0.93, 0.97)
"""Share of the 95 % intervals that must hold the truth."""
SURE = 0.8
"""A finding of such a confidence reads as certain."""
AGAINST = 0.03
"""Share of the decided hypotheses of GPUs that may end against the truth."""
DIGITS = 4
READINGS = (SHARED, PARTLY, SEPARATE, CANNOT_TELL)


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the records: written and read as they are."""


class Share(Published, frozen=True):
    """A share of something counted, with its 95 % interval."""

    count: int
    value: float
    low: float
    high: float


class Coverage(Published, frozen=True):
    """One kind of interval."""

    kind: str
    """Name of a `kinds.Kind`, or of a `gpu_kinds.GpuKind`."""
    share: Share
    """Of intervals that hold the truth."""
    half: float
    """Median half width over the value (interference: the half width itself)."""


class Tenth(Published, frozen=True):
    """Findings whose confidence lies in [low, high), the last one including 1."""

    low: float
    high: float
    devices: int
    confidence: float
    """Their mean."""
    right: Share

    @property
    def enough(self) -> bool:
        """Whether there are enough findings to say anything."""
        return self.right.count >= LEAST_FINDINGS

    @property
    def off(self) -> float:
        """Share of right findings less the mean confidence."""
        return self.right.value - self.confidence


class OfKind(Published, frozen=True):
    """Findings of one kind, whatever their confidence."""

    kind: str
    confidence: float
    right: Share


class Readings(Published, frozen=True):
    """What is said of pairs of instructions of which one thing is true."""

    troubled: bool
    """Whether the devices were."""
    ports: bool
    limit: bool
    readings: dict[str, int]


class Verdicts(Published, frozen=True):
    """How hypotheses of one analysis end of which one thing is true."""

    analysis: str
    truth: str
    verdicts: dict[str, int]


class Seeds(Published, frozen=True):
    """Which devices: numbers `first` to `first + devices - 1`, each as it is and troubled."""

    first: int
    devices: int


class Gpus(Published, frozen=True):
    """What is counted on GPUs."""

    seeds: Seeds
    intervals: tuple[Coverage, ...]
    reliability: tuple[Tenth, ...]
    findings: tuple[OfKind, ...]
    sharing: tuple[Readings, ...] = ()
    hypotheses: tuple[Verdicts, ...] = ()
    explained: tuple[OfKind, ...] = ()
    """Inferences by rule, all and the sure ones; right are those whose list has the true explanation."""

    def coverage(self, kind: GpuKind) -> Coverage:
        """The row of a kind; KeyError where there is none."""
        return {one.kind: one for one in self.intervals}[kind.name]


class Cores(Published, frozen=True):
    """What is counted on cores."""

    seeds: Seeds
    intervals: tuple[Coverage, ...]
    reliability: tuple[Tenth, ...]
    findings: tuple[OfKind, ...]
    sharing: tuple[Readings, ...]
    hypotheses: tuple[Verdicts, ...]

    def coverage(self, kind: Kind) -> Coverage:
        """The row of a kind; KeyError where there is none."""
        return {one.kind: one for one in self.intervals}[kind.name]


class Calibration(Published, frozen=True):
    """All that is published."""

    format: int
    cores: Cores
    gpus: Gpus


def meaning_of(part: Cores | Gpus, one: Coverage) -> Meaning:
    """What right means for a row of intervals of a part."""
    return GpuKind[one.kind].value if isinstance(part, Gpus) else Kind[one.kind].value


def ends_against_truth(rows: Sequence[Verdicts]) -> tuple[int, int]:
    """Hypotheses that are decided, and how many of these end against the truth."""
    open_ = Verdict.UNDECIDED.value
    decided = sum(number for row in rows for name, number in row.verdicts.items() if name != open_)
    right = sum(row.verdicts.get(row.truth, 0) for row in rows)
    return decided, decided - right


def count_gpus(seeds: Seeds, plain: Sequence[Judged], troubled: Sequence[Judged]) -> Gpus:
    """Count what was right of GPUs; the arguments are those of `count`."""
    both = [*plain, *troubled]
    return Gpus(
        seeds=seeds,
        intervals=_intervals(plain, GpuKind),
        reliability=_reliability(both),
        findings=_by_kind(both),
        sharing=(*_sharing(plain, troubled=False), *_sharing(troubled, troubled=True)),
        hypotheses=_hypotheses(both),
        explained=(*_explained(both, 0.0, ""), *_explained(both, SURE, f", confidence of {SURE:g} and more")),
    )


def count(seeds: Seeds, plain: Sequence[Judged], troubled: Sequence[Judged]) -> Cores:
    """Count what was right of cores.

    Args:
        seeds: which devices these are.
        plain: devices whose troubles the intervals allow for; these alone are asked for coverage.
        troubled: the same devices with troubles that intervals do not allow for.
    """
    both = [*plain, *troubled]
    return Cores(
        seeds=seeds,
        intervals=_intervals(plain, Kind),
        reliability=_reliability(both),
        findings=_by_kind(both),
        sharing=(*_sharing(plain, troubled=False), *_sharing(troubled, troubled=True)),
        hypotheses=_hypotheses(both),
    )


def tenth_of(confidence: float) -> int:
    """Which tenth a confidence (three decimals) belongs to."""
    return min(TENTHS - 1, round(confidence * 1000) * TENTHS // 1000)


def share_of(by_device: Sequence[Sequence[bool]]) -> Share:
    """Share of true values, with Wilson's interval for clustered counts.

    What is said of one device hangs together (one disturbance, one clock), so there are fewer independent
    values than values: as many as their number over the design effect (Kish, Survey Sampling, 1965), the
    variance of the share from device to device over that of independent draws.

    Args:
        by_device: one sequence a device; at least one value in all.
    """
    some = [one for one in by_device if one]
    counts = np.array([len(one) for one in some], dtype=float)
    true = np.array([sum(one) for one in some], dtype=float)
    total = float(counts.sum())
    share = float(true.sum()) / total
    independent = share * (1 - share) / total
    effect = total / len(some)  # where all are alike nothing tells: as if each device spoke once
    if independent > 0 and len(some) > 1:
        between = float(((true - share * counts) ** 2).sum()) / total**2 * len(some) / (len(some) - 1)
        effect = max(1.0, between / independent)
    low, high = wilson(share, total / effect)
    return Share(int(total), _short(share), _short(low), _short(high))


def wilson(share: float, number: float) -> tuple[float, float]:
    """95 % interval of a share of `number` independent draws (Wilson, JASA 22, 1927)."""
    z = NORMAL_95**2 / number
    middle = (share + z / 2) / (1 + z)
    half = math.sqrt(z * (share * (1 - share) + z / 4)) / (1 + z)
    return max(0.0, middle - half), min(1.0, middle + half)


def _short(value: float) -> float:
    return round(float(value), DIGITS)


def _intervals(devices: Sequence[Judged], kinds: type[Kind] | type[GpuKind]) -> tuple[Coverage, ...]:
    found = []
    for kind in kinds:
        mine: list[list[Stated]] = [[one for one in each.intervals if one.kind is kind] for each in devices]
        halves = [one.half for each in mine for one in each]
        if halves:
            share = share_of([[one.held for one in each] for each in mine])
            found.append(Coverage(kind.name, share, _short(float(np.median(halves)))))
    return tuple(found)


def _reliability(devices: Sequence[Judged]) -> tuple[Tenth, ...]:
    found = []
    for at in range(TENTHS):
        mine: list[list[Claimed]] = [
            [one for one in each.findings if tenth_of(one.confidence) == at] for each in devices
        ]
        every = [one.confidence for each in mine for one in each]
        if every:
            found.append(
                Tenth(
                    low=at / TENTHS,
                    high=(at + 1) / TENTHS,
                    devices=sum(bool(each) for each in mine),
                    confidence=_short(float(np.mean(every))),
                    right=share_of([[one.right for one in each] for each in mine]),
                )
            )
    return tuple(found)


def _by_kind(devices: Sequence[Judged]) -> tuple[OfKind, ...]:
    return _of_kinds([each.findings for each in devices])


def _explained(devices: Sequence[Judged], least: float, words: str) -> tuple[OfKind, ...]:
    """Those of at least a confidence; `words` say so behind the rule."""
    some = [[one for one in each.explained if one.confidence >= least] for each in devices]
    return tuple(msgspec.structs.replace(one, kind=f"{one.kind}{words}") for one in _of_kinds(some))


def _of_kinds(devices: Sequence[Sequence[Claimed]]) -> tuple[OfKind, ...]:
    found = []
    for kind in sorted({one.kind for each in devices for one in each}):
        mine = [[one for one in each if one.kind == kind] for each in devices]
        mean = float(np.mean([one.confidence for each in mine for one in each]))
        found.append(OfKind(kind, _short(mean), share_of([[one.right for one in each] for each in mine])))
    return tuple(found)


def _sharing(devices: Sequence[Judged], *, troubled: bool) -> tuple[Readings, ...]:
    table: dict[tuple[bool, bool], Counter[str]] = defaultdict(Counter)
    for pair in (pair for each in devices for pair in each.pairs):
        table[pair.ports, pair.limit][pair.reading] += 1
    return tuple(
        Readings(troubled, *truth, {name: table[truth][name] for name in READINGS})
        for truth in ((True, False), (True, True), (False, True), (False, False))
        if truth in table
    )


def _hypotheses(devices: Sequence[Judged]) -> tuple[Verdicts, ...]:
    table: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for each in devices:
        for one in each.hypotheses:
            table[one.analysis, one.truth.value][one.verdict.value] += 1
    return tuple(
        Verdicts(*key, {verdict.value: table[key][verdict.value] for verdict in Verdict})
        for key in sorted(table)
    )
