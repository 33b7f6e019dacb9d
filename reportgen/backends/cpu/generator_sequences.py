"""Access sequences in one set of a cache: which lines, how far apart, and what template and launcher need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.backends.cpu.generator_trails import lines_apart
from reportgen.errors import Unsupported
from reportgen.runs.schema import Device
from reportgen.suite.definition import PlannedPoint, Probe

if TYPE_CHECKING:
    from reportgen.backends.cpu.generator import CpuGenerator, Parts

UNROLL = 64
"""Loads of one repetition."""
OTHERS = 2
"""Lines that go through a set of the first level between two visits of a line, over its ways, at least: then
it is gone."""


def sequence(generator: CpuGenerator, probe: Probe, point: PlannedPoint) -> Parts:
    """A chase through a sequence of the probe's constants, chosen for the ways that the system reports.

    Raises:
        Unsupported: no ways or size are reported, or there are no sequences for so many ways.
    """
    lines_apart(generator.device)
    constants = probe.definition.constants
    level, by_ways = str(constants["level"]), dict(constants["sequences"])
    ways, stride = _way(generator.device, "l1d" if level == "l1" else level)
    inner = 0
    if level != "l1":
        first, inner = _way(generator.device, "l1d")
        if stride // inner - 1 < OTHERS * first:
            raise Unsupported(
                f"only {stride // inner} sets of {level.upper()} share a set of L1: too few to make its "
                f"{first} ways miss"
            )
    if str(ways) not in by_ways:
        raise Unsupported(f"there are no sequences for {ways} ways, only for {', '.join(by_ways)}")
    lines = str(by_ways[str(ways)][str(point.settings["sequence"])])
    expect: dict[str, int | str] = {generator.assembly.CHASE: UNROLL, "kind": "chain", "chains": 1}
    setup: dict[str, int | float | str] = {
        "kind": "chase",
        "layout": "sequence",
        "unroll": UNROLL,
        "pages": str(constants["pages"]),
        "stride": stride,
        "inner": inner,
        "lines": lines,
    }
    work = {"steps": float(UNROLL), "ways": float(ways)}
    return {"settings": point.settings, "unroll": UNROLL}, expect, work, setup


def _way(device: Device, level: str) -> tuple[int, int]:
    """Ways of a level and bytes of one, as the system reports them."""
    ways, size = (int(device.reported.get(f"{level}_{what}", 0)) for what in ("ways", "bytes"))
    if not ways or not size:
        raise Unsupported(
            f"the system reports no size and ways of {level.upper()}, for which sequences are made"
        )
    return ways, size // ways
