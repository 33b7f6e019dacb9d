"""`trace.config` of Accel-Sim (Khairy et al., ISCA 2020): latency and initiation interval of each unit.

Accel-Sim has one pair for each kind of unit, so an operation stands for its unit: the first of a list
that the run has a latency of.  Its other file, `gpgpusim.config`, is the export `gpgpu-sim`.
"""

from __future__ import annotations

from reportgen.model.architecture import Architecture
from reportgen.model.exports.gpu_options import Facts, head, option
from reportgen.model.exports.gpu_options import encode as joined

UNITS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("int", ("integer_add", "integer_logic", "integer_mad")),
    ("sp", ("fp32_fma", "fp32_add", "fp32_mul")),
    ("dp", ("fp64_fma", "fp64_add", "fp64_mul")),
    ("sfu", ("reciprocal", "reciprocal_sqrt", "exp2")),
    ("tensor", ("mma_m16n8k16_f16_f32", "mma_m16n8k8_f16_f32")),
)
"""Unit of the simulator -> operations that may stand for it."""


def encode(architecture: Architecture) -> bytes:
    """The configuration as UTF-8."""
    facts = Facts(architecture)
    lines = head(architecture, "trace.config of Accel-Sim: <latency>,<initiation interval>, cycles")
    for unit, operations in UNITS:
        stands = next((one for one in operations if facts.latency("", (one,)).fact), operations[0])
        lines += option(
            f"-trace_opcode_latency_initiation_{unit}",
            facts.latency(f"latency, {stands}", (stands,)),
            facts.initiation("initiation interval", (stands,)),
        )
        lines.append("")
    lines += ["# Specialised units (branches, textures, uniform data path) are not asked for by any probe."]
    return joined(lines)
