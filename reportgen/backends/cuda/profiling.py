"""Work and bytes of kernels from the device's counters, through Nsight Compute, where that is permitted.

The tool runs a process of ours that launches each program once, behind a kernel that marks where it begins,
and writes a report.  That is read by package `ncu-report` where it is installed, else by the tool, as CSV.
All kernels between two marks belong to a point.  Clocks and caches are left alone.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from reportgen.backends.base import Order
from reportgen.backends.cuda import counter_metrics, counters, targets, vendor
from reportgen.backends.cuda.clock import MARK
from reportgen.backends.cuda.counters import Reading
from reportgen.backends.cuda.profiled import Job, Line
from reportgen.runs.schema import Device

OPTIONS = ("--clock-control", "none", "--cache-control", "none", "--target-processes", "all")
"""The tool looks into the process that it starts.  All kernels are counted: the vendor's have any name."""
OURS, FRAME = "probe_", "frame_"
"""How kernels of the suite and of the launcher itself begin."""
START_SECONDS = 60.0
"""For the tool to start, and to write its report."""


class Counted(NamedTuple):
    """What the counters said."""

    said: str
    """`ncu VERSION: METRIC, ...`, or `unsupported: why`, `not_permitted: why`."""
    points: dict[str, dict[str, float]]
    """Point -> what `counter_metrics.told` says of it."""


def chosen(orders: Iterable[Order]) -> list[Order]:
    """Those that are counted: kernels under the roofs, and the vendor's products."""
    return [order for order in orders if order.setup.get("kind") == "kernel" or _vendors(order)]


def _vendors(order: Order) -> bool:
    return order.setup.get("kind") == vendor.KIND and order.setup.get("routine") == "gemm"


def count(number: int, device: Device, orders: Sequence[Order], seconds: float, program: str = "") -> Counted:
    """Launch each program once under the tool.  Never raises for what the tool does.

    Args:
        number: N of `cuda:N`.
        device: what discovery found there.
        orders: programs, with their code.
        seconds: after which no further program is launched.
        program: instead of the `ncu` on the path.
    """
    tool = program or shutil.which("ncu")
    if not tool:
        return Counted("unsupported: Nsight Compute (ncu) is not installed", {})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        job, done, report = folder / "job.json", folder / "done.jsonl", folder / "report.ncu-rep"
        job.write_bytes(msgspec.json.encode(Job(number, device, _once(orders), seconds)))
        done.touch()
        own = [sys.executable, "-m", "reportgen.backends.cuda.profiled", str(job), str(done)]
        target = targets.parse(device.isa).number
        metrics = counter_metrics.asked(target)
        into = ["-f", "-o", str(report.with_suffix("")), "--metrics", ",".join(metrics)]
        output = _run([tool, *OPTIONS, *into, *own], seconds + START_SECONDS)
        refusal = counters.refused(output)
        lines = _lines(done)
        if refusal or not report.exists():
            return Counted(refusal or f"unsupported: ncu wrote no report ({_last(output)})", {})
        readings = _read(tool, report, metrics)
    groups = _groups(readings, lines)
    if groups is None:
        return Counted("unsupported: launches in ncu's report are not those that were made", {})
    theirs = {order.point for order in orders if _vendors(order)}
    points = {
        point: counter_metrics.told(counter_metrics.summed(launches), target, ours=point not in theirs)
        for point, group in groups.items()
        if (launches := _launches(group, ours=point not in theirs))
    }
    told = sorted({reading.metric for reading in readings} & set(metrics))
    release = counters.describe().removesuffix(" of unknown version")
    return Counted(f"{release if release.startswith('ncu') else 'ncu'}: {', '.join(told)}", points)


def _once(orders: Sequence[Order]) -> list[Order]:
    """The orders, with code that several share in the first of them only."""
    seen: set[str] = set()
    result = []
    for order in orders:
        result.append(msgspec.structs.replace(order, code=b"") if order.unit in seen else order)
        seen.add(order.unit)
    return result


def _run(command: Sequence[str], seconds: float) -> str:
    """All that a command printed; it is stopped with all its children when time is over."""
    try:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        return f"==ERROR== {error}"
    try:
        return process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"==ERROR== no end within {seconds:.0f} s; it was stopped"


def _lines(done: Path) -> list[Line]:
    return [msgspec.json.decode(line, type=Line) for line in done.read_bytes().splitlines()]


def _last(output: str) -> str:
    said = [line.strip() for line in output.splitlines() if line.strip()]
    return said[-1][:200] if said else "it said nothing"


def _read(tool: str, report: Path, metrics: Sequence[str]) -> list[Reading]:
    """A report by the package, else by the tool."""
    try:
        package = import_module("ncu_report")
    except ImportError:
        options = [*counters.OPTIONS[:3], *counters.OPTIONS[5:]]
        return counters.read(_run([tool, "--import", str(report), *options], START_SECONDS))
    return _by_package(package.load_report(str(report)), metrics)


def _by_package(context: Any, metrics: Sequence[str]) -> list[Reading]:
    found = []
    launch = 0
    for place in range(context.num_ranges()):
        actions = context.range_by_idx(place)
        for index in range(actions.num_actions()):
            action = actions.action_by_idx(index)
            for name in metrics:
                metric = action.metric_by_name(name)
                if metric is not None and metric.has_value():
                    unit, value = counters.unit_of(str(metric.unit())), float(metric.as_double())
                    found.append(Reading(str(launch), str(action.name()), name, unit, value))
            launch += 1
    return found


Launch = tuple[str, dict[str, float]]
"""A kernel's name, and its metrics."""


def _groups(readings: Sequence[Reading], lines: Sequence[Line]) -> dict[str, list[Launch]] | None:
    """Point -> the launches behind its mark; nothing where there are not as many marks as points.

    A process that died behind a mark has left no line for it.
    """
    launches: dict[str, Launch] = {}
    for reading in readings:
        launches.setdefault(reading.launch, (reading.kernel, {}))[1][reading.metric] = reading.value
    groups: list[list[Launch]] = []
    for name, values in launches.values():
        if name.startswith(MARK):
            groups.append([])
        elif groups:  # before the first mark the launcher takes its own measures
            groups[-1].append((name, values))
    if len(groups) - len(lines) not in (0, 1):
        return None
    return {line.point: group for line, group in zip(lines, groups, strict=False) if not line.reason}


def _launches(group: Sequence[Launch], *, ours: bool) -> list[dict[str, float]]:
    """Metrics of the launches that belong to a point: our one kernel, or all that a routine launched."""
    if ours:
        found = [values for name, values in group if name.startswith(OURS)]
        return found if len(found) == 1 else []
    return [values for name, values in group if not name.startswith((OURS, FRAME))]
