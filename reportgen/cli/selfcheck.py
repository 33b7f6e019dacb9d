"""`reportgen selfcheck`: is work counted right here?"""

from __future__ import annotations

import click

from reportgen.cli import output


@click.command("selfcheck", epilog="\b\nExamples:\n  reportgen selfcheck\n  reportgen selfcheck --json")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """Count known operations and models, and compare with the right values; all must be equal.

    'template' was built by reportgen itself, a file is one that an exporter wrote.
    """
    from reportgen.workload.golden import checks

    found = list(checks())
    rows = [
        {
            "name": check.name,
            "what": check.what,
            "wanted": check.wanted
            if as_json
            else f"{check.wanted:g}"
            if check.wanted % 1
            else f"{check.wanted:.0f}",
            "counted": check.got if as_json else _shown(check.got),
            "counted_from": check.source,
            "result": check.reason or ("equal" if check.passed else "DIFFERS"),
        }
        for check in found
    ]
    output.show(rows, ["name", "what", "wanted", "counted", "counted from", "result"], as_json)
    wrong = sum(not check.passed for check in found)
    if not as_json:
        left_out = sum(check.got is None for check in found)
        skipped = f", {left_out} not checked" if left_out else ""
        click.echo(f"{len(found) - wrong - left_out} of {len(found) - left_out} values are equal{skipped}.")
    if wrong:
        raise SystemExit(1)


def _shown(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:g}" if value % 1 else f"{value:.0f}"
