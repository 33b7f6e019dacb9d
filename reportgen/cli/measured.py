"""What `reportgen measure` says of code that was timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from reportgen.measurement.record import Measurement, OwnRow, Pairing, Prediction

SHORT = 90
"""Code of at most so many letters is shown."""


def show(found: Measurement) -> None:
    """Every piece of code, and which of them costs less."""
    click.echo(f"{found.name} ({found.device}), measurement {found.run}")
    for row in found.rows:
        click.echo("")
        for line in _lines(row):
            click.echo(line)
    shown = [one for at, one in enumerate(found.pairs) if len(found.rows) < 4 or _next(found, at)]
    if shown:
        click.echo("")
    for one in shown:
        click.echo(sentence(one))


def _next(found: Measurement, at: int) -> bool:
    """Of many pieces of code only those that follow each other in the ranking are compared."""
    names = [row.name for row in sorted(found.rows, key=lambda row: row.each or float("inf"))]
    one = found.pairs[at]
    return names.index(one.second) == names.index(one.first) + 1


def _lines(row: OwnRow) -> list[str]:
    from reportgen.units import significant

    if row.cycles is None:
        return [f"{row.name}: {row.status.value}: {row.reason}"]
    low, high = (significant(one) if one is not None else "open" for one in (row.low, row.high))
    unit = "cycle" if significant(row.cycles) == "1" else "cycles"
    text = f"{row.name}: {significant(row.cycles)} {unit} a round ({low} … {high})"
    if row.seconds and row.clock_hz:
        text += f", {significant(row.seconds * 1e9)} ns at {row.clock_hz / 1e9:.2f} GHz"
    if row.items != 1:
        text += f", {significant(row.cycles / row.items)} for each of {row.items:g} results"
    lines = [text, *_short(row), _code(row), _samples(row)]
    if row.status.value != "ok" and row.reason:
        lines.append(f"  {row.status.value}: {row.reason}")
    lines += [f"  {said(one, row)}" for one in row.predictions]
    return lines + [f"  Note: {note}." for note in row.notes]


def _short(row: OwnRow) -> list[str]:
    """The code itself, where it is a line."""
    text = "; ".join(row.code)
    return [f"  {text}"] if len(text) <= SHORT else []


def _code(row: OwnRow) -> str:
    from reportgen.units import format_bytes, significant

    each = significant(row.instructions / (row.cycles or 1.0))
    number = f"{row.instructions} instruction{'' if row.instructions == 1 else 's'} a round"
    between = f"{row.unroll} round{'' if row.unroll == 1 else 's'} between two jumps"
    plural = "" if row.arrays == 1 else "s"
    arrays = (
        f"; {row.arrays} array{plural} of {format_bytes(row.array_bytes)}, {row.holds}" if row.arrays else ""
    )
    return f"  {number}, {each} a cycle; {between}{arrays}"


def _samples(row: OwnRow) -> str:
    accepted = f"{row.n} of {row.taken} samples accepted{_rejected(row.rejected)}"
    return f"  {accepted}; code {row.verdict}, sha256 {row.program[:12]}"


def _rejected(reasons: dict[str, int]) -> str:
    return f" ({', '.join(f'{number} {reason}' for reason, number in reasons.items())})" if reasons else ""


def said(one: Prediction, row: OwnRow) -> str:
    """What a predictor says, beside what was measured."""
    from reportgen.units import significant

    if one.cycles is None:
        return f"{one.name}: nothing, {one.fault}" if one.fault else f"{one.name}: nothing"
    text = f"{one.name}: {significant(one.cycles)}"
    if one.low is not None and one.high is not None:
        high = significant(one.high) if one.high < float("inf") else "open"
        text += f" ({significant(one.low)} … {high}), measured is {row.place or 'not compared'}"
    elif row.cycles:
        text += f", {round(100 * (one.cycles / row.cycles - 1)):+d} %"
    if one.decides:
        text += f"; decides: {one.decides}"
    return text + (f"; unknown to it: {', '.join(one.unknown)}" if one.unknown else "")


def sentence(one: Pairing) -> str:
    """Which of two costs less."""
    if one.verdict == "cannot tell":
        return (
            f"{one.first} and {one.second} cannot be told apart: the second takes {one.low:.3f} … "
            f"{one.high:.3f} times as many cycles a result."
        )
    cheap, dear = (one.first, one.second) if one.verdict == "first" else (one.second, one.first)
    factors = f"{one.ratio:.3f} times fewer cycles a result ({one.low:.3f} … {one.high:.3f})"
    return f"{cheap} costs less than {dear}: {factors}."
