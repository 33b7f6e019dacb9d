"""Operations of a compiler's target as its pages show them: what became of each, and what is encoded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from reportgen.analysis.encoded import SCOREBOARD
from reportgen.findings.metric import Kind, parse
from reportgen.model.architecture import Fact
from reportgen.runs.schema import EMULATED, Point, ProbeInfo
from reportgen.site.markup import Html, code, element, escape, join
from reportgen.site.report import Report
from reportgen.site.tables import Cell
from reportgen.status import Status
from reportgen.units import significant

VERIFIED = "verified"
OUTCOMES = (VERIFIED, "emulated", "unsupported", "unverified", "invalid", "failed", "skipped")
"""What becomes of a program that is only built, in the order of tables."""
MATRIX_FAMILY = "tensor_operations"
ORDER = ("integer", "float", "half", "special", "conversion", "bit", "dot", "warp", "memory", "atomic")
"""Classes of operations in the order in which readers look for them; others follow."""


@dataclass(frozen=True)
class Encoding:
    """One operation on one target."""

    operation: str
    title: str
    group: str
    form: str
    probe: ProbeInfo
    outcome: str
    """One of `OUTCOMES`."""
    reason: str
    """Why it is not verified."""
    opcodes: tuple[str, ...]
    """Machine instructions of the window, the most frequent first."""
    latency: Fact | None
    issue: Fact | None
    registers: Fact | None

    @property
    def waits(self) -> bool:
        """Whether the assembler waits on a scoreboard, so that no distance is encoded."""
        return self.latency is not None and self.latency.reason.startswith(SCOREBOARD)


def outcome(points: Iterable[Point]) -> tuple[str, str]:
    """What became of the programs of one probe, and why: verified where any is, else the commonest."""
    found = Counter((_outcome(point), point.reason) for point in points)
    if not found:
        return "skipped", "not asked in this run"
    if any(name == VERIFIED for name, _ in found):
        return VERIFIED, ""
    return found.most_common(1)[0][0]


def _outcome(point: Point) -> str:
    if point.status is Status.OK:
        return VERIFIED
    emulated = point.status is Status.UNSUPPORTED and point.reason.startswith(EMULATED)
    return "emulated" if emulated else point.status.value


def outcomes(report: Report) -> dict[str, tuple[str, str]]:
    """Every probe of a run, and what became of its programs; worked out once a report."""
    found: dict[str, tuple[str, str]] = report.kept.get("outcomes", {})
    if not found:
        found = {probe.id: outcome(report.points.get(probe.id, ())) for probe in report.run.probes}
        report.kept["outcomes"] = found
    return found


def counted(report: Report) -> Counter[str]:
    """Probes of a run by what became of their programs."""
    return Counter(ended for ended, _ in outcomes(report).values())


def encodings(report: Report) -> tuple[Encoding, ...]:
    """Every operation that the run asks for by itself, class by class in `ORDER`; once a report."""
    known: tuple[Encoding, ...] | None = report.kept.get("encodings")
    if known is None:
        found = [_encoding(report, row.operation, row.form) for row in report.architecture.instructions]
        groups = [*ORDER, *dict.fromkeys(one.group for one in found if one.group not in ORDER)]
        known = tuple(sorted(found, key=lambda one: groups.index(one.group)))
        report.kept["encodings"] = known
    return known


def _encoding(report: Report, operation: str, form: str) -> Encoding:
    latency = report.fact(f"encoded.latency.{operation}")
    issue = report.fact(f"encoded.issue.{operation}")
    # The probe that gave the number, or that says why there is none; else the one that best describes it.
    told = latency or issue
    probe = report.evidence.probes[told.probe] if told is not None else report.evidence.asked[operation]
    ended, reason = outcomes(report)[probe.id]
    metrics = (f"encoded.latency.{operation}", f"encoded.issue.{operation}")
    counts: dict[str, int] = next(
        (found for name in metrics if (found := report.details(name).get("opcodes"))), {}
    )
    return Encoding(
        operation=operation,
        title=report.title(operation),
        group=report.group(operation),
        form=form,
        probe=probe,
        outcome=ended,
        reason=reason.removeprefix(EMULATED),
        opcodes=tuple(sorted(counts, key=lambda name: (-counts[name], name))),
        latency=latency,
        issue=issue,
        registers=report.fact(f"resource.registers.{probe.id.replace('/', '.')}"),
    )


def mnemonics(names: Iterable[str], most: int = 3) -> Html:
    """Machine instructions in code type, so many at most."""
    some = tuple(names)
    more = f" +{len(some) - most}" if len(some) > most else ""
    return join((join((code(name) for name in some[:most]), " "), more)) if some else escape("–")


def distance_cell(one: Encoding) -> Cell:
    """The encoded distance without its unit; else why there is none, in a word."""
    if one.latency is not None and one.latency.value is not None:
        return Cell(significant(one.latency.value), sort=one.latency.value)
    if one.waits and one.latency is not None:
        return Cell(element("span", "scoreboard", class_="rg-reason"), note=one.latency.reason)
    note = one.latency.reason if one.latency is not None else "no chain of it is asked"
    return Cell("–", note=note)


def outcome_mark(name: str) -> Html:
    """What became of a program, as a word in a box."""
    kind = {VERIFIED: "ok", "emulated": "unsupported"}.get(name, name)
    return element("span", name, class_=f"rg-status rg-status-{kind}")


def is_matrix(one: Encoding) -> bool:
    """Whether an operation is one of the matrix family."""
    return one.probe.family == MATRIX_FAMILY


def toolkit(report: Report) -> str:
    """The toolkit of a run in short: "CUDA 13.5"."""
    version = report.run.toolchain.get("compiler_version", "")
    short = ".".join(version.split(".")[:2])
    return f"CUDA {short}" if short else "CUDA"


def encoded_facts(report: Report) -> tuple[Fact, ...]:
    """Encoded latencies of a run, with a value or without."""
    return tuple(fact for fact in report.of("encoded.") if parse(fact.metric).kind is Kind.ENCODED_LATENCY)
