"""`reportgen derive`: what a run says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reportgen.cli import output
from reportgen.cli.options import data_folder
from reportgen.errors import UserError
from reportgen.status import USABLE
from reportgen.units import format_interval, format_value

if TYPE_CHECKING:
    from reportgen.model.architecture import Fact
    from reportgen.model.derive import Derived


@click.command(
    "derive",
    epilog="""\b
Examples:
  reportgen derive latest --out out/
  reportgen derive data/DEVICE/RUN --out out/ --json
  reportgen derive latest --brief                    what contradicts, and the main numbers""",
)
@click.argument("run")
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write into.")
@data_folder("RUN is a name")
@click.option("--json", "as_json", is_flag=True, help="Print the metrics as JSON.")
@click.option("--brief", is_flag=True, help="Print what is to be looked at first; --out may be left out.")
def command(run: str, out: Path | None, data: Path, as_json: bool, brief: bool) -> None:
    """Write model.json, findings.json, metrics.csv and the data dictionary of RUN; print the metrics.

    With --brief print what contradicts, what disagrees and some main numbers beside published ones instead:
    all that is needed to judge a run where its device still is.

    RUN is a folder, a run's id or the beginning of one, DEVICE/RUN, a device, or 'latest'.
    """
    if out is None and not brief:
        raise UserError(
            "derive writes files, and no folder is named.", "Name one with --out, or use --brief."
        )
    if brief and as_json:
        raise UserError("--brief is for people, --json for programs.", "Leave one of the two out.")
    from reportgen.model.derive import derive_bundle
    from reportgen.runs import aside, read, store
    from reportgen.runs.schema import PROGRAMS

    bundle = read.load(store.resolve(data, run))
    aside.refuse(bundle.run, "a model with findings")
    bundle.contents(PROGRAMS)  # hardly any number needs them: that they are damaged would go unsaid
    derived = derive_bundle(bundle)
    try:
        files = _write(derived, out) if out is not None else []
    except OSError as error:
        raise UserError(
            f"'{out}' cannot be written ({error.strerror}).", "Name another folder with --out."
        ) from error
    if brief:
        from reportgen.cli import brief as looked_at

        looked_at.show(derived)
    else:
        rows = [_row(fact, as_json) for fact in derived.architecture.facts]
        output.show(rows, ["metric", "value", "interval", "n", "status", "confidence"], as_json)
    if not as_json and files:
        click.echo("\n".join(f"Wrote {path}" for path in files))


def _write(derived: Derived, out: Path) -> list[Path]:
    from reportgen.model.exports import csv, dictionary, json

    out.mkdir(parents=True, exist_ok=True)
    return [
        json.write_model(out, derived.architecture),
        json.write_findings(out, derived.findings),
        csv.write_metrics(out, derived.architecture),
        *dictionary.write_dictionary(out),
    ]


def _row(fact: Fact, as_json: bool) -> output.Row:
    if as_json:
        names = ("metric", "value", "low", "high", "unit", "n", "status", "reason", "claim", "confidence")
        return {name: getattr(fact, name) for name in names}
    usable = fact.status in USABLE
    known = fact.low is not None and fact.high is not None
    return {
        "metric": fact.metric,
        "value": format_value(fact.value, fact.unit) if fact.value is not None else "",
        "interval": format_interval(fact.low or 0.0, fact.high or 0.0, fact.unit) if known else "",
        "n": fact.n,
        "status": str(fact.status),
        "confidence": f"{fact.confidence:.2f}" if usable else "",
    }
