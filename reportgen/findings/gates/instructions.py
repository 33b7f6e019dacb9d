"""Limits of what one core can start: dependent latency, issue width, throughput against latency."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.analysis.interference import SCHEDULERS
from reportgen.findings.evidence import Evidence, central
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.metric import Kind
from reportgen.findings.wording import contradictions
from reportgen.findings.wording.names import noun

LATENCY_FLOOR = 0.9
"""Cycles: a clocked result cannot be an operand before the next cycle; 10 % is for measurement."""

ELIMINATED = (
    "register_move", "move_register", "integer_zero_extend", "zero_idiom", "increment", "decrement",
    "add_immediate", "exchange", "store_forward",
)  # fmt: skip
"""Operations (by the start of their key) that processors are known to complete without execution: register
moves, zeroing and small immediates are resolved at rename, a load may be renamed onto an earlier store."""

WIDTH_TOLERANCE = 1.08
"""The width is itself measured: entering and leaving its window, the canary reads up to 6 % less than it."""

SCHEDULERS_TOLERANCE = 1.02
"""Cycles of a multiprocessor are counted by itself."""

RECIPROCAL_TOLERANCE = 1.05


def eliminable(operation: str) -> bool:
    """Whether an operation may take less than a cycle."""
    return operation.startswith(ELIMINATED)


def _too_fast(evidence: Evidence) -> Iterator[Breach]:
    for name, quantity in evidence.of_kind(Kind.LATENCY):
        value = central(quantity)
        if value < LATENCY_FLOOR and not eliminable(name.subject):
            yield Breach(
                (name.text,),
                contradictions.below_limit(
                    noun(name.text, evidence.title), value, LATENCY_FLOOR, quantity.unit,
                    "a dependent instruction waits at least one cycle for its operand, unless it is removed "
                    "at rename",
                ),
            )  # fmt: skip


def _too_wide(evidence: Evidence) -> Iterator[Breach]:
    clock = evidence.run.clock
    width, tolerance = clock.canary_best if clock is not None else 0.0, WIDTH_TOLERANCE
    why = "no instruction starts more often than the canary, which does nothing"
    if evidence.gpu:
        width, tolerance = SCHEDULERS, SCHEDULERS_TOLERANCE
        why = "each of the four schedulers of a multiprocessor starts one instruction of a warp a cycle"
    if width <= 0:
        return
    for kind in (Kind.THROUGHPUT, Kind.WARPS):
        for name, quantity in evidence.of_kind(kind):
            value = central(quantity)
            if value > width * tolerance:
                phrase = noun(name.text, evidence.title)
                text = contradictions.above_limit(phrase, value, width, quantity.unit, why)
                yield Breach((name.text,), text)


def _slower_than_one_chain(evidence: Evidence) -> Iterator[Breach]:
    for name, quantity in evidence.of_kind(Kind.ISSUE_INTERVAL):
        latency = evidence.usable(f"latency.{name.subject}")
        if latency is None or eliminable(name.subject) or _other_form(evidence, name.subject):
            continue
        spaced, chained = central(quantity), central(latency)
        if spaced > chained * RECIPROCAL_TOLERANCE:
            yield Breach(
                (name.text, latency.metric),
                contradictions.wrong_order(
                    noun(name.text, evidence.title), spaced, noun(latency.metric, evidence.title), chained,
                    "cycle", "independent instructions do not start less often than dependent ones",
                ),
            )  # fmt: skip


def _other_form(evidence: Evidence, operation: str) -> bool:
    """Whether latency and throughput were asked of different instruction forms."""
    forms = {
        str(probe.constants["form"])
        for probe in evidence.run.probes
        if probe.operation == operation and probe.constants.get("form")
    }
    return len(forms) > 1


GATES = (
    Gate(
        name="dependent_latency_floor",
        severity=Severity.LIMIT,
        statement="A dependent chain takes at least 0.9 cycles an instruction, but for operations that are "
        "known to be removed at rename.",
        source="synchronous logic: a result is an operand one clock later at the earliest; exceptions: move "
        "elimination and memory renaming as described in the processor vendors' optimisation guides",
        causes=(
            "the chain is not dependent, or the operation is removed at rename",
            "the calibration beside the samples ran at another clock",
            "a subtracted companion overlaps with the operation",
        ),
        check=_too_fast,
    ),
    Gate(
        name="issue_width",
        severity=Severity.LIMIT,
        statement="No throughput is above the issue width that the canary measured in the same run, by more "
        "than the 8 % that the canary may read too little; of a GPU none is above four instructions of a "
        "warp a cycle of a multiprocessor, by more than 2 %.",
        source="this run: the best rate of instructions that do nothing; CUDA Programming Guide: four "
        "schedulers a multiprocessor",
        causes=(
            "the canary never ran undisturbed",
            "the calibration beside the samples ran at another clock",
            "the timed region holds fewer instructions than counted",
        ),
        check=_too_wide,
    ),
    Gate(
        name="issue_within_latency",
        severity=Severity.RELATION,
        statement="The issue interval of independent instructions is not above their dependent latency.",
        source="one dependent chain is itself a schedule of independent ones",
        causes=(
            "time depends on operand values, which differ between the two programs",
            "samples of the throughput were disturbed",
            "register pressure or alignment in the longer body",
        ),
        check=_slower_than_one_chain,
    ),
)
