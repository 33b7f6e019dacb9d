"""`reportgen roofline --compare`: one workload under the roofs of several devices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli import output
from reportgen.errors import UserError
from reportgen.units import significant

if TYPE_CHECKING:
    from reportgen.roofline.across import Across
    from reportgen.roofline.points import Point
    from reportgen.roofline.sheet import Sheet

MOST = 100
"""Columns that text takes at most, however many there are: a longer line is no easier to read."""


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
    from reportgen.cli import roofline_across_chart, roofline_across_table, roofline_chart
    from reportgen.cli.compare_table import wrapped
    from reportgen.roofline.batches import limit

    width = min(output.columns(), MOST)
    lines: list[str] = []
    for number, one in enumerate(found.devices, 1):
        head = f"{number} {one.name} ({one.device}), run {one.run}; roofs of {one.scope}"
        lines += wrapped(head, width, further="  ")
    if found.mixed:
        mixed = "Roofs of one core stand beside roofs of a whole device: the ratio is that of these two."
        lines += wrapped(mixed, width)
    lines.append("")
    for chart in roofline_across_chart.draw(found, roofline_chart.fitting(output.columns())):
        lines += [*chart, ""]
    lines += [*roofline_across_table.lines_of(found.rows, width), ""]
    for text in roofline_across_table.absences(found.rows):
        lines += wrapped(text, width, further="  ")
    ends = limit([row.point for row in found.rows if row.point.size])
    if ends is not None:
        told = (
            f"With ever larger batches the intensity tends to {significant(ends, 3)} FLOP/byte: each "
            "sequence reads keys and values of its own."
        )
        lines += wrapped(told, width)
    click.echo("\n".join(lines))
