"""`reportgen roofline --compare`: one workload under the roofs of several devices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli import output
from reportgen.errors import UserError
from reportgen.units import format_interval, format_value, significant

if TYPE_CHECKING:
    from reportgen.roofline.across import Across, Ratio, Row, Side
    from reportgen.roofline.points import Point
    from reportgen.roofline.sheet import Sheet

COLUMNS = ("id", "workload", "intensity", "on", "bound", "decided by", "against the first", "at least")


class Batches(click.ParamType[tuple[int, ...]]):
    """Batch sizes, as in 1,4,16."""

    name = "SIZES"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Positive numbers between commas."""
        if isinstance(value, tuple):
            return value
        if not re.fullmatch(r"\s*[1-9]\d*\s*(,\s*[1-9]\d*\s*)*", value):
            self.fail(f"'{value}' is no list of batch sizes, as in 1,4,16", param, ctx)
        return tuple(int(part) for part in value.split(","))


def run(
    sheets: Sequence[Sheet],
    points: Sequence[Point],
    as_json: bool,
    svg: Path | None,
    html: Path | None,
    told: Sequence[tuple[str, str]] = (),
) -> list[tuple[Path, str]]:
    """Print the comparison; gives the files that are asked for, each with its text.

    Args:
        sheets: of every device, the first one leading.
        points: the workloads.
        as_json: print the record instead of tables.
        svg: where the figure will go.
        html: where a page that works offline will go.
        told: term and value of what its reader must know: the model, how it was counted.

    Raises:
        UserError: fewer than two devices, no workload, or nothing to draw.
    """
    from reportgen.roofline.across import across, subject

    if not points:
        raise UserError(
            "there is no workload to compare by.",
            "Give --intensity I, --point NAME,W,Q, a CSV file, a model, or --decode llama2_7b.",
        )
    subjects = [subject(sheet) for sheet in sheets]
    if len({one.run for one in subjects}) < len(subjects):
        raise UserError("a run is named twice.", "Compare two devices, or two runs of one: DEVICE/RUN.")
    found = across(subjects, points)
    files = [] if svg is None else [(svg, _figure(found))]
    if html is not None:
        from reportgen.site.roofline_page import across_page

        names = " and ".join(one.name for one in found.devices)
        subject_of = told[0][1] if told else "Roofline"
        files.append((html, across_page(found, f"{subject_of}: {names}", told)))
    if as_json:
        click.echo(output.json_text(found))
    else:
        _print(found)
    return files


def _figure(found: Across) -> str:
    from reportgen.site.figures import roofline, roofline_across

    groups = {(row.point.precision, row.point.home) for row in found.rows}
    record = roofline_across.record(found)
    if record is None or len(groups) > 1:
        why = (
            "the workloads are of several precisions or levels" if len(groups) > 1 else "no roof was measured"
        )
        raise UserError(
            f"there is no one figure to draw: {why}.",
            "Choose one with --precision and --level, or leave --svg.",
        )
    return roofline.standalone(roofline_across.draw(record))


def _print(found: Across) -> None:
    from reportgen.cli import roofline_across_chart, roofline_chart
    from reportgen.roofline.batches import limit

    for number, one in enumerate(found.devices, 1):
        click.echo(f"{number} {one.name} ({one.device}), run {one.run}; roofs of {one.scope}")
    if found.mixed:
        click.echo("Roofs of one core stand beside roofs of a whole device: the ratio is that of these two.")
    click.echo("")
    for lines in roofline_across_chart.draw(found, roofline_chart.fitting(output.columns())):
        click.echo("\n".join(lines) + "\n")
    several = len({(row.point.precision, row.point.home) for row in found.rows}) > 1
    rows = [cells for row in found.rows for cells in _rows(row, several)]
    output.show(rows, COLUMNS, as_json=False)
    told: dict[str, list[str]] = {}
    for row in found.rows:
        for number, side in enumerate(row.sides, 1):
            told.setdefault(side.reason, []).append(f"{row.id} on {number}")
        for number, ratio in enumerate(row.ratios, 2):
            # A roof that is missing on a side has been told there.
            if ratio.value is not None:
                told.setdefault(ratio.reason, []).append(f"{row.id}, {number} against 1")
    told.pop("", None)
    for why, places in told.items():
        click.echo(f"Cannot tell ({'; '.join(places)}): {why}.")
    ends = limit([row.point for row in found.rows if row.point.size])
    if ends is not None:
        click.echo(
            f"With ever larger batches the intensity tends to {significant(ends, 3)} FLOP/byte: each "
            "sequence reads keys and values of its own."
        )


def _rows(row: Row, several: bool) -> list[output.Row]:
    """One line a device by its number, what belongs to the workload on the first of them."""
    point = row.point
    intensity = point.intensity()
    about = f" ({point.precision.upper()}, {point.home.upper()})" if several else ""
    lead = {
        "id": row.id,
        "workload": point.name + about,
        "intensity": f"{significant(intensity, 3)} {point.unit}/byte" if intensity else "–",
    }
    return [
        {
            **(lead if not place else {}),
            "on": str(place + 1),
            "bound": bound_text(side, point.unit),
            "decided_by": side.decides.upper() or "cannot tell",
            "against_the_first": ratio_text(row.ratios[place - 1]) if place else "",
            "at_least": time_text(side),
        }
        for place, side in enumerate(row.sides)
    ]


def bound_text(side: Side, unit: str) -> str:
    """The bound with its interval."""
    if side.bound is None:
        return "–"
    rate = f"{unit}/second"
    around = format_interval(side.bound.low, side.bound.high, rate, 3)
    value = format_value(side.bound.value, rate, 3)
    return f"at most {value}" if side.partial else f"{value} ({around})"


def ratio_text(ratio: Ratio) -> str:
    """The ratio with its interval, and what follows."""
    if ratio.value is None or ratio.low is None or ratio.high is None:
        return str(ratio.answer)
    span = f"{significant(ratio.low, 3)} … {significant(ratio.high, 3)}"
    return f"{significant(ratio.value, 3)} times ({span}): {ratio.answer}"


def time_text(side: Side) -> str:
    """Least time of one call, and how near to it a timed one came."""
    told = format_value(side.at_least, "second", 3) if side.at_least is not None else "–"
    return told if side.share is None else f"{told}; achieved {side.share * 100:.0f} % of the bound"
