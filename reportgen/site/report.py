"""One run with everything derived from it, indexed the way pages ask for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, gather
from reportgen.findings.finding import Finding
from reportgen.findings.hypotheses import Conclusion
from reportgen.model.architecture import Architecture, Fact, Instruction
from reportgen.model.roofline import roofline
from reportgen.roofline.all_cores import Pair, pairs
from reportgen.roofline.sheet import Sheet
from reportgen.runs.read import Bundle
from reportgen.runs.schema import Point, ProbeInfo, Program, Run


@dataclass(frozen=True)
class Download:
    """A file beside a report."""

    name: str
    path: Path
    """Where its bytes lie now."""
    sha256: str
    size: int
    what: str
    """In words, for the list of downloads."""


@dataclass(frozen=True)
class Report:
    """Everything that the pages of one run show."""

    run: Run
    architecture: Architecture
    quantities: tuple[Quantity, ...]
    findings: tuple[Finding, ...]
    downloads: tuple[Download, ...]
    digest: str
    """sha256 of run.json."""
    bundle: Bundle | None = None
    """Where the programs are read from once a page shows one."""
    conclusions: dict[str, Conclusion] = field(default_factory=dict)
    """How the hypothesis of each probe ended, by probe."""
    kept: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What pages work out of the report and use again."""

    @property
    def programs(self) -> dict[str, Program]:
        """Programs by the sha256 of their machine code; none where the report was made without a bundle."""
        return self.bundle.programs if self.bundle is not None else {}

    @cached_property
    def evidence(self) -> Evidence:
        """Quantities by metric, probes and points by id."""
        return gather(self.run, self.quantities)

    @cached_property
    def finding(self) -> dict[str, Finding]:
        """Findings by id; the finding of one metric carries the metric as its id."""
        return {finding.id: finding for finding in self.findings}

    @cached_property
    def about(self) -> dict[str, tuple[Finding, ...]]:
        """Findings by probe."""
        found: dict[str, list[Finding]] = {}
        for finding in self.findings:
            for probe in finding.probes:
                found.setdefault(probe, []).append(finding)
        return {probe: tuple(some) for probe, some in found.items()}

    @cached_property
    def points(self) -> dict[str, tuple[Point, ...]]:
        """Points by probe, in the order of the plan."""
        found: dict[str, list[Point]] = {}
        for point in self.run.points:
            found.setdefault(point.probe, []).append(point)
        return {probe: tuple(some) for probe, some in found.items()}

    @cached_property
    def families(self) -> dict[str, tuple[ProbeInfo, ...]]:
        """Probes by family, in the order of the suite."""
        found: dict[str, list[ProbeInfo]] = {}
        for probe in self.run.probes:
            found.setdefault(probe.family, []).append(probe)
        return {family: tuple(some) for family, some in found.items()}

    @cached_property
    def instructions(self) -> dict[str, Instruction]:
        """Rows of the model by operation."""
        return {row.operation: row for row in self.architecture.instructions}

    @cached_property
    def facts(self) -> dict[str, Fact]:
        """Facts by metric: what a gate withheld has a reason here and no value."""
        return {fact.metric: fact for fact in self.architecture.facts}

    def fact(self, metric: str) -> Fact | None:
        """The fact of a metric, with a value or without."""
        return self.facts.get(metric)

    def of(self, *stems: str) -> tuple[Fact, ...]:
        """Facts whose metric begins with one of `stems` (`memory.`), in the order of the run."""
        return tuple(
            self.facts[quantity.metric]
            for quantity in self.evidence.quantities
            if quantity.metric.startswith(stems) and quantity.metric in self.facts
        )

    def details(self, metric: str) -> dict[str, Any]:
        """Curves and knees that the analysis kept beside a metric."""
        quantity = self.evidence.by_metric.get(metric)
        return quantity.details if quantity is not None else {}

    def title(self, operation: str) -> str:
        """What people call an operation."""
        row = self.instructions.get(operation)
        return row.title if row is not None and row.title else self.evidence.title(operation)

    def group(self, operation: str) -> str:
        """Operation class, as far as the run tells it."""
        probe = self.evidence.asked.get(operation)
        return str(probe.constants.get("group", "")) if probe is not None else ""

    @cached_property
    def roofline(self) -> Sheet:
        """Roofs, ridges and kernels with their verdicts."""
        return roofline(self.run, self.quantities)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Roofs of one core with those of all cores."""
        return pairs(self.roofline, self.quantities)

    def level_order(self) -> tuple[str, ...]:
        """Memory levels from the core outwards, as far as this run has them."""
        named = [level.name for level in self.architecture.memory]
        return tuple(dict.fromkeys(named))
