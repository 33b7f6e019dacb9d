"""`reportgen collect`: one run."""

from __future__ import annotations

import dataclasses
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reportgen.cli import output, summary
from reportgen.cli.options import Measuring, measuring, some_of
from reportgen.errors import UserError
from reportgen.status import Status

if TYPE_CHECKING:
    from reportgen.collect.runner import Options, Outcome


@click.command(
    "collect",
    epilog="""\b
Examples:
  reportgen collect                                  everything, this CPU, into ./data
  reportgen collect --quick                          the short suite
  reportgen collect --probes 'memory_hierarchy/*'    some of the questions
  reportgen collect --device cpu:atom --data runs/   another kind of core, another folder
  reportgen collect --resume                         go on after Ctrl-C or a crash
  reportgen collect --max-seconds 480                what is not reached is skipped, and can be resumed
  reportgen collect --resume --seal                  a run of what was measured, where its device is not
  reportgen collect --device sm_90                   build and inspect for a GPU target; needs no GPU
  reportgen collect --device sm_all                  one such run for every target
  reportgen collect --device cuda:all                every GPU here, one after another; 'all': the CPU too
  reportgen collect --device replay:data/D/R --data /tmp/again""",
)
@click.option("--quick", is_flag=True, help="Fewer probes and points, two passes.")
@some_of("--probes", "a pattern of ids or a family")
@measuring(run="run", visited="point", passes="3, quick 2")
@click.option(
    "--seal", is_flag=True, help="With --resume: seal what was measured, and no more; needs no device."
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.pass_context
def command(ctx: click.Context, quick: bool, glob: str, asked: Measuring, seal: bool, as_json: bool) -> None:
    """Measure a device: build and inspect every program, visit every point in random order, seal a run.

    For a target of the CUDA toolchain ('sm_90') programs are built and inspected, and nothing is timed.

    Ctrl-C is safe at any time: what was measured is kept, and the message says how to go on.
    """
    chosen = ctx.get_parameter_source("data") is not click.core.ParameterSource.DEFAULT
    if asked.selector.startswith("replay:") and not chosen:
        raise UserError(
            "a replay needs --data DIR.", "Without it the copy would lie among the runs that were measured."
        )
    if seal and not asked.resume:
        raise UserError("--seal goes with --resume.", "Name the interrupted run: --resume RUN --seal.")
    from reportgen.collect import choosing, progress
    from reportgen.collect.runner import collect

    options = dataclasses.replace(asked.options(glob, quick=quick), seal=seal)
    several = choosing.several(asked.selector)
    if len(several) > 1 and asked.supersedes:
        raise UserError(
            f"--supersedes names one run, and '{asked.selector}' makes {len(several)}.",
            "Collect each device that a run of yours is corrected for by itself.",
        )
    if len(several) > 1 and asked.resume:
        raise UserError(
            f"--resume goes on with one run, and '{asked.selector}' makes {len(several)}.",
            "Name the run, or leave --device out: a run goes on with its own device.",
        )
    if len(several) > 1:
        _collect_all(options, several, as_json)
    else:
        _report(collect(dataclasses.replace(options, selector=several[0]), progress.for_stream()), as_json)


def _collect_all(options: Options, devices: Sequence[str], as_json: bool) -> None:
    """One run a device, whatever becomes of the others; exit code 1 if one failed."""
    from reportgen.collect import progress
    from reportgen.collect.runner import Interrupted, collect

    rows: list[output.Row] = []
    unfinished: list[str] = []
    failed = 0
    for selector in devices:
        shown = progress.for_stream()
        shown.say(f"{selector}:")
        try:
            outcome = collect(dataclasses.replace(options, selector=selector), shown)
        except Interrupted:
            raise
        except UserError as error:
            failed += 1
            rows.append({"device": selector, "sealed": f"failed: {error}"})
            continue
        counts = summary.outcomes(outcome.run)
        seconds = outcome.run.timing.get("total", 0.0)
        rows.append({"device": selector, **counts, "seconds": seconds, "sealed": str(outcome.path)})
        if outcome.resume:
            unfinished.append(outcome.resume)
    ends = dict.fromkeys((*summary.BUILT, *map(str, Status)))
    columns = ["device", *(end for end in ends if any(end in row for row in rows)), "seconds", "sealed"]
    if not as_json:
        rows = [dict.fromkeys(columns, "") | row for row in rows]
    output.show(rows, columns, as_json)
    for words in unfinished:
        click.echo(f"Not all was visited. Go on with: {words}", err=as_json)
    if failed:
        sys.exit(1)


def _report(outcome: Outcome, as_json: bool) -> None:
    run, path = outcome.run, outcome.path
    if as_json:
        click.echo(
            output.json_text(
                {
                    "run": run.run,
                    "device": run.device.id,
                    "path": str(path),
                    "families": summary.families(run),
                    "reasons": summary.reasons(run),
                    "timing": run.timing,
                    "resume": outcome.resume,
                }
            )
        )
        return
    click.echo(f"{run.title} ({run.device.id}), run {run.run}\n")
    summary.show(run)
    click.echo(f"\n{summary.time_line(run)}")
    click.echo(f"Sealed: {path}{f', corrects run {run.supersedes}' if run.supersedes else ''}")
    if outcome.resume:
        click.echo(f"Not all was visited, the reasons are above. Go on with: {outcome.resume}")
    data = path.parent.parent
    site = "reportgen site" if data == Path("data") else f"reportgen site --data {shlex.quote(str(data))}"
    click.echo(f"Next:   reportgen derive {shlex.quote(str(path))} --brief    or    {site}")
