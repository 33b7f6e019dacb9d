"""`reportgen measure`: the user's own code, timed on this CPU."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reportgen.cli import measured, output, standard_input
from reportgen.cli.options import Measuring, measuring
from reportgen.errors import UserError

if TYPE_CHECKING:
    from reportgen.measurement.measure import Text


@click.command(
    "measure",
    epilog="""\b
Examples:
  reportgen measure loop.s                      cycles of a round, beside what models say
  gcc -O3 -march=native -S -o - sum.c | reportgen measure -
  reportgen measure a.s b.s                     which of the two costs less, in one run
  reportgen measure --asm 'add rax, rbx; imul rcx, rax'
  reportgen measure --asm 'div rcx' --init 'mov rcx, 3; mov rax, 1000'
  reportgen measure loop.s --bytes 1MiB         arrays beyond the first level
  reportgen measure loop.s --unroll 8           eight rounds between two jumps
  reportgen measure --run latest --json         derive a sealed measurement again

Exit code 0 where all of the code was timed; 1 where some of it has no number, each with its reason; 2 for
code that cannot be read or cannot run here.

\b
The code is what stands between LLVM-MCA-BEGIN and LLVM-MCA-END (or OSACA's),
else the innermost loop, else the whole text. The loop's own counter and jump
are replaced by the frame's. A comment '# items: 8' says how many results a
round makes.
Registers that are used as addresses before they are written point each to an
array of its own, their indices start with 0, other registers with 1 (rdx 0),
vectors with 1.0; --init sets others. Address registers that move start anew
before they leave the array. r15 and rsp must not be used.""",
)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--asm", "texts", multiple=True, metavar="TEXT", help="Code as text, lines separated by ';'.")
@click.option("--init", default="", metavar="TEXT", help="Code that runs once before each timed stretch.")
@click.option(
    "--syntax", type=click.Choice(["att", "intel"]), default=None, help="Of all the code.  [found out]"
)
@click.option(
    "--unroll",
    type=click.IntRange(0, 4096),
    default=0,
    metavar="N",
    help="Rounds between two jumps.  [0: a loop as written, other text about 128 instructions]",
)
@click.option("--bytes", "size", default="", metavar="SIZE", help="Of all arrays together.  [16KiB]")
@click.option(
    "--holds",
    "contents",
    type=click.Choice(["fp32", "fp64", "int", "zero", "list", "index"]),
    default=None,
    help="What the arrays hold.",
)
@click.option("--rounds", type=click.IntRange(min=8), default=None, help="Most rounds before a new start.")
@click.option("--model", default="", help="Run, device or model.json that predicts.  [newest run]")
@click.option("--run", "sealed", default="", metavar="RUN", help="Derive this measurement; measure nothing.")
@measuring(run="measurement", visited="body", passes="5")
@click.option("--out", type=click.Path(path_type=Path), default=None, help="Folder for JSON and CSV.")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[str, ...],
    texts: tuple[str, ...],
    init: str,
    syntax: str | None,
    unroll: int,
    size: str,
    contents: str | None,
    rounds: int | None,
    model: str,
    sealed: str,
    asked: Measuring,
    out: Path | None,
    as_json: bool,
) -> None:
    """Measure the code in FILE on this CPU: cycles of a round, with its interval, beside predictions.

    With several, say which costs less for one result, or that they cannot be told apart.
    """
    from reportgen.measurement import exports, stored
    from reportgen.measurement.derive import derive
    from reportgen.runs import read

    if sealed:
        if asked != Measuring(asked.data, "", "", None, None, None, "") or files or texts:
            raise UserError(
                "--run measures nothing, so code and options of measuring have no meaning.", "Leave them out."
            )
        bundle, resumed = stored.find(asked.data, sealed), ""
    else:
        from reportgen.collect import progress
        from reportgen.measurement.code import Wanted
        from reportgen.measurement.measure import Asked, measure

        if asked.resume and (files or texts):
            raise UserError("--resume goes on with the code it began with.", "Leave files and --asm out.")
        question = Asked(
            asked.options("*"),
            () if asked.resume else _texts(files, texts),
            init,
            None if syntax is None else syntax == "intel",
            Wanted(_bytes(size), unroll, rounds or 0, contents or ""),
            model,
        )
        output.prepare(out)
        outcome = measure(question, progress.for_stream())
        bundle, resumed = read.load(outcome.path), outcome.resume
    found = derive(bundle)
    if out is not None:
        output.write(out, {exports.JSON: exports.to_json(found), exports.CSV: exports.to_csv(found)})
    if as_json:
        click.echo(exports.to_json(found).decode(), nl=False)
    else:
        measured.show(found)
        click.echo(f"Sealed: {bundle.path}")
        if resumed:
            click.echo(f"Not all was visited. Go on with: {resumed}")
    if any(row.cycles is None for row in found.rows):
        ctx.exit(1)


def _texts(files: Sequence[str], texts: Sequence[str]) -> list[Text]:
    """All code, in the order of the command line: files, then texts.

    Raises:
        UserError: a file cannot be read.
    """
    from reportgen.measurement.measure import Text
    from reportgen.model.cost.parse import listing

    found = []
    for file in files:
        if file == standard_input.WORD:
            found.append(Text(standard_input.NAME, standard_input.text()))
            continue
        try:
            folder, there = Path(file).is_dir(), Path(file).exists()
        except OSError:  # a folder on the way is not ours: reading it says so
            folder, there = False, True
        if folder or not there:
            what = f"'{file}' is a folder." if folder else f"there is no file '{file}'."
            raise UserError(
                what, "Name a file with assembly, '-' for the standard input, or give --asm TEXT."
            )
        found.append(Text(Path(file).stem, listing(Path(file))))
    return found + [Text("asm", text.replace(";", "\n")) for text in texts]


def _bytes(text: str) -> int:
    from reportgen.units import parse_size

    if not text:
        return 0
    try:
        size = parse_size(text)
    except ValueError as error:
        raise UserError(f"--bytes: {error}.", "For example --bytes 256KiB.") from None
    if not 64 <= size <= 1 << 30:
        raise UserError(f"--bytes: '{text}' is no size of arrays.", "Give 64 to 1GiB.")
    return size
