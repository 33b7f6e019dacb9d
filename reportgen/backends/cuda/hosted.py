"""Memory of the host that kernels reach over the link, laid out by the host itself."""

from __future__ import annotations

import ctypes

from reportgen.backends.cuda.binding import Binding

HOST = "host"
"""`memory` of a set-up whose kernels go through memory of the host: page-locked and mapped."""


class Hosted:
    """Page-locked memory at the addresses that kernels know it by.

    What is written goes there without the driver, which copies to and from memory of the device.

    Args:
        binding: with its context open.
        size: bytes.

    Raises:
        MemoryError: the host is full, or does not lock so much.
    """

    def __init__(self, binding: Binding, size: int) -> None:
        self._binding = binding
        self._memory = binding.host_memory(size)
        self.address = binding.mapped(self._memory)

    def _here(self, address: int) -> int:
        return self._memory.address + address - self.address

    def write(self, address: int, data: bytes) -> None:
        """Bytes to an address of the device."""
        ctypes.memmove(self._here(address), data, len(data))

    def copy(self, target: int, source: int, size: int) -> None:
        """From one address of the device to another."""
        ctypes.memmove(self._here(target), self._here(source), size)

    def free(self) -> None:
        """Give it back."""
        self._binding.free_host(self._memory)
