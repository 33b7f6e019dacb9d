"""From definitions to probes (one an operation) and from probes to points (one a setting)."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

from reportgen.runs.schema import Device, ProbeInfo
from reportgen.suite.definition import Definition, Operation, PlannedPoint, Probe
from reportgen.suite.isa import asked, localised, table_of
from reportgen.suite.load import Suite
from reportgen.units import parse_size

MEMORY_SHARE = 0.2
"""No buffer asks for more than this share of the memory that may be used."""
LARGEST_BUFFER = 1 << 30
ALL_PAIRS = 8
"""Cores up to which every pair is asked, both ways."""
MOST_PAIRS = 96
"""Pairs of more cores, about; each costs a point for every number of rounds."""
DEFAULT_LLC = 32 << 20
"""Assumed where neither the operating system nor the processor reports a last-level cache."""


def probes(suite: Suite, isa: str) -> list[Probe]:
    """Every probe of the suite as it is asked on `isa`, in suite order."""
    table = suite.tables.get(table_of(isa), {})
    definitions = {name: localised(general, isa) for name, general in suite.definitions.items()}
    asking = Counter((name.partition("/")[0], each.group) for name, each in definitions.items())
    found: list[Probe] = []
    for name, definition in definitions.items():
        family = name.partition("/")[0]
        if definition.group and not asked(definition, isa):
            continue  # the class is asked by another definition there
        chosen = definition.operations
        if definition.group:
            chosen = tuple(op for op, row in table.items() if _belongs(row, definition))
        if not definition.group and not (chosen and "{operation}" in definition.metric):
            found.append(_probe(name, family, definition, chosen, "", definition.title or name))
            continue
        # most classes are asked by one definition of a family; operations by name may be by several
        alone = definition.group and asking[family, definition.group] == 1
        stem = f"{family}/" if alone else f"{name}_"
        for operation in chosen:
            title = table[operation].title if operation in table else operation.replace("_", " ")
            found.append(_probe(f"{stem}{operation}", family, definition, (operation,), operation, title))
    return found


def _belongs(row: Operation, definition: Definition) -> bool:
    form = row.latency if definition.analysis == "slope" else row.throughput
    return row.group == definition.group and bool(form or row.form) and form != "-"


def _probe(
    name: str, family: str, definition: Definition, operations: tuple[str, ...], operation: str, title: str
) -> Probe:
    def fill(text: str) -> str:
        return text.replace("{operation}", operation).replace("{title}", title)

    return Probe(
        id=name,
        family=family,
        definition=definition,
        question=fill(definition.question),
        hypothesis=fill(definition.hypothesis),
        title=title,
        metric=fill(definition.metric),
        operations=operations,
    )


def points(
    probe: Probe, device: Device, operations: dict[str, Operation], quick: bool = False
) -> list[PlannedPoint]:
    """The grid of the probe's settings on `device`.

    Sizes are clipped to its memory, accumulators to what the operation's encoding can name.
    """
    definition = probe.definition
    settings = dict(definition.settings)
    if quick:
        settings |= definition.quick
    if definition.classes or definition.pairs:
        rows = [dict(zip(("first", "second"), pair, strict=True)) for pair in _pairs(definition)]
    else:
        rows = [{}]
    axes = {name: _values(value, device) for name, value in settings.items()}
    if not asked(definition, device.isa):  # one point is enough to say so
        rows, axes = rows[:1], {name: values[:1] for name, values in axes.items()}
    if definition.widest:
        axes["operation"] = _widest(axes["operation"], device, operations)
    most = {name: operations[name].most for name in probe.operations if name in operations}
    if "accumulators" in axes and "operation" not in axes:
        fewest = min(most.values(), default=16)
        axes["accumulators"] = [count for count in axes["accumulators"] if int(count) <= fewest]
    planned = []
    for row in rows:
        for values in itertools.product(*axes.values()):
            chosen: dict[str, Any] = {**row, **dict(zip(axes, values, strict=True))}
            if any(one.items() <= chosen.items() for one in definition.left_out):
                continue
            if not chosen.get("second", "-") and "order" in axes and chosen["order"] != axes["order"][0]:
                continue  # one operation alone has no arrangement
            if int(chosen.get("accumulators", 0)) > most.get(chosen.get("operation", ""), math.inf):
                continue
            label = ",".join(f"{key}={value}" for key, value in chosen.items())
            planned.append(PlannedPoint(f"{probe.id}#{label}", probe.id, chosen))
    return planned


def _widest(
    names: list[int | float | str], device: Device, operations: dict[str, Operation]
) -> list[int | float | str]:
    """The last operation whose features the device has; the first, which says what is missing, if none."""
    having = [
        name
        for name in names
        if str(name) in operations and set(operations[str(name)].features) <= set(device.features)
    ]
    return having[-1:] or names[:1]


def _pairs(definition: Definition) -> list[tuple[str, str]]:
    pairs = list(definition.pairs) or list(itertools.combinations_with_replacement(definition.classes, 2))
    alone = dict.fromkeys(name for pair in pairs for name in pair)
    return [(name, "") for name in alone] + pairs


def _values(value: Any, device: Device) -> list[int | float | str]:
    if value == "1..all":
        return sorted({1, *(2**i for i in range(1, 12) if 2**i < device.cores), device.cores})
    if value == "pairs":
        return list(pairs_of_cores(device.cores))
    if isinstance(value, list):
        return value
    step = parse_size(str(value.get("step", "64")))
    low, high = _size(str(value["low"]), device), _size(str(value["high"]), device)
    return list(spread(low, high, int(value.get("per_octave", 4)), step))


def pairs_of_cores(cores: int) -> tuple[str, ...]:
    """Pairs of cores, `2-5` being the third and the sixth of those that may be used.

    Up to `ALL_PAIRS` cores every pair, both ways.  Of more, about `MOST_PAIRS` in all: each core first with
    some others, its neighbour, the one half of all further on, then those at other powers of two, taken in
    turn from core to core, so that groups of any size show.  One core alone is asked for the pair that it
    has not.
    """
    if cores <= ALL_PAIRS:
        both = itertools.permutations(range(max(cores, 2)), 2)
        return tuple(f"{first}-{second}" for first, second in both)
    steps = [1, cores // 2, *(1 << at for at in range(1, (cores - 1).bit_length()) if 2 << at < cores)]
    each = max(1, min(MOST_PAIRS // cores, len(steps)))
    found = (
        (first, (first + steps[(first * each + at) % len(steps)]) % cores)
        for first in range(cores)
        for at in range(each)
    )
    return tuple(dict.fromkeys(f"{first}-{second}" for first, second in found))


def pair_of(text: str) -> tuple[int, int]:
    """`2-5` -> 2, 5."""
    first, _, second = text.partition("-")
    return int(first), int(second)


def spread(low: int, high: int, per_octave: int, step: int) -> list[int]:
    """Sizes from `low` to `high`, evenly apart on a logarithmic scale, rounded to multiples of `step`."""
    count = max(1, round(math.log2(high / low) * per_octave))
    sizes = (low * (high / low) ** (i / count) for i in range(count + 1))
    return sorted({max(step, round(size / step) * step) for size in sizes})


def _size(text: str, device: Device) -> int:
    if not text.endswith("*llc"):
        return parse_size(text)
    cache = 0
    for name in ("l3_bytes", "l2_bytes"):
        cache = cache or int(device.reported.get(name, 0))
    wanted = int(float(text.removesuffix("*llc")) * (cache or DEFAULT_LLC))
    memory = int(device.memory_bytes * MEMORY_SHARE) or LARGEST_BUFFER
    return min(wanted, memory, LARGEST_BUFFER)


def info(probe: Probe, operations: dict[str, Operation]) -> ProbeInfo:
    """The probe as it is frozen into the run, with what its analysis must know."""
    constants: dict[str, Any] = dict(probe.definition.constants)
    rows = {name: operations[name] for name in probe.operations if name in operations}
    if len(probe.operations) == 1 and rows:
        row = rows[probe.operations[0]]
        form = row.latency if probe.definition.analysis == "slope" else row.throughput
        constants |= {
            "companions": list(row.companions),
            "repeat": row.repeat,
            "flop": row.flop,
            "op": row.op,
            "precision": row.precision,
            "trivial": row.trivial,
            "values": row.values,
            "note": row.note,
            "form": form or row.form,
            "group": row.group,
        }
    elif rows:
        constants |= {
            "flop": {name: row.flop for name, row in rows.items()},
            "op": {name: row.op for name, row in rows.items()},
        }
    return ProbeInfo(
        id=probe.id,
        family=probe.family,
        question=probe.question,
        hypothesis=probe.hypothesis,
        variable=probe.definition.variable,
        analysis=probe.definition.analysis,
        metric=probe.metric,
        unit=probe.definition.unit,
        title=probe.title,
        operation=probe.operations[0] if len(probe.operations) == 1 else "",
        constants=constants,
    )
