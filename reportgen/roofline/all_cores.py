"""Roofs of all cores together, beside those of one core.

Bandwidth: the same kernel on every core at once.  Arithmetic: the rate that all cores hold for seconds, so
that a clock that sinks under load is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from reportgen.analysis.quantity import Quantity
from reportgen.roofline.roofs import COMPUTE, MEMORY, Roof
from reportgen.roofline.sheet import Ridge, Sheet
from reportgen.status import USABLE


class Pair(msgspec.Struct, frozen=True):
    """A roof of one core, and that of all of them."""

    one: Roof
    every: Roof

    @property
    def ratio(self) -> float:
        """All over one."""
        return self.every.value / self.one.value


def pairs(sheet: Sheet, quantities: Iterable[Quantity]) -> tuple[Pair, ...]:
    """Roofs of the sheet that were measured on all cores as well; none on a GPU, a whole device anyway."""
    if sheet.gpu:
        return ()
    known = {one.metric: one for one in quantities}
    wanted = (
        *((roof, f"{roof.metric}.sustained") for roof in sheet.compute),
        *((roof, f"{roof.metric}.all_cores") for roof in sheet.memory),
    )
    return tuple(
        Pair(roof, msgspec.structs.replace(roof, metric=metric, value=value, low=low, high=high))
        for roof, metric in wanted
        if (one := known.get(metric)) is not None
        and one.status in USABLE
        and (value := one.value)
        and (low := one.low)
        and (high := one.high)
    )


def together(sheet: Sheet, found: Iterable[Pair]) -> Sheet:
    """The sheet of all cores: their roofs and ridges, no kernels, since those were run on one."""
    roofs = [pair.every for pair in found]
    compute = tuple(roof for roof in roofs if roof.kind == COMPUTE)
    memory = tuple(roof for roof in roofs if roof.kind == MEMORY)
    return msgspec.structs.replace(
        sheet,
        compute=compute,
        memory=memory,
        ridges=tuple(_ridges(compute, memory)),
        nominal=(),
        points=(),
        absent=(),
        sweeps=(),
    )


def _ridges(compute: Iterable[Roof], memory: tuple[Roof, ...]) -> Iterator[Ridge]:
    for flat in compute:
        for slope in memory:
            yield Ridge(
                f"{flat.metric} / {slope.metric}",
                flat.name,
                slope.name,
                flat.value / slope.value,
                flat.low / slope.high,
                flat.high / slope.low,
            )
