"""What machine code says without running: distances that its assembler keeps, registers that it takes.

NVIDIA's assembler writes into every instruction how many cycles to wait before the next one issues, and
which barrier to wait on where it does not know.  The inspector sums those stalls between the instructions of
a window (`Program.facts`); here they become quantities.  None of them was measured on a device.

    span(L)    cycles from the first step's last instruction to the last step's, in a chain of L steps
    step       (span(L2) - span(L1)) / (L2 - L1), shortest and longest chain
    latency    (step - latencies of companions) / instructions of the operation in a step
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reportgen.analysis.quantity import Quantity
from reportgen.runs.schema import Point, ProbeInfo, Program, Run
from reportgen.status import Status

METHOD = "encoded"
SCOREBOARD = "scoreboard: the assembler waits for the result, no number is encoded"
NO_STEP = (
    "No distance of a step is encoded: the instructions run beside their warp, or something else in the "
    "window waits."
)
UNEVEN = 0.02
"""Where a chain of a length in between misses the line by this share, there is no one distance."""

Facts = Mapping[str, int | float | str]


def has_encoding(run: Run) -> bool:
    """Whether machine code of the run's device holds stall counts: that of NVIDIA GPUs does."""
    return run.device.gpu


def encoded(run: Run, programs: Mapping[str, Program]) -> tuple[Quantity, ...]:
    """Every quantity that the programs of a run give without being run, in the order of its probes."""
    points: dict[str, list[Point]] = defaultdict(list)
    for point in run.points:
        points[point.probe].append(point)
    chains = {
        probe.operation: read_chain(points[probe.id], programs)
        for probe in run.probes
        if probe.analysis == "slope" and probe.operation
    }
    found: list[Quantity] = []
    for probe in run.probes:
        own = points[probe.id]
        if probe.analysis == "slope" and probe.operation:
            found += _latency(probe, own, chains)
        if probe.analysis == "plateau" and probe.operation and probe.variable == "accumulators":
            found.append(_issue(probe, own, programs, chains.get(probe.operation)))
        found += _resources(probe, own, programs)
        found += _occupancy(probe, own, programs)
    return tuple(found)


@dataclass(frozen=True)
class Chain:
    """What the chains of one operation encode."""

    points: tuple[Point, ...] = ()
    """Those whose programs were read, by length."""
    step: float | None = None
    """Cycles a step."""
    status: Status = Status.OK
    reason: str = ""
    """Why there is no step."""
    linearity: float = 0.0
    hazards: float = 0.0
    """Share of the edges at other distances than the mode of their pair."""
    windows: dict[int, float] = field(default_factory=dict)
    """Steps -> predicted t1 - t0."""
    details: dict[str, Any] = field(default_factory=dict)


def read_chain(points: Sequence[Point], programs: Mapping[str, Program]) -> Chain:
    """Cycles a step from the programs of one probe of analysis `slope`."""
    usable = sorted(_inspected(points, programs), key=lambda one: one[0].work.get("steps", 0.0))
    if not usable:
        status, reason = refusal(points)
        return Chain(status=status, reason=reason)
    used = tuple(point for point, _ in usable)
    details = _details(*usable[-1]) | {"length": [int(point.work.get("steps", 0)) for point in used]}
    spans: dict[int, float] = {}
    windows: dict[int, float] = {}
    for point, program in usable:
        steps = int(point.work.get("steps", 0))
        if "encoded_step" in program.facts:
            # A sum of whole stalls; the fact is its mean.
            spans[steps] = round(float(program.facts["encoded_step"]) * (steps - 1))
        if "predicted_window" in program.facts:
            windows[steps] = float(program.facts["predicted_window"])
    if len(spans) < len(usable):
        return Chain(used, status=Status.UNSUPPORTED, reason=_waits(usable[-1][1].facts), details=details)
    step, linearity = _slope(spans)
    details |= {"span": [spans[length] for length in details["length"]]}
    if linearity > UNEVEN:
        reason = f"Chains of different length do not keep one distance: they miss it by {linearity:.1%}."
        return Chain(used, status=Status.UNSTABLE, reason=reason, linearity=linearity, details=details)
    odd = [odd_edges(program.facts) for _, program in usable]
    return Chain(used, step, linearity=linearity, hazards=max(odd), windows=windows, details=details)


def _inspected(points: Sequence[Point], programs: Mapping[str, Program]) -> list[tuple[Point, Program]]:
    """Points whose machine code is the program that was meant."""
    return [
        (point, programs[point.program])
        for point in points
        if point.status is Status.OK and point.program in programs
    ]


def refusal(points: Sequence[Point]) -> tuple[Status, str]:
    """What to say of points none of which has a program that was read: the commonest reason."""
    reasons = Counter((point.status, point.reason) for point in points if point.status is not Status.OK)
    if not reasons:
        return Status.SKIPPED, "The run holds no program of this probe."
    status, reason = reasons.most_common(1)[0][0]
    # Not inspected is not the same as inspected and usable with a caveat: nothing was read.
    return (Status.FAILED if status is Status.UNVERIFIED else status), reason or f"It ended {status}."


def _waits(facts: Facts) -> str:
    """Why a chain has no distance: a producer sets a barrier that its consumer waits on.

    Where only some of the step's instructions do, they are named.
    """
    pairs = [pair for pair in str(facts.get("encoded_edges", "")).split("; ") if pair]
    waiting = [pair for pair in pairs if re.search(r" sb x\d+", pair)]
    if not waiting:
        return NO_STEP
    named = ", ".join(dict.fromkeys(pair.partition(">")[0] for pair in waiting))
    return f"{SCOREBOARD} (it waits for {named})" if len(waiting) < len(pairs) else SCOREBOARD


def odd_edges(facts: Facts) -> float:
    """Share of the edges at other distances than the mode of their pair."""
    odd = sum(int(n) for n in re.findall(r" x(\d+)", str(facts.get("encoded_hazards", ""))))
    total = sum(int(n) for n in re.findall(r" x(\d+)", str(facts.get("encoded_edges", ""))))
    return odd / total if total else 0.0


def _slope(spans: Mapping[int, float]) -> tuple[float, float]:
    """Cycles a step, and the largest share by which a chain misses the line; one chain has its own mean."""
    short, long = min(spans), max(spans)
    if short == long:
        return spans[short] / max(1, short - 1), 0.0
    step = (spans[long] - spans[short]) / (long - short)
    line = {length: spans[short] + step * (length - short) for length in spans}
    return step, max(abs(spans[length] / line[length] - 1) if line[length] else 0.0 for length in spans)


def _details(point: Point, program: Program) -> dict[str, Any]:
    """What tells the reader where a number comes from: instructions, edges, tools, code."""
    facts = program.facts
    return {
        "opcodes": dict(program.opcodes),
        "per_step": _per_step(point, program),
        "edges": str(facts.get("encoded_edges", "")),
        "hazards": str(facts.get("encoded_hazards", "")),
        "toolkit": str(facts.get("toolkit", "")),
        "code": str(facts.get("sass_sha256", program.sha256)),
    }


def _latency(probe: ProbeInfo, points: Sequence[Point], chains: Mapping[str, Chain]) -> Iterator[Quantity]:
    """`encoded.latency.<operation>`, and `encoded.window.<operation>` where nothing in the window waits."""
    chain = chains[probe.operation]
    value, why = latency(probe, chains)
    metric = f"encoded.latency.{probe.operation}"
    if value is None:
        status = chain.status if chain.step is None else Status.UNSUPPORTED
        yield _without(metric, "cycle", probe, chain.points or points, status, why, chain.details)
        return
    inputs = {"linearity": chain.linearity, "hazards": chain.hazards, "lengths": float(len(chain.points))}
    yield _quantity(metric, "cycle", probe, chain.points, value, inputs, chain.details)
    if chain.windows:
        steps = min(chain.windows)
        curve = {"length": list(chain.windows), "window": list(chain.windows.values()), "steps": steps}
        details = chain.details | curve
        metric = f"encoded.window.{probe.operation}"
        yield _quantity(metric, "cycle", probe, chain.points, chain.windows[steps], inputs, details)


def latency(probe: ProbeInfo, chains: Mapping[str, Chain]) -> tuple[float | None, str]:
    """Cycles an instruction of a probe's operation, or why there are none."""
    chain = chains[probe.operation]
    if chain.step is None:
        return None, chain.reason
    rest = chain.step
    for name in probe.constants.get("companions", ()):
        companion = chains.get(name)
        if companion is None or companion.step is None:
            return None, f"The step also holds '{name}', whose own distance is not encoded."
        rest -= companion.step
    return rest / max(1, int(probe.constants.get("repeat", 1))), ""


def _issue(
    probe: ProbeInfo, points: Sequence[Point], programs: Mapping[str, Program], chain: Chain | None
) -> Quantity:
    """`encoded.issue.<operation>`: the stall after an instruction where many chains run side by side."""
    metric, unit = f"encoded.issue.{probe.operation}", "cycle/instruction"
    usable = [
        (point, program)
        for point, program in _inspected(points, programs)
        if "encoded_issue" in program.facts and "accumulators" in point.settings
    ]
    if not usable:
        status, reason = refusal(points)
        return _without(metric, unit, probe, points, status, reason)
    usable.sort(key=lambda one: int(one[0].settings["accumulators"]))
    counts = [int(point.settings["accumulators"]) for point, _ in usable]
    stalls = [float(program.facts["encoded_issue"]) for _, program in usable]
    details = _details(*usable[-1]) | {"accumulators": counts, "issue": stalls}
    used = tuple(point for point, _ in usable)
    per_step = _per_step(*usable[-1])
    if per_step > 1 and len(usable[-1][1].opcodes) > 1:
        kinds = ", ".join(sorted(usable[-1][1].opcodes))
        reason = f"One step holds several kinds of instruction ({kinds}), so no one stall speaks of it."
        return _without(metric, unit, probe, used, Status.UNSUPPORTED, reason, details)
    if chain is not None and chain.step is not None and stalls[-1] * counts[-1] * per_step <= chain.step:
        reason = (
            f"{counts[-1]} chains are too few to tell: their stalls sum up to the {chain.step:g} cycles that "
            "one of them waits for its own result."
        )
        return _without(metric, unit, probe, used, Status.UNSUPPORTED, reason, details)
    inputs = {"lengths": float(len(used))}
    return _quantity(metric, unit, probe, used[-1:], stalls[-1], inputs, details)


def _per_step(point: Point, program: Program) -> int:
    """Machine instructions of the window for each instruction of the operation, at least one."""
    asked = point.work.get("instructions", 0.0)
    return max(1, round(sum(program.opcodes.values()) / asked)) if asked else 1


_RESOURCES = (
    ("registers", "registers", "count"),
    ("shared", "shared_bytes", "byte"),
    ("stack", "stack_bytes", "byte"),
)
"""Last part of `resource.<what>`, fact of the program, unit."""


def _resources(
    probe: ProbeInfo, points: Sequence[Point], programs: Mapping[str, Program]
) -> Iterator[Quantity]:
    """`resource.<what>.<family>.<probe>`: the most that one of its kernels takes; no memory, no row."""
    usable = _inspected(points, programs)
    for what, fact, unit in _RESOURCES:
        taken = [(point, float(program.facts[fact])) for point, program in usable if fact in program.facts]
        most = max((amount for _, amount in taken), default=0.0)
        if not taken or (what != "registers" and not most):
            continue
        used = tuple(point for point, _ in taken)
        details = {
            "toolkit": str(usable[-1][1].facts.get("toolkit", "")),
            "settings": [point.settings.get(probe.variable, "") for point in used],
            what: [amount for _, amount in taken],
        }
        metric = f"resource.{what}.{probe.id.replace('/', '.')}"
        yield _quantity(metric, unit, probe, used, most, {"lengths": float(len(used))}, details)


FILLING = "gpu_execution"
"""The family that asks how full a multiprocessor gets; of the others the launch shape answers nothing."""
_FITS = {"threads": "threads", "shared": "shared_bytes", "blocks": "blocks_fit", "warps": "warps_fit"}
"""Curve of the occupancy -> fact of a point."""


def _occupancy(
    probe: ProbeInfo, points: Sequence[Point], programs: Mapping[str, Program]
) -> Iterator[Quantity]:
    """`occupancy.<family>.<probe>`: the least and the most over a sweep of the family `FILLING`."""
    usable = [one for one in _inspected(points, programs) if "occupancy" in one[0].facts]
    if not usable or probe.family != FILLING:
        return
    rows: dict[tuple[object, ...], tuple[Point, Program]] = {}
    for point, program in usable:
        # Programs that differ in what does not matter to what fits are one row.
        fits = tuple(point.facts.get(name, "") for name in ("threads", "shared_bytes", "blocks_fit"))
        rows.setdefault((point.settings.get(probe.variable, ""), *fits), (point, program))
    shares = [float(point.facts["occupancy"]) for point, _ in rows.values()]
    kept = list(rows.values()) if len(set(shares)) > 1 else [next(iter(rows.values()))]
    details = {
        "settings": [point.settings.get(probe.variable, "") for point, _ in kept],
        "registers": [program.facts.get("registers", 0) for _, program in kept],
        "share": [float(point.facts["occupancy"]) for point, _ in kept],
        "limited_by": [str(point.facts.get("limited_by", "")) for point, _ in kept],
        **{name: [point.facts.get(fact, 0) for point, _ in kept] for name, fact in _FITS.items()},
    }
    yield Quantity(
        metric=f"occupancy.{probe.id.replace('/', '.')}",
        unit="ratio",
        status=Status.OK,
        probe=probe.id,
        method=METHOD,
        low=min(shares),
        high=max(shares),
        points=tuple(point.id for point, _ in usable),
        details=details,
    )


def _quantity(
    metric: str,
    unit: str,
    probe: ProbeInfo,
    points: Sequence[Point],
    value: float,
    inputs: dict[str, float],
    details: dict[str, Any],
) -> Quantity:
    """A number read from code: its interval is itself, it has no samples."""
    return Quantity(
        metric=metric,
        unit=unit,
        status=Status.OK,
        probe=probe.id,
        method=METHOD,
        value=value,
        low=value,
        high=value,
        inputs=inputs,
        points=tuple(point.id for point in points),
        details=details,
    )


def _without(
    metric: str,
    unit: str,
    probe: ProbeInfo,
    points: Sequence[Point],
    status: Status,
    reason: str,
    details: dict[str, Any] | None = None,
) -> Quantity:
    return Quantity(
        metric=metric,
        unit=unit,
        status=status,
        probe=probe.id,
        method=METHOD,
        reason=reason,
        points=tuple(point.id for point in points),
        details=details or {},
    )
