"""Panels of curves over settings: places evenly apart, whatever the settings are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from reportgen.site.figures.curves import Curves, Panel, Series
from reportgen.units import format_bytes, significant

ENOUGH = 3
"""Sizes that are powers of two, from which on only these are written under a panel."""


def curves(panels: Iterable[Panel]) -> Curves | None:
    """A figure of some panels; None without any."""
    found = tuple(panels)
    return Curves(found) if found else None


def panel(
    title: str,
    across: str,
    up: str,
    lines: Mapping[str, Mapping[float, float]],
    *,
    sizes: bool = False,
    ends: Sequence[tuple[float | None, float | None]] = (),
    steps: bool = False,
    log: bool = False,
) -> Iterator[Panel]:
    """A panel over all settings that any of its lines has; none where there are fewer than two.

    Args:
        title: above it.
        across: what the settings are.
        up: what the values are, with the unit.
        lines: name -> value by setting; a line without values is left out.
        sizes: settings are bytes.
        ends: intervals between two settings, drawn as bands; others are left out.
        steps: values hold up to the next setting.
        log: values by their logarithms.
    """
    settings = sorted({setting for line in lines.values() for setting in line})
    if len(settings) < 2:
        return
    series = tuple(
        Series(
            name, tuple(settings.index(one) for one in sorted(line)), tuple(line[one] for one in sorted(line))
        )
        for name, line in lines.items()
        if line
    )
    bands = tuple(
        (settings.index(low), settings.index(high))
        for low, high in ends
        if low in settings and high in settings
    )
    named = tuple(format_bytes(one) if sizes else significant(one, 6) for one in settings)
    rounds = tuple(at for at, one in enumerate(settings) if sizes and _is_power_of_two(one))
    yield Panel(
        title, across, up, named, series, bands, steps, rounds if len(rounds) >= ENOUGH else (), log=log
    )


def _is_power_of_two(size: float) -> bool:
    return size == int(size) > 0 and int(size) & (int(size) - 1) == 0
