"""`reportgen schema`: JSON Schemas of what reportgen writes."""

from __future__ import annotations

from pathlib import Path

import click

from reportgen.cli import output
from reportgen.errors import UserError


@click.command("schema", epilog="\b\nExamples:\n  reportgen schema\n  reportgen schema --out docs/schemas")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder to write into; without it the schemas are printed.",
)
def command(out: Path | None) -> None:
    """JSON Schemas of run.json, of a line of programs.jsonl.gz, and of the derived JSON files."""
    from reportgen.model import schemas

    if out is None:
        click.echo(output.json_text({name: schemas.schema(name) for name in schemas.FILES}))
        return
    try:
        for path in schemas.write(out):
            click.echo(str(path))
    except OSError as error:
        raise UserError(
            f"'{out}' cannot be written ({error.strerror}).", "Name another folder with --out."
        ) from error
