"""The probes of one family in one run: question, machine code, verdict, samples.

One page a family rather than one a probe: some two hundred probes would double the time of a build
and say little each; every probe keeps an address of its own as an anchor.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from reportgen.runs.schema import Point, ProbeInfo, Program
from reportgen.site import address, blocks, encodings, templating, verdicts
from reportgen.site.catalogue import Entry
from reportgen.site.markup import Html, anchor, code, element, facts, fold, join, preformatted
from reportgen.site.pages import Page
from reportgen.site.sections import building
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import View
from reportgen.status import Status

LISTING_LINES = 20
"""Lines of machine code shown; the whole of it is among the downloads."""

FINDINGS = 1
"""Findings with their evidence under one probe; further ones are listed in short."""

LONG = 15
"""From so many probes on, a page opens with a table of them."""

MANY = 8
"""From so many findings on, further ones are folded: a matrix has one for each of its pairs."""

INTRODUCTIONS = {
    "instruction_latency": "How long a result takes until the next instruction can use it.",
    "instruction_throughput": "How many independent instructions are served each cycle.",
    "pipeline_interference": "Which kinds of instructions get in each other's way.",
    "memory_hierarchy": "Where each level ends, what a load costs there, how many bytes a second it moves.",
    "out_of_order": "How many instructions the core holds at once, and which of its resources ends that.",
    "front_end": "What the core pays for branches, and what it holds of code and of where branches lead.",
    "tensor_operations": "Matrix and dot-product instructions.",
    "roofline": "Peak rates of arithmetic, and library routines placed under the roofs.",
    "gpu_execution": "How a GPU fills its schedulers and its memory.",
    "gpu_synchronisation": "What it costs on a GPU to wait for others and to share with them.",
    "host_link": "What goes between a GPU and its host, and what the GPU pays to read the host's memory.",
}

COLUMNS = (
    Column("setting"),
    Column("status"),
    Column("accepted of taken", number=True),
    Column("stopped by"),
    Column("timed region"),
)


def page(view: View, family: str, entry: Entry) -> Page:
    """Every probe of `family`."""
    probes = view.report.families[family]
    run = view.report.run
    name = family.replace("_", " ")
    title = f"{name.capitalize()} probes"
    markdown = templating.page(
        "family.md.j2",
        title=title,
        run=run,
        created=entry.created,
        introduction=INTRODUCTIONS.get(family, ""),
        contents=contents(view, probes),
        report=view.page(address.run_page(run.device.id, run.run)),
        machine_code=view.method("machine-code", "machine code"),
        others=families(view, family),
        notice=building.notice(view) if run.toolchain_only else "",
        probes=[
            (address.probe_anchor(probe.id), probe.title or probe.id, probe, body(view, probe))
            for probe in probes
        ],
    )
    return Page(view.here, title, markdown)


def families(view: View, here: str) -> Html:
    """The pages of all families of the run, in its order; this one as a bare word."""
    run = view.report.run
    return join(
        (
            element("b", name.replace("_", " "))
            if name == here
            else anchor(
                name.replace("_", " "),
                view.page(address.family_page(run.device.id, run.run, name)),
            )
            for name in view.report.families
        ),
        " ",
    )


def contents(view: View, probes: Sequence[ProbeInfo]) -> Html:
    """Every probe with its result in a line, to find one by; nothing where there are few."""
    if len(probes) < LONG:
        return Html("")
    built = view.report.run.toolchain_only
    titles = Counter(probe.title or probe.id for probe in probes)
    ends = (Column("program"),) if built else (Column("result", number=True), Column("hypothesis"))
    rows = (
        Row(
            (
                Cell(_named(probe, titles), note=probe.id),
                *((_built(view, probe),) if built else _ended(view, probe)),
            )
        )
        for probe in probes
    )
    caption = f"{len(probes)} probes of this page."
    return table("probes", caption, (Column("probe"), *ends), rows, filtered=True)


def _named(probe: ProbeInfo, titles: Mapping[str, int]) -> Html:
    """The title, and under it the name where another probe of the page has the same title."""
    title, name = probe.title or probe.id, address.probe_anchor(probe.id)
    link = anchor(title, f"#{name}")
    return (
        join((link, element("span", name.replace("_", " "), class_="rg-note"))) if titles[title] > 1 else link
    )


def _ended(view: View, probe: ProbeInfo) -> tuple[Cell, Cell]:
    """The number of a probe and how its hypothesis ended; a probe of many metrics has no one number."""
    fact = view.report.fact(probe.metric)
    ended = view.report.conclusions.get(probe.id)
    verdict_of = Cell(verdicts.mark(ended.verdict), note=ended.reason) if ended is not None else Cell("–")
    return (blocks.number_cell(fact) if fact is not None else Cell("–")), verdict_of


def _built(view: View, probe: ProbeInfo) -> Cell:
    outcome, reason = encodings.outcomes(view.report)[probe.id]
    return Cell(encodings.outcome_mark(outcome), note=reason)


def body(view: View, probe: ProbeInfo) -> Html:
    """All about one probe, as one block."""
    points = view.report.points.get(probe.id, ())
    # The hypothesis stands above its findings, with verdict and rule.
    found = [one for one in view.report.about.get(probe.id, ()) if not one.id.startswith("hypothesis:")]
    parts = [element("p", join((element("b", "Question."), probe.question), " "))]
    parts.append(
        element(
            "p",
            join((element("b", "Hypothesis."), probe.hypothesis, *verdict(view, probe)), " "),
        )
    )
    if not any(point.status is Status.OK for point in points):
        reasons = dict.fromkeys((point.status, point.reason) for point in points)
        parts += [element("p", blocks.status(state, reason)) for state, reason in reasons]
    parts += [blocks.finding(item, brief=True) for item in found[:FINDINGS]]
    if found[FINDINGS:]:
        rest = blocks.stated(found[FINDINGS:])
        parts.append(rest if len(found) < MANY else fold(f"{len(found) - FINDINGS} further findings", rest))
    parts.append(machine_code(view, points))
    if points and view.report.run.toolchain_only:
        parts.append(fold(f"{len(points)} points and their programs", programs(view, probe, points)))
    elif points:
        parts.append(fold(f"{len(points)} points and their samples", samples(view, probe, points)))
    return join(parts)


def verdict(view: View, probe: ProbeInfo) -> tuple[Html, ...]:
    """How the hypothesis ended, why, and by which rule; in a toolchain run it stays open."""
    ended = view.report.conclusions.get(probe.id)
    if ended is None:
        return ()
    rule = element("span", f"Rule: {ended.rule}", class_="rg-note")
    return tuple(part for part in (verdicts.mark(ended.verdict), verdicts.reason(ended), rule) if part)


def machine_code(view: View, points: tuple[Point, ...]) -> Html:
    """Listing and verdict of the first point that has a program; the table counts opcodes of all."""
    for point in points:
        program = view.report.programs.get(point.program)
        if program is None:
            continue
        shown, more = shorten(program.listing)
        told: list[tuple[object, object]] = [
            ("point", code(point.id)),
            ("verdict", join((element("b", program.verdict), program.explanation), ": ")),
            ("timed region", opcodes(program)),
            ("machine code", join((f"{program.size} bytes, sha256 ", code(program.sha256[:16])))),
        ]
        listing = join((facts(told), preformatted(shown), element("p", more) if more else Html("")))
        return fold(join(("Machine code: ", program.verdict)), listing)
    return Html("")


def shorten(listing: str) -> tuple[str, str]:
    """A listing with runs of one instruction folded (`× 48`), cut after `LISTING_LINES` lines."""
    lines = [line.rstrip() for line in listing.splitlines() if line.strip()]

    def instruction(line: str) -> str:
        return re.sub(r"^\s*(?:0x)?[0-9a-f]+[:\s]\s*(?:(?:[0-9a-f]{2}\s)+\s*)?", "", line) or line

    folded = []
    for _, run in groupby(lines, key=instruction):
        some = list(run)
        folded.append(some[0] + (f"    × {len(some)}" if len(some) > 1 else ""))
    if len(folded) <= LISTING_LINES:
        return "\n".join(folded), ""
    rest = len(folded) - LISTING_LINES
    return (
        "\n".join([*folded[:LISTING_LINES], "…"]),
        f"{rest} further lines are in programs.jsonl.gz, among the downloads of the report.",
    )


def opcodes(program: Program | None) -> str:
    """The histogram of the timed region, most frequent first."""
    if program is None or not program.opcodes:
        return "–"
    ranked = sorted(program.opcodes.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} × {count}" for name, count in ranked[:5]) + (" …" if len(ranked) > 5 else "")


def samples(view: View, probe: ProbeInfo, points: tuple[Point, ...]) -> Html:
    """One row a point, as plain as a row can be: a run has thousands of them."""
    rows = (
        Row(
            (
                ", ".join(f"{key} = {value}" for key, value in point.settings.items()),
                point.status.value + (f": {point.reason}" if point.reason else ""),
                f"{point.accepted} of {point.total}",
                point.stop or "–",
                opcodes(view.report.programs.get(point.program)),
            )
        )
        for point in points
    )
    name = address.probe_anchor(probe.id)
    return table(f"samples-{name}", f"Points of {probe.id}.", COLUMNS, rows, sortable=False)


PROGRAM_COLUMNS = (
    Column("setting"),
    Column("program"),
    Column("registers", number=True),
    Column("encoded", note="what the control bits hold of the window"),
    Column("window"),
)


def programs(view: View, probe: ProbeInfo, points: tuple[Point, ...]) -> Html:
    """One row a point of a toolchain run: what became of its program, and what it encodes."""
    rows = (_program(view, point) for point in points)
    name = address.probe_anchor(probe.id)
    return table(f"programs-{name}", f"Programs of {probe.id}.", PROGRAM_COLUMNS, rows, sortable=False)


def _program(view: View, point: Point) -> Row:
    found = view.report.programs.get(point.program)
    facts = found.facts if found is not None else {}
    told = {
        "window": facts.get("predicted_window"),
        "edges": facts.get("encoded_edges"),
        "hazards": facts.get("encoded_hazards"),
        "occupancy": point.facts.get("occupancy"),
    }
    ended, reason = encodings.outcome((point,))
    return Row(
        (
            ", ".join(f"{key} = {value}" for key, value in point.settings.items()) or "–",
            ended + (f": {reason}" if reason else ""),
            str(facts.get("registers", "–")),
            "; ".join(f"{name} {value}" for name, value in told.items() if value not in (None, "")) or "–",
            opcodes(found),
        )
    )
