"""What waiting for others and sharing with them costs on a GPU."""

from __future__ import annotations

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.synchronisation import FURTHER, KINDS
from reportgen.model.architecture import Fact
from reportgen.site import blocks
from reportgen.site.sections import rows
from reportgen.site.tables import Column, table
from reportgen.site.view import Section, View, present, sentence
from reportgen.status import Status

STEMS = ("barrier.", "fence.", "atomic.", "divergence.")
COLUMNS = (
    Column("what waits, or is shared"),
    Column("value", number=True),
    Column("interval", number=True),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)
ORDER = (
    Kind.BARRIER,
    Kind.FENCE,
    Kind.CONFLICT,
    Kind.TOGETHER,
    Kind.ATOMIC_RATE,
    Kind.PATH,
    Kind.PATH_FACTOR,
)
SCOPES = ("block", "memory", "cluster", "device", "system")
TOLD = 12
"""Sentences told openly, of each kind the ones that say most; the table under the figure has all."""


def section(view: View) -> Section | None:
    """Barriers, fences, atomics that meet, paths of a warp."""
    found = [fact for fact in view.report.of(*STEMS) if parse(fact.metric).kind in KINDS]
    if all(fact.status is Status.UNSUPPORTED for fact in found):  # of a CPU, what it has not
        return None
    found.sort(key=_order)
    told = [fact.metric for fact in found if _open(fact)]
    findings = [view.report.finding.get(metric) for metric in told]
    caption = (
        "Cycles of barriers, fences, atomic adds and paths by who takes part; rates of adds by where they go."
    )
    drawn = view.figure("waiting", sentence(findings[:4], caption), caption)
    shown = (rows.row(view, fact) for fact in found)
    body = table(
        "waiting",
        "Waiting and sharing: every metric with its interval.",
        COLUMNS,
        shown,
        filtered=len(found) > 20,
    )
    parts = (view.intro("waiting"), view.stated(told, TOLD), drawn, body)
    return Section("waiting", "Waiting and sharing", present(parts))


def _order(fact: Fact) -> tuple[int, int, float]:
    name = parse(fact.metric)
    scope = SCOPES.index(name.subject) if name.subject in SCOPES else len(SCOPES)
    count = float(name.part) if name.part.isdigit() else (1e9 if name.part == FURTHER else 0.0)
    return ORDER.index(name.kind), scope, count


def _open(fact: Fact) -> bool:
    """Whether the sentence of a metric stands above the figure."""
    name = parse(fact.metric)
    match name.kind:
        case Kind.BARRIER:
            return name.part == FURTHER or (name.subject, name.part) == ("block", "8")
        case Kind.FENCE:
            return name.subject == "device"
        case Kind.ATOMIC_RATE:
            return name.subject in ("one_address", "spread")
        case _:
            return name.kind is not Kind.TOGETHER
