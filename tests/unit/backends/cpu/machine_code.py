"""Programs with their timed region changed, for tests of the inspector."""

from __future__ import annotations

import struct

from reportgen.backends.cpu.compiler import HEADER, MachineCode


def with_body(code: MachineCode, body: bytes) -> MachineCode:
    """The program with other bytes between the labels `body` and `body_end`, its header adjusted."""
    grown = len(body) - (code.body_end - code.body)
    offsets = (code.entry, code.body, code.body_end + grown, code.end + grown)
    head = HEADER.pack(*offsets)
    data = head + code.code[len(head) : code.body] + body + code.code[code.body_end :]
    return MachineCode.from_bytes(data, code.isa)


def body_of(code: MachineCode) -> bytes:
    return code.code[code.body : code.body_end]


def words(*values: int) -> bytes:
    """A64 instructions."""
    return struct.pack(f"<{len(values)}I", *values)
