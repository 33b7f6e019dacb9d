"""Access sequences in one set of a cache: which lines, how far apart, and what template and launcher need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.errors import Unsupported
from reportgen.suite.definition import PlannedPoint, Probe

if TYPE_CHECKING:
    from reportgen.backends.cpu.generator import CpuGenerator, Parts

UNROLL = 64
"""Loads of one repetition."""


def sequence(generator: CpuGenerator, probe: Probe, point: PlannedPoint) -> Parts:
    """A chase through a sequence of the probe's constants, chosen for the ways that the system reports.

    Raises:
        Unsupported: no ways or size are reported, or there are no sequences for so many ways.
    """
    constants = probe.definition.constants
    level, by_ways = str(constants["level"]), dict(constants["sequences"])
    reported = generator.device.reported
    ways, size = int(reported.get(f"{level}d_ways", 0)), int(reported.get(f"{level}d_bytes", 0))
    if not ways or not size:
        raise Unsupported(
            "the system reports no size and ways of the first level, for which the sequences are made"
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
        "stride": size // ways,
        "lines": lines,
    }
    work = {"steps": float(UNROLL), "ways": float(ways)}
    return {"settings": point.settings, "unroll": UNROLL}, expect, work, setup
