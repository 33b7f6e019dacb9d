"""Architecture models that the exports are tried on: a written core with odd facts, and two GPUs."""

from __future__ import annotations

from reportgen.findings.finding import Claim
from reportgen.model.architecture import Architecture, Fact
from reportgen.status import Status
from tests.unit.model.cost.machine import core, fact

ODD = (
    Fact("memory.dtlb1.reach", "count", Status.CENSORED, Claim.MEASURED, 0.4, low=1536.0, n=12),
    Fact(
        "memory.l3.latency", "cycle", Status.OK, Claim.MEASURED, 0.7, 50.1, 49.9, 50.4, 30, (48.5, 51.25),
        reason='two groups, a "quoted", reason\nof two lines', method="boundary", probe="memory/sweep",
    ),
    Fact("memory.l9.colour", "", Status.INVALID, Claim.MEASURED, 0.0, reason="a gate withheld it"),
    Fact("kernel.sgemm.512", "FLOP/second", Status.UNVERIFIED, Claim.MEASURED, 0.1, 0.1 + 0.2, 1e-300, 1e300),
)  # fmt: skip


def cpu() -> Architecture:
    """The written core, every number of its instructions a fact, and some odd ones."""
    made = core()
    own = [one for row in made.instructions for one in (row.dependent_latency, row.issue_interval) if one]
    return core(facts=tuple(sorted((*own, *ODD), key=lambda one: one.metric)))


def encoded(metric: str, value: float | None) -> Fact:
    if value is None:
        return Fact(metric, "cycle", Status.UNSUPPORTED, Claim.COMPILER_ENCODED, 0.0, reason="scoreboard")
    return Fact(metric, "cycle", Status.OK, Claim.COMPILER_ENCODED, 0.9, value, value, value, 4)


def gpu(facts: tuple[Fact, ...], isa: str = "sm_90") -> Architecture:
    return core(
        isa=isa, device="written-gpu", name="Written GPU", instructions=(), memory=(), resources=None,
        facts=facts,
    )  # fmt: skip


def target() -> Architecture:
    """A toolchain run: nothing was measured."""
    return gpu(
        (
            encoded("encoded.latency.integer_add", 4.0), encoded("encoded.issue.integer_add", 2.0),
            encoded("encoded.latency.fp32_fma", 4.0), encoded("encoded.issue.fp32_fma", 1.0),
            encoded("encoded.latency.reciprocal", None), encoded("encoded.issue.reciprocal", 8.0),
        )
    )  # fmt: skip


def measured() -> Architecture:
    """A GPU run with levels, shared memory and two units."""
    return gpu(
        (
            fact("latency.fp32_fma", 4.002, margin=0.001), fact("issue_interval.fp32_fma", 0.51),
            encoded("encoded.latency.fp32_fma", 5.0),
            fact("latency.reciprocal", 22.6), fact("issue_interval.reciprocal", 2.0),
            fact("tensor.latency.mma_m16n8k16_f16_f32", 33.1),
            fact("tensor.issue_interval.mma_m16n8k16_f16_f32", 0.501),
            fact("memory.l1.latency", 40.03), fact("memory.l2.latency", 270.2),
            fact("memory.dram.latency", 800.7),
            fact("memory.line", 128.0, "byte"), fact("memory.sector.ca", 32.0, "byte"),
             fact("memory.l1.capacity", 262144.0, "byte", 0.05),
            fact("memory.l1.associativity", 64.0, "count"),
            fact("execution.shared_bank_strides.latency", 23.01),
            fact("execution.shared_bank_strides.banks", 32.0, "count"),
        )
    )  # fmt: skip
