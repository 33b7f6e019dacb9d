"""How a toolchain run came about: tools, resources of the kernels, and where the time went."""

from __future__ import annotations

from reportgen.findings.wording.encoded import untimed
from reportgen.site import blocks, encodings
from reportgen.site.markup import Html
from reportgen.site.sections import measuring
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View
from reportgen.units import format_value


def needed(isa: str) -> str:
    """What it takes to measure."""
    return (
        f"To measure, a GPU of {isa} with its driver is needed, on which 'reportgen collect --device cuda:0' "
        "would run the same programs."
    )


def notice(view: View) -> str:
    """The sentence at the head of every page of a toolchain run."""
    run = view.report.run
    return untimed(run.device.isa, len(run.probes))


def section(view: View) -> Section:
    """Everything a reader needs in order to repeat the run."""
    run = view.report.run
    children = (
        Section("environment", "Environment and toolchain", (measuring.environment(view),)),
        Section("programs", "Programs by family", (_families(view),)),
        Section("time", "Where the time went", (measuring.time(view),)),
    )
    intro = view.intro("building", run=run, needed=needed(run.device.isa))
    return Section("measuring", "How this was built", (intro,), children)


def _families(view: View) -> Html:
    """What became of the programs of each family, and the most that their kernels take.

    An outcome that none has is no column: a page is narrower than all of them.
    """
    counts = encodings.counted(view.report)
    outcomes = [name for name in encodings.OUTCOMES if counts[name]]
    columns = (
        Column("family"),
        Column("probes", number=True),
        Column("points", number=True),
        *(Column(name, number=True) for name in outcomes),
        Column("most registers", number=True),
        Column("most shared memory", number=True),
        Column("most stack", number=True),
    )
    rows = []
    for family, probes in view.report.families.items():
        ended = [encodings.outcomes(view.report)[probe.id][0] for probe in probes]
        points = sum(len(view.report.points.get(probe.id, ())) for probe in probes)
        taken = [_most(view, what, family) for what in ("registers", "shared", "stack")]
        rows.append(
            Row(
                (
                    Cell(family.replace("_", " ")),
                    blocks.count_cell(len(probes)),
                    blocks.count_cell(points),
                    *(blocks.count_cell(ended.count(name)) for name in outcomes),
                    Cell(f"{taken[0]:g}", sort=taken[0]),
                    Cell(format_value(taken[1], "byte"), sort=taken[1]),
                    Cell(format_value(taken[2], "byte"), sort=taken[2]),
                )
            )
        )
    return table("programs", "Probes by what became of their programs.", columns, rows)


def _most(view: View, what: str, family: str) -> float:
    found = (fact.value for fact in view.report.of(f"resource.{what}.{family}.") if fact.value is not None)
    return max(found, default=0.0)
