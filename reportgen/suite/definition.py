"""What a probe file and an instruction table may say.

A *definition* is one TOML file in a family folder.  It asks one question; where it names an
operation class it asks it of every operation of that class in the ISA's instruction table, and
so expands to several probes.  A *point* is one setting of a probe's variable.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Operation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row of an instruction table: what an ISA calls an operation.

    Forms are assembly with placeholders: `{d}` the accumulator (also a source), `{a}`, `{b}`
    constant sources of the same register class, `{t}` a temporary of the other class, `{m}` an
    own line of the scratch page (`{m8}`, `{m16}`, `{m32}`: an own place that many bytes apart).
    `{d.r32}`, `{d.x}`, `{d.y}` name another width of it (AArch64: `{d.w}`, `{d.s}`, `{d.q}`).
    Several instructions are separated by `;`.
    """

    title: str
    group: str
    """Operation class: `integer`, `float`, `vector`, `conversion`, `memory`, `mask`, ..."""
    registers: str
    """Register class of the accumulator: `r64`, `xmm`, `ymm`, `zmm`, `k`, `tmm` on x86-64; `x`, `v`, `s`,
    `d` on AArch64; `r16`, `r32`, `r64`, `fragment` in CUDA."""
    form: str = ""
    """Used for latency and throughput, unless one of the next two is given."""
    latency: str = ""
    throughput: str = ""
    features: tuple[str, ...] = ()
    """CPU features, in LLVM's names, without which it is `unsupported`."""
    companions: tuple[str, ...] = ()
    """Operations whose latency is part of the latency chain and is subtracted: each named as
    often as it occurs per step."""
    values: str = "one"
    """How registers start: `one`, `integer`, `pointer`, `divide`, `fraction`."""
    trivial: str = ""
    """`trivial` or `non-trivial` where time depends on operands."""
    flop: float = 0.0
    """Floating-point operations per instruction (FMA on 16 lanes = 32)."""
    op: float = 0.0
    """Integer operations per instruction, for OP/s roofs."""
    precision: str = ""
    """`fp64`, `fp32`, `fp16`, `bf16`, `int8`."""
    repeat: int = 1
    """Instructions of this operation in one step of the form."""
    evex: bool = False
    """Registers 16..31 may be used."""
    most: int = 16
    """Independent accumulators that its encoding can name."""
    note: str = ""
    """A caveat shown beside the number."""
    ctype: str = ""
    """CUDA: C type of the accumulator: `int`, `float`, `unsigned long long`, ..."""
    opcodes: tuple[str, ...] = ()
    """CUDA: what one step becomes: `[COUNT ]REGEX[ on TARGETS]`, one entry a kind of machine instruction.
    The regex matches a whole SASS opcode, on any target; the count is 1 unless given; `?` allows any
    number of harmless others; `on >=sm_100 <sm_120` and `on sm_86 sm_89` say where the entry holds."""
    targets: tuple[str, ...] = ()
    """CUDA: targets that have it: bounds (`>=sm_80`, `<sm_120`, all must hold) or exact ones, any of which
    will do and which may carry a suffix (`sm_90a`). Empty: all."""
    emulated: str = ""
    """CUDA: regex of opcodes that tell that the compiler made it of others."""


class Span(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A geometric sweep of sizes: `per_octave` points from `low` to `high`, rounded to `step`.

    `high` may be `"4*llc"`: a multiple of the last-level cache that the system reports, capped by
    memory."""

    low: str
    high: str
    per_octave: int = 4
    step: str = "64"


class Definition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One TOML file in a family folder."""

    question: str
    hypothesis: str
    variable: str
    template: str
    """`<template>.<isa>.*.j2` in the family folder, or `library:<routine>`."""
    analysis: str
    metric: str
    unit: str
    settings: dict[str, Any]
    """Name -> list of values, or a `Span` table; the grid is their product."""
    quick: dict[str, Any] = {}
    """Settings that `--quick` uses instead."""
    left_out: tuple[dict[str, int | float | str], ...] = ()
    """Settings of the grid that are not asked, each by the values of some of their names."""
    group: str = ""
    """Ask of every operation of this class; `{operation}` and `{title}` may stand in texts."""
    operations: tuple[str, ...] = ()
    """Ask of these operations instead."""
    pairs: tuple[tuple[str, str], ...] = ()
    classes: tuple[str, ...] = ()
    """Ask of every pair (and each alone)."""
    features: tuple[str, ...] = ()
    isas: tuple[str, ...] = ()
    """Only these; elsewhere `unsupported`. Empty: any with a template."""
    title: str = ""
    widest: bool = False
    """Only the last of `settings.operation` that the device has the features for."""
    in_quick: bool = True
    last: bool = False
    """Asked behind all others, in a worker process of its own: what it does to the machine hurts none of the
    others, and it is the first to go where time is short."""
    on: dict[str, dict[str, Any]] = {}
    """ISA -> keys of this definition that differ there: `[on.cuda.settings]`."""
    constants: dict[str, Any] = {}
    seconds: float = 0.1
    """Cap on sampling time for one visit of one point."""
    skip_reason: str = ""


class Probe(msgspec.Struct, frozen=True):
    """A definition asked of one operation (or pair), ready to be expanded to points."""

    id: str
    family: str
    definition: Definition
    question: str
    hypothesis: str
    title: str
    metric: str
    operations: tuple[str, ...] = ()


class PlannedPoint(msgspec.Struct, frozen=True):
    """One setting of one probe, not yet generated."""

    id: str
    probe: str
    settings: dict[str, int | float | str]
