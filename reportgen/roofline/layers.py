"""A counted model as points without a time: the whole of it, and each of its modules.

Of the whole the bytes are an interval, from each input, weight and output once to each operation on its
own; of a module they are those of its operations on their own, since what its neighbours keep in a cache is
not its own doing.
"""

from __future__ import annotations

from reportgen.roofline.points import INTEGER, Point, Source, Workload, from_workload, type_of
from reportgen.roofline.roofs import FLOP, OP
from reportgen.workload.count import Count

PRECISIONS = {
    "float64": "fp64",
    "float32": "fp32",
    "float16": "fp16",
    "bfloat16": "bf16",
    "int8": "int8",
    "int4": "int8",
}
"""Type of the products, as models name it -> the peak that they are under; a 4-bit weight is multiplied as
8 bits where there is no narrower unit."""


def main_precision(count: Count) -> str:
    """The precision of most of the products; `fp32` for a graph without any of a known type."""
    most = max(count.by_precision.items(), key=lambda item: item[1].mac, default=("", None))[0]
    kind = most if most in PRECISIONS else "float32"
    return PRECISIONS[kind]


def whole(count: Count, name: str, level: str, precision: str) -> Point:
    """All of what was counted, from each byte moved once to each operation on its own."""
    return from_workload(_whole(count, name, level, precision))


def _whole(count: Count, name: str, level: str, precision: str) -> Workload:
    traffic = count.traffic
    return Workload(
        name,
        float(count.total.flop_total),
        {level: float(traffic.compulsory)},
        precision,
        Source.COMPULSORY,
        {level: float(max(traffic.unfused, traffic.compulsory))},
        OP if type_of(precision) in INTEGER else FLOP,
    )


def points(count: Count, name: str, level: str, precision: str = "", depth: int = 1) -> tuple[Point, ...]:
    """The whole model first, then its modules in the order of the graph, those that compute something.

    Args:
        count: of the model.
        name: what to call the whole.
        level: memory level from which everything is taken to come.
        precision: the peak; that of most of the products where empty.
        depth: of module paths.
    """
    precision = precision or main_precision(count)
    unit = OP if type_of(precision) in INTEGER else FLOP
    modules = [
        Workload(module, float(share.work.flop_total), {level: float(share.bytes_unfused)}, precision,
                 Source.COUNTED, unit=unit)
        for module, share in count.by_module(depth).items()
        if share.work.flop_total > 0 and share.bytes_unfused > 0
    ]  # fmt: skip
    placed = [
        one
        for one in (_whole(count, f"{name} (all)", level, precision), *modules)
        if one.flop > 0 and all(one.bytes.values())
    ]
    return tuple(from_workload(one) for one in placed)
