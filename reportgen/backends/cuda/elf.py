"""A cubin's ELF: code bytes of each kernel and the resources it takes, without any tool.

Attribute numbers as in NVIDIA's `cuobjdump -elf` and CuAssembler's `CuNVInfo.py`; compared with
`cuobjdump -res-usage` on sm_75 to sm_120.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property

from reportgen.errors import CompileError

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
_ATTRIBUTE = struct.Struct("<BBH")
_CUDA = 190
"""`e_machine`."""
_FUNCTION = 2
"""Type of a symbol (`STT_FUNC`)."""
_SIZED = 4
"""Attribute format whose third field is the length of the value that follows."""
PARAMETER_BYTES, MAX_THREADS, FRAME_SIZE, MIN_STACK, MAX_REGISTERS, REGISTERS = (
    0x19, 0x05, 0x11, 0x12, 0x1B, 0x2F,
)  # fmt: skip
RESERVED_SHARED = 1024
"""Bytes of every block's shared memory that the system keeps from sm_90 on; the ELF counts them."""


@dataclass(frozen=True)
class Section:
    """One section: its name, where it lies, and what it is about."""

    name: str
    offset: int
    size: int
    info: int
    stored: bool
    """Whether the file holds its bytes (shared memory has a size only)."""


@dataclass(frozen=True)
class Resources:
    """What one kernel takes, in registers a thread and bytes."""

    registers: int
    stack_bytes: int
    """A thread: spills, arrays with a running index, frames of called functions."""
    shared_bytes: int
    """A block: declared in the source; without what the system reserves, without dynamic memory."""
    constant_bytes: int
    """Bank 0 (launch values and parameters) and the module's own `__constant__` memory."""
    parameter_bytes: int
    max_threads: int
    """A block, from `__launch_bounds__`; 0 where it says nothing."""


class Cubin:
    """A cubin opened for reading.

    Args:
        data: the file.

    Raises:
        CompileError: it is no cubin, or is cut off.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        if len(data) < HEADER.size or data[:4] != b"\x7fELF" or data[4] != 2:
            raise CompileError("not a cubin: no 64-bit ELF header")
        header = self.header = HEADER.unpack_from(data)
        """Fields of the file's header, as `HEADER` has them."""
        if header[2] != _CUDA:
            raise CompileError(f"not a cubin: ELF machine {header[2]}, not {_CUDA}")
        table, size, count, names = header[6], header[11], header[12], header[13]
        if size != SECTION.size or table + size * count > len(data) or names >= count:
            raise CompileError("the cubin is cut off: its table of sections is not whole")
        raw = self.headers = [SECTION.unpack_from(data, table + size * number) for number in range(count)]
        """Fields of each section's header, as `SECTION` has them."""
        start = raw[names][4]
        self.sections = tuple(
            Section(self._text(start + r[0]), r[4], r[5], r[7], stored=r[1] != 8) for r in raw
        )
        if any(s.stored and s.offset + s.size > len(data) for s in self.sections):
            raise CompileError("the cubin is cut off: a section reaches beyond its end")

    def _text(self, offset: int) -> str:
        return self.data[offset : self.data.find(b"\0", offset)].decode(errors="replace")

    @cached_property
    def _by_name(self) -> dict[str, Section]:
        return {section.name: section for section in self.sections}

    @cached_property
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels, in the order of their code."""
        return tuple(s.name[6:] for s in self.sections if s.name.startswith(".text."))

    @cached_property
    def symbols(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Name and fields, as `SYMBOL` has them, of each symbol."""
        table, names = self._by_name.get(".symtab"), self._by_name.get(".strtab")
        if table is None or names is None:
            return ()
        entries = SYMBOL.iter_unpack(self.content(table))
        return tuple((self._text(names.offset + entry[0]), entry) for entry in entries)

    @cached_property
    def _places(self) -> dict[str, int]:
        """Name of a symbol -> its first place."""
        return {name: place for place, (name, _) in reversed(tuple(enumerate(self.symbols)))}

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """Names of kernels and of what they call."""
        return tuple(name for name, entry in self.symbols if entry[1] & 15 == _FUNCTION)

    @property
    def kind(self) -> tuple[int, ...]:
        """What the header says of target and layout: system, versions, flags."""
        return (*self.header[0][7:9], self.header[3], self.header[7])

    def content(self, section: Section) -> bytes:
        """Bytes of a section that the file holds."""
        return self.data[section.offset : section.offset + section.size] if section.stored else b""

    def code(self, kernel: str) -> bytes:
        """Machine code of one kernel, 16 bytes an instruction, called functions behind it.

        Raises:
            CompileError: the cubin holds no kernel of that name.
        """
        section = self._by_name.get(f".text.{kernel}")
        if section is None:
            raise CompileError(
                f"the cubin holds no kernel '{kernel}', only {', '.join(self.kernels) or 'none'}"
            )
        return self.content(section)

    def resources(self, kernel: str, number: int) -> Resources:
        """What a kernel takes.

        Args:
            kernel: its name.
            number: of the target it is for, 90: from 90 on shared memory counts a reserved part.
        """
        of_kernel = self._amounts.get(self._places.get(kernel, -1), {})
        mine = dict(self._attributes(f".nv.info.{kernel}"))
        shared = self._size(f".nv.shared.{kernel}")
        reserved = RESERVED_SHARED if number >= 90 else 0
        return Resources(
            registers=of_kernel.get(REGISTERS, 0),
            stack_bytes=max(of_kernel.get(FRAME_SIZE, 0), of_kernel.get(MIN_STACK, 0)),
            shared_bytes=max(0, shared - reserved),
            constant_bytes=self._size(f".nv.constant0.{kernel}") + self._size(".nv.constant3"),
            parameter_bytes=_short(mine.get(PARAMETER_BYTES, b"")),
            max_threads=_product(mine.get(MAX_THREADS, b"")),
        )

    @cached_property
    def _amounts(self) -> dict[int, dict[int, int]]:
        """Place of a symbol -> number of an attribute -> the most that `.nv.info` says of it."""
        found: dict[int, dict[int, int]] = {}
        for attribute, value in self._attributes(".nv.info"):
            if len(value) >= 8:
                symbol, amount = struct.unpack_from("<II", value)
                mine = found.setdefault(symbol, {})
                mine[attribute] = max(amount, mine.get(attribute, 0))
        return found

    def _size(self, name: str) -> int:
        section = self._by_name.get(name)
        return section.size if section else 0

    def _attributes(self, name: str) -> list[tuple[int, bytes]]:
        """(number, value) of a `.nv.info` section; a value that fits stands in the entry itself."""
        section = self._by_name.get(name)
        data = self.content(section) if section else b""
        found, place = [], 0
        while place + _ATTRIBUTE.size <= len(data):
            shape, number, size = _ATTRIBUTE.unpack_from(data, place)
            place += _ATTRIBUTE.size
            if shape == _SIZED:
                found.append((number, data[place : place + size]))
                place += size
            else:
                found.append((number, struct.pack("<H", size)))
        return found


def _short(value: bytes) -> int:
    return int.from_bytes(value[:2], "little")


def _product(value: bytes) -> int:
    if len(value) < 12:
        return 0
    x, y, z = struct.unpack_from("<III", value)
    return int(x * y * z)
