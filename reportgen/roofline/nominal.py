"""Nominal roofs beside the measured ones: what a driver or a vendor states, and the ratio to it.

Nothing is computed from a clock that was not stated.  Where nobody states a ceiling that means the same as
the measured one (one core of a CPU has no data sheet of its own), it is absent with that reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import msgspec

from reportgen.roofline.roofs import MEMORY, Absent, Roof, Roofs, called
from reportgen.runs.schema import Device

PEAK = re.compile(r"^(FP64|FP32|TF32|FP16|BF16|FP8|INT8) peak, nominal$")
"""Published quantity that is the nominal peak of the ordinary units."""


class Stated(msgspec.Struct, frozen=True):
    """A ceiling that somebody states for the whole device."""

    name: str
    """A precision or a level."""
    value: float
    source: str
    """Who states it, in words."""


class Nominal(msgspec.Struct, frozen=True):
    """A stated ceiling beside the measured roof of the same name."""

    name: str
    kind: str
    value: float
    unit: str
    source: str
    ratio: float
    """Measured over nominal; above 1 it is itself a finding."""


def reported(device: Device) -> tuple[Stated, ...]:
    """What the driver reports: `<level>_bytes_per_second`, `<precision>_flop_per_second`."""
    found = []
    for key, value in device.reported.items():
        name = re.fullmatch(r"(\w+?)_(?:bytes|flop|op)_per_second", key)
        if name is not None and isinstance(value, int | float) and value > 0:
            found.append(Stated(name.group(1), float(value), "the driver"))
    return tuple(found)


def published(figures: Iterable[tuple[str, str, float, str]]) -> tuple[Stated, ...]:
    """Nominal figures of the same product.

    Args:
        figures: metric id (or empty), quantity in words, value in base units, and source of each.
    """
    found = []
    for metric, quantity, value, source in figures:
        peak = PEAK.match(quantity)
        if metric.startswith(("bandwidth.", "peak.")):
            found.append(Stated(metric.split(".")[1], value, source))
        elif peak is not None:
            found.append(Stated(peak.group(1).lower(), value, source))
    return tuple(found)


def beside(roofs: Roofs, stated: Iterable[Stated]) -> tuple[tuple[Nominal, ...], tuple[Absent, ...]]:
    """The nominal roof of each measured one, the lowest that is stated; else why there is none."""
    lowest: dict[str, Stated] = {}
    for one in stated:
        if one.name not in lowest or one.value < lowest[one.name].value:
            lowest[one.name] = one
    found: list[Nominal] = []
    lacking: list[Roof] = []
    for roof in (*roofs.compute.values(), *roofs.memory.values()):
        given = lowest.get(roof.name)
        if given is None:
            lacking.append(roof)
        else:
            found.append(
                Nominal(roof.name, roof.kind, given.value, roof.unit, given.source, roof.value / given.value)
            )
    return tuple(found), tuple(_absent(lacking, roofs))


def _absent(lacking: Iterable[Roof], roofs: Roofs) -> Iterable[Absent]:
    """One line for levels and one for peaks: the reason is the same for all of a kind."""
    kinds: Mapping[bool, list[str]] = {True: [], False: []}
    for roof in lacking:
        kinds[roof.kind == MEMORY].append(called(roof.name))
    for memory, names in kinds.items():
        if not names:
            continue
        what = "bandwidth" if memory else "peak"
        where = "for this device" if roofs.gpu else "for one core of it"
        yield Absent(
            f"nominal {what}: {', '.join(names)}",
            f"neither the system nor a quoted data sheet states it {where}",
        )
