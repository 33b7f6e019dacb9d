"""Hardware counters of a GPU through Nsight Compute: corroboration where it is permitted, never needed.

Nothing is changed on the device: `--clock-control none`, base units.  Reports are read from its CSV, whose
layout differs by version: the long one has a row a metric, the wide one (`--page raw`) a row of units below
its header and then a row a launch.
"""

from __future__ import annotations

import csv
import math
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

OPTIONS = ("--csv", "--page", "raw", "--clock-control", "none", "--print-units", "base")
PARAMETERS = Path("/proc/driver/nvidia/params")
_RESTRICTED = re.compile(r"RmProfilingAdminOnly:\s*(\d)")
NOT_PERMITTED = (
    "not_permitted: the driver keeps counters for administrators; allow them with the module option "
    "NVreg_RestrictProfilingToAdminUsers=0, or give the container CAP_SYS_ADMIN"
)
_SECONDS = 20.0
_ABSENT = frozenset({"", "n/a", "nan", "no data"})


class Reading(NamedTuple):
    """One metric of one launch, in base units."""

    launch: str
    """The `ID` column."""
    kernel: str
    metric: str
    unit: str
    value: float


def describe(parameters: Path = PARAMETERS) -> str:
    """`ncu VERSION` where counters may be read, else why not and what would allow it."""
    program = shutil.which("ncu")
    if program is None:
        return "unsupported: Nsight Compute (ncu) is not installed"
    try:
        restricted = (match := _RESTRICTED.search(parameters.read_text())) and match[1] == "1"
        if restricted and os.geteuid() != 0:  # whether root here is root enough, the tool itself will tell
            return NOT_PERMITTED
    except OSError:
        pass  # other systems do not tell; the tool itself will
    try:
        done = subprocess.run(
            [program, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"unsupported: ncu does not start ({error})"
    found = re.search(r"Version ([\d.]+)", done.stdout)
    return f"ncu {found[1] if found else 'of unknown version'}"


def refused(output: str) -> str:
    """Why ncu measured nothing, from all that it printed; empty where it does not say so."""
    if "ERR_NVGPUCTRPERM" in output:
        return NOT_PERMITTED
    match = re.search(r"==ERROR==\s*(.+)", output)
    return f"unsupported: ncu says: {match[1].strip()}" if match else ""


def read(text: str) -> list[Reading]:
    """The metrics in ncu's CSV, whatever else was printed between; empty where there is no table.

    Rows may be short, columns differ by version, and numbers have separators of thousands inside quotes.
    """
    lines = [line for line in text.splitlines() if not line.startswith("==")]
    start = next((n for n, line in enumerate(lines) if re.match(r'\s*"?ID"?,', line)), None)
    if start is None:
        return []
    rows = list(csv.reader(lines[start:]))
    header = [name.strip() for name in rows[0]]
    if "Metric Name" in header:
        return list(_long(header, rows[1:]))
    return list(_wide(header, rows[1:]))


def _long(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterable[Reading]:
    for row in rows:
        cells = dict(zip(header, row, strict=False))
        value = number(cells.get("Metric Value", ""))
        name = cells.get("Metric Name", "")
        if value is not None and name:
            unit = unit_of(cells.get("Metric Unit", ""))
            yield Reading(cells.get("ID", ""), cells.get("Kernel Name", ""), name, unit, value)


def _wide(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterable[Reading]:
    if not rows:
        return
    units = dict(zip(header, rows[0], strict=False)) if not rows[0][0].strip() else {}
    for row in rows[1:] if units else rows:
        cells = dict(zip(header, row, strict=False))
        if not cells.get("ID", "").strip().isdigit():
            continue
        for name, text in cells.items():
            value = number(text)
            if "__" in name and value is not None:
                unit = unit_of(units.get(name, ""))
                yield Reading(cells["ID"], cells.get("Kernel Name", ""), name, unit, value)


def number(text: str) -> float | None:
    """A number as ncu prints it (`4,963,609,951.19`, `12`, `1.5`), or nothing.

    One comma with three digits behind it is a separator of thousands.
    """
    plain = text.strip()
    if plain.lower() in _ABSENT:
        return None
    if re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", plain):
        plain = plain.replace(",", "")
    elif re.fullmatch(r"-?\d+,\d+", plain):
        plain = plain.replace(",", ".")
    try:
        value = float(plain)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


_UNITS = {"nsecond": "ns", "usecond": "us", "msecond": "ms", "second": "s", "hertz": "hz", "cycles": "cycle"}


def unit_of(text: str) -> str:
    """A unit under one name, whichever version wrote it."""
    unit = text.strip()
    return _UNITS.get(unit, unit)
