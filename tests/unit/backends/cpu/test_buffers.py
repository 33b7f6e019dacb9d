"""Memory of a probe: what is asked for, and what the kernel grants."""

from __future__ import annotations

import mmap
import sys
from pathlib import Path

import pytest

from reportgen.backends.cpu import buffers
from reportgen.backends.cpu.buffers import HUGE, Buffer
from reportgen.errors import LaunchError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="page advice is Linux's")


class _NoAdvice(mmap.mmap):
    def madvise(self, *_: int) -> None:
        raise OSError(22, "no transparent huge pages in this kernel")


def test_a_buffer_starts_at_a_huge_page_and_holds_its_bytes() -> None:
    with Buffer(10_000, "huge") as buffer:
        assert buffer.address % HUGE == 0
        view = buffer.view()
        view[:4] = b"abcd"
        assert (len(view), bytes(view[:4])) == (10_000, b"abcd")
        view.release()


@pytest.mark.parametrize("size", [64, 300_000, HUGE, HUGE + 1, 5 * HUGE - 64])
def test_every_huge_page_that_a_buffer_touches_is_its_own(size: int) -> None:
    for _ in range(5):
        with Buffer(size, "huge") as buffer:
            assert buffer.offset + -(-size // HUGE) * HUGE <= len(buffer._map)


def test_a_kernel_without_huge_pages_gives_small_ones_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(mmap, "mmap", _NoAdvice)
    monkeypatch.setattr(buffers, "SMAPS", tmp_path / "absent")
    with Buffer(1 << 20, "huge") as buffer:
        assert buffer.huge_bytes() == 0


def test_small_pages_are_small() -> None:
    with Buffer(4 << 20, "4k") as buffer:
        view = buffer.view()
        view[0] = view[-1] = 1
        view.release()
        assert buffer.huge_bytes() == 0


def test_memory_that_is_not_to_be_had_is_named() -> None:
    with pytest.raises(LaunchError, match="bytes of memory are not to be had"):
        Buffer(1 << 60, "4k")
