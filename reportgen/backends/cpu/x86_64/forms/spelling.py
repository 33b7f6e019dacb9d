"""Names of registers at the width that an operand asks for, and a form's text with its operands filled in."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.backends.cpu.x86_64.registers import General
from reportgen.suite.survey import INDEX_WIDTHS, MEMORY, Form, Operand


def general(full: str, name: str) -> str:
    """A general register (`rbx`) at a width (`r8`, `r16`, `r32`, `r64`)."""
    register = General(full)
    if name == "r64":
        return full
    if name == "r32":
        return register.r32
    if name == "r8":
        return register.r8
    return f"{full}w" if full[1].isdigit() else full[1:]


def spelled(operand: Operand, register: str) -> str:
    """What stands for an operand: of `v3` `ymm3`, of `rbx` `bl`, of `k1` itself, of memory its address."""
    if operand.file == MEMORY or register.startswith("k"):
        return register
    if register[0] == "v":
        return f"{INDEX_WIDTHS.get(operand.name, operand.name)}{register[1:]}"
    return general(register, operand.name)


def written(form: Form, registers: Sequence[str]) -> str:
    """One instruction.

    Args:
        form: what is written.
        registers: for each operand a full name, or the address; empty where the text names it.
    """
    return form.text.format(
        *(
            spelled(operand, register) if register and not operand.register else ""
            for operand, register in zip(form.operands, registers, strict=True)
        )
    )
