"""`gpgpusim.config` of GPGPU-Sim 4 (Bakhoda et al., ISPASS 2009): latencies and geometry that a run knows.

A part of a configuration, to be put over one of the simulator's own: what a run does not know is left there.
Latencies of the levels are differences, as the simulator adds its parts: L2 beyond L1, memory beyond L2.
"""

from __future__ import annotations

import re

from reportgen.model.architecture import Architecture
from reportgen.model.exports.gpu_options import Facts, Part, head, option, setting
from reportgen.model.exports.gpu_options import encode as joined
from reportgen.units import significant

CLASSES: tuple[tuple[str, str, tuple[tuple[str, tuple[str, ...]], ...]], ...] = (
    (
        "int",
        "int",
        (
            ("ADD", ("integer_add",)),
            ("MAX", ("integer_min", "integer_max_3")),
            ("MUL", ("integer_mul",)),
            ("MAD", ("integer_mad",)),
            ("DIV", ()),
        ),
    ),
    (
        "fp",
        "fp",
        (
            ("ADD", ("fp32_add",)),
            ("MAX", ("fp32_min",)),
            ("MUL", ("fp32_mul",)),
            ("MAD", ("fp32_fma",)),
            ("DIV", ()),
        ),
    ),
    (
        "dp",
        "dp",
        (
            ("ADD", ("fp64_add",)),
            ("MAX", ()),
            ("MUL", ("fp64_mul",)),
            ("MAD", ("fp64_fma",)),
            ("DIV", ()),
        ),
    ),
    ("sfu", "sfu", (("special function", ("reciprocal", "reciprocal_sqrt", "exp2")),)),
    ("tesnor", "tensor", (("matrix", ("mma_m16n8k16_f16_f32", "mma_m16n8k8_f16_f32")),)),
)
"""Name in the latency option (`tesnor` is how the simulator spells it), in that of initiation, operations."""

CAPABILITY = re.compile(r"sm_(\d+)(\d)[a-z]?")


def encode(architecture: Architecture) -> bytes:
    """The configuration as UTF-8."""
    facts = Facts(architecture)
    lines = head(architecture, "part of a gpgpusim.config: what no probe asks for is left to your own")
    match = CAPABILITY.fullmatch(architecture.isa)
    if match is not None:
        lines += [
            "# compute capability: nominal, by the name of the target",
            f"-gpgpu_compute_capability_major {match.group(1)}",
            f"-gpgpu_compute_capability_minor {match.group(2)}",
            "",
        ]
    lines += [
        "# Latencies and initiation intervals, cycles. Division is a routine of several instructions.",
        "",
    ]
    for latency, initiation, operations in CLASSES:
        cycles = [facts.latency(what, some) for what, some in operations]
        intervals = [facts.initiation(what, some) for what, some in operations]
        lines += [*option(f"-ptx_opcode_latency_{latency}", *cycles), ""]
        lines += [*option(f"-ptx_opcode_initiation_{initiation}", *intervals), ""]
    lines += _memory(facts)
    return joined(lines)


def _memory(facts: Facts) -> list[str]:
    """Latencies of the levels, shared memory, and as much of the caches' geometry as is known."""
    levels = (("L1", "l1"), ("L2", "l2"), ("memory", "dram"))
    first, second, memory = (
        Part(f"load from {title}", facts.first(f"memory.{name}.latency")) for title, name in levels
    )
    shared = facts.first(
        "latency.shared_load", "execution.shared_bank_strides.latency", "memory.shared.l1.latency"
    )
    banks = facts.first("execution.shared_bank_strides.banks")
    return [
        *option("-gpgpu_l1_latency", first),
        "",
        *option("-gpgpu_smem_latency", Part("load from shared memory", shared)),
        "",
        *option("-gpgpu_shmem_num_banks", Part("banks of shared memory", banks)),
        "",
        *_beyond("-gpgpu_l2_rop_latency", second, first),
        "",
        *_beyond("-dram_latency", memory, second),
        "",
        "# Caches: <kind>:<sets>:<line>:<ways>,<policies>,<miss registers>,<queue>; N lines, S sectors.",
        *_geometry(facts, "dl1", "l1", "ca"),
        "",
        *_geometry(facts, "dl2", "l2", "cg"),
    ]


def _beyond(name: str, outer: Part, inner: Part) -> list[str]:
    """An option that is the difference of two latencies."""
    far, near = (part.fact.value if part.fact is not None else None for part in (outer, inner))
    difference = str(max(1, round(far - near))) if far is not None and near is not None else "?"
    return [outer.note, inner.note, setting(name, difference)]


def _geometry(facts: Facts, cache: str, level: str, path: str) -> list[str]:
    """Kind, sets, line and ways of a cache, always as a comment: a run never knows all of the option.

    The line is that of the first level; a miss that brings less than a line makes a cache one of sectors.
    Where a second load is served with the first no farther than one miss reaches, that distance is the sector
    and tells nothing of the line.
    """
    size, sector = facts.first(f"memory.{level}.capacity"), facts.first(f"memory.sector.{path}")
    line = facts.first("memory.line") if level == "l1" else None
    if sector and line and sector.value == line.value:
        line = None
    ways = facts.first(f"memory.{level}.associativity")
    sets = kind = "?"
    if size and line and ways and size.value and line.value and ways.value:
        sets = significant(size.value / line.value / ways.value)
    if sector and line and sector.value and line.value:
        kind = "S" if sector.value < line.value else "N"
    parts = {
        name: Part(name, fact)
        for name, fact in (("capacity", size), ("sector", sector), ("line", line), ("ways", ways))
    }
    known = f"{kind}:{sets}:{parts['line'].whole}:{parts['ways'].whole}"
    return [*(part.note for part in parts.values()), f"# -gpgpu_cache:{cache} {known},?,?,?"]
