"""The estimate of a SASS loop: one warp alone, and as many warps as a scheduler holds.

Latencies and issue intervals are those that were measured, else those that the vendor's assembler encodes;
the estimate says which.  A warp takes at least the time of its dependencies; a scheduler issues for one warp
at a time, so that `warps` of them take at least the sum of their issue intervals.  Memory is not modelled
beyond the latency of a load where that is known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.model.architecture import Architecture
from reportgen.model.cost import graph
from reportgen.model.cost.instruction import Instruction
from reportgen.model.cost.latency import Span
from reportgen.status import USABLE

SCHEDULERS = 4
"""Of a multiprocessor, each with units of its own, from compute capability 7.0 on (CUDA C++ Programming
Guide, "Compute Capabilities").  A measured rate is that of a multiprocessor."""

LANE_REGISTERS = 512
"""32-bit registers that a scheduler has for each of its 32 lanes (64 K a multiprocessor, four schedulers)."""

UNTOLD = 40.0
"""Cycles of an instruction whose latency nothing tells, at the upper end: a load from shared memory or a
special function takes 20 to 40; one from global memory more, which no bound here speaks of."""

ROWS: tuple[tuple[str, str], ...] = (
    (r"FADD.*", "fp32_add"),
    (r"FMUL.*", "fp32_mul"),
    (r"FFMA.*", "fp32_fma"),
    (r"FMNMX.*|FSETP.*", "fp32_min"),
    (r"FSEL.*", "fp32_select"),
    (r"DADD.*", "fp64_add"),
    (r"DMUL.*", "fp64_mul"),
    (r"DFMA.*", "fp64_fma"),
    (r"HADD2.*", "fp16_add"),
    (r"HMUL2.*", "fp16_mul"),
    (r"HFMA2.*", "fp16_fma"),
    (r"IMAD\.WIDE.*", "integer_mul_wide"),
    (r"IMAD\.HI.*", "integer_mul_high"),
    (r"IMAD.*", "integer_mad"),
    (r"IADD3.*|IADD.*|MOV.*|CS2R.*|S2R.*", "integer_add"),
    (r"LOP3.*|PLOP3.*", "integer_logic"),
    (r"SHF.*", "integer_shift"),
    (r"LEA.*", "integer_shift_add"),
    (r"SEL.*", "integer_select"),
    (r"ISETP.*|IMNMX.*|VIMNMX.*", "integer_min"),
    (r"PRMT.*", "integer_permute"),
    (r"POPC.*", "popcnt"),
    (r"FLO.*", "find_leading_one"),
    (r"BREV.*", "bit_reverse"),
    (r"MUFU\.EX2.*", "exp2"),
    (r"MUFU\.LG2.*", "log2"),
    (r"MUFU\.SIN.*", "sin"),
    (r"MUFU\.COS.*", "cos"),
    (r"MUFU\.RCP.*", "reciprocal"),
    (r"MUFU\.RSQ.*", "reciprocal_sqrt"),
    (r"MUFU\.SQRT.*", "sqrt"),
    (r"MUFU\.TANH.*", "tanh"),
    (r"F2I.*F64.*", "convert_fp64_int32"),
    (r"F2I.*", "convert_fp32_int32"),
    (r"I2F.*F64.*", "convert_int32_fp64"),
    (r"I2F.*|I2FP.*", "convert_int32_fp32"),
    (r"F2F\.F64\.F32.*", "convert_fp32_fp64"),
    (r"F2F\.F32\.F64.*", "convert_fp64_fp32"),
    (r"F2FP.*F16.*", "convert_fp32_fp16"),
    (r"F2FP.*BF16.*", "convert_fp32_bf16"),
    (r"LDSM.*", "matrix_load"),
    (r"LDS.*", "shared_load"),
    (r"LDC.*|ULDC.*", "constant_load"),
    (r"LDL.*", "local_load"),
    (r"LDG.*|LD\b.*", "global_load"),
    (r"STS.*", "shared_store"),
    (r"STG.*|ST\b.*", "global_store"),
    (r"SHFL.*", "shuffle_butterfly"),
    (r"VOTE.*", "vote"),
    (r"HMMA\.16816\.F32\.BF16.*", "mma_m16n8k16_bf16_f32"),
    (r"HMMA\.16816\.F32.*", "mma_m16n8k16_f16_f32"),
    (r"HMMA\.16816\.F16.*", "mma_m16n8k16_f16_f16"),
    (r"HMMA\.1688\.F32\.TF32.*", "mma_m16n8k8_tf32_f32"),
    (r"IMMA\.16832.*", "mma_m16n8k32_s8_s32"),
    (r"DMMA.*", "mma_m8n8k4_f64_f64"),
)
"""Opcode with its modifiers -> operation."""
FREE = re.compile(r"(BRA|EXIT|NOP|BSSY|BSYNC|WARPSYNC|DEPBAR|YIELD|JMP)\b.*")
"""They take an issue slot and nothing else that is known."""
CONVERSION = re.compile(r"convert_\w+")


@dataclass(frozen=True, slots=True)
class Warp:
    """What a round of one warp asks for."""

    dependencies: Span
    chain: tuple[Instruction, ...]
    issue: float
    """Cycles of the scheduler."""
    conversions: float
    """Of those, for conversions."""
    counts: dict[str, float]
    unknown: tuple[str, ...]
    number_unknown: int
    encoded: bool
    """Whether some of the numbers are those of the assembler."""


def operation(opcode: str) -> str | None:
    """The operation that an opcode stands for; empty for one that only takes a slot; None if not known."""
    if FREE.fullmatch(opcode):
        return ""
    return next((name for pattern, name in ROWS if re.fullmatch(pattern, opcode)), None)


def warp(body: Sequence[Instruction], architecture: Architecture) -> Warp:
    """A round of one warp."""
    known = {fact.metric: fact.value for fact in architecture.facts if fact.status in USABLE}
    encoded = False

    def number(*metrics: str) -> float | None:
        nonlocal encoded
        for metric in metrics:
            if known.get(metric) is not None:
                encoded |= metric.startswith("encoded.")
                return known[metric]
        return None

    names = [operation(one.mnemonic) for one in body]
    latency: dict[Instruction, float | None] = {}
    issue = conversions = 0.0
    counts: Counter[str] = Counter()
    unknown: list[str] = []
    for one, name in zip(body, names, strict=True):
        if not name:
            issue += 1.0
            latency[one] = 0.0
            unknown += [one.text] if name is None else []
            continue
        interval = number(f"issue_interval.{name}", f"tensor.issue_interval.{name}")
        interval = SCHEDULERS * interval if interval is not None else number(f"encoded.issue.{name}")
        latency[one] = number(f"latency.{name}", f"tensor.latency.{name}", f"encoded.latency.{name}")
        slots = max(1.0, interval or 1.0)
        issue += slots
        conversions += slots if CONVERSION.fullmatch(name) else 0.0
        counts[name] += 1
        if interval is None and latency[one] is None:
            unknown.append(one.text)

    def chain(untold: float) -> graph.Chain:
        return graph.slowest(body, lambda one, _: untold if (told := latency[one]) is None else told)

    low = chain(0.0)
    members = tuple(body[index] for index in low.members)
    return Warp(
        dependencies=Span(low.cycles, low.cycles, chain(UNTOLD).cycles),
        chain=members,
        issue=issue,
        conversions=conversions,
        counts={name: float(count) for name, count in counts.items()},
        unknown=tuple(dict.fromkeys(unknown)),
        number_unknown=len(unknown),
        encoded=encoded,
    )


def registers(body: Sequence[Instruction]) -> int:
    """32-bit registers that a thread must have for the loop: the highest one named, and those below."""
    names = {name for one in body for name in (*one.reads, *one.writes)}
    numbers = [int(name[1:]) for name in names if re.fullmatch(r"R\d+", name)]
    return max(numbers, default=-1) + 1
