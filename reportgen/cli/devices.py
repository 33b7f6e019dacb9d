"""`reportgen devices`: what is here."""

from __future__ import annotations

import click

from reportgen.cli import output
from reportgen.units import format_bytes


@click.command("devices", epilog="\b\nExamples:\n  reportgen devices\n  reportgen devices --json")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """What can be measured here; for what cannot be used, why."""
    from reportgen.backends import registry

    rows = []
    for candidate in registry.discover():
        device = candidate.device
        rows.append(
            {
                "selector": candidate.selector,
                "usable": not candidate.reason,
                "reason": candidate.reason,
                "id": device.id,
                "name": device.name,
                "isa": device.isa,
                "cores": device.cores,
                "memory_bytes": device.memory_bytes,
                "memory": format_bytes(device.memory_bytes) if device.memory_bytes else "",
                "state": candidate.reason or "usable",
            }
        )
    if as_json:
        rows = [{key: row[key] for key in row if key not in ("memory", "state")} for row in rows]
    columns = ["selector", "name", "isa", "cores", "memory", "id", "state"]
    output.show(rows, columns, as_json, empty="No device; 'reportgen doctor' says why.")
