"""OSACA: port pressure and loop-carried dependencies by tables of measured instructions.

Its estimate is the larger of the pressure on the port that is used most and of the longest loop-carried
dependency.  Data come from the first level.  Instructions that its tables lack are ignored
(`--ignore-unknown`) and named.  It is a program of its own under the AGPL, and is run as one.

Source: J. Laukemann et al.: Automatic Throughput and Critical Path Analysis of x86 and ARM Assembly
Kernels. PMBS 2019.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from reportgen.runs.schema import Device
from reportgen.validation.others import Answer, complaint, run
from reportgen.validation.subject import Subject

LEAST = (0, 7)
"""Older versions have other options.  AT&T syntax, because Intel's takes it ten times as long to read."""
_VERSION = re.compile(r"osaca (\d+(?:\.\d+)*)")
_SUMMARY = re.compile(r"^Summary:\n(?P<rest>.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
_LCD = re.compile(r"^  LCD: ([\d.]+)", re.MULTILINE)
_PRESSURE = re.compile(r"PortPressure: \{(.*?)\}", re.DOTALL)
_ROW = re.compile(r"\|\|[^|]*\|[^|]*\|(?P<marks>[ PX*]+?) (?P<text>\S.*)$", re.MULTILINE)

_AMD = {
    23: ((range(0x30), "ZEN1"), (range(0x30, 0x100), "ZEN2")),
    25: (
        (range(0x10), "ZEN3"), (range(0x10, 0x20), "ZEN4"), (range(0x20, 0x60), "ZEN3"),
        (range(0x60, 0x80), "ZEN4"), (range(0xA0, 0xB0), "ZEN4"),
    ),
}  # fmt: skip
_INTEL = {
    "SNB": (42, 45), "IVB": (58, 62), "HSW": (60, 63, 69, 70), "BDW": (61, 71, 79, 86), "SKX": (85,),
    "ICL": (125, 126), "ICX": (106, 108), "SPR": (143,),
}  # fmt: skip
"""Family 6, by model number; 85 is CSX from stepping 5 on.  Models as cpuid numbers them."""


def architecture_of(device: Device) -> str:
    """OSACA's name of a processor, by family and model; empty where it has no tables for it."""
    number = {key: int(device.reported.get(key, -1)) for key in ("family", "model", "stepping")}
    if device.vendor == "AMD":
        known = _AMD.get(number["family"], ())
        return next((name for models, name in known if number["model"] in models), "")
    if device.vendor == "Intel" and number["family"] == 6:
        found = next((name for name, models in _INTEL.items() if number["model"] in models), "")
        return "CSX" if found == "SKX" and number["stepping"] >= 5 else found
    return ""


@dataclass
class Osaca:
    """The one beside this Python, else on the search path."""

    device: Device
    path: str = field(
        default_factory=lambda: os.pathsep.join(
            (str(Path(sys.executable).parent), os.environ.get("PATH", ""))
        )
    )
    name: str = "OSACA"

    def missing(self) -> str:
        """Why it cannot be asked."""
        if self._program is None:
            return "no osaca on the search path: pip install 'reportgen[validate]'"
        if not architecture_of(self.device):
            return f"OSACA has no tables for {self.device.name}"
        version = self.identity()[0]
        if tuple(int(part) for part in version.split(".") if part)[:2] < LEAST:
            return f"osaca {version or 'of an unknown version'} is too old: 0.7 or newer is needed"
        return ""

    def identity(self) -> tuple[str, str]:
        """Version, and the tables that it takes."""
        assert self._program is not None
        found = _VERSION.search(run(self._program, "--version").out)
        return found[1] if found else "", architecture_of(self.device)

    def ask(self, subject: Subject) -> Answer:
        """Cycles of a round."""
        assert self._program is not None
        with tempfile.TemporaryDirectory(prefix="reportgen-") as folder:
            source, result = Path(folder, "loop.s"), Path(folder, "loop.yml")
            source.write_text(subject.marked_att, encoding="utf-8")
            words = ("--arch", architecture_of(self.device), "--syntax", "att", "--ignore-unknown")
            ran = run(self._program, *words, "--yaml-out", str(result), str(source))
            try:
                summary = result.read_text(encoding="utf-8")
            except OSError:
                summary = ""
        if ran.code:
            return Answer(fault=complaint(ran).replace(folder, ""))
        return read_answer(ran.out, summary)

    @cached_property
    def _program(self) -> Path | None:
        found = shutil.which("osaca", path=self.path)
        return Path(found) if found else None


def read_answer(report: str, summary: str) -> Answer:
    """The estimate in the summary of `--yaml-out`, and in the report the instructions it does not know."""
    found = _SUMMARY.search(summary)
    pressure = _PRESSURE.search(found["rest"]) if found else None
    carried = _LCD.search(found["rest"]) if found else None
    if pressure is None or carried is None:
        return Answer(fault="its answer has no summary")
    ports = [float(part.rpartition(":")[2]) for part in pressure[1].split(",")]
    unknown = tuple(row["text"].strip() for row in _ROW.finditer(report) if "X" in row["marks"])
    return Answer(max(*ports, float(carried[1])), unknown)
