"""AArch64: an operation's form with registers filled in, and the code that gives them their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reportgen.backends.cpu.aarch64 import spelling
from reportgen.backends.cpu.aarch64.accesses import alias as alias
from reportgen.backends.cpu.aarch64.accesses import split as split
from reportgen.backends.cpu.aarch64.accesses import store_to_load as store_to_load
from reportgen.backends.cpu.aarch64.blend import blend as blend
from reportgen.backends.cpu.aarch64.branches import calls as calls
from reportgen.backends.cpu.aarch64.branches import jumps as jumps
from reportgen.backends.cpu.aarch64.branches import outcomes as outcomes
from reportgen.backends.cpu.aarch64.branches import rounds as rounds
from reportgen.backends.cpu.aarch64.branches import untaken as untaken
from reportgen.backends.cpu.aarch64.filler import filler as filler
from reportgen.backends.cpu.aarch64.misses import misses as misses
from reportgen.backends.cpu.aarch64.registers import General, Register, Vector, accumulator, accumulators
from reportgen.backends.cpu.aarch64.shared import add_to as add_to
from reportgen.backends.cpu.aarch64.shared import hand_over as hand_over
from reportgen.backends.cpu.aarch64.shared import read_beside as read_beside
from reportgen.backends.cpu.aarch64.window import window as window
from reportgen.backends.cpu.isa import FormBody, Stream
from reportgen.backends.cpu.own_body import OwnBody
from reportgen.backends.cpu.start_values import integer, pattern
from reportgen.errors import Unsupported
from reportgen.suite.definition import Operation

CHASE = "ldr"
JUMP = "b"
UNTAKEN = "b.eq"

_VECTOR_BYTES = 16
_STREAM_PAIRS = 8
_STREAM_LOOP = {"add": 7, "mov": 1, "subs": 1, "b.ne": 1, "cmp": 1, "csel": 1}
"""Addresses, counters and the turn to the next slice: once a slice, but for three adds, `subs` and the
branch."""
_STREAMS = {
    "read": {"ldp.q": 1},
    "write": {"stp.q": 1},
    "copy": {"ldp.q": 1, "stp.q": 1},
    "triad": {"ldp.q": 2, "fmla.4s": 2, "stp.q": 1},
    "nt_write": {"stnp.q": 1},
    "nt_copy": {"ldp.q": 1, "stnp.q": 1},
}
"""Kernel -> opcodes that move or compute two vectors."""

_SCRATCH = ("x26", "x22")
"""Two operations of one program use different halves of the scratch page; a pair of loads cannot
reach the second half from the page's start."""
_SCRATCH_HALF = 2048


@dataclass(frozen=True)
class Set:
    """One operation bound to accumulators `offset .. offset + count - 1` of its class.

    `tag` keeps the constants of two operations in one program apart."""

    operation: Operation
    offset: int
    count: int
    tag: str = "c"

    def __post_init__(self) -> None:
        have = accumulators(self.operation.registers)
        if self.offset + self.count > have:
            raise Unsupported(
                f"{self.offset + self.count} accumulators wanted, the register class has {have}"
            )

    @property
    def _second(self) -> bool:
        return self.tag == "c1"

    @property
    def _base(self) -> str:
        return _SCRATCH[self._second]

    @property
    def _general(self) -> bool:
        return self.operation.registers == "x"

    def _register(self, index: int) -> Register:
        return accumulator(self.operation.registers, self.offset + index)

    def _constants(self) -> tuple[Register, Register]:
        if self._general:
            return General(23), General(24)
        return Vector(30, self.operation.registers), Vector(31, self.operation.registers)

    def _fill(self, form: str, index: int) -> str:
        a, b = self._constants()
        other: Register = Vector(28, "v") if self._general else General(25)
        places = {f"m{step}": f"[{self._base}, #{step * index}]" for step in (8, 16, 32)}
        places["m"] = f"[{self._base}, #{64 * index}]"
        text = form.format(d=self._register(index), a=a, b=b, t=other, **places)
        return "\n".join(f"  {line.strip()}" for line in text.split(";"))

    def latency(self, index: int) -> str:
        """One step of the dependency chain."""
        return self._fill(self.operation.latency or self.operation.form, index)

    def throughput(self, index: int) -> str:
        """One instruction on accumulator `index`."""
        return self._fill(self.operation.throughput or self.operation.form, index)

    @property
    def init(self) -> str:
        """Code before the first time stamp of a round: registers get their values."""
        lines = ["ldr x1, [sp, #160]", "ldr x26, [x1, #80]", f"add x22, x26, #{_SCRATCH_HALF}"]
        lines += self._integers() if self._general else self._vectors()
        return "\n".join(f"  {line}" for line in lines)

    def _integers(self) -> list[str]:
        values = self.operation.values
        if values == "indexed_pointer":
            # base + 8 x index with index 0: the cell at the base holds the base
            return [f"mov {self._register(0)}, x26", "str x26, [x26]", "mov x23, #0"]
        if values == "pointer":
            # a cell that holds its own address: the load's result is its next address
            lines = []
            for index in range(self.count):
                lines.append(f"add x1, {self._base}, #{64 * index}")
                lines += ["str x1, [x1]", f"mov {self._register(index)}, x1"]
            return lines
        lines = [f"adr x1, {self.tag}_d", "ldr q28, [x1]"] if self._borrows else []
        lines += _constant("x23", integer(self.operation, "a"))
        lines += _constant("x24", integer(self.operation, "b"))
        for index in range(self.count):
            lines += _constant(str(self._register(index)), integer(self.operation, "d"))
        return lines

    def _vectors(self) -> list[str]:
        lines = _constant("x23", integer(self.operation, "a"))
        for which, number in (("a", 30), ("b", 31)):
            lines += [f"adr x1, {self.tag}_{which}", f"ldr q{number}, [x1]"]
        lines.append(f"adr x1, {self.tag}_d")
        for index in range(self.count):
            lines.append(f"ldr q{self._register(index).number}, [x1]")
        return lines

    @property
    def _borrows(self) -> bool:
        """Whether a form on general registers goes through a vector register."""
        return "{t" in self.operation.form + self.operation.latency + self.operation.throughput

    @property
    def late(self) -> str:
        """The time stamp uses no register that a form may name."""
        return ""

    @property
    def release(self) -> str:
        """Nothing is held."""
        return ""

    @property
    def constants(self) -> str:
        """Vector start values, behind the last instruction."""
        if self._general and not self._borrows:
            return ""
        lines = [".p2align 4"]
        for which in "dab":
            data = pattern(self.operation, which)[:_VECTOR_BYTES]
            lines += [f"{self.tag}_{which}:", "  .byte " + ",".join(str(byte) for byte in data)]
        return "\n".join(lines)


def _constant(register: str, value: int) -> list[str]:
    """`movz` and `movk` of the 16-bit parts that are not zero."""
    parts = [(shift, value >> shift & 0xFFFF) for shift in (0, 16, 32, 48)]
    chosen = [(shift, part) for shift, part in parts if part] or [(0, 0)]
    return [
        f"{'movk' if place else 'movz'} {register}, #{part}, lsl #{shift}"
        for place, (shift, part) in enumerate(chosen)
    ]


def adapt(operation: Operation, features: tuple[str, ...]) -> Operation:
    """Every AArch64 processor has all registers."""
    return operation


def bind(operation: Operation, offset: int, count: int, tag: str = "c") -> Set:
    """See `Assembly.bind`."""
    return Set(operation, offset, count, tag)


def opcode(line: str) -> str:
    """See `Assembly.opcode`."""
    return spelling.opcode(line)


def share(operation: Operation, features: tuple[str, ...]) -> tuple[str, int]:
    """Half of each register file, less what constants take."""
    return ("x", 8) if operation.registers == "x" else ("v", 12)


def apart(operation: Operation, features: tuple[str, ...]) -> Operation:
    """See `Assembly.apart`: of 32 vector registers there are enough."""
    return operation


def stream(kernel: str, features: tuple[str, ...]) -> Stream:
    """See `Assembly.stream`: pairs of 128-bit registers, `stnp` as the non-temporal store."""
    opcodes = {name: count * _STREAM_PAIRS for name, count in _STREAMS[kernel].items()} | _STREAM_LOOP
    if kernel.startswith("nt_"):
        opcodes["dmb"] = 1
    step = _STREAM_PAIRS * 2 * _VECTOR_BYTES
    return Stream(step, _VECTOR_BYTES, {"pairs": _STREAM_PAIRS, "step": step}, opcodes)


def form(key: str, recorded: Mapping[str, Any], question: str, features: tuple[str, ...]) -> FormBody:
    """See `Assembly.form`: no decoder's table of AArch64 forms is at hand."""
    raise Unsupported(f"instruction forms are surveyed on x86-64 only, not {key}")


def own_code(recorded: Mapping[str, Any], rounds: int, features: tuple[str, ...]) -> OwnBody:
    """See `Assembly.own_code`: the reader of listings takes x86-64 code apart only."""
    raise Unsupported("code of one's own is measured on x86-64 only")


def frame(features: tuple[str, ...]) -> dict[str, Any]:
    """Nothing depends on the processor."""
    return {}
