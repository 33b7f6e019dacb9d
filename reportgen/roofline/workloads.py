"""Named workloads under the roofs of one device: counted, and what the roofs allow for them.

Nothing here was run.  Of the whole the bytes are an interval (each moved once, to each operation on its
own); of a module they are those of its operations on their own.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

import msgspec

from reportgen.roofline import across, layers
from reportgen.roofline.points import Point
from reportgen.roofline.sheet import Entry, Sheet, entries
from reportgen.workload.breakdown import Share
from reportgen.workload.count import Count
from reportgen.workload.export import as_json
from reportgen.workload.templates.named import NAMED, Named, counted

LEVEL = "dram"
DEPTH = 2
NARROW = ("bf16", "fp16")
"""Types of 16 bits; the first one whose peak was measured is taken for a workload that is run in one."""
DTYPES = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}

COLUMNS = (
    "workload", "precision", "module", "alike",
    "mac", "flop_total", "transcendental", "integer", "comparison",
    "bytes", "intensity", "bound", "limiter", "at_least", "at_most",
)  # fmt: skip


class Module(msgspec.Struct, frozen=True):
    """Modules of a workload that are alike: neighbours that do the same work and move as many bytes."""

    name: str
    """Of the first, or `first … last`."""
    alike: int
    share: Share
    """Of one of them."""
    entry: Entry | None
    """None for one that computes nothing."""


class Placed(msgspec.Struct, frozen=True):
    """A workload under the roofs."""

    named: Named
    precision: str
    count: Count
    whole: Entry
    modules: tuple[Module, ...]


def place(sheet: Sheet) -> tuple[Placed, ...]:
    """Every named workload whose precision has a measured peak here; none without a bandwidth."""
    roofs = across.subject(sheet).roofs
    if LEVEL not in roofs.memory:
        return ()
    narrow = next((name for name in NARROW if name in roofs.compute), "fp32")
    found = [
        (named, precision, counted(named.id, DTYPES[precision]))
        for named in NAMED
        if (precision := narrow if named.narrow else "fp32") in roofs.compute
    ]
    wholes = entries(
        [layers.whole(count, named.title, LEVEL, precision) for named, precision, count in found], roofs
    )
    return tuple(
        Placed(
            named,
            precision,
            count,
            whole,
            _modules(count, entries(layers.points(count, "", LEVEL, precision, DEPTH)[1:], roofs)),
        )
        for (named, precision, count), whole in zip(found, wholes, strict=True)
    )


def _modules(count: Count, placed: Sequence[Entry]) -> tuple[Module, ...]:
    by_name = {entry.point.name: entry for entry in placed}
    groups: list[list[tuple[str, Share]]] = []
    for name, share in count.by_module(DEPTH).items():
        if groups and _alike(groups[-1][-1], (name, share)):
            groups[-1].append((name, share))
        else:
            groups.append([(name, share)])
    return tuple(
        Module(
            group[0][0] if len(group) == 1 else f"{group[0][0]} … {group[-1][0]}",
            len(group),
            group[0][1],
            by_name.get(group[0][0]),
        )
        for group in groups
    )


def _alike(first: tuple[str, Share], second: tuple[str, Share]) -> bool:
    same_parent = first[0].rpartition(".")[0] == second[0].rpartition(".")[0]
    return same_parent and first[1] == second[1]


def sheet_of(sheet: Sheet, placed: Sequence[Placed]) -> Sheet:
    """The roofs with the workloads instead of the run's own kernels."""
    points = tuple(one.whole for one in placed)
    return msgspec.structs.replace(sheet.with_unit("FLOP"), points=points, absent=())


def to_csv(placed: Sequence[Placed]) -> bytes:
    """One row a workload and one a group of modules, in base units; an empty cell is "no value"."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for one in placed:
        for row in _rows(one):
            table.writerow("" if cell is None else cell for cell in row)
    return text.getvalue().encode()


def _rows(one: Placed) -> Iterator[tuple[object, ...]]:
    total = one.count.total
    yield _line(one, "", 1, total, one.whole.point, one.whole)
    for module in one.modules:
        point = module.entry.point if module.entry is not None else None
        yield _line(one, module.name, module.alike, module.share.work, point, module.entry,
                    module.share.bytes_unfused)  # fmt: skip


def _line(
    one: Placed, name: str, alike: int, work: object, point: Point | None, entry: Entry | None, moved: int = 0
) -> tuple[object, ...]:
    bound = entry.verdict.bound if entry is not None else None
    times = entry.predicted if entry is not None else None
    columns = (getattr(work, column) for column in COLUMNS[4:9])
    return (
        one.named.id,
        one.precision,
        name,
        alike,
        *columns,
        point.moved[LEVEL].least if point is not None else moved,
        point.intensity(LEVEL) if point is not None else None,
        bound.value if bound is not None else None,
        bound.limiter if bound is not None else None,
        times.at_least if times is not None else None,
        times.at_most if times is not None else None,
    )


def to_json(placed: Sequence[Placed]) -> bytes:
    """Of each workload all that `reportgen count --json` gives, and bounds and times of its modules."""
    record = [
        {
            "workload": one.named.id,
            "title": one.named.title,
            "size": one.named.size,
            "precision": one.precision,
            "count": as_json(one.count, DEPTH),
            "whole": one.whole,
            "modules": one.modules,
        }
        for one in placed
    ]
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"
