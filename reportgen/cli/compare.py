"""`reportgen compare`: two runs, metric by metric."""

from __future__ import annotations

import fnmatch
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reportgen.cli import output
from reportgen.errors import ComparisonRefused
from reportgen.status import Status
from reportgen.units import format_interval, format_value

if TYPE_CHECKING:
    from reportgen.findings.evidence import Evidence
    from reportgen.model.compare import Comparison, Difference, Number

DIFFERS = 1
"""Exit code when a metric differs, as `diff` and `cmp` have it."""


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
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    default=Path("data"),
    show_default=True,
    help="Folder of the runs, where FIRST and SECOND are names in it.",
)
@click.option("--metric", "pattern", default="*", show_default=True, help="Only metric ids that match.")
@click.option("--all", "everything", is_flag=True, help="Also what is the same or cannot be told.")
@click.option(
    "--anyway", "--force", is_flag=True, help="Compare runs that should not be, with the reasons said."
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole comparison as JSON.")
def command(
    first: str, second: str, data: Path, pattern: str, everything: bool, anyway: bool, as_json: bool
) -> None:
    """Is SECOND the same as FIRST, faster or slower?  One line a metric that differs.

    FIRST and SECOND are folders, ids of runs or the beginning of one, DEVICE/RUN, a device (its newest
    run), or 'latest'.  Runs are refused where their suite, plan or backend makes numbers incomparable.
    """
    import msgspec

    from reportgen.model.compare import compare

    found = compare(_evidence(first, data), _evidence(second, data))
    rows = tuple(row for row in found.rows if fnmatch.fnmatchcase(row.metric, pattern))
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
    from reportgen.findings.wording import comparison as words
    from reportgen.model.compare import Code

    for place, side in (("first", found.first), ("second", found.second)):
        click.echo(f"{place:<8}{side.name} ({side.device}), run {side.run}")
    for obstacle in found.obstacles:
        click.echo(f"compared anyway, although {obstacle}")
    for one in found.conditions:
        click.echo(f"{one.name}: {one.first} in the first run, {one.second} in the second")
    rows = found.rows if everything else found.different
    columns = ["metric", "first", "second", "change", "verdict", "least difference", "note"]
    output.show([_row(row) for row in rows], columns, as_json=False, title=words.rule())
    changed = sum(row.code is Code.CHANGED for row in found.different)
    click.echo(words.summary(found.counts, changed))


def _row(row: Difference) -> output.Row:
    from reportgen.findings.wording import comparison as words

    return {
        "metric": row.metric,
        "first": _number(row.first, row.unit),
        "second": _number(row.second, row.unit),
        "change": words.change(row.ratio, row.ratio_low, row.ratio_high, row.by_difference),
        "verdict": str(row.verdict),
        "least_difference": words.room(row.relevant, row.by_difference),
        "note": row.reason,
    }


def _number(number: Number | None, unit: str) -> str:
    """Value with its interval, the interval alone, or the status."""
    if number is None:
        return "–"
    if number.status is Status.CENSORED and number.low is not None:
        return f"at least {format_value(number.low, unit)}"
    known = number.low is not None and number.high is not None
    around = format_interval(number.low or 0.0, number.high or 0.0, unit) if known else ""
    if number.value is None:
        return around or str(number.status)
    return f"{format_value(number.value, unit)} ({around})" if around else format_value(number.value, unit)
