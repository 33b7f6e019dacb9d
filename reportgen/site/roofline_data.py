"""The roofline as files and as data for the page, so that nobody has to read it off a picture."""

from __future__ import annotations

from typing import Any

import msgspec

from reportgen.roofline import sheet as sheets
from reportgen.roofline.sheet import Entry, Sheet
from reportgen.site.figures import roofline, style
from reportgen.site.figures.cache import Drawn
from reportgen.site.markup import Html

DASHES = {"-": "", "--": "8 4", "-.": "9 3 2 3", ":": "2 3"}
"""Dash of a level in a drawing -> the same in SVG."""


def files(sheet: Sheet, name: str, figure: Drawn) -> dict[str, bytes]:
    """Name beside a figure -> content: its points, all that it shows, and itself in one file.

    Args:
        sheet: what the figure shows, of one unit of work.
        name: of the figure.
        figure: as drawn; as a file it has titles under the pointer and both palettes.
    """
    return {
        f"{name}.csv": sheets.to_csv(sheet),
        f"{name}.json": sheets.to_json(sheet),
        f"{name}.svg": roofline.standalone(figure.light).encode(),
    }


def embedded(sheet: Sheet) -> Html:
    """What the page's script draws from, as JSON that may stand inside a script element."""
    text = msgspec.json.encode(_chart(sheet)).decode()
    return Html(text.replace("<", "\\u003c").replace("&", "\\u0026"))


def _chart(sheet: Sheet) -> dict[str, Any]:
    return {
        "compute": [
            {"name": roof.name, "unit": roof.work, "rate": roof.value, "low": roof.low, "high": roof.high}
            for roof in sheet.compute
        ],
        "memory": [
            {
                "name": roof.name,
                "kernel": roof.kernel,
                "rate": roof.value,
                "low": roof.low,
                "high": roof.high,
                "colour": style.LEVELS.get(roof.name, style.PLAIN).colour,
                "marker": style.LEVELS.get(roof.name, style.PLAIN).marker,
                "dash": DASHES[style.LEVELS.get(roof.name, style.PLAIN).dash],
            }
            for roof in sheet.memory
        ],
        "ridges": [
            {
                "precision": one.precision,
                "level": one.level,
                "value": one.value,
                "low": one.low,
                "high": one.high,
            }
            for one in sheet.ridges
        ],
        "sweeps": [
            {
                "precision": one.precision,
                "level": one.level,
                "places": list(zip(one.intensity, one.rate, strict=True)),
            }
            for one in sheet.sweeps
        ],
        "nominal": [
            {"name": one.name, "kind": one.kind, "rate": one.value, "ratio": one.ratio, "source": one.source}
            for one in sheet.nominal
        ],
        "points": [_point(entry) for entry in sheet.points if entry.point.rate or entry.verdict.bound],
    }


def _point(entry: Entry) -> dict[str, Any]:
    point, verdict = entry.point, entry.verdict
    limiter = verdict.limiter or (verdict.bound.limiter if verdict.bound is not None else "")
    return {
        "id": entry.id,
        "name": point.name,
        "row": point.metric or entry.id,
        "group": point.group,
        "precision": point.precision,
        "unit": point.unit,
        "work": point.work,
        "rate": point.rate,
        "low": point.low,
        "high": point.high,
        "bytes": {level: moved.least for level, moved in point.moved.items() if moved.least > 0},
        "level": entry.level,
        "levels": point.levels,
        "roof": verdict.bound.value if verdict.bound is not None else None,
        "share": verdict.share,
        "limiter": limiter,
        "verdict": str(verdict.standing),
    }
