"""`reportgen validate`: the cost model against loops measured on this machine, beside other models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reportgen.cli import output
from reportgen.cli.options import Measuring, measuring, some_of
from reportgen.errors import UserError

if TYPE_CHECKING:
    from reportgen.validation.record import Number, Validation


@click.command(
    "validate",
    epilog="""\b
Examples:
  reportgen validate                          measure all loops here, predict them, seal a run in ./data
  reportgen validate --collect                make a run of this device first, where there is none
  reportgen validate --loops 'dot*,axpy*'     some of them
  reportgen validate --max-seconds 120        what is not reached is skipped, and can be resumed
  reportgen validate --resume                 go on after Ctrl-C or a crash
  reportgen validate --run latest             derive a sealed validation again; measures nothing
  reportgen validate --run latest --out out/  and write validation.json and validation.csv

The model is that of the newest run of this device; what that does not know is taken from the newest
survey, where there is one. llvm-mca is taken from the search path (llvm-mca-14 too), OSACA where it is
installed: pip install 'reportgen[validate]'. What is predicted is written down before anything is timed.""",
)
@click.option(
    "--model", default="", help="Run, device or model.json that predicts.  [newest run of the device]"
)
@click.option(
    "--collect", "first", is_flag=True, help="Where no run of the device is there, make a whole one first."
)
@some_of("--loops", "a pattern of names")
@click.option("--run", "sealed", default="", metavar="RUN", help="Derive this validation; measure nothing.")
@measuring(run="validation", visited="loop", passes="3")
@click.option("--out", type=click.Path(path_type=Path), default=None, help="Folder for JSON and CSV.")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
def command(
    model: str, first: bool, glob: str, sealed: str, asked: Measuring, out: Path | None, as_json: bool
) -> None:
    """Measure the validation loops, and say how far the cost model, llvm-mca and OSACA are off."""
    from reportgen.runs import read
    from reportgen.validation import exports, stored

    resumed = ""
    if sealed:
        if asked != Measuring(asked.data, "", "", None, None, None, "") or glob != "*" or first:
            raise UserError(
                "--run measures nothing, so options of measuring have no meaning.", "Leave them out."
            )
        bundle = stored.find(asked.data, sealed)
    else:
        from reportgen.collect import progress
        from reportgen.validation.measure import Asked, validate

        output.prepare(out)
        outcome = validate(Asked(asked.options(glob), model, first=first), progress.for_stream())
        bundle, resumed = read.load(outcome.path), outcome.resume
    found = stored.derived(bundle, asked.data, model)
    if out is not None:
        output.write(out, {exports.JSON: exports.to_json(found), exports.CSV: exports.to_csv(found)})
    if as_json:
        click.echo(exports.to_json(found).decode(), nl=False)
        return
    _show(found)
    click.echo(f"Sealed: {bundle.path}")
    if resumed:
        click.echo(f"Not all was visited. Go on with: {resumed}")


def _show(found: Validation) -> None:
    from reportgen.units import significant
    from reportgen.validation.record import GROUPS

    measured = sum(row.measured is not None for row in found.rows)
    beside = f" and survey {found.survey_run}" if found.survey_run else ""
    click.echo(
        f"{found.name} ({found.device}), validation {found.run}, model of run {found.model_run}{beside}"
    )
    click.echo(
        f"{measured} of {len(found.rows)} loops measured, {sum(r.held_out for r in found.rows)} held out"
    )
    for one in found.predictors:
        if one.absent:
            click.echo(f"{one.name}: absent, {one.absent}")
        elif one.version:
            click.echo(f"{one.name} {one.version}, for {one.target}")
    rows = [
        {
            "loops": GROUPS[score.group],
            "predictor": score.predictor,
            "n": score.errors.loops,
            "mean_error": _statistic(score.errors.mape),
            "median": _statistic(score.errors.median),
            "kendall's_tau": _statistic(score.errors.tau, share=False),
            "in_range": _statistic(score.within),
        }
        for score in found.scores
        if score.errors is not None
    ]
    columns = ["loops", "predictor", "n", "mean error", "median", "Kendall's tau", "in range"]
    output.show(rows, columns, as_json=False)
    for ranking in found.rankings:
        click.echo(
            f"{ranking.predictor}: of {ranking.pairs} pairs of variants, {ranking.decided} decided, "
            f"{ranking.right} of these as measured"
        )
    click.echo("\nFarthest off:")
    worst = [
        {
            "loop": miss.name,
            "measured": significant(miss.measured),
            "predicted": significant(miss.predicted),
            "error": f"{round(100 * miss.error):+d} %",
            "bound": miss.wrong,
        }
        for miss in found.worst
    ]
    output.show(worst, ["loop", "measured", "predicted", "error", "bound"], as_json=False)
    for line in _absences(found):
        click.echo(line)


def _absences(found: Validation) -> Iterator[str]:
    missing = [row for row in found.rows if row.measured is None]
    for row in missing[:5]:
        yield f"Without a number: {row.name}, {row.status.value}: {row.reason}"
    if len(missing) > 5:
        yield f"{len(missing) - 5} more have no number; --json names all."
    if found.changed:
        yield f"The model says something else of {len(found.changed)} loops than when the run was sealed."


def _statistic(number: Number | None, *, share: bool = True) -> str:
    from reportgen.units import format_statistic

    return "" if number is None else format_statistic(number.value, number.low, number.high, share=share)
