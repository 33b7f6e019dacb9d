"""What stands beside an instance so that it waits for its own source alone: constants, copies, resets."""

from __future__ import annotations

from reportgen.backends.cpu.x86_64.forms.questions import FLAGS, constants
from reportgen.suite.survey import GENERAL, MASK, VECTOR, Form, Operand


class Constants:
    """Hands out the constants of each file, no register twice in one instruction."""

    def __init__(self, form: Form) -> None:
        self._left = {file: list(constants(form, file)) for file in (GENERAL, VECTOR, MASK)}

    def next(self, file: str) -> str:
        """Another one; the last again where there are no more."""
        left = self._left[file]
        return left.pop(0) if len(left) > 1 else left[0]


def breaks(form: Form, chained: str) -> list[str]:
    """What makes an instance independent of the one before, by what it both reads and writes unnamed.

    Args:
        form: whose instances.
        chained: the source of the chain, which shall be waited for: an operand's number, a register, flags.
    """
    lines = []
    named = [(str(n), one.register, one.access) for n, one in enumerate(form.operands, 1) if one.register]
    for number, name, access in [*named, *((one.name, one.name, one.access) for one in form.implicit)]:
        if access == "rw" and number != chained:
            lines.append("xor edx, edx" if name == "rdx" else f"mov {name}, r12")
    if form.flags == "rw" and chained != FLAGS:
        lines.append("test r14, r14")
    return lines


def copy(form: Form, operand: Operand, register: str) -> str:
    """A register gets a constant anew."""
    if operand.file == GENERAL:
        return f"mov {register}, r14"
    if operand.file == MASK:
        return f"{'kmovq' if 'avx512bw' in form.features else 'kmovw'} {register}, k7"
    move = "movaps" if form.encoding == "legacy" else "vmovaps"
    return f"{move} {operand.name}{register[1:]}, {operand.name}14"
