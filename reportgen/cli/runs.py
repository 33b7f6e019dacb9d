"""`reportgen runs`: list, show, verify, pack, unpack."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from reportgen.cli import output
from reportgen.cli.options import data_folder
from reportgen.errors import BundleError

_data = data_folder()
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(
    "runs",
    epilog="""\b
Examples:
  reportgen runs list
  reportgen runs show latest
  reportgen runs verify                      every run in ./data
  reportgen runs verify data/DEVICE/RUN
  reportgen runs pack runs.tar.gz            every run in ./data, interrupted ones too, as one file
  reportgen runs unpack runs.tar.gz          and back into ./data, elsewhere""",
)
def command() -> None:
    """The runs in the data folder.

    RUN is a folder, a run's id or the beginning of one, DEVICE/RUN, a device (its newest run), or
    'latest'.
    """


@command.command(
    "list", epilog="\b\nExamples:\n  reportgen runs list\n  reportgen runs list --data runs/ --json"
)
@_data
@_json
def list_(data: Path, as_json: bool) -> None:
    """Every run, newest first; a damaged one with what is wrong, an interrupted one with how to go on."""
    from reportgen.collect.interruption import going_on
    from reportgen.runs import store

    rows = [
        {
            "device": ref.device,
            "run": ref.run,
            "created": ref.created,
            "state": ref.error or _sealed(ref.kind),
        }
        for ref in store.list_runs(data)
    ]
    rows += [
        {
            "device": ref.device,
            "run": ref.run,
            "created": "",
            "state": f"interrupted; {going_on(ref.path, data)}",
        }
        for ref in store.list_partial(data)
    ]
    if not as_json:  # to the minute, so that a run's name is whole in 80 columns
        rows = [row | {"created": row["created"][:16].replace("T", " ")} for row in rows]
    empty = f"No run in '{data}'; 'reportgen collect' makes one."
    output.show(rows, ["device", "run", "created", "state"], as_json, empty=empty)


_ASIDE = {
    "validation": "validation of the cost model", "survey": "survey of instruction forms",
    "measurement": "code of your own",
}  # fmt: skip


def _sealed(kind: str) -> str:
    return f"sealed, {_ASIDE[kind]}" if kind in _ASIDE else "sealed"


@command.command(
    "show", epilog="\b\nExamples:\n  reportgen runs show latest\n  reportgen runs show RUN --json"
)
@click.argument("run")
@_data
@_json
def show(run: str, data: Path, as_json: bool) -> None:
    """What was measured, where, and what became of every family; --json prints the manifest."""
    from reportgen.cli import summary
    from reportgen.runs import read, store

    bundle = read.load(store.resolve(data, run))
    found = bundle.run
    if as_json:
        click.echo(output.json_text(found))
        return
    surroundings = ", ".join(f"{key} {value}" for key, value in found.environment.items())
    tools = ", ".join(f"{key} {value}" for key, value in found.toolchain.items() if key != "features")
    click.echo(f"{found.device.name} ({found.device.id}), run {found.run}")
    click.echo(f"collected {found.created} to {found.finished}, {len(bundle.table)} samples")
    plan = {key: value for key, value in found.plan.items() if not isinstance(value, list | dict)}
    click.echo(f"suite {found.suite.get('version', '')} ({found.suite.get('digest', '')[:12]}), plan {plan}")
    click.echo(f"surroundings: {surroundings}")
    click.echo(f"tools: {tools}")
    click.echo(f"counters: {found.counters}\n")
    summary.show(found)
    click.echo(f"\n{summary.time_line(found)}")


@command.command(
    "verify", epilog="\b\nExamples:\n  reportgen runs verify\n  reportgen runs verify data/DEVICE/RUN"
)
@click.argument("runs", nargs=-1)
@_data
@_json
def verify(runs: tuple[str, ...], data: Path, as_json: bool) -> None:
    """Is every bundle as it was sealed?  Without RUNS, all in the data folder.  Exit code 1 if one is not."""
    from reportgen.runs import store
    from reportgen.runs.verify import verify as faults_of

    paths = [store.resolve(data, run) for run in runs] or [ref.path for ref in store.list_runs(data)]
    if not paths and not data.is_dir():
        raise BundleError(
            f"there is no folder '{data}'.", "Name the one with the runs with --data; 'collect' makes it."
        )
    rows = []
    for path in paths:
        faults = faults_of(path)
        rows += [{"run": str(path), "sound": False, "fault": fault} for fault in faults]
        if not faults:
            rows.append({"run": str(path), "sound": True, "fault": ""})
    if not as_json:
        rows = [{**row, "state": row["fault"] or "as sealed"} for row in rows]
    output.show(rows, ["run", "state"], as_json, empty=f"No run in '{data}'.")
    if any(not row["sound"] for row in rows):
        sys.exit(1)


@command.command("pack", epilog="\b\nExamples:\n  reportgen runs pack runs.tar.gz --data /tmp/runs")
@click.argument("target", type=click.Path(path_type=Path), metavar="FILE")
@click.argument("runs", nargs=-1)
@_data
@_json
def pack(target: Path, runs: tuple[str, ...], data: Path, as_json: bool) -> None:
    """Put runs into one FILE.  Without RUNS, all in the data folder, interrupted ones too."""
    from reportgen.runs import store
    from reportgen.runs.pack import pack as put_together

    folders = [store.resolve(data, run) for run in runs]
    if not runs:
        folders = [ref.path for ref in (*store.list_runs(data), *store.list_partial(data))]
    files = put_together(folders, target)
    size = target.stat().st_size
    if as_json:
        told = {
            "path": str(target),
            "runs": [str(folder) for folder in folders],
            "files": files,
            "bytes": size,
        }
        click.echo(output.json_text(told))
        return
    noun = "run" if len(folders) == 1 else "runs"
    click.echo(f"{len(folders)} {noun}, {files} files, {size / 1e6:.1f} MB: {target}")


@command.command("unpack", epilog="\b\nExamples:\n  reportgen runs unpack runs.tar.gz --data data/")
@click.argument("source", type=click.Path(path_type=Path), metavar="FILE")
@_data
@_json
def unpack(source: Path, data: Path, as_json: bool) -> None:
    """Put the runs of a FILE that 'pack' wrote into the data folder, and verify them.

    A run that is there already is left as it is; an interrupted one can be gone on with, or sealed.  Exit
    code 1 if one is not as it was sealed.
    """
    from reportgen.collect.interruption import going_on
    from reportgen.runs.pack import unpack as put_back
    from reportgen.runs.verify import verify as faults_of
    from reportgen.runs.write import PARTIAL

    rows = []
    for path in put_back(source, data):
        if path.name.endswith(PARTIAL):
            rows.append({"run": str(path), "state": f"interrupted; {going_on(path, data)}", "sound": True})
        else:
            faults = faults_of(path)
            rows.append({"run": str(path), "state": "; ".join(faults) or "as sealed", "sound": not faults})
    output.show(rows, ["run", "state"], as_json, empty=f"All runs of '{source}' are in '{data}' already.")
    if any(not row["sound"] for row in rows):
        sys.exit(1)
