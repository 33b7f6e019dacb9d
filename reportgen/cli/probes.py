"""`reportgen probes`: the questions."""

from __future__ import annotations

import platform

import click

from reportgen.cli import output
from reportgen.errors import UserError

_MACHINES = {"AMD64": "x86_64", "arm64": "aarch64"}


@click.command(
    "probes",
    epilog="""\b
Examples:
  reportgen probes
  reportgen probes --family memory_hierarchy
  reportgen probes --isa aarch64 --json
  reportgen probes --isa sm_90""",
)
@click.option("--family", default="", help="Only this family.")
@click.option("--isa", default="", help="As asked on this instruction set.  [this machine's]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with hypothesis and settings.")
def command(family: str, isa: str, as_json: bool) -> None:
    """Every probe of the suite with the question it asks."""
    from reportgen.suite.expand import probes
    from reportgen.suite.isa import table_of
    from reportgen.suite.load import load_suite

    suite = load_suite()
    isa = isa or _MACHINES.get(platform.machine(), platform.machine())
    if table_of(isa) not in suite.tables:
        raise UserError(
            f"the suite has no instruction table for '{isa}'.", f"It has {', '.join(suite.tables)}."
        )
    known = probes(suite, isa)
    families = list(dict.fromkeys(probe.family for probe in known))
    if family and family not in families:
        raise UserError(f"no family '{family}'.", f"Families: {', '.join(families)}.")
    rows = [
        {
            "probe": probe.id,
            "family": probe.family,
            "title": probe.title,
            "question": probe.question,
            "hypothesis": probe.hypothesis,
            "variable": probe.definition.variable,
            "metric": probe.metric,
            "unit": probe.definition.unit,
            "quick": probe.definition.in_quick,
        }
        for probe in known
        if family in ("", probe.family)
    ]
    output.show(rows, ["probe", "question", "metric"], as_json)
