"""What a survey of the same device knows of instructions, as operations and facts of the model.

A form of a survey becomes an operation, named by its kind of register so that its resources are sought
among those of that kind.  A survey visits less often than the suite: so it is asked only where the suite has
nothing, and of forms in memory that take far longer than their parts; what comes of it says `survey`.  Of
some forms it knows latencies by pair of operands, and whether they wait for what they overwrite.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

import msgspec

from reportgen.analysis.survey_rows import FormRow, PairLatency
from reportgen.findings.finding import Claim
from reportgen.model.architecture import Architecture, Fact
from reportgen.model.architecture import Instruction as Measured
from reportgen.model.cost.instruction import Instruction
from reportgen.status import USABLE, Status

SURVEYED, WHOLE = "survey", "survey, whole"
"""Groups of operations: a form, and one in memory that is not its parts."""
SELF = "1to1"
"""The pair of a result with what it is merged with, or overwrites."""
LEAST, TIMES = 4.0, 3.0
"""A form in memory is not its parts where it takes so many cycles, and so many times what they take: a core
does it by a program of its own, which keeps nothing busy that the model could know."""
_FORM = "_form_"
_VECTORS = ("xmm", "ymm", "zmm")
_BITS = {"m256": "ymm", "m512": "zmm"}
_IMMEDIATES = ("imm8", "imm32", "1", "imm16", "imm64")
_ELEMENTS = (2, 4, 8, 16, 32)
_CROSSING = re.compile(r"v?cvtt?s[sd]2u?si|v?cvtu?si2s[sd]")
"""Conversions between general and vector registers."""
_METHOD = "survey"


def is_surveyed(operation: str) -> bool:
    """Whether an operation is a form of a survey."""
    return _FORM in operation


def in_memory(operation: str) -> bool:
    """Whether an operation is a form with an operand in memory."""
    return is_surveyed(operation) and re.search(r"_v?m\d", operation) is not None


def gathers(operation: str) -> bool:
    """Whether an operation is a form that accesses memory at a vector of indices."""
    return is_surveyed(operation) and "_vm" in operation


def with_survey(architecture: Architecture, rows: Iterable[FormRow]) -> Architecture:
    """The model with the forms of a survey of its device beside its own operations."""
    by_key = {row.key: row for row in rows}
    alone = {
        one.operation: one.issue_interval.value
        for one in architecture.instructions
        if one.issue_interval is not None and one.issue_interval.status in USABLE
    }
    known = [row for row in by_key.values() if row.interval is not None or row.latency is not None]
    found = [_instruction(row, slow=_slow(row, by_key, alone)) for row in known]
    return msgspec.structs.replace(
        architecture,
        instructions=(*architecture.instructions, *found),
        facts=(*architecture.facts, *(fact for row in known for fact in _pairs(row))),
    )


def operation_of(key: str, operands: Iterable[str]) -> str:
    """Name of a form among the operations: `vector_form_vpsignb_xmm_xmm_xmm`."""
    kinds = set(operands)
    file = "vector" if kinds & {*_VECTORS} else "mask" if "k" in kinds else "integer"
    return f"{file}{_FORM}{key}"


def fact_of(operation: str, pair: str) -> str:
    """Metric of a latency by pair of operands, of an operation that is a form."""
    return f"{_METHOD}.{operation.partition(_FORM)[2]}.latency.{pair}"


def find(one: Instruction, forms: Mapping[str, str]) -> str:
    """The operation of an instruction as a survey has it; empty where it has none.

    With an operand in memory, that of the same instruction in registers where it is there: the load or
    store stands beside it.
    """
    return next((name for name, _ in _names(one) if name in forms), "")


def in_registers(one: Instruction, forms: Container[str]) -> str:
    """The form of an instruction with its operands in registers; empty where a survey has none."""
    return next((name for name, memory in _names(one) if not memory and name in forms), "")


def whole(one: Instruction, forms: Container[str]) -> str:
    """Which of some forms in memory an instruction is; empty where it is none."""
    return next((name for name, memory in _names(one) if memory and name in forms), "")


def keys(body: Iterable[Instruction]) -> set[str]:
    """Keys of the forms that may stand for some instructions, or tell what their parts take."""
    found = {name.partition(_FORM)[2] for one in body for name, _ in _names(one)}
    return found | {key.removeprefix("lock_") for key in found}


def waiting(body: Sequence[Instruction], architecture: Architecture) -> tuple[Instruction, ...]:
    """The same instructions; those that wait for what they overwrite with zeros read it."""
    known = {fact.metric for fact in architecture.facts}
    found = []
    for one in body:
        if one.mask == "kz" and any(fact_of(name, SELF) in known for name, _ in _names(one)):
            overwritten = [name for name in one.writes if name.startswith(("zmm", "ymm", "xmm"))]
            reads = tuple(dict.fromkeys((*one.reads, *overwritten)))
            found.append(msgspec.structs.replace(one, reads=reads))
        else:
            found.append(one)
    return tuple(found)


def _names(one: Instruction) -> Iterator[tuple[str, bool]]:
    """Operations that may be an instruction, and whether each is with its operand in memory."""
    locked = one.text.startswith("lock ")
    for operands, memory in ((_in_registers(one), False), (one.operands, True)):
        if memory and operands == _in_registers(one):
            continue
        choices = [_choices(kind, one) for kind in operands]
        if one.mask:
            choices.insert(1, (one.mask,))
        for kinds in itertools.product(*choices):
            key = "_".join(["lock_" * locked + one.mnemonic, *kinds])
            for name in (key, f"{key}_evex"):
                yield operation_of(name, kinds), memory


def _choices(kind: str, one: Instruction) -> tuple[str, ...]:
    if kind == "imm":
        return _IMMEDIATES
    if _is_memory(kind) and one.address is not None and one.address.broadcast:
        return tuple(f"{kind}bcst{count}" for count in _ELEMENTS)
    return (kind,)


def _is_memory(kind: str) -> bool:
    return kind.startswith("m") and kind[1:].isdigit()


def _in_registers(one: Instruction) -> tuple[str, ...]:
    """Kinds of the operands as if what is in memory were in a register of the others' file."""
    vectors = [kind for kind in one.operands if kind in _VECTORS]
    spread = one.address is not None and one.address.broadcast

    def register(kind: str) -> str:
        if not _is_memory(kind):
            return kind
        if _CROSSING.fullmatch(one.mnemonic):  # what it converts is in the other file
            return f"r{kind[1:]}" if vectors else "xmm"
        if spread and vectors:
            return max(vectors, key=_VECTORS.index)
        return _BITS.get(kind, "xmm") if vectors else f"r{kind[1:]}"

    return tuple(register(kind) for kind in one.operands)


def _slow(row: FormRow, rows: Mapping[str, FormRow], alone: Mapping[str, float | None]) -> bool:
    """Whether a form in memory takes far longer than its parts; atomic ones have none in registers."""
    memory = [kind for kind in row.operands if _is_memory(kind)]
    if not memory or row.interval is None:
        return False
    vectors = [kind for kind in row.operands if kind in _VECTORS]
    register = _BITS.get(memory[0], "xmm") if vectors else f"r{memory[0][1:]}"
    plain = row.key.removesuffix("_evex").removeprefix("lock_").replace(memory[0], register)
    beside = next((rows[name] for name in (plain, f"{plain}_evex") if name in rows), None)
    parts = [alone.get(name) or 0.0 for name in ("l1_load", "store")]
    if beside is None or beside.interval is None:
        return False
    return row.interval >= max(LEAST, TIMES * max(beside.interval, *parts))


def _pairs(row: FormRow) -> list[Fact]:
    """Latencies that the model asks for by pair: of results that are merged, or waited for; of indices."""
    indexed = any(kind.startswith("vm") for kind in row.operands)
    found = []
    for one in row.latencies:
        pair = one.pair.replace("→", "to")
        if one.cycles is not None and not one.through and (pair == SELF or indexed):
            found.append(_pair(row, pair, one))
    return found


def _pair(row: FormRow, pair: str, one: PairLatency) -> Fact:
    cycles = one.cycles or 0.0
    low = one.low if one.low is not None else cycles
    return _fact(f"{_METHOD}.{row.key}.latency.{pair}", "cycle", cycles, low, one.high)


def _instruction(row: FormRow, *, slow: bool) -> Measured:
    name = operation_of(row.key, row.operands)
    known = [one for one in row.latencies if one.cycles is not None and not one.through]
    latency = None
    if known:
        # which operand is waited for is not asked: from the quickest pair to the slowest
        latency = _fact(
            f"latency.{name}", "cycle", max(one.cycles or 0.0 for one in known),
            min(one.low or one.cycles or 0.0 for one in known),
            max(one.high or one.cycles or 0.0 for one in known),
        )  # fmt: skip
    interval = None
    if row.interval is not None and row.status in USABLE:
        interval = _fact(
            f"issue_interval.{name}", "cycle/instruction", row.interval, row.low or 0.0, row.high
        )
    return Measured(
        operation=name,
        title=f"{row.mnemonic} {', '.join(row.operands)}".strip(),
        form=row.text,
        dependent_latency=latency,
        issue_interval=interval,
        group=WHOLE if slow else SURVEYED,
    )


def _fact(metric: str, unit: str, value: float, low: float, high: float | None) -> Fact:
    return Fact(
        metric,
        unit,
        Status.OK,
        Claim.MEASURED,
        0.0,
        value,
        low,
        high,
        reason="of a survey of forms",
        method=_METHOD,
    )
