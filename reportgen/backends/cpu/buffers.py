"""Memory of a probe: fresh for every visit, on the kind of page it asks for, as granted."""

from __future__ import annotations

import mmap
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from reportgen.backends.cpu.executable import address_of
from reportgen.errors import LaunchError

HUGE = 2 << 20
SMAPS = Path("/proc/self/smaps")


def _room(size: int, pages: str) -> int:
    """Bytes of a mapping with `size` at a boundary, and with the whole of every huge page that they touch.

    A page that is not wholly inside of a mapping is never huge: without it, a buffer of less than 2 MiB has
    one by luck, and which lines of it share a set of the second level is luck, too.
    """
    return HUGE + (-(-size // HUGE) * HUGE if pages == "huge" else size)


class Buffer:
    """`size` bytes at a 2 MiB boundary; `pages` is `huge` (a request: see `huge_bytes`) or `4k`.

    Those are the small pages of the system, which are larger than 4 KiB on some.

    A fresh mapping has new physical pages, so visits of one point sample placements.

    Raises:
        LaunchError: the memory is not to be had.
    """

    def __init__(self, size: int, pages: str) -> None:
        self.size = size
        try:
            self._map = mmap.mmap(-1, _room(size, pages), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except (OSError, ValueError) as error:
            raise LaunchError(f"{size} bytes of memory are not to be had: {error}") from None
        advice = mmap.MADV_HUGEPAGE if pages == "huge" else mmap.MADV_NOHUGEPAGE
        with suppress(OSError):  # a kernel without transparent huge pages: huge_bytes() will say 0
            self._map.madvise(advice)
        start = address_of(self._map)
        self.address = -(-start // HUGE) * HUGE
        self.offset = self.address - start

    def huge_bytes(self) -> int:
        """Bytes of this mapping that the kernel says lie on huge pages (Linux smaps)."""
        start = self.address - self.offset
        try:
            with SMAPS.open(encoding="ascii", errors="replace") as smaps:
                inside = False
                for line in smaps:
                    head = line.split(" ", 1)[0]
                    if "-" in head and not head.endswith(":"):
                        low, _, high = head.partition("-")
                        inside = int(low, 16) <= start < int(high, 16)
                    elif inside and line.startswith("AnonHugePages:"):
                        return int(line.split()[1]) * 1024
        except (OSError, ValueError):
            return 0
        return 0

    def view(self) -> memoryview:
        """The usable bytes."""
        return memoryview(self._map)[self.offset : self.offset + self.size]

    def close(self) -> None:
        """Give the memory back; views must be released before."""
        with suppress(BufferError):  # a view still lives; the mapping goes with it
            self._map.close()

    def __enter__(self) -> Buffer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
