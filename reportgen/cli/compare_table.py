"""The comparison of two runs as text: two lines a metric, which fit into 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reportgen.findings.wording import comparison as words
from reportgen.status import Status
from reportgen.units import format_interval, format_value

if TYPE_CHECKING:
    from reportgen.model.compare import Difference, Number

LONGEST_VERDICT, LONGEST_CHANGE = len("cannot tell"), len("−10.0 % (−10.0 % … −10.0 %)")


def lines_of(rows: Sequence[Difference], width: int) -> list[str]:
    """The rule, headings and `rows` in lines of at most `width` columns; metric ids stay whole.

    Metric, verdict and change stand under each other; both numbers follow on the next line.
    """
    room = max(width - LONGEST_VERDICT - LONGEST_CHANGE - 4, len("metric"))
    first = min(max(len(row.metric) for row in rows), room)

    def line(metric: str, verdict: str, change: str) -> str:
        return f"{metric:<{first}}  {verdict:<{LONGEST_VERDICT}}  {change}".rstrip()

    lines = [
        *wrapped(words.rule(), width),
        "",
        line("metric", "verdict", "change"),
        "  first → second; least difference",
        "─" * min(width, first + LONGEST_VERDICT + LONGEST_CHANGE + 4),
    ]
    for row in rows:
        head = line(row.metric, str(row.verdict), _change(row))
        numbers = f"{_number(row.first, row.unit)} → {_number(row.second, row.unit)}"
        if len(head) <= width:
            lines.append(head)
        else:
            said = f"{row.verdict!s:<{LONGEST_VERDICT}}  {_change(row)}".rstrip()
            lines += [row.metric, " " * max(min(first + 2, width - len(said)), 2) + said]
        below = (f"{numbers}; {words.room(row.relevant, row.by_difference)}", row.reason)
        for text in filter(None, below):
            lines += wrapped(text, width, "  ", "    ")
    return lines


def wrapped(text: str, width: int, indent: str = "", further: str = "") -> list[str]:
    """Lines of at most `width` columns; a number keeps its per cent, and a long name stays whole."""
    kept = text.replace(" %", "\N{NO-BREAK SPACE}%")
    lines = textwrap.wrap(
        kept, width, initial_indent=indent, subsequent_indent=further,
        break_on_hyphens=False, break_long_words=False,
    )  # fmt: skip
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def _change(row: Difference) -> str:
    return words.change(row.ratio, row.ratio_low, row.ratio_high, row.by_difference)


def _number(number: Number | None, unit: str) -> str:
    """Value with its interval, the interval alone, or the status; a unit that all share is said once."""
    if number is None:
        return "–"
    if number.status is Status.CENSORED and number.low is not None:
        return f"at least {format_value(number.low, unit)}"
    known = number.low is not None and number.high is not None
    around = format_interval(number.low or 0.0, number.high or 0.0, unit) if known else ""
    if number.value is None:
        return around or str(number.status)
    value = format_value(number.value, unit)
    sign = value.partition(" ")[2]
    if sign and around.count(sign) == 1:
        around = around.removesuffix(f" {sign}")
    return f"{value} ({around})" if around else value
