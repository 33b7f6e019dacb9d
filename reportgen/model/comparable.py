"""Whether two runs may be compared at all, and under which conditions each was taken.

An obstacle makes every number incomparable; a condition is said beside the result, because it may be
the very thing one wants to compare (another kernel, another governor).
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from reportgen.runs.schema import Run

CLOCK_MOVED = 0.03
"""Core clocks whose medians differ by more than this are said."""

MEASURED = "measured"
"""Kind of a run whose plan names none; `toolchain` is another."""


class Condition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that was not the same when the two runs were taken."""

    name: str
    first: str
    second: str


def obstacles(first: Run, second: Run) -> tuple[str, ...]:
    """Why the numbers of two runs must not be set side by side; empty when they may."""
    found = []
    if first.suite.get("version") != second.suite.get("version"):
        versions = f"{first.suite.get('version', '?')} and {second.suite.get('version', '?')}"
        found.append(f"the suite has another version ({versions}), so equal ids may mean other questions")
    if bool(first.plan.get("quick")) != bool(second.plan.get("quick")):
        which = "first" if first.plan.get("quick") else "second"
        found.append(f"the {which} run is a quick one, with fewer points and passes than the other")
    if first.device.backend != second.device.backend:
        backends = f"{first.device.backend} and {second.device.backend}"
        found.append(f"they come from different backends ({backends})")
    kinds = [str(run.plan.get("kind", MEASURED)) for run in (first, second)]
    if kinds[0] != kinds[1]:
        found.append(f"one is of kind {kinds[0]}, the other of kind {kinds[1]}")
    return tuple(found)


def conditions(first: Run, second: Run) -> tuple[Condition, ...]:
    """What differed between two runs, in the order of `CONDITIONS`, then tools; what is equal is left out."""
    said = [(name, read(first), read(second)) for name, read in CONDITIONS.items()]
    tools = dict.fromkeys((*first.toolchain, *second.toolchain))
    said += [
        (tool, first.toolchain.get(tool, ""), second.toolchain.get(tool, ""))
        for tool in tools
        if tool not in SILENT
    ]
    found = [
        Condition(name, one or "not recorded", other or "not recorded")
        for name, one, other in said
        if one != other
    ]
    clocks = [_clock(run) for run in (first, second)]
    if all(clocks) and abs(clocks[0] - clocks[1]) > CLOCK_MOVED * max(clocks):
        found.append(Condition("clock seen", *(f"{clock / 1e9:.2f} GHz" for clock in clocks)))
    return tuple(found)


def _clock(run: Run) -> float:
    rates = sorted(mark.cycle_hz for mark in run.drift if mark.cycle_hz > 0)
    return rates[len(rates) // 2] if rates else 0.0


def _environment(*keys: str) -> Callable[[Run], str]:
    """The first of some keys of the environment that a run holds."""

    def read(run: Run) -> str:
        return next((str(run.environment[key]) for key in keys if key in run.environment), "")

    return read


CONDITIONS: dict[str, Callable[[Run], str]] = {
    "device": lambda run: run.device.id,
    "digest of the suite": lambda run: run.suite.get("digest", "")[:12],
    "probes asked": lambda run: str(run.plan.get("probes", "")),
    "passes": lambda run: str(run.plan.get("passes", "")),
    "cores or multiprocessors": lambda run: str(run.device.cores),
    "kernel": _environment("kernel"),
    "driver": _environment("driver"),
    "microcode": _environment("microcode"),
    "governor": _environment("governor"),
    "boost": _environment("boost"),
    "huge pages": _environment("huge_pages"),
    "virtual machine": _environment("hypervisor", "virtual_machine"),
}
"""What is said when it differs: name -> how to read it from a run.  Tools come after it."""

SILENT = frozenset({"features", "triple"})
"""Keys of the toolchain that say at length what the device says already."""
