"""`reportgen roofline`: where kernels stand under the measured roofs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reportgen.cli import output, roofline_across, roofline_model, roofline_table
from reportgen.cli.count import Dimension
from reportgen.cli.options import data_folder
from reportgen.cli.roofline_across import Batches
from reportgen.errors import UserError

if TYPE_CHECKING:
    from reportgen.roofline.points import Point
    from reportgen.roofline.sheet import Sheet

LEVELS = ("l1", "l2", "l3", "dram")
FEW = 8
"""Points whose reasons are printed; of more the table is enough."""


@click.command(
    "roofline",
    epilog="""\b
Examples:
  reportgen roofline                                       the kernels of the newest run
  reportgen roofline DEVICE --point 'mykernel,2 GFLOP,1.2 GB,50 ms'
  reportgen roofline --csv points.csv --level l2 --precision fp64
  reportgen roofline --point a,2e9,1e9,0.05 --svg roofline.svg
  reportgen roofline model.onnx --device DEVICE --dim batch=1 --html model.html
  reportgen roofline DEVICE-A --compare DEVICE-B --intensity 0.25
  reportgen roofline DEVICE-A --compare DEVICE-B --decode llama2_7b --precision fp16
  reportgen roofline DEVICE-A --compare DEVICE-B --intensity 0.25 --html compared.html
  reportgen roofline latest --json
\b
A CSV file has the columns name,work,bytes,seconds and, if you like, precision,level,source.""",
)
@click.argument("run", default="latest")
@click.option(
    "--device", help="The run whose roofs a model is placed under; RUN is then the model, an ONNX file."
)
@click.option(
    "--dim", "dims", type=Dimension(), multiple=True, help="Size of an open dimension of the model."
)
@click.option("--depth", type=click.IntRange(1), default=1, show_default=True, help="Of the model's modules.")
@click.option(
    "--point",
    "texts",
    multiple=True,
    metavar="NAME,W,Q,T",
    help="A kernel of yours: work (FLOP), bytes that cross --level, seconds of one call. Repeatable.",
)
@click.option(
    "--csv",
    "table",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The same from a CSV file.",
)
@click.option(
    "--level",
    type=click.Choice(LEVELS, case_sensitive=False),
    help="Memory level that the bytes cross (dram); of the run's own kernels, the level of their intensity.",
)
@click.option(
    "--precision",
    help="Compute roof (fp32, or that of a unit: tensor_fp16); of the run's own kernels, only those of "
    "this precision.",
)
@click.option(
    "--compare",
    "others",
    multiple=True,
    metavar="RUN",
    help="Set this device beside the first one: bounds of the same workload, and their ratio. Repeatable.",
)
@click.option("--intensity", type=float, help="With --compare: a workload known by its work a byte alone.")
@click.option(
    "--decode",
    type=click.Choice(("llama2_7b", "gpt2")),
    help="Place a token of this language model, at each size of --batch.",
)
@click.option("--batch", "batches", type=Batches(), help="Sequences of --decode (1,2,4,...,256).")
@click.option(
    "--past", type=click.IntRange(1), default=1024, show_default=True, help="Tokens before, of --decode."
)
@click.option("--svg", type=click.Path(path_type=Path, dir_okay=False), help="Write the figure here.")
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a page that works offline here; for a model MODEL.roofline.html unless told otherwise.",
)
@data_folder("RUN is a name")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(
    run: str,
    device: str | None,
    dims: tuple[tuple[str, int], ...],
    depth: int,
    texts: tuple[str, ...],
    table: Path | None,
    level: str | None,
    precision: str | None,
    others: tuple[str, ...],
    intensity: float | None,
    decode: str | None,
    batches: tuple[int, ...] | None,
    past: int,
    svg: Path | None,
    html: Path | None,
    data: Path,
    as_json: bool,
) -> None:
    """Where kernels stand under the roofs of RUN: yours, or those that the run measured.

    RUN is a folder, a run's id or the beginning of one, DEVICE/RUN, a device, or 'latest'. It may be a model
    instead (an ONNX file): then each of its modules gets the bound and the time that the roofs of --device
    allow.
    """
    if intensity is not None and not others:
        raise UserError("--intensity goes with --compare.", "Name the device to compare with.")
    if precision is not None:
        from reportgen.roofline.given import known_precision

        known_precision(precision.lower(), "--precision: ")
    points = _given(texts, table, level, precision, timed=not others)
    if intensity is not None or decode is not None:
        more = _unmeasured(intensity, decode, batches, past, level, precision)
        points = [*(points or []), *more]
    told: list[tuple[str, str]] = []
    if roofline_model.is_model(run):
        layers, told = roofline_model.counted(
            Path(run), dict(dims), (level or "dram").lower(), (precision or "").lower(), depth
        )
        points = [*layers, *(points or [])]
        if svg is None and html is None and not as_json and not others:
            html = Path(f"{Path(run).stem}.roofline.html")
        run = device or "latest"
    elif device is not None or dims:
        raise UserError("--device and --dim go with a model.", "Name an ONNX file, or the run alone.")
    if others:
        sheets = [_sheet(name, data, [], level, precision) for name in (run, *others)]
        files = roofline_across.run(sheets, points or [], as_json, svg, html, told)
        written = [_write(path, text) for path, text in files]
        if not as_json:
            _say(written)
        return
    sheet = _sheet(run, data, points, level, precision)
    written = [_write(path, text) for path, text in _files(sheet, svg, html, told)]
    if as_json:
        from reportgen.roofline.sheet import to_json

        click.echo(to_json(sheet).decode(), nl=False)
        return
    click.echo(f"{sheet.name}, run {sheet.run}; roofs of {_scope(sheet)}")
    click.echo("\n".join(f"{term}: {value}" for term, value in told) + "\n")
    _charts(sheet)
    roofline_table.show(sheet.points, output.columns(), _nothing(precision))
    _details(sheet)
    _say(written)


def _say(written: list[Path]) -> None:
    if written:
        click.echo("\n" + "\n".join(f"Wrote {path}" for path in written))


def _given(
    texts: tuple[str, ...], table: Path | None, level: str | None, precision: str | None, *, timed: bool
) -> list[Point] | None:
    """The user's points, read before anything that takes time; None where there are none."""
    if not texts and table is None:
        return None
    from reportgen.roofline import given

    where, what = (level or "dram").lower(), (precision or "fp32").lower()
    points = [given.from_option(text, where, what, timed) for text in texts]
    if table is not None:
        points.extend(given.from_csv(table, where, what))
    return points


def _unmeasured(
    intensity: float | None,
    decode: str | None,
    batches: tuple[int, ...] | None,
    past: int,
    level: str | None,
    precision: str | None,
) -> list[Point]:
    """Workloads that nobody timed: one known by its intensity, and the batches of a decoded model."""
    from reportgen.roofline import across
    from reportgen.roofline import batches as paths

    where, what = (level or "dram").lower(), (precision or "fp32").lower()
    found = [] if intensity is None else [across.at_intensity(intensity, where, what)]
    if decode is not None:
        found.extend(paths.path(decode, where, what, batches or paths.BATCHES, past))
    return found


def _sheet(
    run: str, data: Path, points: list[Point] | None, level: str | None, precision: str | None
) -> Sheet:
    from reportgen.model.derive import derive_bundle
    from reportgen.model.roofline import roofline
    from reportgen.runs import aside, read, store

    bundle = read.load(store.resolve(data, run))
    aside.refuse(bundle.run, "a roofline")
    if bundle.run.toolchain_only:
        raise UserError(
            f"run {bundle.run.run} built programs and timed nothing, so it has no roofs.",
            "Name a run of a device that was measured.",
        )
    quantities = derive_bundle(bundle).quantities
    made = roofline(bundle.run, quantities, points, (precision or "").lower(), (level or "").lower())
    if not made.compute and not made.memory:
        raise UserError(
            f"run {made.run} has no measured roof.",
            "Collect the families roofline and memory_hierarchy: 'reportgen collect'.",
        )
    return made


def _files(
    sheet: Sheet, svg: Path | None, html: Path | None, told: list[tuple[str, str]]
) -> Iterator[tuple[Path, str]]:
    """What is to be written where."""
    from reportgen.site.figures import roofline as figure
    from reportgen.site.figures.roofline_record import drawable, record

    if svg is not None:
        units = [unit for unit in ("FLOP", "OP") if drawable(sheet.with_unit(unit))]
        if not units:
            raise UserError("there is nothing to draw: no compute roof and level of one unit were measured.")
        first = next((unit for unit in units if sheet.with_unit(unit).points), units[0])
        yield svg, figure.standalone(figure.draw(record(sheet, first)))
    if html is not None:
        from reportgen.site.roofline_page import page

        conditions = [("device", f"{sheet.name} ({sheet.device})"), ("run", sheet.run), *told]
        yield html, page(sheet, f"Roofline: {told[0][1] if told else sheet.name}", conditions)


def _write(path: Path, text: str) -> Path:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"'{path}' cannot be written ({error.strerror}).", "Name another file.") from error
    return path


def _scope(sheet: Sheet) -> str:
    return "the device" if sheet.gpu else "one core"


def _charts(sheet: Sheet) -> None:
    from reportgen.cli import roofline_chart

    for unit in ("FLOP", "OP"):
        lines = roofline_chart.draw(sheet, unit, roofline_chart.fitting(output.columns()))
        if lines:
            click.echo("\n".join(lines) + "\n")


def _nothing(precision: str | None) -> str:
    which = f" in {precision.upper()}" if precision else ""
    return f"The run measured no kernel{which}; place one of yours with --point NAME,W,Q,T."


def _details(sheet: Sheet) -> None:
    """What is wrong with points above a roof, why the others stand where they do, what is not drawn."""
    columns = output.columns()
    roofline_table.causes(sheet.points, columns)
    explained = [entry for entry in sheet.points if not entry.verdict.causes]
    if len(sheet.points) <= FEW:
        for entry in explained:
            told = [text for text in (entry.verdict.under, *entry.verdict.reasons) if text]
            click.echo(roofline_table.wrapped(f"{entry.id} {entry.point.name}: {'; '.join(told)}.", columns))
    elif explained:
        click.echo("Reasons and all advice: --json, or the page of the run.")
    if sheet.absent:
        click.echo("\nNot drawn:")
        for one in sheet.absent:
            click.echo(roofline_table.wrapped(f"{one.name}: {one.reason}", columns))
