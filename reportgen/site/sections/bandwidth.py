"""Bandwidth by level and kernel, one core and all cores."""

from __future__ import annotations

from functools import partial

from reportgen.findings.metric import ALL_CORES, Kind, parse
from reportgen.findings.wording.names import counted, kernel, level
from reportgen.model.architecture import Fact
from reportgen.site import blocks, practice
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present

SHAPE = Column("cores", number=True)
LAUNCH = Column("blocks x bytes of a vector", note="of the launch that was best")
COLUMNS = (
    Column("level"),
    Column("kernel"),
    SHAPE,
    Column("rate", number=True),
    Column("interval", number=True),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)


def section(view: View) -> Section | None:
    """Rates of every kernel in every level."""
    order = view.report.level_order()

    def place(rate: Fact) -> tuple[int, bool]:
        name = parse(rate.metric)
        return (order.index(name.subject) if name.subject in order else len(order)), bool(name.scope)

    # What belongs to no level, since its probe has no rate at all, stands among what was not measured.
    known = (rate for rate in view.report.of("bandwidth.") if parse(rate.metric).kind is Kind.BANDWIDTH)
    rates = tuple(sorted(known, key=place))
    if not rates:
        return None
    kernels = tuple(dict.fromkeys(parse(rate.metric).part for rate in rates))
    intro = view.intro(
        "bandwidth", kernels=kernels, kernel=kernel, counted=partial(counted, gpu=view.report.evidence.gpu)
    )
    best = [rate.metric for rate in _fastest(rates).values()]
    told = view.stated(name for metric in best for name in (metric, f"scaling:{metric}"))
    drawn = view.figure("bandwidth", _alternative(rates), "Bars are intervals; the axis is logarithmic.")
    gpu = view.report.evidence.gpu
    columns = tuple(LAUNCH if gpu and one is SHAPE else one for one in COLUMNS)
    body = table("bandwidth", "Bandwidth by level and kernel.", columns, (_row(view, rate) for rate in rates))
    parts = (told, intro, practice.block(view, "bandwidth"), drawn, body)
    return Section("bandwidth", "Bandwidth by level", present(parts))


def _row(view: View, rate: Fact) -> Row:
    name = parse(rate.metric)
    cores = view.report.run.device.cores if name.scope == ALL_CORES else 1
    return Row(
        (
            Cell(level(name.subject) if name.subject else rate.metric, note=rate.metric),
            Cell(kernel(name.part)),
            _shape(view, rate) if view.report.evidence.gpu else Cell(str(cores), sort=float(cores)),
            blocks.number_cell(rate),
            blocks.interval_cell(rate),
            blocks.count_cell(rate.n),
            blocks.standing_cell(rate),
        ),
        id=rate.metric,
        kind="" if blocks.sort_key(rate) is not None else "rg-absent",
    )


def _shape(view: View, rate: Fact) -> Cell:
    """The launch that was best."""
    details = view.report.details(rate.metric)
    if not details.get("blocks"):
        return Cell("–")
    return Cell(f"{details['blocks']} x {details['width']} B", sort=float(details["blocks"]))


def _fastest(rates: tuple[Fact, ...]) -> dict[str, Fact]:
    """The fastest kernel of each level, on a CPU of those on one core."""
    best: dict[str, Fact] = {}
    for rate in rates:
        name = parse(rate.metric)
        if rate.value is None or name.scope:
            continue
        held = best.get(name.subject)
        if held is None or (held.value or 0.0) < rate.value:
            best[name.subject] = rate
    return best


def _alternative(rates: tuple[Fact, ...]) -> str:
    told = "; ".join(
        f"{level(name)} {blocks.number(rate)} ({kernel(parse(rate.metric).part)})"
        for name, rate in _fastest(rates).items()
    )
    return f"Dot chart of bandwidth. Fastest kernel of each level: {told or 'none measured'}."
