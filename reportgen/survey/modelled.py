"""A survey beside a compiler's scheduling model: which numbers agree, and what else a difference may be.

Both have the same body, so that also a rate that is only a bound, since its instances wait for themselves,
can be compared: the model lets them wait too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from reportgen.analysis.survey_rows import FormRow, PairLatency
from reportgen.suite.survey import MEMORY, THROUGHPUT, operand
from reportgen.survey.record import (
    ACROSS,
    AGREES,
    FASTER,
    KINDS,
    RATE,
    REGISTERS,
    SLOWER,
    STORES,
    UNCLEAR,
    UNKNOWN,
    Count,
    Modelled,
    Reason,
)
from reportgen.survey.said import Said

SHARE = 0.1
"""Of the larger number: the loop about a body, which the model is not asked of, and the noise of a few visits
are together far below, and a unit more or less is far above."""
HALF = 0.5
"""Cycles: a result takes a whole number of them, and a latency that is nearer to the model's than to the
next one is no other latency."""
RENAMED = 0.9
"""Cycles below which a step is no dependency that execution waits for."""

BESIDE = "what stands beside each instance"
RENAMING = "done by renaming, as the processor may do with moves and zeros"
PASSED_ON = "how a store's data reach a load, which the model knows only in outline"
LEAVES = "stores that leave the caches wait for memory, which the model does not have"
VALUES = "time that depends on values: the model has one for all"
EMULATED = "a virtual machine may stand between"
BRINGS_BACK = "the instruction that brings the result back"
_BY_VALUES = ("div", "sqrt", "rcp", "compress", "expand")
_LEAVES = ("movnt", "vmovnt")
_EMULATED = ("rd", "pause", "cpuid", "xgetbv", "lock")


def beside(rows: Sequence[FormRow], said: Said) -> tuple[tuple[FormRow, ...], Modelled]:
    """The rows with what a model says, and how often the two agree."""
    found = tuple(_row(row, said.numbers(row.key)) for row in rows) if not said.absent else tuple(rows)
    counted: Counter[tuple[str, str]] = Counter()
    for row in found:
        counted[RATE, row.verdict] += 1
        counted.update((kind(row, one), one.verdict) for one in row.latencies)
    counts = tuple(_count(name, counted) for name in KINDS)
    return found, Modelled(
        name=said.name,
        version=said.version,
        target=said.target,
        absent=said.absent,
        counts=tuple(one for one in counts if one.compared or one.unknown),
        unknown=tuple(Reason(reason, what) for reason, what in said.faults.items()),
    )


def verdict(measured: float, low: float | None, high: float | None, predicted: float, half: float) -> str:
    """What a measured number is beside a predicted one.

    Args:
        measured: cycles.
        low: lower end of its interval.
        high: upper end.
        predicted: cycles.
        half: cycles that the two may differ by.
    """
    apart = abs(measured - predicted)
    if apart <= SHARE * max(measured, predicted) or apart < half:
        return AGREES
    if low is not None and high is not None and low <= predicted <= high:
        return UNCLEAR
    return SLOWER if measured > predicted else FASTER


def kind(row: FormRow, one: PairLatency | None) -> str:
    """Kind of a number: of a latency, or of the cycles an instruction."""
    if one is None:
        return RATE
    if one.through:
        return ACROSS
    source, _, result = one.pair.partition("→")
    same = source == result and source.isdigit()
    return STORES if same and _in_memory(row.operands[int(source) - 1]) else REGISTERS


def explanations(row: FormRow, one: PairLatency | None) -> tuple[str, ...]:
    """What may be why the two differ, beside an error of the model or of the measurement."""
    found = []
    name = row.mnemonic.rpartition(" ")[2]
    if (one or row).beside:
        found.append(BESIDE)
    if one is not None and one.through:
        found.append(f"{BRINGS_BACK} ({one.through})")
    if kind(row, one) == STORES:
        found.append(PASSED_ON)
    if one is not None and one.cycles is not None and one.cycles < RENAMED:
        found.append(RENAMING)
    if name.startswith(_LEAVES) and _in_memory(row.operands[0]):
        found.append(LEAVES)
    if any(part in name for part in _BY_VALUES):
        found.append(VALUES)
    if row.mnemonic.startswith(_EMULATED):
        found.append(EMULATED)
    return tuple(found)


def _row(row: FormRow, numbers: dict[str, float]) -> FormRow:
    predicted = numbers.get(THROUGHPUT)
    return msgspec.structs.replace(
        row,
        predicted=predicted,
        verdict=_told(row.interval, row.low, row.high, predicted, 0.0),
        latencies=tuple(_latency(one, numbers) for one in row.latencies),
    )


def _latency(one: PairLatency, numbers: dict[str, float]) -> PairLatency:
    predicted = numbers.get(one.pair.replace("→", "to"))
    told = _told(one.cycles, one.low, one.high, predicted, HALF)
    return msgspec.structs.replace(one, predicted=predicted, verdict=told)


def _told(
    measured: float | None, low: float | None, high: float | None, predicted: float | None, half: float
) -> str:
    if measured is None:
        return ""
    return UNKNOWN if predicted is None else verdict(measured, low, high, predicted, half)


def _count(name: str, counted: Counter[tuple[str, str]]) -> Count:
    told = {one: counted[name, one] for one in (AGREES, SLOWER, FASTER, UNCLEAR)}
    return Count(
        kind=name,
        compared=sum(told.values()),
        agree=told[AGREES],
        slower=told[SLOWER],
        faster=told[FASTER],
        unclear=told[UNCLEAR],
        unknown=counted[name, UNKNOWN],
    )


def _in_memory(name: str) -> bool:
    return operand(name, "").file == MEMORY
