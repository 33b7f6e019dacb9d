"""The roofline of a derived run, with the nominal ceilings that its driver and data sheets state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen.analysis.quantity import Quantity
from reportgen.findings.published import matching
from reportgen.findings.published.library import Origin, library
from reportgen.roofline import nominal, sheet
from reportgen.roofline.points import Point
from reportgen.roofline.sheet import Sheet
from reportgen.runs.schema import Run


def roofline(
    run: Run,
    quantities: Iterable[Quantity],
    points: Sequence[Point] | None = None,
    precision: str = "",
    level: str = "",
) -> Sheet:
    """Roofs, ridges and points of one run.

    Args:
        run: the manifest.
        quantities: what `derive_bundle` gives.
        points: what to place; the run's own library kernels where not given.
        precision: of the run's own kernels, only those of this one.
        level: place the run's own kernels by the bytes that cross this level alone.
    """
    stated = (*nominal.reported(run.device), *_published(run))
    return sheet.build(run, quantities, stated, points, precision, level)


def _published(run: Run) -> tuple[nominal.Stated, ...]:
    """Nominal figures of the same product; only of GPUs, whose roofs are those of the whole device."""
    if not run.device.gpu:
        return ()
    known = library().sources
    return nominal.published(
        (figure.metric, figure.quantity, figure.ends[1], f"{known[figure.source].short}, for {figure.device}")
        for figure in matching.about(run)
        if figure.kind is Origin.NOMINAL and matching.same_product(figure.device, run.device.name)
    )
