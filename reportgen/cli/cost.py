"""`reportgen cost`: what a loop body costs on a device, and which of two costs less."""

from __future__ import annotations

import math
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reportgen.cli import output
from reportgen.cli.options import data_folder
from reportgen.errors import UserError

if TYPE_CHECKING:
    from reportgen.model.architecture import Architecture
    from reportgen.model.cost.estimate import Estimate
    from reportgen.model.cost.instruction import Body
    from reportgen.model.cost.rank import Ranking


@click.command(
    "cost",
    epilog="""\b
Examples:
  reportgen cost loop.s                   cycles of a round, and what decides
  reportgen cost a.s b.s                  which of two candidates costs less
  reportgen cost loop.s --bytes 1MiB      working set beyond the first level
  gcc -O3 -march=native -S -o - sum.c | reportgen cost -
  reportgen cost 'fp32_fma_256:8,l1_load_256:4'    a mix without order
  reportgen cost kernel.sass --device sm-90 --warps 8
  reportgen cost fp32_fma:32 fp32_fma:16,integer_add:16 --device sm-75
  reportgen cost mma_m16n8k16_f16_f32:4,convert_fp32_fp16:8 \\
                 fp32_fma:256 --device sm-90

Exit code 0, also where the model cannot tell; 2 for a listing that cannot be
read or is of another instruction set; 4 for a run or a model that cannot.

\b
The body is what stands between LLVM-MCA-BEGIN and LLVM-MCA-END (or OSACA's),
else the innermost loop, else the whole text. A comment '# items: 8' says how
many results a round makes. 'reportgen derive RUN' names the operations.""",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE [FILE2]")
@click.option(
    "--device",
    default="",
    help="A device, a run, its folder, or a model.json.  [newest run of such code]",
)
@data_folder()
@click.option(
    "--bytes",
    "size",
    default="",
    metavar="SIZE",
    help="Working set (of a GPU: of the whole device): 262144, 256KiB.  [first level]",
)
@click.option("--warps", type=click.IntRange(1, 64), default=1, help="On a GPU: warps of a scheduler.  [1]")
@click.option(
    "--syntax", type=click.Choice(["att", "intel"]), default=None, help="Of x86-64 text.  [found out]"
)
@click.option("--json", "as_json", is_flag=True, help="Print estimates, and the ranking of two, as JSON.")
def command(
    files: tuple[str, ...], device: str, data: Path, size: str, warps: int, syntax: str | None, as_json: bool
) -> None:
    """Estimate the loop body in FILE: x86-64 assembly, a SASS listing, or a list of operation:count.

    With FILE2, say which of the two costs less for one result, or that the model cannot tell.
    """
    if len(files) > 2:
        raise UserError(f"{len(files)} files were given.", "Name one, or two to compare.")
    from reportgen.model.cost.estimate import estimate
    from reportgen.model.cost.rank import rank
    from reportgen.model.load import load_architecture

    bodies = [_body(file, None if syntax is None else syntax == "intel") for file in files]
    architecture = load_architecture(device or _newest(data, bodies[0].isa), data)
    if any(body.isa == architecture.isa == "x86_64" for body in bodies):
        architecture = _with_survey(architecture, bodies, data)
    found = [estimate(body, architecture, _bytes(size), warps) for body in bodies]
    ranking = rank(*found) if len(found) == 2 else None
    if as_json:
        click.echo(output.json_text({"estimates": found, "ranking": ranking}))
        return
    click.echo(f"{architecture.name} ({architecture.device}), run {architecture.run}")
    for one in found:
        click.echo("")
        _show(one)
    if ranking is not None:
        click.echo("")
        _say(_sentence(ranking, found))


def _body(file: str, intel: bool | None) -> Body:
    from reportgen.cli import standard_input
    from reportgen.model.cost import parse

    if file == standard_input.WORD:
        return parse.estimable(parse.parse(standard_input.NAME, standard_input.text(), intel))
    return parse.read(file, intel)


def _with_survey(architecture: Architecture, bodies: list[Body], data: Path) -> Architecture:
    """The model with what the device's newest survey knows, where `data` has one that can be read."""
    from reportgen.errors import BundleError
    from reportgen.model.cost import surveys

    try:
        return surveys.completed(architecture, bodies, surveys.newest(data, architecture.device))
    except BundleError as error:
        click.echo(f"warning: the survey of {architecture.device} cannot be read: {error}", err=True)
        return architecture


def _newest(data: Path, isa: str) -> str:
    """The newest run of a device that runs the code; the newest of all for a list of operations."""
    from reportgen.runs import store
    from reportgen.runs.schema import ASIDE

    if not isa:
        return store.LATEST
    for ref in store.list_runs(data):
        code = "cuda" if ref.isa.startswith("sm_") else ref.isa
        if code == isa and not ref.error and ref.kind not in ASIDE:
            return str(ref.path)
    what = "SASS" if isa == "cuda" else "x86-64"
    raise UserError(
        f"no run in '{data}' is of a device for {what} code.",
        "Make one with 'reportgen collect', or name a model with --device.",
    )


def _bytes(text: str) -> float:
    from reportgen.units import parse_size

    if not text:
        return 0.0
    try:
        size = float(parse_size(text))
    except ValueError as error:
        raise UserError(f"--bytes: {error}.", "For example --bytes 256KiB.") from None
    if size <= 0:
        raise UserError(f"--bytes: '{text}' is no working set.", "Give a size above zero, or leave it out.")
    return size


def _show(one: Estimate) -> None:
    from reportgen.model.cost.schedule import CONVERSIONS
    from reportgen.units import significant

    unit = "cycle" if significant(one.cycles) == "1" else "cycles"
    rounds = f"{significant(one.cycles)} {unit} a round ({significant(one.low)} … {_end(one.high)})"
    each = (
        f", {significant(one.cycles / one.items)} for each of {one.items:g} results" if one.items != 1 else ""
    )
    _say(f"{one.name}: {rounds}{each}")
    click.echo(f"decides: {one.decides or 'nothing'}")
    rows = [
        {
            "bound": bound.name,
            "cycles": significant(bound.cycles),
            "range": f"{significant(bound.low)} … {significant(bound.high)}",
            "why": bound.why,
        }
        for bound in one.bounds
    ]
    output.show(rows, ["bound", "cycles", "range", "why"], as_json=False)
    noun = "instruction" if one.instructions == 1 else "instructions"
    _say(f"The model knows {one.covered:.0%} of {one.instructions:g} {noun}.")
    surveyed = [share.title for share in one.operations if share.how.startswith("survey")]
    if surveyed:
        _say(f"As the survey of all forms measured them: {', '.join(surveyed)}.")
    if one.unknown:
        so = "and taken to cost as much as the others" if one.covered > 0 else "so that the range is open"
        _say(f"Unknown, {so}: {'; '.join(one.unknown)}.")
    alike = [share.title for share in one.operations if share.how.startswith("alike")]
    if alike:
        _say(f"Taken as one that was measured: {', '.join(alike)}.")
    converting = sum(share.count for share in one.operations if CONVERSIONS.fullmatch(share.operation))
    if one.conversions > 0:
        _say(f"Conversions and moves between register files: {significant(one.conversions)} cycles.")
    elif converting:
        _say(f"{converting:g} conversions or moves between register files: no cycles beside the rest.")
    for note in one.notes:
        _say(f"Note: {note}.")


def _end(cycles: float) -> str:
    from reportgen.units import significant

    return significant(cycles) if math.isfinite(cycles) else "open"


def _say(sentence: str) -> None:
    """A sentence, broken between words where there is a terminal."""
    click.echo(textwrap.fill(sentence, output.columns(), break_long_words=False, break_on_hyphens=False))


def _sentence(ranking: Ranking, found: list[Estimate]) -> str:
    if ranking.verdict == "cannot tell":
        between = ""
        if ranking.ratio > 0:
            most = f"{ranking.high:.2f}" if math.isfinite(ranking.high) else "any number of"
            reach = f"{ranking.low:.2f} … {most}"
            between = f" (the second takes {reach} times as many cycles a result as the first)"
        return f"The model cannot tell which costs less: {ranking.why}{between}."
    first, second, factors = found[0], found[1], (ranking.low, ranking.ratio, ranking.high)
    if ranking.verdict == "second":
        first, second = second, first
        factors = (1 / ranking.high, 1 / ranking.ratio, 1 / ranking.low if ranking.low > 0 else math.inf)
    low, ratio, high = factors
    return (
        f"{first.name} costs less than {second.name}: {ratio:.2f} times fewer cycles a result "
        f"({low:.2f} … {high:.2f})."
    )
