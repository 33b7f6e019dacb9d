"""`reportgen schema`: JSON Schemas of what reportgen writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from reportgen.cli import output
from reportgen.errors import UserError


def schemas() -> dict[str, dict[str, Any]]:
    """File name -> JSON Schema (2020-12) of the file it describes."""
    from reportgen.findings.finding import Finding
    from reportgen.model.architecture import Architecture
    from reportgen.runs.schema import Program, Run

    kinds: dict[str, Any] = {
        "run": Run,
        "program": Program,
        "findings": list[Finding],
        "model": Architecture,
    }
    return {f"{name}.schema.json": msgspec.json.schema(kind) for name, kind in kinds.items()}


@click.command("schema", epilog="\b\nExamples:\n  reportgen schema\n  reportgen schema --out docs/schemas")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder to write into; without it the schemas are printed.",
)
def command(out: Path | None) -> None:
    """JSON Schemas of run.json, of a line of programs.jsonl.gz, of findings.json and model.json."""
    found = schemas()
    if out is None:
        click.echo(output.json_text(found))
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, schema in found.items():
            (out / name).write_text(output.json_text(schema) + "\n", encoding="utf-8")
            click.echo(str(out / name))
    except OSError as error:
        raise UserError(
            f"'{out}' cannot be written ({error.strerror}).", "Name another folder with --out."
        ) from error
