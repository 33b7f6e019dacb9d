"""`reportgen devices`: what is here."""

from __future__ import annotations

import click

from reportgen.cli import output
from reportgen.units import format_bytes

SHOWN = ("memory", "usable_cores", "state")
"""Columns for people; JSON has the numbers."""


@click.command("devices", epilog="\b\nExamples:\n  reportgen devices\n  reportgen devices --json")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """What can be measured here, and which GPU targets can be built for; for what cannot be used, why."""
    from reportgen.backends import registry

    found = registry.discover()
    rows = []
    # Devices first: a list of a dozen targets would push them out of sight.
    for candidate in sorted(found, key=lambda one: one.selector.startswith(registry.TARGET)):
        device = candidate.device
        target = candidate.selector.startswith(registry.TARGET)
        rows.append(
            {
                "selector": candidate.selector,
                "kind": "toolchain" if target else "measured",
                "usable": not candidate.reason,
                "reason": candidate.reason,
                "id": device.id,
                "name": device.name,
                "isa": device.isa,
                "cores": device.cores,
                "memory_bytes": device.memory_bytes,
                "memory": format_bytes(device.memory_bytes) if device.memory_bytes else "",
                "usable_cores": str(device.cores) if device.isa and not target else "",
                "state": candidate.reason or ("builds only, nothing is timed" if target else "usable"),
            }
        )
    if as_json:
        rows = [{key: row[key] for key in row if key not in SHOWN} for row in rows]
    columns = ["selector", "name", "isa", "usable cores", "memory", "id", "state"]
    output.show(rows, columns, as_json, empty="No device; 'reportgen doctor' says why.")
