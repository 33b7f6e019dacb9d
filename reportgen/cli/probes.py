"""`reportgen probes`: the questions."""

from __future__ import annotations

import platform
from contextlib import suppress
from typing import TYPE_CHECKING

import click
import msgspec

from reportgen.cli import output
from reportgen.errors import UserError

if TYPE_CHECKING:
    from reportgen.suite.load import Suite

_MACHINES = {"AMD64": "x86_64", "arm64": "aarch64"}


@click.command(
    "probes",
    epilog="""\b
Examples:
  reportgen probes
  reportgen probes 'memory_hierarchy/*'
  reportgen probes --isa aarch64 --json
  reportgen probes --isa sm_90""",
)
@click.argument("glob", default="*")
@click.option("--family", default="", help="Only this family.")
@click.option("--isa", default="", help="As asked on this instruction set.  [this machine's]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with hypothesis and settings.")
def command(glob: str, family: str, isa: str, as_json: bool) -> None:
    """Every probe of the suite with the question it asks, or those that GLOB names, as in 'collect --probes'.

    For a GPU target JSON also has the points and the seconds that a run may take at most.
    """
    from reportgen.collect.plan import PASSES, asked_for
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
        for probe in asked_for(known, glob)
        if family in ("", probe.family)
    ]
    spent = _spent(suite, isa) if isa.startswith("sm_") else {}
    shown = [spent.get(str(row["probe"]), (0, 0.0)) for row in rows]
    if spent:
        rows = [row | {"points": points, "seconds": s} for row, (points, s) in zip(rows, shown, strict=True)]
    output.show(rows, ["probe", "question", "metric"], as_json)
    if spent and not as_json:
        click.echo(
            f"{sum(points for points, _ in shown)} points, {PASSES} visits each: at most "
            f"{sum(seconds for _, seconds in shown) / 60:.1f} min on a data-centre GPU, by the plan's caps "
            "and assumed times of setting up; less where samples agree early."
        )


def _spent(suite: Suite, isa: str) -> dict[str, tuple[int, float]]:
    """Probe -> points that the target has, and seconds of all their visits at most."""
    from reportgen.backends.cuda import budget, targets
    from reportgen.backends.cuda.generator import CudaGenerator
    from reportgen.collect.plan import PASSES
    from reportgen.errors import Unsupported
    from reportgen.suite.expand import points, probes

    named = targets.device(targets.parse(isa))
    device = msgspec.structs.replace(named, id="a-gpu", memory_bytes=budget.ASSUMED_MEMORY)
    generator = CudaGenerator(device, suite.tables["cuda"])
    sources = []
    for probe in probes(suite, isa):
        try:
            for point in points(probe, device, suite.tables["cuda"]):
                with suppress(Unsupported):
                    sources.append(generator.generate(probe, point))
        except Unsupported:
            continue
    return budget.of_probes(sources, PASSES)
