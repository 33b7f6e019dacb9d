"""How it was measured: toolchain, clock, gates, drift, acceptance, and where the time went."""

from __future__ import annotations

from reportgen.runs.schema import ClockRecord
from reportgen.site import blocks
from reportgen.site.markup import Html, facts
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present
from reportgen.units import format_bytes, format_interval, format_value, significant


def section(view: View) -> Section:
    """Everything a reader needs in order to trust the numbers or to repeat them."""
    run = view.report.run
    children = (
        Section("environment", "Environment and toolchain", (environment(view),)),
        Section("clock", "Clock and gates", (_clock(view),)),
        Section("drift", "Drift", present((_drift(view),))),
        Section("acceptance", "Samples taken and accepted", (_acceptance(view),)),
        Section("time", "Where the time went", present((time(view),))),
    )
    intro = view.intro("measuring", run=run)
    return Section("measuring", "How this was measured", (intro,), tuple(c for c in children if c.body))


def environment(view: View) -> Html:
    """What the run says of machine and tools."""
    run = view.report.run
    pairs: list[tuple[object, object]] = [
        (key.replace("_", " "), _plain(key, value)) for key, value in sorted(run.environment.items())
    ]
    pairs += [(key.replace("_", " "), _listed(str(value))) for key, value in sorted(run.toolchain.items())]
    pairs += [
        (f"{key.replace('_', ' ')} (reported)", _plain(key, value))
        for key, value in sorted(run.device.reported.items())
    ]
    return facts(pairs)


def _plain(key: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return format_bytes(value) if key.endswith("bytes") else f"{value:g}" if value < 1e6 else f"{value}"
    return _listed(str(value))


def _listed(text: str) -> str:
    """Words that a system lists with bare commas, with room to break the line."""
    return text.replace(",", ", ") if "," in text and " " not in text else text


def _clock(view: View) -> Html:
    clock = view.report.run.sample_clock
    gates = (
        f"both calibrations agree within {clock.agreement * 100:g} %, and both canaries reach "
        f"{clock.canary_share * 100:g} % of the best issue rate of the run"
    )
    if not clock.calibration_cycles:
        gates = "its clock moved, and the program left the results that it left at first"
    return facts(
        (
            ("tick", _tick(clock)),
            *_brackets(clock),
            ("a sample is accepted when", gates),
            ("note", clock.note or "–"),
            ("method", view.method("clock", "clock and gates")),
        )
    )


def _tick(clock: ClockRecord) -> str:
    """The rate of the tick, with its interval where that can be told from it."""
    rate = format_value(clock.tick_hz, "hertz", 6)
    interval = format_interval(clock.tick_hz_low, clock.tick_hz_high, "hertz", 6)
    return rate if interval == rate else f"{rate} ({interval})"


def _brackets(clock: ClockRecord) -> tuple[tuple[str, str], ...]:
    """What stands beside each sample: nothing but a wait where ticks are cycles."""
    if not clock.calibration_cycles:
        return (("calibration", "none is needed: a tick is a cycle of the multiprocessor"),)
    return (
        ("calibration", f"{clock.calibration_cycles} dependent adds beside each sample"),
        (
            "canary",
            f"{clock.canary_instructions} instructions, best {significant(clock.canary_best)} per cycle",
        ),
    )


def _drift(view: View) -> Html:
    marks = view.report.run.drift
    if not marks:
        return Html("")
    rows = (
        Row(
            (
                Cell(mark.where),
                Cell(str(mark.order), sort=float(mark.order)),
                Cell(format_value(mark.cycle_hz, "hertz"), sort=mark.cycle_hz),
                Cell(significant(mark.canary_rate), sort=mark.canary_rate),
            )
        )
        for mark in marks
    )
    columns = (
        Column("where"),
        Column("position in the order", number=True),
        Column("clock" if view.report.evidence.gpu else "core clock", number=True),
        Column("canary, per cycle", number=True),
    )
    if view.report.evidence.gpu:  # nothing issues beside its kernels that could be watched
        short = (Row(row.cells[:3]) for row in rows)
        title = "The clock of the multiprocessors at start, middle and end."
        return table("drift", title, columns[:3], short, sortable=False)
    return table("drift", "The canary at start, middle and end.", columns, rows, sortable=False)


def _acceptance(view: View) -> Html:
    rows = []
    for family, probes in view.report.families.items():
        points = [point for probe in probes for point in view.report.points.get(probe.id, ())]
        accepted, total = sum(p.accepted for p in points), sum(p.total for p in points)
        share = f"{100 * accepted / total:.1f} %" if total else "–"
        rows.append(
            Row(
                (
                    Cell(family.replace("_", " ")),
                    blocks.count_cell(len(probes)),
                    blocks.count_cell(len(points)),
                    blocks.count_cell(accepted),
                    blocks.count_cell(total),
                    Cell(share, sort=accepted / total if total else None),
                )
            )
        )
    columns = (
        Column("family"),
        Column("probes", number=True),
        Column("points", number=True),
        Column("accepted", number=True),
        Column("taken", number=True),
        Column("share", number=True),
    )
    return table("acceptance", "Samples by family; rejected ones stay in the raw data.", columns, rows)


def time(view: View) -> Html:
    """Seconds by part of the run."""
    timing = view.report.run.timing
    if not timing:
        return Html("")
    total = timing.get("total") or sum(timing.values()) or 1.0
    rows = (
        Row(
            (
                Cell(name),
                Cell(f"{seconds:.1f} s", sort=seconds),
                Cell(f"{100 * seconds / total:.0f} %", sort=seconds),
            )
        )
        for name, seconds in timing.items()
    )
    columns = (Column("part"), Column("time", number=True), Column("share", number=True))
    return table("time", "Wall time of the run by part.", columns, rows)
