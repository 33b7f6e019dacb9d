"""Chases in runs that a prefetcher could follow: what template, inspector and launcher need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.backends import trails
from reportgen.backends.cpu.generator_streams import inside
from reportgen.backends.layouts import LINE
from reportgen.errors import Unsupported
from reportgen.runs.schema import Device
from reportgen.suite.definition import PlannedPoint, Probe

if TYPE_CHECKING:
    from reportgen.backends.cpu.generator import CpuGenerator, Parts

MULTIPLE = 3
"""Of the second level: a walk in one order over so much finds none of its lines there again."""
BESIDE = 2
"""The same where a page holds few lines that are visited, and more that may come along."""
OF_MEMORY = 3
"""Of the working set that lies in memory, three quarters: three times the last level, laid out the sooner."""


def trail(generator: CpuGenerator, probe: Probe, point: PlannedPoint) -> Parts:
    """A chase through `loads` instructions over lines in the order that settings and constants name."""
    lines_apart(generator.device)
    given = {**probe.definition.constants, **point.settings}
    loads = int(given["loads"]) if "loads" in given else int(given.get("count", 1))
    size = beyond(generator.device, str(given["memory"]))
    if given["trail"] == "behind":  # what comes along takes room beside the lines that are visited
        size = size // MULTIPLE * BESIDE
    expect: dict[str, int | str] = {generator.assembly.CHASE: loads, "kind": "chain", "chains": 1}
    setup: dict[str, int | float | str] = {"kind": "trail", "loads": loads, "size": size, **given}
    work = {"steps": float(loads)}
    if given["trail"] == "behind":
        _, length, _ = trails.case_of(str(given["case"]))
        work |= {"before": float(length)}
    return {"settings": point.settings, "unroll": loads}, expect, work, setup | _turns(probe, point)


def _turns(probe: Probe, point: PlannedPoint) -> dict[str, str]:
    """Settings and points that one visit takes in turn, this one's among them.

    Returns:
        `turns`, values of the setting that the constant `in_turn` names; `together`, their points.
    """
    name = str(probe.definition.constants["in_turn"])
    own = point.settings[name]
    values = trails.compared(name, own, probe.definition.settings[name])
    kept = {value: point.settings | {name: value} for value in values}
    for left in probe.definition.left_out:
        kept = {value: one for value, one in kept.items() if not left.items() <= one.items()}
    names = [point.id.replace(f"{name}={own}", f"{name}={value}") for value in kept]
    return {"turns": " ".join(kept), "together": " ".join(names)}


def lines_apart(device: Device) -> None:
    """What is laid out by lines has them as far apart as the caches do.

    Raises:
        Unsupported: the system reports lines of another length.
    """
    told = int(device.reported.get("line_bytes", LINE))
    if told != LINE:
        raise Unsupported(f"lines are laid out {LINE} bytes apart, and the system reports lines of {told}")


def beyond(device: Device, memory: str) -> int:
    """Bytes of lines of which none is found again in the second level (`beyond_l2`), or in any (`dram`).

    Raises:
        Unsupported: the system reports no size to be larger than.
    """
    if memory == "dram":
        return inside(device, "dram") // 4 * OF_MEMORY
    second = int(device.reported.get("l2_bytes", 0))
    if not second:
        raise Unsupported("the system reports no L2 size to be larger than; see the working-set sweep")
    return MULTIPLE * second
