"""Instructions that no curated operation stands for, by the survey of the same device.

A form of a survey becomes an operation of the model, named by its kind of register so that its resources
are sought among those of that kind.  A survey visits less often than the suite: so it is asked only where the
suite has nothing, and what comes of it says `survey`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

import msgspec

from reportgen.analysis.survey_rows import FormRow
from reportgen.findings.finding import Claim
from reportgen.model.architecture import Architecture, Fact
from reportgen.model.architecture import Instruction as Measured
from reportgen.model.cost.instruction import Instruction
from reportgen.status import USABLE, Status

SURVEYED = "survey"
_FORM = "_form_"
_VECTORS = ("xmm", "ymm", "zmm")
_IMMEDIATES = ("imm8", "imm32", "1", "imm16", "imm64")
_METHOD = "survey"


def is_surveyed(operation: str) -> bool:
    """Whether an operation is a form of a survey."""
    return _FORM in operation


def with_survey(architecture: Architecture, rows: Iterable[FormRow]) -> Architecture:
    """The model with the forms of a survey of its device beside its own operations."""
    found = [_instruction(row) for row in rows if row.interval is not None or row.latency is not None]
    return msgspec.structs.replace(architecture, instructions=(*architecture.instructions, *found))


def operation_of(key: str, operands: Iterable[str]) -> str:
    """Name of a form among the operations: `vector_form_vpsignb_xmm_xmm_xmm`."""
    kinds = set(operands)
    file = "vector" if kinds & {*_VECTORS} else "mask" if "k" in kinds else "integer"
    return f"{file}{_FORM}{key}"


def find(one: Instruction, forms: Mapping[str, str]) -> str:
    """The operation of an instruction as a survey has it; empty where it has none.

    With an operand in memory, that of the same instruction in registers: the load stands beside it.
    """
    for operands in (_in_registers(one), one.operands):
        for kinds in itertools.product(*(_IMMEDIATES if kind == "imm" else (kind,) for kind in operands)):
            key = "_".join([one.mnemonic, *kinds])
            for name in (key, f"{key}_evex"):
                operation = operation_of(name, kinds)
                if operation in forms:
                    return operation
    return ""


def _in_registers(one: Instruction) -> tuple[str, ...]:
    """Kinds of the operands as if what is in memory were in a register of the others' file."""
    vectors = [kind for kind in one.operands if kind in _VECTORS]
    by_bits = {"m256": "ymm", "m512": "zmm"}

    def register(kind: str) -> str:
        if not (kind.startswith("m") and kind[1:].isdigit()):
            return kind
        return by_bits.get(kind, "xmm") if vectors else f"r{kind[1:]}"

    return tuple(register(kind) for kind in one.operands)


def _instruction(row: FormRow) -> Measured:
    name = operation_of(row.key, row.operands)
    known = [one for one in row.latencies if one.cycles is not None and not one.through]
    latency = None
    if known:
        # which operand is waited for is not asked: from the quickest pair to the slowest
        latency = _fact(
            f"latency.{name}", "cycle", Status.OK, max(one.cycles or 0.0 for one in known),
            min(one.low or one.cycles or 0.0 for one in known),
            max(one.high or one.cycles or 0.0 for one in known),
        )  # fmt: skip
    interval = None
    if row.interval is not None and row.status in USABLE:
        interval = _fact(
            f"issue_interval.{name}", "cycle/instruction", Status.OK, row.interval, row.low or 0.0, row.high
        )
    return Measured(
        operation=name,
        title=f"{row.mnemonic} {', '.join(row.operands)}".strip(),
        form=row.text,
        dependent_latency=latency,
        issue_interval=interval,
        group=SURVEYED,
    )


def _fact(metric: str, unit: str, status: Status, value: float, low: float, high: float | None) -> Fact:
    return Fact(
        metric,
        unit,
        status,
        Claim.MEASURED,
        0.0,
        value,
        low,
        high,
        reason="of a survey of forms",
        method=_METHOD,
    )
