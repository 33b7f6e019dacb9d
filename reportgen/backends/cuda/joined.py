"""The code of many cubins in one ELF, for a disassembler that takes longer to start than to read a kernel.

Sections of code go over byte for byte, with their relocations and with all symbols that these may name;
the disassembler prints addresses from the beginning of a section and symbols by name, so it says of each
kernel what it says of it in its own cubin.  The file is for reading only: resources, constants and notes
for the loader are left behind.  Layout: System V ABI, chapters 4 and 5; of a section of code `sh_info`
holds the kernel's symbol in its lower 24 bits (as in `cuobjdump -elf`).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from reportgen.backends.cuda.elf import HEADER, SECTION, SYMBOL, Cubin

CODE = ".text."
MARKS = (".note.nv.", ".nv.compat")
"""Sections that say for which target and by which tool the code is; of the first cubin."""
_RELOCATIONS = {".rel.": struct.Struct("<QQ"), ".rela.": struct.Struct("<QQq")}
_TYPE_STRINGS, _TYPE_SYMBOLS = 3, 2
_SPECIAL = 0xFF00
"""`SHN_LORESERVE`: numbers from here on are no sections."""
_SYMBOL_MASK = 0xFFFFFF


def groups(cubins: Sequence[Cubin]) -> list[list[int]]:
    """Places of cubins that may be joined: of one kind of header, no two names of code alike.

    Where two symbols have one name, the disassembler would number them.
    """
    found: list[tuple[tuple[int, ...], set[str], list[int]]] = []
    for place, cubin in enumerate(cubins):
        kind, names = cubin.kind, set(cubin.functions)
        for known, taken, places in found:
            if known == kind and not taken & names:
                taken |= names
                places.append(place)
                break
        else:
            found.append((kind, names, [place]))
    return [places for _, _, places in found]


@dataclass
class _Image:
    """Sections as they are put together; the header of each is filled in when all are there."""

    names: list[str] = field(default_factory=lambda: [""])
    headers: list[list[int]] = field(default_factory=lambda: [[0] * 10])
    bodies: list[bytes] = field(default_factory=lambda: [b""])
    strings: bytearray = field(default_factory=lambda: bytearray(1))
    symbols: list[bytes] = field(default_factory=lambda: [bytes(SYMBOL.size)])

    def add(self, name: str, header: Sequence[int], body: bytes) -> int:
        """The number of the new section."""
        self.names.append(name)
        self.headers.append(list(header))
        self.bodies.append(body)
        return len(self.names) - 1


def join(cubins: Sequence[Cubin]) -> bytes:
    """One ELF with the code of all; see `groups` for which may be joined."""
    image = _Image()
    for cubin in cubins:
        _take(image, cubin, first=cubin is cubins[0])
    return _written(image, cubins[0])


def _take(image: _Image, cubin: Cubin, *, first: bool) -> None:
    shift = len(image.symbols) - 1
    kept: dict[int, int] = {}
    for number, section in enumerate(cubin.sections):
        if section.name.startswith(CODE) or (first and section.name.startswith(MARKS)):
            kept[number] = image.add(section.name, cubin.headers[number], cubin.content(section))
            if section.name.startswith(CODE):
                own = image.headers[-1]
                own[7] = own[7] & ~_SYMBOL_MASK | (own[7] & _SYMBOL_MASK) + shift
    for section, header in zip(cubin.sections, cubin.headers, strict=True):
        for start, shape in _RELOCATIONS.items():
            if section.name.startswith(start[:-1] + CODE):
                moved = (
                    shape.pack(place, info + (shift << 32), *rest)
                    for place, info, *rest in shape.iter_unpack(cubin.content(section))
                )
                added = image.add(section.name, header, b"".join(moved))
                image.headers[added][7] = kept[header[7]]
    for name, (_, kind, other, home, value, size) in cubin.symbols[1:]:
        home = home if home >= _SPECIAL else kept.get(home, 0)
        image.symbols.append(SYMBOL.pack(len(image.strings), kind, other, home, value, size))
        image.strings += name.encode() + b"\0"


def _written(image: _Image, like: Cubin) -> bytes:
    strings = image.add(".strtab", (0, _TYPE_STRINGS, 0, 0, 0, 0, 0, 0, 1, 0), bytes(image.strings))
    entries = b"".join(image.symbols)
    symbols = image.add(".symtab", (0, _TYPE_SYMBOLS, 0, 0, 0, 0, strings, 1, 8, SYMBOL.size), entries)
    own = image.add(".shstrtab", (0, _TYPE_STRINGS, 0, 0, 0, 0, 0, 0, 1, 0), b"")
    names, starts = bytearray(), []
    for name in image.names:
        starts.append(len(names))
        names += name.encode() + b"\0"
    image.bodies[own] = bytes(names)
    out = bytearray(HEADER.size)
    for name, start, header, body in zip(image.names, starts, image.headers, image.bodies, strict=True):
        if not name:
            continue
        out += bytes(-len(out) % max(1, header[8]))
        header[0], header[4], header[5] = start, len(out), len(body)
        if name.startswith((CODE, ".rel")):
            header[6] = symbols
        out += body
    out += bytes(-len(out) % 8)
    fields = list(like.header)
    fields[5], fields[6], fields[10] = 0, len(out), 0  # no segments: nothing loads it
    fields[12], fields[13] = len(image.headers), own
    out[: HEADER.size] = HEADER.pack(*fields)
    return bytes(out) + b"".join(SECTION.pack(*header) for header in image.headers)
