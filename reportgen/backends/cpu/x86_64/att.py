"""x86-64 assembly text -> the same instructions in AT&T syntax, in a process of its own.

    python -m reportgen.backends.cpu.x86_64.att < [{"text": ..., "intel": true}, ...]

Other tools read that syntax better, some read no other.  Answers are one JSON list a text, of lines, of the
instructions between the marks of `listing`, or of all; a branch goes to the label `loop`.
"""

from __future__ import annotations

import sys

import msgspec
from iced_x86 import Decoder, FlowControl, Formatter, FormatterSyntax

from reportgen.backends.cpu.x86_64.listing import Asked, assemble, assembler, marked

TARGET = "loop"


def lines(code: bytes) -> list[str]:
    """Instructions of the marked region, one a line."""
    formatter = Formatter(FormatterSyntax.GAS)
    found = []
    for one in Decoder(64, marked(code)):
        text = formatter.format(one)
        near = one.flow_control in (FlowControl.CONDITIONAL_BRANCH, FlowControl.UNCONDITIONAL_BRANCH)
        found.append(f"{text.split()[0]} {TARGET}" if near else text)
    return found


def main() -> None:
    """Answer what stands on stdin."""
    machine = assembler()
    asked = msgspec.json.decode(sys.stdin.buffer.read(), type=list[Asked])
    answers = [max((lines(code) for code in assemble(machine, one)), key=len, default=[]) for one in asked]
    sys.stdout.buffer.write(msgspec.json.encode(answers))


if __name__ == "__main__":
    main()
