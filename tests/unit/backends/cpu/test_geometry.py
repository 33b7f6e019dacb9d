"""Caches, lines and pages of other machines than those of 4 KiB pages, 64-byte lines and three levels."""

from __future__ import annotations

import msgspec
import pytest

from reportgen.backends.base import Source
from reportgen.backends.cpu.generator import CpuGenerator
from reportgen.backends.cpu.generator_streams import UNTOLD_CACHE, inside
from reportgen.errors import Unsupported
from reportgen.runs.schema import Device
from reportgen.suite.expand import points, probes
from tests.data.aarch64 import golden

MIB = 1 << 20


def like(memory: int = 16 << 30, **reported: int) -> Device:
    """The AArch64 core that has everything, with other caches, lines or pages."""
    known = {"l1d_bytes": 65536, "l1d_ways": 4, "l2_bytes": MIB, "l2_ways": 8, "page_bytes": 4096}
    return msgspec.structs.replace(golden.device(), memory_bytes=memory, reported=known | reported)


def made(device: Device, probe: str) -> dict[str, Source | str]:
    """Every point of a probe: its source, or why there is none."""
    table = golden.suite().tables["aarch64"]
    generator, found = CpuGenerator(device, table), dict[str, Source | str]()
    (chosen,) = (one for one in probes(golden.suite(), "aarch64") if one.id == probe)
    for point in points(chosen, device, table):
        try:
            found[point.id] = generator.generate(chosen, point)
        except Unsupported as error:
            found[point.id] = str(error)
    return found


def test_memory_is_beyond_a_cache_that_nobody_tells_of() -> None:
    """Ampere Altra and Apple's processors report two levels, and have a cache of the system behind them."""
    assert inside(like(), "dram") == 4 * UNTOLD_CACHE
    assert inside(like(l2_bytes=12 * MIB), "dram") == 4 * UNTOLD_CACHE
    assert inside(like(l3_bytes=32 * MIB), "dram") == 128 * MIB
    assert inside(like(memory=MIB << 10), "dram") == int(0.2 * (MIB << 10))  # a small board
    with pytest.raises(Unsupported, match="reports no last-level cache"):
        inside(like(l2_bytes=0), "dram")


@pytest.mark.parametrize("line", [128, 256])
@pytest.mark.parametrize(
    "probe",
    [
        "memory_hierarchy/prefetch_stride",
        "memory_hierarchy/prefetch_near",
        "memory_hierarchy/replacement_policy",
    ],
)
def test_what_is_laid_out_by_lines_is_not_asked_of_other_lines(probe: str, line: int) -> None:
    reasons = set(made(like(line_bytes=line), probe).values())
    assert reasons == {f"lines are laid out 64 bytes apart, and the system reports lines of {line}"}
    assert all(isinstance(one, Source) for one in made(like(line_bytes=64), probe).values())


@pytest.mark.parametrize("page", [4096, 16384, 65536])
def test_pages_of_the_system_are_visited(page: int) -> None:
    found = made(like(page_bytes=page), "memory_hierarchy/tlb_reach")
    assert {one.setup["page"] for one in found.values() if isinstance(one, Source)} == {page}
    assert all(isinstance(one, Source) for one in found.values())


def test_more_pages_than_memory_are_not_asked_for() -> None:
    found = made(like(memory=MIB << 10, page_bytes=65536), "memory_hierarchy/tlb_reach")
    reasons = [one for one in found.values() if isinstance(one, str)]
    assert "8192 pages of 65536 bytes are more than 20% of the memory that may be used" in reasons
    assert 0 < len(reasons) < len(found) / 4
