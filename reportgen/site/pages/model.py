"""The model of a device to browse: every operation, then every other fact, under one search box.

Without script the tables are whole and in the order of the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.names import noun
from reportgen.model.architecture import Fact, Instruction
from reportgen.model.resources import by_number
from reportgen.site import address, blocks, encodings, templating
from reportgen.site.catalogue import Entry
from reportgen.site.encodings import Encoding
from reportgen.site.markup import Html, anchor, code, element, join
from reportgen.site.pages import Page
from reportgen.site.sections import building
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import View
from reportgen.status import USABLE, Status

MEASURED = (
    Column("operation"),
    Column("class"),
    Column("latency", number=True, note="cycles until a dependent instruction may start"),
    Column("issue interval", number=True, note="cycles per instruction on the throughput plateau"),
    Column("throughput", number=True, note="instructions per cycle on the plateau"),
    Column("resources", note="an inference: any one of these abstract resources, named by this run alone"),
    Column("confidence", number=True, note="the lowest of the operation's numbers"),
    Column("evidence", note="the probes, with their machine code and samples"),
)
ENCODED = (
    Column("operation"),
    Column("class"),
    Column("latency", number=True, note="cycles that the assembler keeps to a dependent instruction"),
    Column("issue interval", number=True, note="cycles per instruction, by stall counts"),
    Column("confidence", number=True, note="the lowest of the operation's numbers"),
    Column("evidence", note="the probes, with their machine code"),
)
FACTS = (
    Column("fact"),
    Column("class"),
    Column("value", number=True),
    Column("interval", number=True),
    blocks.STANDING,
    Column("evidence"),
)
OF_OPERATIONS = (
    Kind.LATENCY, Kind.THROUGHPUT, Kind.ISSUE_INTERVAL, Kind.ENCODED_LATENCY, Kind.ENCODED_ISSUE,
)  # fmt: skip
"""Kinds of facts that stand in the table of operations."""


def page(view: View, entry: Entry) -> Page:
    """The model of the run of `view`, which is its device's newest."""
    run = view.report.run
    title = f"Model of {run.title}"
    first, count = _encoded(view) if run.toolchain_only else _measured(view)
    others, rest = _facts(view)
    markdown = templating.page(
        "model.md.j2",
        title=title,
        run=run,
        created=entry.created,
        report=view.page(address.device_page(run.device.id)),
        downloads=view.page(address.device_page(run.device.id), "downloads"),
        exports=view.links.written(view.here, "exports.md"),
        operations=count,
        facts=rest,
        tables=[one for one in (first, others) if one],
        notice=building.notice(view) if run.toolchain_only else "",
        resources=view.page(address.device_page(run.device.id), "resources")
        if view.report.architecture.resources is not None
        else "",
    )
    return Page(view.here, title, markdown)


def _measured(view: View) -> tuple[Html, int]:
    """Operations of a run that measured."""
    found = view.report.architecture.instructions
    groups = {one.operation: view.report.group(one.operation) for one in found}
    order = [
        *encodings.ORDER,
        *dict.fromkeys(name for name in groups.values() if name not in encodings.ORDER),
    ]
    rows = sorted(found, key=lambda one: order.index(groups[one.operation]))
    return _operations(view, MEASURED, [_row(view, one) for one in rows]), len(rows)


def _encoded(view: View) -> tuple[Html, int]:
    """Operations of a toolchain run."""
    found = encodings.encodings(view.report)
    return _operations(view, ENCODED, [_encoded_row(view, one) for one in found]), len(found)


def _operations(view: View, columns: tuple[Column, ...], rows: list[Row]) -> Html:
    if not rows:
        return Html("")
    caption = "Operations of this device, in cycles."
    return table("operations", caption, columns, rows, browsed=True)


def _row(view: View, one: Instruction) -> Row:
    facts = (one.latency, one.issue_interval, one.throughput)
    known = [fact for fact in facts if fact is not None]
    resources = view.report.architecture.resources
    use = resources.use(one.operation) if resources is not None else None
    names = sorted(use.resources, key=by_number) if use is not None else ()
    return Row(
        (
            _name(one.title or one.operation, one.operation, one.form),
            view.report.group(one.operation) or "–",
            *(blocks.bare_cell(fact) for fact in facts),
            Cell(join(names, " ") if names else "–", note="" if names else "paired with no other operation"),
            _confidence(known),
            _evidence(view, known),
        ),
        id=f"operation.{one.operation}",
        kind="" if any(blocks.sort_key(fact) is not None for fact in known) else "rg-absent",
    )


def _encoded_row(view: View, one: Encoding) -> Row:
    known = [fact for fact in (one.latency, one.issue) if fact is not None]
    issue = blocks.bare_cell(one.issue) if one.issue is not None else Cell("–")
    return Row(
        (
            _name(one.title, one.operation, one.form),
            one.group or "–",
            encodings.distance_cell(one),
            issue,
            _confidence(known),
            Cell(anchor(encodings.outcome_mark(one.outcome), view.probe(one.probe.id))),
        ),
        id=f"operation.{one.operation}",
        kind="" if any(fact.value is not None for fact in known) else "rg-absent",
    )


def _name(title: str, operation: str, form: str) -> Cell:
    parts = [element("span", title), element("div", code(operation), class_="rg-under")]
    if form:
        parts.append(element("div", code(form), class_="rg-under"))
    return Cell(join(parts))


def _confidence(facts: Iterable[Fact]) -> Cell:
    """The lowest of the facts that have a value, with the claim they make."""
    usable = [fact for fact in facts if fact.status in USABLE and blocks.sort_key(fact) is not None]
    if not usable:
        return Cell("–")
    least = min(usable, key=lambda fact: fact.confidence)
    marks: list[object] = [f"{least.confidence:.2f}"]
    if least.status is not Status.OK:
        marks.append(blocks.status(least.status))
    return Cell(join(marks, " "), sort=least.confidence, note=str(least.claim))


def _evidence(view: View, facts: Iterable[Fact]) -> Cell:
    """Links to the probes, each named by the question it asks."""
    probes = dict.fromkeys(fact.probe for fact in facts if fact.probe)
    links = (anchor(_asked(probe), view.probe(probe)) for probe in probes)
    return Cell(join(links, ", ") or "–")


def _asked(probe: str) -> str:
    """What a probe's family asks: `instruction_latency/fp32_fma` -> latency."""
    return probe.partition("/")[0].removeprefix("instruction_").replace("_", " ")


def _facts(view: View) -> tuple[Html, int]:
    """Every fact that is not one of an operation alone."""
    rows = list(_fact_rows(view))
    if not rows:
        return Html(""), 0
    return table("facts", "All other facts.", FACTS, rows, browsed=True), len(rows)


def _words(fact: Fact) -> str:
    """The name of a probe that gave no metric, else the id in words."""
    return (fact.probe or fact.metric).rpartition("/")[2].replace("_", " ").replace(".", " ")


def _fact_rows(view: View) -> Iterator[Row]:
    for fact in view.report.architecture.facts:
        name = parse(fact.metric)
        if name.kind in OF_OPERATIONS and name.subject in view.report.instructions:
            continue
        kind = fact.metric.partition(".")[0]
        known = name.kind is not Kind.OTHER
        text = noun(fact.metric, view.report.title).removeprefix("the ") if known else _words(fact)
        title = element("span", text[:1].upper() + text[1:])
        defined = view.term(fact.metric, code(fact.metric))
        yield Row(
            (
                Cell(join((title, element("div", defined, class_="rg-under")))),
                kind,
                blocks.number_cell(fact),
                blocks.interval_cell(fact),
                blocks.standing_cell(fact),
                Cell(anchor("probe", view.probe(fact.probe)) if fact.probe else "–"),
            ),
            id=f"fact.{fact.metric}",
            kind="" if blocks.sort_key(fact) is not None else "rg-absent",
        )
