"""The report of one run: at the run's own address, and at the device's for the newest."""

from __future__ import annotations

from reportgen import __version__
from reportgen.runs.schema import Run
from reportgen.site import address, templating
from reportgen.site.catalogue import Entry, Shelf
from reportgen.site.markup import element
from reportgen.site.pages import Page
from reportgen.site.sections import (
    access,
    bandwidth,
    beside,
    branches,
    building,
    cite,
    code_footprint,
    communication,
    downloads,
    encoded,
    findings,
    gpu,
    host_link,
    hypotheses,
    in_flight,
    instructions,
    interference,
    key_figures,
    measuring,
    memory,
    occupancy,
    prefetch,
    replacement,
    resources,
    roofline,
    standing,
    states,
    sustained,
    waiting,
)
from reportgen.site.view import Section, View
from reportgen.units import format_bytes, format_value


def sections(view: View, site_url: str) -> list[Section]:
    """The parts of a report in the order of the page, those that the run has."""
    if view.report.run.toolchain_only:
        return _of_target(view, site_url)
    found = [
        key_figures.section(view),
        findings.section(view),
        instructions.latency(view),
        instructions.throughput(view),
        interference.section(view),
        resources.section(view),
        gpu.execution(view),
        occupancy.section(view),
        waiting.section(view),
        code_footprint.section(view),
        in_flight.section(view),
        branches.section(view),
        memory.section(view),
        replacement.section(view),
        prefetch.section(view),
        access.section(view),
        gpu.paths(view),
        communication.section(view),
        bandwidth.section(view),
        host_link.section(view),
        roofline.section(view),
        sustained.section(view),
        beside.measured(view),
        hypotheses.section(view),
        measuring.section(view),
        states.section(view),
        downloads.section(view),
        cite.section(view, site_url),
    ]
    return [section for section in found if section is not None]


def _of_target(view: View, site_url: str) -> list[Section]:
    """The parts of a report about a compiler's target, on which nothing was timed."""
    found = [
        encoded.key_figures(view),
        encoded.instructions(view),
        encoded.matrix(view),
        occupancy.section(view),
        beside.section(view),
        building.section(view),
        states.section(view),
        downloads.section(view),
        cite.section(view, site_url),
    ]
    return [section for section in found if section is not None]


def page(view: View, shelf: Shelf, entry: Entry, site_url: str, *, newest: bool) -> Page:
    """The report on page `view.here`.

    Args:
        view: page and run.
        shelf: every run of the device.
        entry: this run.
        site_url: address of the site, for citing; may be empty.
        newest: whether the page is the device's own address.
    """
    run = view.report.run
    title = run.title if newest else f"{run.title}, {entry.created}"
    markdown = templating.page(
        "device.md.j2",
        view=view,
        run=run,
        title=title,
        newest=newest,
        card=card(view),
        notice=building.notice(view) if run.toolchain_only else "",
        sections=sections(view, site_url),
        families=[
            (family.replace("_", " "), len(probes), view.page(_family(view, family)))
            for family, probes in view.report.families.items()
            if view.probes
        ],
        versions=view.page(address.versions_page(run.device.id)),
        own=view.page(address.run_page(run.device.id, run.run)),
        compare=view.page(address.COMPARE),
        model=view.page(address.model_page(run.device.id)),
        reading=view.links.written(view.here, address.HOW_TO_READ),
        count=len(shelf.entries),
        validation=view.page(address.validation_page(run.device.id)) if shelf.validation else "",
        latest=view.page(address.device_page(run.device.id)),
        survey=view.page(address.survey_page(run.device.id)) if shelf.survey else "",
        measurement=view.page(address.measurement_page(run.device.id)) if shelf.measurement else "",
        is_latest=shelf.newest is entry,
        corrected=_corrected(view, shelf, run.run),
        broken=[
            (other.created, view.page(address.run_page(other.device, other.run)))
            for other in shelf.entries
            if other.report is None
        ],
    )
    return Page(view.here, title, markdown)


def _family(view: View, family: str) -> str:
    return address.family_page(view.report.run.device.id, view.report.run.run, family)


def _corrected(view: View, shelf: Shelf, run: str) -> tuple[str, str] | None:
    """Date and address of the run that corrects this one."""
    later = shelf.superseded_by(run)
    if later is None:
        return None
    return later.created, view.page(address.run_page(later.device, later.run))


def card(view: View) -> list[tuple[str, object]]:
    """The header card: what was measured, when, by what, and how it ended."""
    run = view.report.run
    if run.toolchain_only:
        return _card_of_target(view)
    hertz = [mark.cycle_hz for mark in run.drift if mark.cycle_hz > 0]
    clock = " … ".join(
        dict.fromkeys(format_value(value, "hertz", 3) for value in (min(hertz), max(hertz)))
    ) if hertz else "–"  # fmt: skip
    kernel = run.environment.get("kernel") or run.environment.get("driver") or "–"
    rows: list[tuple[str, object]] = [
        ("device", f"{run.title}, {run.device.vendor}, {run.device.isa}"),
        ("id", run.device.id),
        ("multiprocessors" if view.report.evidence.gpu else "cores used", run.device.cores),
        ("memory", format_bytes(run.device.memory_bytes) if run.device.memory_bytes else "–"),
        ("measured", f"{run.created[:16].replace('T', ' ')} UTC"),
        ("driver" if "driver" in run.environment else "kernel", kernel),
        ("clock seen" if view.report.evidence.gpu else "core clock seen", clock),
        ("suite", _suite(run)),
        ("reportgen", f"{__version__} derived this page"),
        ("run", run.run),
        ("probes", states.summary(view)),
        *standing.rows(view),
    ]
    if warning := run.environment.get("warning"):
        rows.append(("warning", element("strong", warning)))
    if run.plan.get("quick"):
        rows.append(("note", "a quick run: fewer points than the whole suite"))
    if run.device.backend == "simulated":
        rows.append(("note", "a simulated device of known truth, not hardware"))
    return rows


def _suite(run: Run) -> str:
    """Version of the suite, and the head of its digest."""
    digest = run.suite.get("digest", "")[:12]
    return f"version {run.suite.get('version', '–')}{f', {digest}' if digest else ''}"


def _card_of_target(view: View) -> list[tuple[str, object]]:
    """The header card of a toolchain run: for what was built, by which tools, and how it ended."""
    run = view.report.run
    generation = str(run.device.reported.get("generation", ""))
    tools = run.toolchain
    rows: list[tuple[str, object]] = [
        ("target", f"{run.device.isa} ({run.device.vendor}{f', {generation}' if generation else ''})"),
        ("kind", "toolchain run: nothing was measured on a device"),
        ("compiler", f"{tools.get('compiler', '–')} {tools.get('compiler_version', '')}".strip()),
        ("disassembler", f"nvdisasm {tools.get('nvdisasm', '–')}"),
        ("built", f"{run.created[:16].replace('T', ' ')} UTC"),
        ("suite", _suite(run)),
        ("reportgen", f"{__version__} derived this page"),
        ("run", run.run),
        ("probes", states.summary(view)),
    ]
    if run.plan.get("quick"):
        rows.append(("note", "a quick run: fewer points than the whole suite"))
    return rows
