"""What operations compete for, as far as their times tell: graph, table, and what explains them as well."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.findings.finding import Claim
from reportgen.model.resources import Resources, Use, by_number
from reportgen.site import blocks, resource_graph
from reportgen.site.markup import Html, code, element, fold, join
from reportgen.site.resource_graph import Kinds, Placement
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present
from reportgen.units import significant

COLUMNS = (
    Column("operation"),
    Column("class"),
    Column("may use", note="one of them serves an instruction"),
    Column("cycles kept", number=True, note="for which an instruction keeps the one that it gets"),
    Column("from", note="pairs with all others of the matrix, or with some of them"),
    Column("fits as well"),
)
DEVIATIONS = (
    Column("mix"),
    Column("measured", number=True, note="cycles a group"),
    Column("by the resources", number=True, note="cycles a group"),
    Column("ratio", number=True),
)

DRAWN = (
    "Curves lead from operations to the resources that may serve them, one at a time. Operations with the "
    "same curves stand together; colours and dashes only tell neighbours apart."
)


def section(view: View) -> Section | None:
    """The resource model of a run that has one."""
    resources = view.report.architecture.resources
    if resources is None:
        return None
    found = resource_graph.placements(resources)
    if not found:
        return None
    rows = (_row(view, one) for one in found)
    return Section(
        "resources",
        "Resources",
        present(
            (
                _stated(resources),
                view.intro("resources"),
                view.figure("resources", alternative(found), DRAWN),
                *_explanations(resources),
                table("resources", "What each operation may use.", COLUMNS, rows, filtered=True),
                _deviations(view, resources),
            )
        ),
    )


def _stated(resources: Resources) -> Html:
    """The sentence of the model with its claim, and what a resource may be."""
    parts = [
        element("p", resources.sentence, class_="rg-sentence"),
        element("p", blocks.claim(Claim.INFERRED, explained=True), class_="rg-marks"),
    ]
    if resources.alternatives:
        listed = join(resources.alternatives, "; ")
        text = join((element("b", "A resource may be any of:"), listed), " ")
        parts.append(element("p", text, class_="rg-alternatives"))
    return element("div", join(parts), class_="rg-inference", id="resource-model")


def alternative(found: tuple[Placement, ...]) -> str:
    """The graph in words."""
    names = {name for one in found for name in one.use.resources}
    shared: dict[str, int] = dict.fromkeys(names, 0)
    for one in found:
        for name in one.use.resources:
            shared[name] += 1
    busiest = max(sorted(shared, key=by_number), key=lambda name: shared[name])
    return (
        f"Graph of {len(found)} operations and {len(names)} abstract resources. Most operations, "
        f"{shared[busiest]}, may use {busiest}. The table below lists the resources of each operation."
    )


def _names(use: Use) -> Html:
    """Resources of an operation, by number."""
    names: list[str] = sorted(use.resources, key=by_number)
    return join(names, " ")


def _row(view: View, one: Placement) -> Row:
    others = join((_names(use) for use in one.others), "; or ")
    return Row(
        (
            Cell(join((view.report.title(one.operation), code(one.operation)), " ")),
            view.report.group(one.operation) or "–",
            Cell(_names(one.use)),
            Cell(significant(one.use.cycles), sort=one.use.cycles),
            "all pairs" if one.paired else "some pairs",
            Cell(others or "–"),
        ),
        id=f"resources.{one.operation}",
    )


def _explanations(resources: Resources) -> Iterator[Html]:
    """How every further explanation differs from the one that is drawn."""
    for group in resources.groups:
        first, *others = group.explanations or (None,)
        if first is None or not others:
            continue
        items = []
        for number, other in enumerate(others, 2):
            gone, instead = resource_graph.difference(first, other)
            said = ("Explanation ", number, " has ", _sets(instead), " in place of ", _sets(gone), ".")
            items.append(element("li", join(said)))
        count = len(others)
        head = (
            f"{count} other {'explanation fits' if count == 1 else 'explanations fit'} equally well"
            f"{'' if group.complete else ' at least'}; none has a rank above the others. Each set names "
            "the operations that one resource serves."
        )
        yield element("p", head)
        yield element("ul", join(items))


def _sets(resources: tuple[Kinds, ...]) -> Html:
    """Resources by the operations that they serve."""
    return join((code(f"{{{', '.join(kinds)}}}") for kinds in resources), " and ") or Html("nothing")


def _deviations(view: View, resources: Resources) -> Html:
    """Mixes that the resources do not explain, folded."""
    if not resources.deviations:
        return Html("")
    title = view.report.title
    rows = (
        Row(
            (
                f"{one.first_count:g} × {title(one.first)}, {one.second_count:g} × {title(one.second)}",
                Cell(significant(one.measured), sort=one.measured),
                Cell(significant(one.predicted), sort=one.predicted),
                Cell(f"{one.measured / one.predicted:.2f}", sort=one.measured / one.predicted),
            )
        )
        for one in sorted(resources.deviations, key=lambda one: -abs(one.measured / one.predicted - 1))
    )
    count = len(resources.deviations)
    body = table("resource-deviations", "Mixes that take another time.", DEVIATIONS, rows)
    return fold(
        f"{count} {'mix takes' if count == 1 else 'mixes take'} another time than these resources say", body
    )
