"""`gpgpusim.config` of GPGPU-Sim 4 (Bakhoda et al., ISPASS 2009): latencies and geometry that a run knows.

A part of a configuration, to be put over one of the simulator's own: what a run does not know is left there.
Latencies of the levels are differences, as the simulator adds its parts: L2 beyond L1, memory beyond L2.
"""

from __future__ import annotations

import re

from reportgen.model.architecture import Architecture, Fact
from reportgen.model.exports.gpu_options import (
    INITIATION,
    LATENCY,
    Facts,
    head,
    notes,
    option,
    setting,
    whole,
)
from reportgen.model.exports.gpu_options import (
    encode as joined,
)
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
        for name, metrics in ((f"latency_{latency}", LATENCY), (f"initiation_{initiation}", INITIATION)):
            parts = [(what, facts.of(metrics, some)) for what, some in operations]
            lines += [*option(f"-ptx_opcode_{name}", parts), ""]
    lines += _memory(facts)
    return joined(lines)


def _memory(facts: Facts) -> list[str]:
    """Latencies of the levels, shared memory, and as much of the caches' geometry as is known."""
    first, second, memory = (facts.first(f"memory.{name}.latency") for name in ("l1", "l2", "dram"))
    shared = facts.first("latency.shared_load", "execution.shared_bank_strides.latency")
    banks = facts.first("execution.shared_bank_strides.banks")
    return [
        *option("-gpgpu_l1_latency", [("load from L1", first)]),
        "",
        *option("-gpgpu_smem_latency", [("load from shared memory", shared)]),
        "",
        *option("-gpgpu_shmem_num_banks", [("banks of shared memory", banks)]),
        "",
        *_beyond("-gpgpu_l2_rop_latency", ("load from L2", second), ("load from L1", first)),
        "",
        *_beyond("-dram_latency", ("load from memory", memory), ("load from L2", second)),
        "",
        "# Caches: <sets>:<line>:<ways>,<policies>,<miss registers>,<queue>; only the first part is known.",
        *_geometry(facts, "dl1", "l1"),
        "",
        *_geometry(facts, "dl2", "l2"),
    ]


def _beyond(name: str, outer: tuple[str, Fact | None], inner: tuple[str, Fact | None]) -> list[str]:
    """An option that is the difference of two latencies."""
    far, near = (fact.value if fact is not None else None for _, fact in (outer, inner))
    difference = str(max(1, round(far - near))) if far is not None and near is not None else "?"
    return [*notes((outer, inner)), setting(name, difference)]


def _geometry(facts: Facts, cache: str, level: str) -> list[str]:
    """Sets, line and ways of a cache, always as a comment: a run never knows all of the option."""
    size, line = facts.first(f"memory.{level}.capacity"), facts.first("memory.line")
    ways = facts.first(f"memory.{level}.associativity")
    sets = "?"
    if size and line and ways and size.value and line.value and ways.value:
        sets = significant(size.value / line.value / ways.value)
    parts = (("capacity", size), ("line", line), ("ways", ways))
    return [*notes(parts), f"# -gpgpu_cache:{cache} {sets}:{whole(line)}:{whole(ways)},?,?,?"]
