"""Executable memory of our own: write, then execute, never both at once.

Some systems (SELinux `deny_execmem`) refuse to make written anonymous memory executable; then a
memory file is mapped twice, once to write and once to execute.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from contextlib import suppress

from reportgen.backends.cpu.isa import host
from reportgen.errors import LaunchError

PLACE = 4096
"""Bytes from one place of a copy to the next, whatever pages are."""

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


class Executable:
    """Machine code mapped read+execute; `call` releases the GIL while it runs.

    Raises:
        LaunchError: neither mprotect nor a memory file gives executable memory.
    """

    def __init__(self, code: bytes, entry: int) -> None:
        self.size = -(-len(code) // mmap.PAGESIZE) * mmap.PAGESIZE
        try:
            self._map = self._protect(code)
        except OSError:
            self._map = self._memory_file(code)
        self.address = address_of(self._map)
        self._entry = entry
        _synchronise(self.address, len(code))
        self._function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(
            self.address + entry
        )

    def _protect(self, code: bytes) -> mmap.mmap:
        mapping = mmap.mmap(-1, self.size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        mapping[: len(code)] = code
        if _libc.mprotect(address_of(mapping), self.size, mmap.PROT_READ | mmap.PROT_EXEC) != 0:
            raise OSError(ctypes.get_errno(), "mprotect refused")
        return mapping

    def _memory_file(self, code: bytes) -> mmap.mmap:
        try:
            handle = os.memfd_create("reportgen-probe")
            os.write(handle, code.ljust(self.size, b"\0"))
            mapping = mmap.mmap(
                handle, self.size, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ | mmap.PROT_EXEC
            )
            os.close(handle)
        except (OSError, AttributeError) as error:
            raise LaunchError(
                f"this system gives no executable memory ({error}); "
                "allow execmem for this process (SELinux: setsebool deny_execmem off)"
            ) from None
        return mapping

    def bytes(self, length: int) -> bytes:
        """The first `length` bytes as they lie in memory, to be compared with what was inspected."""
        return ctypes.string_at(self.address, length)

    def elsewhere(self, places: int) -> Executable:
        """A copy in memory of its own, so many places of 4 KiB behind the beginning of it."""
        before = places * PLACE
        return Executable(bytes(before) + self.bytes(self.size), before + self._entry)

    def call(self, arguments: int, out: int) -> int:
        """Run the program: pointers to its argument block and to its output block."""
        return int(self._function(arguments, out))


def _synchronise(address: int, length: int) -> None:
    """Let instruction fetch see what was just written.

    x86-64 does that itself.  On AArch64 Linux cleans and invalidates the caches when it first maps a
    fresh page executable, and both ways above write before they do so (arch/arm64/mm/flush.c,
    `__sync_icache_dcache`).  That is the kernel's own affair and not a promise, so libgcc's
    `__clear_cache` is called as well where libgcc is installed (not on musl).
    """
    if host() == "x86_64":
        return
    with suppress(OSError, AttributeError):
        clear = ctypes.CDLL("libgcc_s.so.1").__clear_cache
        clear.argtypes, clear.restype = (ctypes.c_void_p, ctypes.c_void_p), None
        clear(address, address + length)


class _PyBuffer(ctypes.Structure):
    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


def address_of(mapping: mmap.mmap) -> int:
    """Start address of a mapping, writable or not."""
    view = _PyBuffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(mapping), ctypes.byref(view), 0)
    address = int(view.buf or 0)
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))
    return address
