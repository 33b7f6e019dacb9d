"""Rows as text that fits between two widths: words stay whole, so that an id can be copied.

Where all words do not fit beside each other, a row becomes a few lines, a heading and its value each.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import zip_longest

GAP = 2
"""Spaces between columns."""


def lines_of(headings: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> list[str]:
    """Headings, a rule and the rows, in lines of at most `width` columns unless one word is longer.

    Args:
        headings: one a column.
        cells: rows of as many texts.
        width: columns there are.
    """
    columns = [[heading, *texts] for heading, *texts in zip(headings, *cells, strict=True)]
    lengths = _lengths(columns, width - GAP * (len(columns) - 1))
    if lengths is None:
        return _stacked(headings, cells, width)
    right = [all(_is_number(text) for text in texts) for _, *texts in columns]
    lines = _row(headings, lengths, right)
    lines.append("─" * (sum(lengths) + GAP * (len(lengths) - 1)))
    for row in cells:
        lines += _row(row, lengths, right)
    return lines


def _lengths(columns: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """A width for each column, no word of it longer; None where the room is too small for that."""
    wanted = [max(len(text) for text in column) for column in columns]
    least = [max((len(word) for text in column for word in text.split()), default=0) for column in columns]

    def limited(limit: int) -> list[int]:
        return [max(low, min(high, limit)) for low, high in zip(least, wanted, strict=True)]

    if sum(least) > room:
        return None
    # Narrow columns (an id, a date) stay whole; those of sentences share what is left.
    lengths = least
    for limit in range(max(wanted) + 1):
        if sum(limited(limit)) > room:
            break
        lengths = limited(limit)
    return lengths


def _row(cells: Sequence[str], lengths: Sequence[int], right: Sequence[bool]) -> list[str]:
    """One row, of as many lines as its tallest cell."""
    texts = [_wrapped(cell, length) for cell, length in zip(cells, lengths, strict=True)]
    return [
        (" " * GAP)
        .join(
            part.rjust(length) if number else part.ljust(length)
            for part, length, number in zip(parts, lengths, right, strict=True)
        )
        .rstrip()
        for parts in zip_longest(*texts, fillvalue="")
    ]


def _stacked(headings: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> list[str]:
    """Each row as lines of its own, values beside their headings, what is empty left out."""
    longest = max(len(heading) for heading in headings)
    lines: list[str] = []
    for row in cells:
        for heading, cell in zip(headings, row, strict=True):
            if cell:
                first, *rest = _wrapped(cell, max(width - longest - GAP, 1))
                lines.append(f"{heading:<{longest + GAP}}{first}")
                lines += [" " * (longest + GAP) + more for more in rest]
        lines.append("")
    return lines[:-1]


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of a cell; a number keeps its per cent."""
    kept = text.replace(" %", "\N{NO-BREAK SPACE}%")
    lines = textwrap.wrap(kept, max(width, 1), break_long_words=False, break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines] or [""]


def _is_number(text: str) -> bool:
    return not text or text.lstrip("-").replace(".", "", 1).isdigit()
