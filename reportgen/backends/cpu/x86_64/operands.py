"""x86-64: an operation's form with registers filled in, and the code that gives them their values."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import Any

import msgspec

from reportgen.backends.cpu.isa import Stream
from reportgen.backends.cpu.start_values import integer, pattern
from reportgen.backends.cpu.x86_64.accesses import alias as alias
from reportgen.backends.cpu.x86_64.accesses import split as split
from reportgen.backends.cpu.x86_64.accesses import store_to_load as store_to_load
from reportgen.backends.cpu.x86_64.blend import blend as blend
from reportgen.backends.cpu.x86_64.branches import calls as calls
from reportgen.backends.cpu.x86_64.branches import jumps as jumps
from reportgen.backends.cpu.x86_64.branches import outcomes as outcomes
from reportgen.backends.cpu.x86_64.branches import rounds as rounds
from reportgen.backends.cpu.x86_64.branches import untaken as untaken
from reportgen.backends.cpu.x86_64.filler import filler as filler
from reportgen.backends.cpu.x86_64.forms.program import form as form
from reportgen.backends.cpu.x86_64.misses import misses as misses
from reportgen.backends.cpu.x86_64.own_code import own_code as own_code
from reportgen.backends.cpu.x86_64.registers import (
    General,
    Mask,
    Register,
    Tile,
    Vector,
    accumulator,
    accumulators,
)
from reportgen.backends.cpu.x86_64.shared import add_to as add_to
from reportgen.backends.cpu.x86_64.shared import hand_over as hand_over
from reportgen.backends.cpu.x86_64.shared import read_beside as read_beside
from reportgen.backends.cpu.x86_64.window import window as window
from reportgen.errors import Unsupported
from reportgen.suite.definition import Operation

CHASE = "mov"
JUMP = "jmp"
UNTAKEN = "je"

_STREAM_UNROLL = 8
_STREAM_LOOP = {"lea": 3, "add": 5, "mov": 2, "neg": 1, "jne": 1, "cmp": 1, "cmovae": 1}
"""Addresses, counters and the turn to the next slice: once a slice, but for one add and branch."""
_STREAMS = {
    "read": {"vmovups": 1},
    "write": {"vmovups": 1},
    "copy": {"vmovups": 2},
    "triad": {"vmovups": 2, "vfmadd213ps": 1},
    "nt_write": {"vmovntps": 1},
    "nt_copy": {"vmovups": 1, "vmovntps": 1},
}
"""Kernel -> opcodes that move or compute one vector."""

_ADDS_TO = re.compile("231|^vpdp|^vdpbf16")
"""Opcodes that read the register which they write."""

TILE_SHAPE = struct.pack("<2B14x8H16x8B8x", 1, 0, *[64] * 8, *[16] * 8)
"""Operand of `ldtilecfg` (Intel SDM vol. 1, 18.2): palette 1, start row 0, every tile 16 rows of 64
bytes."""


@dataclass(frozen=True)
class Set:
    """One operation bound to accumulators `offset .. offset + count - 1` of its class.

    `tag` keeps the constants of two operations in one program apart."""

    operation: Operation
    offset: int
    count: int
    tag: str = "c"

    def __post_init__(self) -> None:
        have = accumulators(self.operation.registers, self.operation.evex)
        if self.offset + self.count > have:
            raise Unsupported(
                f"{self.offset + self.count} accumulators wanted, the register class has {have}"
            )

    @property
    def _scratch(self) -> int:
        """Two operations of one program use different lines of the scratch page."""
        return 2048 if self.tag == "c1" else 0

    def _register(self, index: int) -> Register:
        return accumulator(self.operation.registers, self.offset + index)

    def _constants(self) -> tuple[Register, Register]:
        kind = self.operation.registers
        if kind == "r64":
            return General("r14"), General("r14")
        if kind == "k":
            return Mask(7), Mask(7)
        if kind == "tmm":
            return Tile(6), Tile(7)
        return Vector(14, kind), Vector(15, kind)

    def _fill(self, form: str, index: int) -> str:
        a, b = self._constants()
        other: Register = Vector(13, "xmm") if self.operation.registers in ("r64", "k") else General("r12")
        places = {f"m{step}": f"[r13+{self._scratch + step * index}]" for step in (8, 16, 32)}
        places["m"] = f"[r13+{self._scratch + 64 * index}]"
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
        kind = self.operation.registers
        lines = ["mov rdi, [rsp]", "mov r13, [rdi+80]"]
        if kind == "r64":
            lines += self._general()
        elif kind == "k":
            lines += ["mov eax, 0x5555", "kmovw k7, eax"]
            lines += [f"kmovw {self._register(i)}, eax" for i in range(self.count)]
        elif kind == "tmm":
            lines += self._tiles()
        else:
            lines += [f"mov r14d, {_integer(self.operation, 'a')}"]
            for which, register in zip("ab", self._constants(), strict=True):
                lines.append(f"vmovups {register}, [rip+{self.tag}_{which}]")
            lines += [f"vmovups {self._register(i)}, [rip+{self.tag}_d]" for i in range(self.count)]
            if "k7" in self._forms:
                lines += ["mov eax, 0x5555", "kmovw k7, eax"]
        return "\n".join(f"  {line}" for line in lines)

    def _general(self) -> list[str]:
        values = self.operation.values
        if values == "indexed_pointer":
            # base + 8 x index with index 0: the cell at the base holds the base
            return ["lea rbx, [r13]", "mov [rbx], rbx", "xor r14d, r14d"]
        if values == "pointer":
            # a cell that holds its own address: the load's result is its next address
            lines = []
            for index in range(self.count):
                lines += [f"lea rax, [r13+{self._scratch + 64 * index}]", "mov [rax], rax"]
                lines.append(f"mov {self._register(index)}, rax")
            return lines
        lines = [f"vmovups xmm13, [rip+{self.tag}_d]"] if "{t" in self._forms else []
        lines.append(f"mov r14, {_integer(self.operation, 'a')}")
        lines += [f"mov {self._register(i)}, {_integer(self.operation, 'd')}" for i in range(self.count)]
        return lines

    def _tiles(self) -> list[str]:
        """Tiles get their shape and values; with a stride of 0 every row is the same 64 bytes."""
        lines = [f"ldtilecfg [rip+{self.tag}_tiles]", "xor eax, eax"]
        for which, register in zip("ab", self._constants(), strict=True):
            lines += [f"lea rbx, [rip+{self.tag}_{which}]", f"tileloadd {register}, [rbx+rax*1]"]
        return [*lines, *(f"tilezero {self._register(i)}" for i in range(self.count))]

    @property
    def _forms(self) -> str:
        return self.operation.form + self.operation.latency + self.operation.throughput

    @property
    def late(self) -> str:
        """Code between the first time stamp and the body: rax and rdx, which the stamp used."""
        if "rax" not in self._forms and "rdx" not in self._forms and "eax" not in self._forms:
            return ""
        return f"  mov rax, {_integer(self.operation, 'rax')}\n  mov edx, {_integer(self.operation, 'rdx')}"

    @property
    def release(self) -> str:
        """Tiles go back to their initial state, else every switch of threads would save 8 KiB."""
        return "  tilerelease" if self.operation.registers == "tmm" else ""

    @property
    def constants(self) -> str:
        """Start values of vectors and tiles, and the tiles' shape, behind the last instruction."""
        if self.operation.registers == "k" or (self.operation.registers == "r64" and "{t" not in self._forms):
            return ""
        lines = [".p2align 6"]
        for which in "dab":
            data = pattern(self.operation, which)
            lines += _bytes(f"{self.tag}_{which}", data)
        if self.operation.registers == "tmm":
            lines += _bytes(f"{self.tag}_tiles", TILE_SHAPE)
        return "\n".join(lines)


def _bytes(label: str, data: bytes) -> list[str]:
    return [f"{label}:", "  .byte " + ",".join(str(byte) for byte in data)]


def _integer(operation: Operation, which: str) -> int:
    """Start value of a general register; `which` is `d`, `a`, `rax` or `rdx`."""
    if which == "rdx":
        return 0
    if which == "rax":
        return integer(operation, "a" if operation.values.startswith("divide") else "b")
    return integer(operation, which)


def adapt(operation: Operation, features: tuple[str, ...]) -> Operation:
    """Without AVX-512 only the first sixteen vector registers exist."""
    if operation.evex and operation.registers != "zmm" and "avx512vl" not in features:
        return msgspec.structs.replace(operation, evex=False)
    return operation


def bind(operation: Operation, offset: int, count: int, tag: str = "c") -> Set:
    """See `Assembly.bind`."""
    return Set(operation, offset, count, tag)


def share(operation: Operation, features: tuple[str, ...]) -> tuple[str, int]:
    """Half of each register file, less what constants take."""
    if operation.registers == "r64":
        return "r64", 5
    if operation.registers == "k":
        return "k", 3
    if operation.registers == "tmm":
        return "tmm", 4  # two tile operations share one shape and the constants: they are not paired
    return "v", 12 if "avx512vl" in features else 7


def apart(operation: Operation, features: tuple[str, ...]) -> Operation:
    """See `Assembly.apart`.

    Sixteen vector registers leave seven for each kind, and a core that starts two multiply-adds of four
    cycles in each needs eight.  What only reads its accumulator reads a constant in its place.  What adds to
    it finds it zeroed, by an idiom that takes no unit (AMD and Intel optimization guides, "zeroing idioms"),
    and brings the constant: of a product of odd operands less than a normal number may be left, which some
    cores are slow to write.
    """
    form = operation.throughput or operation.form
    if "avx512vl" in features or operation.registers not in ("xmm", "ymm") or ";" in form:
        return operation
    name, _, operands = form.partition(" ")
    target, _, sources = operands.partition(", ")
    if _ADDS_TO.search(name):
        form = f"vxorps {{d}}, {{d}}, {{d}}; {name.replace('231', '213')} {operands}"
    elif target.startswith("{d") and "{d" in sources:
        form = f"{name} {target}, {sources.replace('{d', '{b')}"
    return msgspec.structs.replace(operation, throughput=form)


def opcode(line: str) -> str:
    """The first word but for an encoding prefix in braces, and for what makes it atomic."""
    return line.replace("{evex}", "").replace("{vex}", "").replace("lock ", "").split()[0]


def stream(kernel: str, features: tuple[str, ...]) -> Stream:
    """See `Assembly.stream`: the widest vectors there are."""
    if "avx512f" in features:
        width, register = 64, "zmm"
    elif "avx" in features:
        width, register = 32, "ymm"
    else:
        raise Unsupported("the streaming kernels need AVX")
    opcodes = {name: count * _STREAM_UNROLL for name, count in _STREAMS[kernel].items()} | _STREAM_LOOP
    if kernel.startswith("nt_"):
        opcodes["sfence"] = 1
    context = {"register": register, "width": width, "unroll": _STREAM_UNROLL}
    return Stream(_STREAM_UNROLL * width, width, context, opcodes)


def frame(features: tuple[str, ...]) -> dict[str, Any]:
    """Whether upper halves of vector registers must be cleared after a body."""
    return {"vzeroupper": "avx" in features}
