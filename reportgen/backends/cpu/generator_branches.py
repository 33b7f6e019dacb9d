"""Programs made of branches: what their templates need and what the inspector shall find."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from reportgen.backends.cpu import outcomes
from reportgen.backends.cpu.branch_body import Branches
from reportgen.suite.definition import PlannedPoint, Probe

if TYPE_CHECKING:
    from reportgen.backends.cpu.generator import CpuGenerator, Parts


def conditional(generator: CpuGenerator, _probe: Probe, point: PlannedPoint) -> Parts:
    """Branches on numbers of a generator: one program for all settings, which lie in the scratch page."""
    made = generator.assembly.outcomes(outcomes.STEPS)
    lines = [line for line in made.body if not line.endswith(":")]
    expect = generator.expected(lines) | {"kind": "outcomes", "chains": 1, "branches": outcomes.SITES}
    random, others = int(point.settings["random"]), str(point.settings["others"])
    work = {"branches": float(outcomes.SITES), "mispredictions": random / 2}
    setup: dict[str, int | float | str] = {"kind": "outcomes", "random": random, "others": others}
    return _context(point, made), expect, work, setup


def jumps(generator: CpuGenerator, _probe: Probe, point: PlannedPoint) -> Parts:
    """Jumps evenly apart; the branch that closes the body is one more."""
    count, spacing = int(point.settings["branches"]), int(point.settings["spacing"])
    made = generator.assembly.jumps(count, spacing)
    expect: dict[str, int | str] = {
        generator.assembly.JUMP: count,
        "kind": "jumps",
        "branches": count,
        "spacing": spacing,
    }
    work = {"branches": count + 1.0, "bytes": float(count * spacing)}
    return _context(point, made), expect, work, {"kind": "placed"}


def untaken(generator: CpuGenerator, _probe: Probe, point: PlannedPoint) -> Parts:
    """Branches in a row that are not taken."""
    count = int(point.settings["length"])
    made, size = generator.assembly.untaken(count)
    expect: dict[str, int | str] = {
        generator.assembly.UNTAKEN: count,
        "kind": "untaken",
        "branches": count,
        "spacing": size,
    }
    work = {"steps": float(count), "instructions": float(count)}
    return _context(point, made), expect, work, {"kind": "body"}


def rounds(generator: CpuGenerator, _probe: Probe, point: PlannedPoint) -> Parts:
    """A short loop: the frame's own, whose branch is taken in every round."""
    count = int(point.settings["length"])
    made = generator.assembly.rounds(count)
    chains = sum(
        times > 1 for times in Counter(made.body).values()
    )  # what stands there once waits for nobody
    expect = generator.expected(list(made.body)) | {"kind": "rounds", "chains": chains}
    return _context(point, made), expect, {"instructions": float(count)}, {"kind": "body"}


def calls(generator: CpuGenerator, _probe: Probe, point: PlannedPoint) -> Parts:
    """Nested calls and their returns."""
    depth = int(point.settings["depth"])
    made = generator.assembly.calls(depth)
    lines = [line for line in made.body if not line.startswith(".") and not line.endswith(":")]
    expect = generator.expected(lines) | {"kind": "calls", "branches": depth}
    return _context(point, made), expect, {"calls": float(depth)}, {"kind": "placed"}


def _context(point: PlannedPoint, made: Branches) -> dict[str, Any]:
    parts = {"init": made.init, "lines": made.body, "save": made.save}
    indented = {name: [f"  {line}" for line in lines] for name, lines in parts.items()}
    return {"settings": point.settings, **indented}
