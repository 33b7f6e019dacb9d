"""What timed chains come to: values whose timing or power may not be those of others."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.backends.base import Source
from tests.simulated.ptx import formats
from tests.simulated.ptx.visits import Seen
from tests.unit.backends.cuda import suite

MUCH = 0.5
"""Share from which on it is told."""


def read(values: NDArray[Any], precision: str) -> NDArray[Any]:
    """Bits of accumulators as the numbers that they are; whole numbers where there is no precision."""
    if values.dtype.kind == "f":
        return values
    if precision == "fp16":
        return values.view(np.float16).astype(np.float32)
    if precision == "bf16":
        return formats.from_bf16(values.view(np.uint16))
    if precision == "fp32" and values.dtype.itemsize == 8:
        return values.view(np.float32)
    return values


def oddities(values: NDArray[Any]) -> list[str]:
    """What much of them are."""
    found = {"zero": values == 0}
    if values.dtype.kind == "f":
        found["not a number"] = np.isnan(values)
        found["infinite"] = np.isinf(values)
        tiny = np.finfo(values.dtype).tiny
        found["denormal"] = (values != 0) & (np.abs(values) < tiny)
    else:
        found["all ones"] = values == np.array(-1).astype(values.dtype)
    told = [f"{name} in {np.mean(where):.0%}" for name, where in found.items() if np.mean(where) >= MUCH]
    if not told and len(np.unique(values)) == 1 and len(values) > 1:
        told.append("the same in all lanes")
    return told


def of(source: Source, one: Seen) -> list[str]:
    """Oddities of a visit's accumulators."""
    if one.values is None:
        return []
    table = suite.table()
    names = [
        re.sub(r"_\d+$", "", key[5:]) if key[5:] not in table else key[5:]
        for key in source.expect
        if key[:5] == "want."
    ]
    operation = table.get(names[0]) if names else None
    precision = (operation.precision or "") if operation else ""
    told = oddities(
        read(one.values, precision if operation and operation.group in ("float", "half", "special") else "")
    )
    if one.still is not None and one.still >= MUCH:
        told.append(f"{one.still:.0%} of the writes change nothing")
    return told


def table(sources: dict[str, Source], seen: list[Seen]) -> None:
    """Prints what is odd."""
    print("\nAccumulators behind the window:")
    for one in seen:
        told = of(sources[one.point], one)
        if told:
            print(f"    {one.point}: {', '.join(told)}")
