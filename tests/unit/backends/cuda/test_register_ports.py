"""What reads of registers cost at most, on lines of pairs as the compiler makes them for sm_90."""

from __future__ import annotations

import pytest

from reportgen.backends.cuda.register_ports import stalls
from reportgen.backends.cuda.registers import sources
from reportgen.backends.cuda.sass import Control, Instruction

ISSUE = Control(stall=1, yields=1, write_barrier=7, read_barrier=7, wait=0, reuse=0)


def window(*lines: str) -> list[Instruction]:
    found = []
    for number, line in enumerate(lines):
        predicate, _, rest = line.partition(" ") if line.startswith("@") else ("", "", line)
        opcode, _, operands = rest.partition(" ")
        found.append(Instruction(16 * number, opcode, operands.replace(", ", ","), predicate, ISSUE))
    return found


@pytest.mark.parametrize(
    ("lines", "cycles"),
    [
        (("IADD3 R12, R0, R12, R9",), 1),  # R0 and R12 are of one bank
        (("IADD3 R14, R9, R15, RZ", "FADD R19, R10, R19"), 1),  # R9 and R15 of the other
        (("FADD R19, R10, R19",), 0),
        (("FFMA R14, R0, R14, R4",), 2),
        (("FFMA R14, R0, 1.5, R14",), 1),
        (("DFMA R20, R12, R20, R10",), 2),  # each operand is a register of both banks
        (("LDS R4, [R6]", "MUFU.EX2 R3, R3", "IMAD.MOV.U32 R3, RZ, RZ, R5"), 0),
        (("@!PT FFMA R14, R0, R14, R4",), 0),
    ],
)
def test_a_bank_gives_one_register_a_cycle(lines: tuple[str, ...], cycles: int) -> None:
    assert stalls(window(*lines)) == cycles


def test_what_is_kept_is_not_read_again() -> None:
    chain = ["FFMA R14, R0.reuse, R14, R7.reuse", "FFMA R16, R0.reuse, R16, R7.reuse"]
    assert stalls(window(*chain)) == 1  # the first reads R0 and R14
    assert stalls(window(*chain, *chain)) == 1


def test_another_kind_takes_the_place_of_what_was_kept() -> None:
    own = "FFMA R14, R0.reuse, R14, R7.reuse"
    same_bank, other_bank = "FADD R21, R8, R21", "FADD R20, R9, R20"
    assert stalls(window(own, same_bank, own)) == 2
    assert stalls(window(own, other_bank, own)) == 1
    assert stalls(window(own, "FFMA R14, R2, R14, R7.reuse", own)) == 3


def test_operands_that_are_read_with_their_registers() -> None:
    assert sources("LDG.E.64", "R4,desc[UR4][R2.64+0x8]") == (("desc[UR4][R2.64+0x8]", ("R2", "R3")),)
    assert sources("SEL", "R3,R4,R5,P0") == (("R4", ("R4",)), ("R5", ("R5",)))
    assert sources("DADD", "R2,R2,-R4") == (("R2", ("R2", "R3")), ("-R4", ("R4", "R5")))
