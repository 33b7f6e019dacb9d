"""`reportgen export`: the model of a run as a file that another program reads."""

from __future__ import annotations

from pathlib import Path

import click

from reportgen.cli import output
from reportgen.cli.options import data_folder
from reportgen.errors import UserError

FORMATS = ("json", "csv", "parquet", "osaca", "accel-sim", "gpgpu-sim", "llvm", "bibtex", "cff")
"""The keys of `reportgen.model.exports.registry.EXPORTS`; here so that `--help` need not wait for it."""


@click.command(
    "export",
    epilog="""\b
Examples:
  reportgen export latest --format csv --out facts.csv       every fact, with its definition
  reportgen export DEVICE --format osaca --out ~/.osaca/data/zen4.yml
  reportgen export cuda-DEVICE --format accel-sim --out trace.config
  reportgen export DEVICE --format llvm --out sched.td       for a target's scheduling file
  reportgen export DEVICE --format bibtex                    to the terminal
  reportgen export DEVICE --list                             what this run gives, and what not

docs/exports.md says how each program takes its file.""",
)
@click.argument("run")
@click.option("--format", "name", type=click.Choice(FORMATS), help="What to write.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write; without it text goes to the terminal.",
)
@data_folder("RUN is a name")
@click.option("--list", "listed", is_flag=True, help="List the formats that RUN gives, and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print what was written, or the list, as JSON.")
def command(run: str, name: str | None, out: Path | None, data: Path, listed: bool, as_json: bool) -> None:
    """Write the model of RUN in the format of another program.

    RUN is a model.json, a folder, a run's id or the beginning of one, DEVICE/RUN, a device, or 'latest'.
    A number that the run does not have is absent from the file, or a comment in it, never a default.
    """
    from reportgen.model.exports.registry import EXPORTS, export
    from reportgen.model.load import load_architecture

    if name is None and not listed:
        raise UserError("No --format was given.", f"One of: {', '.join(FORMATS)}; or --list.")
    architecture = load_architecture(run, data)
    if listed or name is None:
        rows = [
            {"format": key, "file": one.file, "what": one.what, "missing": one.lacks(architecture)}
            for key, one in EXPORTS.items()
        ]
        output.show(rows, ["format", "file", "what", "missing"], as_json)
        return
    content = export(architecture, name)
    if out is None:
        _print(content, name, as_json)
        return
    _write(out, content)
    if as_json:
        told = {"format": name, "path": str(out), "bytes": len(content), "run": architecture.run}
        click.echo(output.json_text(told))
    else:
        click.echo(f"Wrote {out}: {EXPORTS[name].what}, of run {architecture.run}")


def _print(content: bytes, name: str, as_json: bool) -> None:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise UserError(f"A {name} file is not text.", "Name a file with --out.") from None
    click.echo(output.json_text({"format": name, "text": text}) if as_json else text, nl=as_json)


def _write(out: Path, content: bytes) -> None:
    from reportgen.runs.disk import write_file

    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_file(out, content)
    except OSError as error:
        raise UserError(
            f"'{out}' cannot be written ({error.strerror}).", "Name another file with --out."
        ) from error
