"""What a launch is made of: rates over warps of a block, bandwidth over blocks and vector width.

The shape that gave the best rate is part of the answer: another one gives less.
"""

from __future__ import annotations

import msgspec

from reportgen.analysis.bandwidth import without_level
from reportgen.analysis.evidence import Evidence, by_pass, numbers, passes_that_agree
from reportgen.analysis.gpu_best import best as best_of
from reportgen.analysis.hierarchy import Hierarchy
from reportgen.analysis.plateau import plateau
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Visits
from reportgen.analysis.telling import too_wide
from reportgen.runs.schema import Point
from reportgen.status import Status
from reportgen.units import format_bytes

METHOD = "bandwidth"
UNIT = "byte/second"
PER_CYCLE = "byte_per_cycle"
"""Detail of a rate: bytes a cycle of each multiprocessor that took part."""
SHAPE = ("width", "blocks", "bytes")
FIRST = "l1"
ONE = "one_multiprocessor"
"""Ends metrics of a launch of one block, which has one multiprocessor and no other."""
BESIDE = 16.0
"""One multiprocessor goes through its bytes again and again, and a first level that does not replace what is
oldest still holds some of them.  Of so many times its size it serves a sixteenth at most."""
MAIN_PATHS = ("ca", "plain", "cg")
"""Paths by which levels are named, the first that was asked for; others have metrics of their own."""


def has_shape(evidence: Evidence) -> bool:
    """Whether a bandwidth probe was asked for launches, not for cores."""
    return any({"blocks", "blocks_each"} & point.settings.keys() for point in evidence.points)


def launch_bandwidth(evidence: Evidence, hierarchy: Hierarchy) -> list[Quantity]:
    """`<metric>.<level>.<kernel>`: the best launch of each kernel in each level.

    `.one_multiprocessor` behind it: the best one of a single block.

    Points have settings `kernel`, `width`, `blocks`, `bytes` (of one array), work `bytes`; those of the first
    cache `blocks_each` (of a multiprocessor) and `block_bytes` in place of the last two.
    """
    stem = evidence.probe.metric
    groups: dict[tuple[str, str], list[Point]] = {}
    refused: dict[str, str] = {}
    usable = [point for point in evidence.usable() if point.work.get("bytes", 0) > 0]
    for point in usable:
        kernel = str(point.settings.get("kernel", ""))
        level, why = _level(point, hierarchy)
        if level:
            groups.setdefault((level, kernel), []).append(point)
        else:
            refused[kernel] = why
    if not groups:
        metric = without_level(evidence)
        if refused:
            reason = next(iter(refused.values()))
            return [evidence.without_value(metric, UNIT, METHOD, status=Status.INVALID, reason=reason)]
        return [evidence.without_value(metric, UNIT, METHOD)]
    result = []
    for (level, kernel), points in groups.items():
        result.append(_best(evidence, f"{stem}.{level}.{kernel}", points))
        alone = [point for point in points if int(point.settings.get("blocks", 0)) == 1]
        if alone and len(alone) < len(points):
            passing = _past_the_first(alone, hierarchy)
            result.append(_best(evidence, f"{stem}.{level}.{kernel}.{ONE}", passing))
    return result


def _past_the_first(alone: list[Point], hierarchy: Hierarchy) -> list[Point]:
    """Of launches of one block those over so many bytes that its first level hardly helps; else all."""
    if FIRST not in hierarchy.ends:
        return alone
    least = BESIDE * hierarchy.ends[FIRST].high
    return [point for point in alone if _bytes(point) >= least] or alone


def _bytes(point: Point) -> float:
    """Of all arrays together."""
    return float(point.facts.get("bytes_actual", point.settings["bytes"]))


def _best(evidence: Evidence, metric: str, points: list[Point]) -> Quantity:
    rates = [_rates(evidence, point) for point in points]
    at, interval = best_of(rates, evidence.systematic)
    best = points[at]
    details: dict[str, object] = dict(zip(SHAPE, _shape(best), strict=True))
    details |= {
        "kernel": str(best.settings.get("kernel", "")),
        PER_CYCLE: _per_cycle(evidence, best, rates[at].value, metric.endswith(ONE)),
        "shapes": [" x ".join(str(value) for value in _shape(point)) for point in points],
        "rates": numbers([one.value for one in rates]),
    }
    if wide := too_wide(interval, UNIT):
        return evidence.narrowed([best]).without_value(
            metric, UNIT, METHOD, status=Status.UNSTABLE, reason=wide, details=details
        )
    passes = passes_that_agree(by_pass([rates[at]]), interval)
    return evidence.quantity(metric, UNIT, METHOD, interval, [best], passes=passes, details=details)


def _per_cycle(evidence: Evidence, point: Point, rate: float, one: bool) -> float:
    """Bytes a cycle of each multiprocessor, at the clock of the samples themselves."""
    clock = evidence.cycles(point).value / evidence.seconds(point).value
    return rate / clock / (1 if one else max(1, evidence.run.device.cores))


def _level(point: Point, hierarchy: Hierarchy) -> tuple[str, str]:
    """The level that serves a point, or why it cannot be told.

    Where every block keeps to a part of its own, that of all blocks of a multiprocessor has to fit into the
    first cache.
    """
    if "blocks_each" not in point.settings:
        return hierarchy.level_of(_bytes(point))
    size = float(point.settings["block_bytes"]) * float(point.settings["blocks_each"])
    if FIRST not in hierarchy.ends:
        return "", "No end of a first cache was found in this run."
    if hierarchy.level_of(size)[0] == FIRST:
        return FIRST, ""
    return "", (
        f"A multiprocessor reads {format_bytes(size)}, more than surely fits into its first cache "
        f"({format_bytes(hierarchy.ends[FIRST].low)})."
    )


def _shape(point: Point) -> tuple[object, ...]:
    """As the point was set, or as it was launched."""
    launched = {"blocks": "blocks", "bytes": "bytes_actual"}
    return tuple(point.settings.get(name, point.facts.get(launched.get(name, ""), "")) for name in SHAPE)


def _rates(evidence: Evidence, point: Point) -> Visits:
    seconds = evidence.seconds(point)
    return Visits(point.work["bytes"] / seconds.centres, seconds.counts, seconds.ids)


def warps(evidence: Evidence) -> list[Quantity]:
    """`<metric>.<operation>.<accumulators>`: rate of a multiprocessor over its warps, plateau and knee."""
    probe = evidence.probe
    keys = dict.fromkeys(_key(point) for point in evidence.points)
    result = []
    for key in keys:
        name = ".".join(part for part in key if part)
        named = msgspec.structs.replace(probe, metric=f"{probe.metric}.{name}" if name else probe.metric)
        points = tuple(point for point in evidence.points if _key(point) == key)
        own = Evidence(evidence.run, named, points, evidence.timings, evidence.systematic)
        result.append(plateau(own)[0])
    return result


def _key(point: Point) -> tuple[str, ...]:
    """What else than warps and blocks a point is set to."""
    names = ("operation", "accumulators", "dynamic_bytes")
    return tuple(str(point.settings[name]) for name in names if name in point.settings)


def by_path(evidence: Evidence) -> list[tuple[str, Evidence]]:
    """(path, evidence) for every path to memory (setting `path`), the main one first and without a name."""
    paths = list(dict.fromkeys(str(point.settings.get("path", "")) for point in evidence.points))
    if paths == [""]:
        return [("", evidence)]
    paths.sort(key=lambda path: MAIN_PATHS.index(path) if path in MAIN_PATHS else len(MAIN_PATHS))
    return [
        (
            path if path != paths[0] else "",
            evidence.narrowed(point for point in evidence.points if point.settings.get("path") == path),
        )
        for path in paths
    ]


def of_path(path: str, quantities: list[Quantity]) -> list[Quantity]:
    """Metrics of a path: `memory.cg.l1.latency`, whose `l1` is the first level that this path meets.

    Levels that it does not meet are left out: nothing says how many there should be.
    """
    if not path:
        return quantities
    met = [one for one in quantities if one.status is not Status.UNSUPPORTED] or quantities
    return [msgspec.structs.replace(one, metric=one.metric.replace(".", f".{path}.", 1)) for one in met]
