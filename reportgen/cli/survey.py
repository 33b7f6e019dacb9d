"""`reportgen survey`: every instruction form that this processor has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reportgen.cli import output
from reportgen.cli.options import Measuring, measuring, some_of
from reportgen.errors import UserError

if TYPE_CHECKING:
    from reportgen.runs.schema import Run
    from reportgen.survey.record import Modelled, Survey
    from reportgen.survey.said import Said


_OTHERS = "'llvm-mca -mcpu=help' lists the processors; --llvm-mca names a program."


@click.command(
    "survey",
    epilog="""\b
Examples:
  reportgen survey                             every instruction form of this processor, into ./data
  reportgen survey --forms 'vpadd*,add_r64*'   some of them, by key
  reportgen survey --forms avx2,bmi2           those of some extensions
  reportgen survey --max-seconds 120           what is not reached is skipped, and can be resumed
  reportgen survey --resume                    go on after Ctrl-C or a crash
  reportgen survey --run latest                derive a sealed survey again; measures nothing
  reportgen survey --run latest --out out/     and write survey.json and survey.csv
  reportgen survey --run latest --show 'mulx*' the table of some forms
  reportgen survey --run latest --llvm-mca build/bin/llvm-mca --mcpu znver4 --out out/
                                               beside a scheduling model as it is now; measures nothing

A form is an opcode with the kind of each operand (vaddps xmm, xmm, m128). Of each the latency of every pair
of operands that can be chained, and how many go through a cycle. No performance counters are needed.
Where llvm-mca is on the search path (llvm-mca-19 too; the newest is taken), what it says of the same code
is sealed beside.""",
)
@some_of("--forms", "a pattern of keys, or an extension")
@click.option("--run", "sealed", default="", metavar="RUN", help="Derive this survey; measure nothing.")
@measuring(run="survey", visited="point", passes="2")
@click.option("--show", default="", metavar="GLOB", help="Print the table of these forms.")
@click.option("--llvm-mca", "program", default="", metavar="PROGRAM", help="Ask this one; with --run anew.")
@click.option("--mcpu", default="", metavar="NAME", help="LLVM's name of the processor whose model is asked.")
@click.option("--out", type=click.Path(path_type=Path), default=None, help="Folder for JSON and CSV.")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
def command(
    glob: str,
    sealed: str,
    asked: Measuring,
    show: str,
    program: str,
    mcpu: str,
    out: Path | None,
    as_json: bool,
) -> None:
    """Measure every instruction form of this processor, latency by pair of operands and throughput."""
    from reportgen.collect import progress
    from reportgen.runs import read
    from reportgen.survey import exports, stored
    from reportgen.validation.llvm_mca import HOST, LlvmMca

    resumed, said = "", None
    if sealed:
        if asked != Measuring(asked.data, "", "", None, None, None, "") or glob != "*":
            raise UserError(
                "--run measures nothing, so options of measuring have no meaning.", "Leave them out."
            )
        bundle = stored.find(asked.data, sealed)
        if program or mcpu:
            said = _asked(bundle.run, program, mcpu)
    else:
        from reportgen.survey.measure import survey

        tool = LlvmMca(given=program, processor=mcpu or HOST)
        if (program or mcpu) and tool.missing():
            raise UserError(f"{tool.missing()}.", _OTHERS)
        output.prepare(out)
        outcome = survey(asked.options(glob), progress.for_stream(), tool=tool)
        bundle, resumed = read.load(outcome.path), outcome.resume
    found = stored.derived(bundle, asked.data, said)
    if out is not None:
        output.write(out, {exports.JSON: exports.to_json(found), exports.CSV: exports.to_csv(found)})
    if as_json:
        click.echo(exports.to_json(found).decode(), nl=False)
        return
    if show:
        _table(found, show)
    _summary(found)
    click.echo(f"Sealed: {bundle.path}")
    if resumed:
        click.echo(f"Not all was visited. Go on with: {resumed}")


def _asked(run: Run, program: str, mcpu: str) -> Said:
    """What a scheduling model says now of the forms of a sealed survey.

    Raises:
        UserError: it cannot be asked, or it is not known for which processor.
    """
    from reportgen.collect import progress
    from reportgen.survey.predicted import again
    from reportgen.survey.said import recorded
    from reportgen.validation.llvm_mca import LlvmMca

    target = mcpu or next((one.target for one in recorded(run.plan) if one.target), "")
    if not target:
        raise UserError(f"{run.run} does not say what LLVM takes its processor for.", "Name it with --mcpu.")
    tool = LlvmMca(given=program, processor=target)
    if tool.missing():
        raise UserError(f"{tool.missing()}.", _OTHERS)
    shown = progress.for_stream()
    try:
        return again(run, tool, shown)
    finally:
        shown.close()


def _table(found: Survey, glob: str) -> None:
    """Forms of a pattern.

    Raises:
        UserError: there is none.
    """
    from reportgen.survey.record import matching

    rows = matching(found, glob)
    if not rows:
        raise UserError(f"the survey has no form '{glob}'.", "--show takes patterns of keys, as 'vpadd*'.")
    output.show(
        [
            {
                "form": row.key,
                "latency": ", ".join(
                    f"{one.pair}{f'+{one.through}' if one.through else ''} {_number(one.cycles)}"
                    for one in row.latencies
                ),
                "cycles_an_instruction": _number(row.interval, bound=row.status == "censored"),
                "status": row.status,
            }
            for row in rows
        ],
        ["form", "latency", "cycles an instruction", "status"],
        as_json=False,
    )


def _summary(found: Survey) -> None:
    counted: dict[str, int] = {}
    for row in found.rows:
        counted[row.status] = counted.get(row.status, 0) + 1
    states = ", ".join(
        f"{number} {status}" for status, number in sorted(counted.items(), key=lambda p: -p[1])
    )
    click.echo(f"{found.name} ({found.device}), survey {found.run}")
    click.echo(f"{len(found.rows)} forms of {found.forms}: {states}")
    if found.agreement is not None and found.agreement.compared:
        one = found.agreement
        click.echo(
            f"Of {one.compared} numbers that run {one.run} of the suite has too, {one.within} are within "
            f"{100 * one.share:g} % or the intervals"
        )
    for model in found.modelled:
        click.echo(_beside(model))
    left = sum(len(one.what) for one in found.left_out)
    click.echo(
        f"{left} forms and opcodes are not asked of, for {len(found.left_out)} reasons; --json names all"
    )
    for reason in _worst(found):
        click.echo(reason)


def _beside(model: Modelled) -> str:
    """How often measured and predicted cycles agree."""
    from reportgen.survey.record import RATE

    if model.absent:
        return f"{model.name}: absent ({model.absent})"
    kinds = {
        "cycles an instruction": [one for one in model.counts if one.kind == RATE],
        "latencies": [one for one in model.counts if one.kind != RATE],
    }
    told = [
        f"of {sum(one.compared for one in some)} {what} {sum(one.agree for one in some)} agree, "
        f"{sum(one.slower for one in some)} are slower and {sum(one.faster for one in some)} faster"
        for what, some in kinds.items()
        if some
    ]
    unknown = sum(one.unknown for one in model.counts)
    told += [f"it says nothing of {unknown}"] if unknown else []
    return (
        f"Beside {model.name} {model.version}, for {model.target}: {'; '.join(told) or 'nothing to compare'}"
    )


def _worst(found: Survey) -> Sequence[str]:
    reasons: dict[str, int] = {}
    for row in found.rows:
        if row.reason and row.status not in ("ok", "censored"):
            reasons[row.reason] = reasons.get(row.reason, 0) + 1
    ordered = sorted(reasons.items(), key=lambda pair: -pair[1])
    return [f"  {number} without a number: {reason}" for reason, number in ordered[:5]]


def _number(value: float | None, *, bound: bool = False) -> str:
    from reportgen.units import significant

    return "" if value is None else f"{'at most ' if bound else ''}{significant(value)}"
