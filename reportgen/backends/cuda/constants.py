"""Cells in constant memory: every word holds its own address, which is its offset in the module's bank."""

from __future__ import annotations

import struct

import numpy as np

from reportgen.backends.cuda.binding import Binding, Handle
from reportgen.backends.cuda.chase import Chase
from reportgen.backends.cuda.elf import Cubin
from reportgen.errors import LaunchError

_SYMBOL = struct.Struct("<IBBHQQ")
"""ELF64: name, info, other, section, value, size."""


def offsets(cubin: Cubin, prefix: str) -> dict[str, int]:
    """Name -> offset in the bank, of the variables whose names begin with `prefix`."""
    by_name = {section.name: section for section in cubin.sections}
    if ".symtab" not in by_name or ".strtab" not in by_name:
        return {}
    names = cubin.content(by_name[".strtab"])
    found = {}
    for at, _, _, _, value, size in _SYMBOL.iter_unpack(cubin.content(by_name[".symtab"])):
        name = names[at : names.find(b"\0", at)].decode(errors="replace")
        if size and name.startswith(prefix):
            found[name] = value
    return found


def fill(binding: Binding, module: Handle, code: bytes, kernel: str) -> None:
    """Write the cells of a kernel, where it has some."""
    if b"cells_" not in code:
        return
    for name, offset in offsets(Cubin(code), f"cells_{kernel}").items():
        address, size = binding.variable(module, name)
        words = np.arange(offset, offset + size, 4, dtype=np.uint32)
        binding.write(address, words.tobytes())


def put(binding: Binding, module: Handle, code: bytes, kernel: str, chase: Chase) -> None:
    """Write the nodes of a chase through constant memory.

    Raises:
        LaunchError: the cubin has no such memory.
    """
    name = f"nodes_{kernel}"
    offset = offsets(Cubin(code), name).get(name)
    if offset is None:
        raise LaunchError(f"the cubin holds no constant memory '{name}'")
    address, _ = binding.variable(module, name)
    chase.base = offset
    words = chase.words(4).tobytes()
    chase.base = 0  # a launch is passed offsets from the variable's own address
    binding.write(address, words)
