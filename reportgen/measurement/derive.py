"""From a sealed run of kind `measurement` to its rows and which of them costs less."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from reportgen.analysis.cycles import Timing, timings
from reportgen.analysis.derive import derive as analyse
from reportgen.analysis.quantity import Quantity
from reportgen.errors import BundleError
from reportgen.measurement.record import (
    ABOVE,
    BELOW,
    INSIDE,
    MEASUREMENT_SCHEMA,
    Measurement,
    OwnRow,
    Pairing,
    Prediction,
)
from reportgen.model.cost.latency import Span
from reportgen.runs.read import Bundle
from reportgen.runs.schema import ACCEPTED, Point, ProbeInfo
from reportgen.status import USABLE, Status
from reportgen.suite.own_code import Code, code_of
from reportgen.validation.derive import order
from reportgen.validation.record import MODEL

MOST_SAMPLES = 400
"""Samples of a row that are kept for its figure."""
SLACK = 0.005
"""A measured interval that misses the model's range by less (relative) still lies inside."""
_CAUSES = {
    "SIGSEGV": "it accessed memory outside of its arrays. Registers that are addresses point to an array of"
    " --bytes, and start anew after --rounds N; other registers start with 1 or 0 unless --init sets them",
    "SIGBUS": "it accessed memory that is not there",
    "SIGILL": "this processor does not have one of its instructions, or does not permit it",
    "SIGFPE": "a division overflowed, or divided by zero: set its operands with --init",
}
"""Signal that ended the worker -> what that says of the code."""


def derive(bundle: Bundle) -> Measurement:
    """Measured cycles of every piece of code, beside what was predicted.

    Raises:
        BundleError: another kind of run.
    """
    run = bundle.run
    if not run.is_measurement:
        raise BundleError(f"{run.run} is no measurement.", "'reportgen runs list' shows which runs are.")
    found = {one.probe: one for one in analyse(bundle)}
    said = msgspec.convert(run.plan.get("said", {}), dict[str, tuple[Prediction, ...]])
    by_point = timings(run.sample_clock, bundle.table) if run.clock is not None else {}
    rows = tuple(
        _row(bundle, probe, found[probe.id], by_point, said)
        for probe in run.probes
        if probe.id in found and probe.constants
    )
    return Measurement(
        schema=MEASUREMENT_SCHEMA,
        run=run.run,
        created=run.created,
        device=run.device.id,
        name=run.title,
        passes=int(run.plan.get("passes", 0)),
        rows=rows,
        pairs=tuple(pairs(rows)),
    )


def _row(
    bundle: Bundle,
    probe: ProbeInfo,
    quantity: Quantity,
    by_point: Mapping[str, Timing],
    said: Mapping[str, tuple[Prediction, ...]],
) -> OwnRow:
    try:
        code = code_of(probe.constants)
    except msgspec.ValidationError as error:
        raise BundleError(
            f"{bundle.run.run} was measured by another version of reportgen ({error}).", "Measure it again."
        ) from None
    points = [one for one in bundle.run.points if one.probe == probe.id]
    longest = max(points, key=lambda one: float(one.settings.get("rounds", 0)))
    usable = quantity.status in USABLE and quantity.value is not None
    overhead = quantity.details.get("intercept") if usable else None
    clock = _clock([by_point[one.id] for one in points if one.id in by_point])
    program = bundle.programs.get(longest.program)
    predictions = said.get(code.name, ())
    return OwnRow(
        name=code.name,
        code=tuple(one.text for one in code.lines),
        init=tuple(one.text for one in code.init),
        status=quantity.status,
        reason=f"{explained(quantity.reason, quantity.status)} {seen(quantity, points)}".strip(),
        cycles=quantity.value if usable else None,
        low=quantity.low if usable else None,
        high=quantity.high if usable else None,
        seconds=quantity.value / clock if usable and quantity.value and clock else None,
        clock_hz=clock,
        items=code.items,
        instructions=len(code.lines),
        unroll=code.unroll,
        rounds=code.rounds,
        arrays=len(code.pointers),
        array_bytes=code.each if code.pointers else 0,
        holds=code.array.split()[0] if code.pointers else "",
        registers=registers(code),
        n=quantity.n,
        taken=quantity.taken,
        rejected=_rejected(bundle, points),
        overhead=overhead,
        samples=_samples(by_point.get(longest.id), longest, overhead),
        program=longest.program,
        verdict=program.verdict if program is not None else "",
        notes=code.notes,
        predictions=predictions,
        place=_place(quantity, predictions) if usable else "",
    )


def explained(reason: str, status: Status) -> str:
    """The reason, with what the signal that ended the worker says of the code."""
    cause = next((text for name, text in _CAUSES.items() if name in reason), "")
    if cause and status is Status.FAILED:
        return f"{cause} ({reason.rstrip('.')})"
    return reason


def seen(quantity: Quantity, points: Sequence[Point]) -> str:
    """What was seen of a row that has no single time, in words; empty where nothing was, or it has one.

    Bodies that do not lie on a line are told from the least to the most that a round takes in one of them,
    each as a whole: what a longer one adds is more than any takes, where its data drive out all others.
    """
    if quantity.status is not Status.UNSTABLE:
        return ""
    rounds, cycles = (np.array(quantity.details.get(key, ()), dtype=float) for key in ("length", "cycles"))
    if len(rounds) > 1 and len(rounds) == len(cycles):
        each = cycles / rounds
        return (
            f"Seen: {each.min():.4g} to {each.max():.4g} cycles a round, by bodies of {rounds.min():g} to"
            f" {rounds.max():g} rounds, what comes before the first one included."
        )
    steps = next((point.work["steps"] for point in points if point.work.get("steps", 0) > 0), 0.0)
    if len(quantity.modes) > 1 and steps:
        groups = " and ".join(f"{one / steps:.4g}" for one in sorted(quantity.modes))
        return f"Seen: groups at {groups} cycles a round, the shortest body as a whole."
    return ""


def registers(code: Code) -> dict[str, str]:
    """What registers hold when the first round begins, but for what --init sets."""
    found = {name: f"array + {offset}" for name, offset in code.pointers.items()}
    found |= dict.fromkeys((*code.zeros, *code.cleared), "0") | dict.fromkeys(code.ones, "1")
    return (
        found | dict.fromkeys(code.vectors, f"1.0 as {code.numbers}") | dict.fromkeys(code.masks, "all set")
    )


def _clock(some: Sequence[Timing]) -> float | None:
    rates = [one.cycles / one.seconds for one in some if one.n and (one.seconds > 0).all()]
    return float(np.median(np.concatenate(rates))) if rates else None


def _rejected(bundle: Bundle, points: Sequence[Point]) -> dict[str, int]:
    own = {one.id for one in points}
    gates = zip(
        bundle.table.column("point").to_pylist(), bundle.table.column("gate").to_pylist(), strict=True
    )
    found = Counter(gate for point, gate in gates if point in own and gate != ACCEPTED)
    return dict(found.most_common())


def _samples(timing: Timing | None, point: Point, overhead: object) -> tuple[float, ...]:
    if timing is None or not isinstance(overhead, float) or not timing.n:
        return ()
    each = (timing.cycles - overhead) / point.work["steps"]
    step = -(-len(each) // MOST_SAMPLES)
    return tuple(float(f"{value:.6g}") for value in each[::step])


def _place(quantity: Quantity, said: Sequence[Prediction]) -> str:
    """Where the measured interval lies by the range of the model: outside where the two do not meet."""
    model = next((one for one in said if one.name == MODEL and one.low is not None), None)
    if model is None or model.low is None or model.high is None:
        return ""
    low, high = quantity.low or 0.0, quantity.high or 0.0
    if low > model.high * (1 + SLACK):
        return ABOVE
    return BELOW if high < model.low * (1 - SLACK) else INSIDE


def pairs(rows: Sequence[OwnRow]) -> list[Pairing]:
    """Every two that were measured, those that cost least first."""
    some = sorted((one for one in rows if one.each), key=lambda one: one.each or 0.0)
    found = []
    for one, other in itertools.combinations(some, 2):
        first, second = _span(one), _span(other)
        found.append(
            Pairing(
                first=one.name,
                second=other.name,
                ratio=second.value / first.value,
                low=second.low / first.high,
                high=second.high / first.low if first.low > 0 else float("inf"),
                verdict=order(first, second),
            )
        )
    return found


def _span(row: OwnRow) -> Span:
    value = row.cycles or 0.0
    low, high = row.low if row.low is not None else value, row.high if row.high is not None else value
    return Span(low, value, high).scaled(1 / row.items)
