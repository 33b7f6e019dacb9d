"""Registers of a thread, shared memory of a block: how many warps stay side by side, beside the limits.

Blocks stay for a fixed number of cycles and are many more than fit, so the time of a launch says how many
stay at a time.  The table (CUDA Programming Guide, "Technical Specifications") says how many fit; the
launcher notes it with every point, and what the driver answers to that.  Where no table knows the device, the
driver's answer stands for it.  A measured step is kept between the two settings it lies between, and
says whether the table has one there; steps of the table that were not seen are named.
"""

from __future__ import annotations

import numpy as np

from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Array, Interval, pooled_scatter, visit_interval
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "gpu"
FALLS = 0.03
"""Warps that become fewer by more from one setting to the next have a step there."""
LEAST = 3
BYTES = "dynamic_bytes"
FITS = "warps_fit"
DRIVER = "warps_driver"
"""What the driver answers to the same question, for the kernel as it was loaded."""
WORK = "warp_cycles"
HIDDEN = "hidden"
"""Detail: settings before which a step would not show through the scatter of the times."""


def pressure(evidence: Evidence) -> list[Quantity]:
    """`<metric>.<n>`: between which two settings of the variable fewer warps stay, for the n-th time.

    Points have work `warp_cycles` (cycles that a warp stays) and, where the limits of the device are known,
    the fact `warps_fit`.
    """
    probe = evidence.probe
    unit = "byte" if probe.variable == BYTES else "count"
    usable = sorted(
        (point for point in evidence.usable() if point.work.get(WORK, 0) > 0),
        key=lambda point: float(point.settings[probe.variable]),
    )
    if len(usable) < LEAST:
        return [evidence.without_value(f"{probe.metric}.1", unit, METHOD)]
    settings = [float(point.settings[probe.variable]) for point in usable]
    taken = [evidence.cycles(point) for point in usable]
    warps = np.array([point.work[WORK] / one.value for point, one in zip(usable, taken, strict=True)])
    scatter = pooled_scatter(taken)
    off = np.array([visit_interval(one, scatter).half / one.value for one in taken])
    fits = [point.facts.get(FITS, point.facts.get(DRIVER)) for point in usable]
    lower = warps[1:] < warps[:-1] * (1 - FALLS)
    apart = warps[1:] * (1 + off[1:]) < warps[:-1] * (1 - off[:-1])
    falls = [int(at) for at in np.flatnonzero(lower & apart)]
    hidden = [settings[at + 1] for at in np.flatnonzero(~apart & (off[1:] + off[:-1] > FALLS))]
    details: dict[str, object] = {"setting": settings, "variable": probe.variable, "warps": numbers(warps)}
    details[HIDDEN] = hidden
    details |= _beside(settings, warps, fits, falls)
    details |= _driver(usable, settings)
    if not falls and hidden:
        return [
            evidence.without_value(
                f"{probe.metric}.1", unit, METHOD, status=Status.UNSTABLE, details=details,
                reason="Whether warps become fewer anywhere, the scatter of these times hides.",
            )
        ]  # fmt: skip
    if not falls:
        reason = f"As many warps stay from {settings[0]:.0f} to {settings[-1]:.0f}."
        if _alone(usable):
            reason += " One block ran at a time, so how many would fit beside it does not show."
        return [
            evidence.bound(
                f"{probe.metric}.1", unit, METHOD, settings[-1], usable, reason=reason, details=details
            )
        ]
    return [
        evidence.quantity(
            f"{probe.metric}.{number}", unit, METHOD,
            Interval((settings[at] + settings[at + 1]) / 2, settings[at], settings[at + 1]), usable,
            details=details
            | {
                "warps_before": float(warps[at]), "warps_behind": float(warps[at + 1]),
                "table": _table(fits[at], fits[at + 1]),
            },
        )
        for number, at in enumerate(falls, 1)
    ]  # fmt: skip


def _alone(points: list[Point]) -> bool:
    return all(point.facts.get("blocks") == 1 for point in points)


def _beside(
    settings: list[float], warps: Array, fits: list[int | float | str | None], falls: list[int]
) -> dict[str, object]:
    """What the table says, the least and most of it that was seen, settings behind steps only it has."""
    known = [one for one in fits if isinstance(one, int) and one > 0]
    if len(known) < len(fits):
        return {}
    steps = [at for at in range(len(known) - 1) if known[at + 1] < known[at]]
    share = warps / np.array(known)
    return {
        FITS: known,
        "of_table": [float(share.min()), float(share.max())],
        "unseen": [settings[at + 1] for at in steps if at not in falls],
    }


def _driver(points: list[Point], settings: list[float]) -> dict[str, object]:
    """Warps that fit as the driver says, and the settings at which the table says otherwise."""
    said = [point.facts.get(DRIVER) for point in points]
    if not all(isinstance(one, int) and one > 0 for one in said):
        return {}
    table = [point.facts.get(FITS, one) for point, one in zip(points, said, strict=True)]
    apart = [setting for setting, fits, one in zip(settings, table, said, strict=True) if fits != one]
    return {DRIVER: said, "driver_differs": apart}


def _table(before: object, after: object) -> str:
    """`agrees` where fewer warps fit behind a step, `elsewhere` where as many do, '' where nobody knows."""
    if not isinstance(before, int) or not isinstance(after, int):
        return ""
    return "agrees" if after < before else "elsewhere"
