"""Streams through the arrays of a level: what template, inspector and launcher need, and where a level is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.errors import Unsupported
from reportgen.runs.schema import Device
from reportgen.suite.definition import PlannedPoint, Probe

if TYPE_CHECKING:
    from reportgen.backends.cpu.generator import CpuGenerator, Parts

SLICE_BYTES = 512 << 10
"""Of each array, one repetition of a stream takes so much: tens of microseconds even from DRAM."""
UNTOLD_CACHE = 64 << 20
"""Where no third level is reported, a cache of the system may stand before memory all the same: 32 MiB beside
Neoverse-N1 cores, 8 to 48 MiB beside Apple's.  What shall lie in memory is at least four times this."""
ARITHMETIC = 64
"""Multiply-adds of a group from which on slices are shorter, the more the shorter: a repetition takes no
longer."""
_STREAMS = {
    "read": (1, 1),
    "write": (1, 1),
    "copy": (2, 2),
    "triad": (3, 3),
    "nt_write": (1, 1),
    "nt_copy": (2, 2),
}
"""Kernel -> arrays, and bytes counted per byte of one array."""


def inside(device: Device, level: str) -> int:
    """A working set well inside a level, from the sizes that the system reports.

    Raises:
        Unsupported: it reports none.
    """
    l1, l2, l3 = (int(device.reported.get(f"{name}_bytes", 0)) for name in ("l1d", "l2", "l3"))
    if level == "dram":
        last = l3 or (max(l2, UNTOLD_CACHE) if l2 else 0)
        if not last:
            raise Unsupported(
                "the system reports no last-level cache to be larger than; see the working-set sweep"
            )
        return min(4 * last, int(device.memory_bytes * 0.2), 1 << 30)
    size = {"l1": l1 // 2, "l2": max(l2 // 4, 2 * l1) if l2 else 0, "l3": 9 * l2 // 4 if l3 else 0}[level]
    if not size:
        raise Unsupported(f"the system reports no {level.upper()} size; see the working-set sweep")
    return size // 64 * 64


def stream(generator: CpuGenerator, _probe: Probe, point: PlannedPoint) -> Parts:
    """A kernel of the bandwidth probe over arrays of a stated size."""
    kernel = str(point.settings["kernel"])
    arrays, counted = _STREAMS[kernel]
    made = generator.assembly.stream(kernel, generator.device.features)
    size = int(point.settings["bytes"])
    each, part = sliced(size // arrays, made.step, SLICE_BYTES)
    cores = int(point.settings["cores"])
    if cores > generator.device.cores:
        raise Unsupported(f"{cores} cores wanted, {generator.device.cores} may be used")
    context = {
        "settings": point.settings,
        "kernel": kernel,
        "threads": 1 if cores > 1 else 0,
        **made.context,
    }
    setup: dict[str, int | float | str] = {
        "kind": "stream",
        "arrays": arrays,
        "array_bytes": each,
        "slice_bytes": part,
        **point.settings,
        "vector_bytes": made.vector_bytes,
    }
    return context, {"kind": "stream", **made.opcodes}, {"bytes": float(part * counted)}, setup


def sliced(size: int, step: int, most: int) -> tuple[int, int]:
    """Bytes of an array of about `size`, and of its slices of at most `most`: whole turns of `step`."""
    each = max(step, size // step * step)
    slices = -(-each // most)
    part = max(step, each // slices // step * step)
    return part * slices, part


def intensity_sweep(generator: CpuGenerator, _probe: Probe, point: PlannedPoint) -> Parts:
    """A stream from a level whose loads have multiply-adds between them."""
    wanted = int(point.settings["multiply_adds"])
    blend = generator.assembly.blend(wanted, generator.device.features)
    level = str(point.settings["level"])
    size = inside(generator.device, level)
    if level == "l3":  # three times the level before, whose end may be smeared up to twice its size
        size = size * 4 // 3
    each, part = sliced(size, blend.step, SLICE_BYTES // max(1, wanted // ARITHMETIC))
    expect = generator.expected([line for line in blend.body if not line.endswith(":")])
    turn = {"loaded": blend.step, "accumulators": blend.accumulators, "multiply_adds": blend.multiply_adds}
    context = {"settings": point.settings, "init": blend.init, "lines": blend.body, "save": blend.save}
    setup: dict[str, int | float | str] = {
        "kind": "stream",
        "arrays": 1,
        "array_bytes": each,
        "slice_bytes": part,
        "bytes": size,
        "cores": 1,
        "vector_bytes": blend.vector_bytes,
    }
    work = {"bytes": float(part), "flop": part * blend.flop_per_byte}
    return context, {"kind": "blend", **turn, **expect}, work, setup
