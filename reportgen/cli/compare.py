"""`reportgen compare`: two runs, metric by metric."""

from __future__ import annotations

import fnmatch
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reportgen.cli import output
from reportgen.cli.options import data_folder
from reportgen.errors import ComparisonRefused, UserError

if TYPE_CHECKING:
    from reportgen.findings.evidence import Evidence
    from reportgen.model.compare import Comparison

DIFFERS = 1
"""Exit code when a metric differs, as `diff` and `cmp` have it."""
MOST = 100
"""Columns that are used, however many there are: a longer line is no easier to read."""


@click.command(
    "compare",
    epilog="""\b
Examples:
  reportgen compare DEVICE/RUN latest               two runs of one device
  reportgen compare DEVICE-A DEVICE-B --all         the newest run of each
  reportgen compare A B --metric 'latency.*' --json

Exit code 0: no metric was found to differ; 1: at least one differs; 6: refused.""",
)
@click.argument("first")
@click.argument("second")
@data_folder("FIRST and SECOND are names")
@click.option("--metric", "pattern", default="*", show_default=True, help="Only metric ids that match.")
@click.option("--all", "everything", is_flag=True, help="Also what is the same or cannot be told.")
@click.option(
    "--anyway", "--force", is_flag=True, help="Compare runs that should not be, with the reasons said."
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole comparison as JSON.")
def command(
    first: str, second: str, data: Path, pattern: str, everything: bool, anyway: bool, as_json: bool
) -> None:
    """Is SECOND the same as FIRST, faster or slower?  Two lines a metric that differs.

    FIRST and SECOND are folders, ids of runs or the beginning of one, DEVICE/RUN, a device (its newest
    run), or 'latest'.  Runs are refused where their suite, plan or backend makes numbers incomparable.
    """
    import msgspec

    from reportgen.model.compare import compare

    found = compare(_evidence(first, data), _evidence(second, data))
    rows = tuple(row for row in found.rows if fnmatch.fnmatchcase(row.metric, pattern))
    if found.rows and not rows:  # or a name with a typing error would read as "nothing differs"
        raise UserError(
            f"--metric '{pattern}' matches no metric of either run.", "--all without it names them all."
        )
    found = msgspec.structs.replace(found, rows=rows)
    if found.obstacles and not anyway:
        raise ComparisonRefused(
            f"'{first}' and '{second}' are not comparable: {'; '.join(found.obstacles)}.",
            "--anyway compares them all the same.",
        )
    if as_json:
        click.echo(output.json_text(found))
    else:
        _print(found, everything)
    sys.exit(DIFFERS if found.different else 0)


def _evidence(name: str, data: Path) -> Evidence:
    from reportgen.findings.evidence import gather
    from reportgen.model.derive import derive_bundle
    from reportgen.runs import read, store

    derived = derive_bundle(read.load(store.resolve(data, name)))
    return gather(derived.bundle.run, derived.quantities)


def _print(found: Comparison, everything: bool) -> None:
    from reportgen.cli import compare_table
    from reportgen.findings.wording import comparison as words
    from reportgen.model.compare import Code

    width = min(output.columns(), MOST)
    lines = []
    for place, side in (("first", found.first), ("second", found.second)):
        head = f"{place:<8}{side.name} ({side.device}), run {side.run}"
        lines += compare_table.wrapped(head, width, further=" " * 8)
    for obstacle in found.obstacles:
        lines += compare_table.wrapped(f"compared anyway, although {obstacle}", width)
    for one in found.conditions:
        told = f"{one.name}: {one.first} in the first run, {one.second} in the second"
        lines += compare_table.wrapped(told, width)
    rows = found.rows if everything else found.different
    if rows:
        lines += ["", *compare_table.lines_of(rows, width), ""]
    changed = sum(row.code is Code.CHANGED for row in found.different)
    lines += compare_table.wrapped(words.summary(found.counts, changed), width)
    click.echo("\n".join(lines))
