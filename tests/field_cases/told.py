"""A simulated run with everything that would be said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.findings import gates
from reportgen.findings.derive import derive
from reportgen.findings.evidence import gather
from reportgen.findings.finding import Finding
from reportgen.model.architecture import Architecture, Fact
from reportgen.model.build import build
from reportgen.model.exports import csv, json
from reportgen.roofline.ridges import ridges
from reportgen.runs.schema import Run
from tests.simulated.asked import Asked
from tests.simulated.cpu import make_records
from tests.simulated.truth import CpuTruth

KIB, MIB = 1024, 1024 * 1024

QUIET = CpuTruth().quiet()
"""No neighbours: what is tested is not their noise."""

Columns = dict[str, np.ndarray[Any, Any]]
Suite = Callable[[CpuTruth], list[Asked]]


@dataclass(frozen=True)
class Told:
    """One run, and what is published of it."""

    run: Run
    columns: Columns
    quantities: dict[str, Quantity]
    """By metric, numbers that break a limit withheld."""
    findings: dict[str, Finding]
    architecture: Architecture

    @property
    def facts(self) -> dict[str, Fact]:
        """By metric, as they stand in model.json and metrics.csv."""
        return {fact.metric: fact for fact in self.architecture.facts}

    @property
    def exports(self) -> str:
        """All files that a report offers for download, one after the other."""
        files = (
            json.encode(self.architecture, "model"),
            json.encode(tuple(self.findings.values()), "findings"),
            csv.encode(self.architecture),
        )
        return b"\n".join(files).decode()


def told(
    suite: Suite,
    truth: CpuTruth = QUIET,
    seed: int = 1,
    edit: Callable[[Columns], None] | None = None,
    change: Callable[[Run], Run] | None = None,
) -> Told:
    """Take a simulated run, `edit` its samples and `change` its manifest, and derive everything from it."""
    run, columns, _ = make_records(truth, seed, suite)
    if edit is not None:
        edit(columns)
    if change is not None:
        run = change(run)
    measured = quantities(run, pa.table(columns))
    kept = gates.withhold(measured, gates.check(gather(run, measured)))
    crossings = ridges(kept)
    findings = derive(run, (*measured, *crossings))
    return Told(
        run=run,
        columns=columns,
        quantities=dict(gather(run, (*kept, *crossings)).by_metric),
        findings={finding.id: finding for finding in findings},
        architecture=build(run, (*kept, *crossings), findings),
    )


def device(**fields: Any) -> Callable[[Run], Run]:
    """A change of the run's device; `reported` is added to what is reported."""

    def change(run: Run) -> Run:
        given = dict(fields)
        if "reported" in given:
            given["reported"] = run.device.reported | given["reported"]
        return msgspec.structs.replace(run, device=msgspec.structs.replace(run.device, **given))

    return change


def covers(quantity: Quantity, truth: float) -> bool:
    """Whether the interval holds the truth, its ends included."""
    return quantity.low is not None and quantity.high is not None and quantity.low <= truth <= quantity.high
