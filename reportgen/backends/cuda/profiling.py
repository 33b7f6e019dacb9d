"""Work and bytes of kernels from the device's counters, through Nsight Compute, where that is permitted.

The tool runs a process of ours that launches each program once, and writes a report.  That is read by
package `ncu-report` where it is installed, else by the tool, as CSV.  Clocks and caches are left alone.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from reportgen.backends.base import Order
from reportgen.backends.cuda import counters
from reportgen.backends.cuda.counters import Reading
from reportgen.backends.cuda.profiled import Job, Line
from reportgen.runs.schema import Device

KINDS = frozenset({"kernel"})
"""Kinds of programs that are counted: those that stand under the roofs."""
_SASS = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
FLOP: dict[str, float] = {
    _SASS.format(name): weight
    for name, weight in {
        "ffma": 2.0, "fadd": 1.0, "fmul": 1.0, "dfma": 2.0, "dadd": 1.0, "dmul": 1.0,
        "hfma": 4.0, "hadd": 2.0, "hmul": 2.0,
    }.items()
}  # fmt: skip
"""Metric -> FLOP that each count is worth; packed half instructions do two lanes."""
BYTES: dict[str, tuple[str, ...]] = {
    "dram_bytes": ("dram__bytes_read.sum", "dram__bytes_write.sum"),
    "l2_bytes": ("lts__t_bytes.sum",),
}
"""What is told -> metrics that are added up for it; absent where one of them is."""
DURATION = "gpu__time_duration.sum"
METRICS = (*FLOP, *(name for names in BYTES.values() for name in names), DURATION)
OPTIONS = (
    "--clock-control", "none", "--cache-control", "none",
    "--kernel-name", "regex:^probe_", "--target-processes", "all",
)  # fmt: skip
"""The launcher's own kernels are not counted; the tool looks into the process that it starts."""
START_SECONDS = 60.0
"""For the tool to start, and to write its report."""


class Counted(NamedTuple):
    """What the counters said."""

    said: str
    """`ncu VERSION: METRIC, ...`, or `unsupported: why`, `not_permitted: why`."""
    points: dict[str, dict[str, float]]
    """Point -> `flop`, `dram_bytes`, `l2_bytes`, `seconds`."""


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
        into = ["-f", "-o", str(report.with_suffix("")), "--metrics", ",".join(METRICS)]
        output = _run([tool, *OPTIONS, *into, *own], seconds + START_SECONDS)
        refusal = counters.refused(output)
        launched = [line.point for line in _lines(done) if not line.reason]
        if refusal or not report.exists():
            return Counted(refusal or f"unsupported: ncu wrote no report ({_last(output)})", {})
        readings = _read(tool, report)
    points = _by_point(readings, launched)
    if points is None:
        return Counted("unsupported: launches in ncu's report are not those that were made", {})
    told = sorted({reading.metric for reading in readings} & set(METRICS))
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


def _read(tool: str, report: Path) -> list[Reading]:
    """A report by the package, else by the tool."""
    try:
        package = import_module("ncu_report")
    except ImportError:
        options = [*counters.OPTIONS[:3], *counters.OPTIONS[5:]]
        return counters.read(_run([tool, "--import", str(report), *options], START_SECONDS))
    return _by_package(package.load_report(str(report)))


def _by_package(context: Any) -> list[Reading]:
    found = []
    launch = 0
    for place in range(context.num_ranges()):
        actions = context.range_by_idx(place)
        for index in range(actions.num_actions()):
            action = actions.action_by_idx(index)
            for name in METRICS:
                metric = action.metric_by_name(name)
                if metric is not None:
                    unit, value = counters.unit_of(str(metric.unit())), float(metric.as_double())
                    found.append(Reading(str(launch), str(action.name()), name, unit, value))
            launch += 1
    return found


def _by_point(readings: Sequence[Reading], launched: Sequence[str]) -> dict[str, dict[str, float]] | None:
    """Point -> what was counted; nothing where the launches are not as many as were made."""
    launches: dict[str, dict[str, float]] = {}
    for reading in readings:
        launches.setdefault(reading.launch, {})[reading.metric] = reading.value
    if len(launches) != len(launched):
        return None
    return {point: _told(values) for point, values in zip(launched, launches.values(), strict=True)}


def _told(values: dict[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    if any(name in values for name in FLOP):
        found["flop"] = sum(weight * values.get(name, 0.0) for name, weight in FLOP.items())
    for name, parts in BYTES.items():
        if all(part in values for part in parts):
            found[name] = sum(values[part] for part in parts)
    if DURATION in values:
        found["seconds"] = values[DURATION] * 1e-9
    return found
