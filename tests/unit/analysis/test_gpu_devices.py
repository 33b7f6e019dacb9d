"""Memory of GPUs as devices show it: the plan's own sizes, and levels, ends and reaches are found again."""

from __future__ import annotations

from functools import cache

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.status import Status
from tests.simulated.gpu import make
from tests.simulated.gpu_devices import DEVICES, Memory, planned, questions, translation, walks
from tests.simulated.gpu_memory import distances
from tests.simulated.gpu_truth import MIB

EACH = pytest.mark.parametrize("memory", DEVICES, ids=lambda memory: memory.name)
SLACK = 1.1
"""An end that is not sharp may be seen from this much before the last bytes fit."""


@cache
def found(memory: Memory) -> dict[str, Quantity]:
    asked = [*questions(memory), distances(memory.truth)]
    run, rows = make(memory.truth, asked=asked)
    return {one.metric: one for one in quantities(run, pa.table(rows))}


def ends(quantity: Quantity) -> tuple[float, float]:
    assert quantity.status == Status.OK, quantity.reason
    assert quantity.low is not None
    assert quantity.high is not None
    return quantity.low, quantity.high


@EACH
def test_levels_end_where_they_do(memory: Memory) -> None:
    for metric, size in (("memory.l1.capacity", memory.l1_bytes), ("memory.l2.capacity", memory.l2_bytes)):
        low, high = ends(found(memory)[metric])
        # also where latency rises from half of it on, since lines of the far part are no copies any more
        assert low <= size * SLACK
        assert high * SLACK >= size


@EACH
def test_latencies_are_those_of_their_levels(memory: Memory) -> None:
    both = found(memory)
    first, second = both["memory.l1.latency"], both["memory.l2.latency"]
    assert first.value == pytest.approx(memory.l1, rel=0.01)
    assert second.value is not None
    assert memory.near * 0.99 <= second.value <= (memory.far or memory.near) * 1.01
    assert both["memory.cg.l1.latency"].value == pytest.approx(second.value, rel=0.01)
    outer = both["memory.dram.latency"]
    if 4 * memory.l2_bytes > planned("memory_hierarchy/working_set_sweep")[-1]["bytes"]:
        assert outer.status is Status.INVALID
        assert "cache-resident" in outer.reason
    else:  # beyond the reach of the first translation buffer a walk is part of it
        assert outer.value is not None
        assert memory.dram * 0.98 <= outer.value <= (memory.dram + memory.walk) * 1.02


@EACH
def test_a_chase_has_the_level_that_serves_it(memory: Memory) -> None:
    for metric in ("chase.l1.latency", "chase.l2.latency", "chase.l2.cg.latency"):
        chased = found(memory).get(metric)
        if chased is None:  # 4 MiB are as much as the whole second level of some devices
            assert memory.l2_bytes <= 6 * MIB
            continue
        level = memory.l1 if ".l1." in metric else found(memory)["memory.l2.latency"].value
        assert chased.value == pytest.approx(level, rel=0.02)


@EACH
def test_an_average_over_near_and_far_lines_says_so(memory: Memory) -> None:
    level = found(memory)["memory.l2.latency"]
    parts = bool(memory.far) and not memory.copies
    assert ("An average over lines that are near" in level.reason) == parts
    assert "An average" not in found(memory)["memory.l1.latency"].reason


@EACH
def test_the_reach_of_translation_is_told_beside_near_and_far_lines(memory: Memory) -> None:
    for suffix, stride in (("64k", 65536), ("2m", 2 * MIB)):
        low, high = ends(found(memory)[f"memory.dtlb1.reach_{suffix}"])
        assert low <= memory.translation // stride < high
        assert found(memory)[f"memory.dtlb2.reach_{suffix}"].status is Status.CENSORED


@EACH
def test_latencies_of_memory_say_that_translations_are_in_them(memory: Memory) -> None:
    both = found(memory)
    for metric in ("memory.dram.latency", "chase.dram.latency", "chase.dram.cg.latency"):
        if metric in both and both[metric].value is not None:
            far = both[metric].details.get("from_bytes", both[metric].details.get("bytes")) >= 192 * MIB
            assert ("Translations are part of it" in both[metric].reason) == far
    assert "Translations" not in both["memory.l2.latency"].reason


@pytest.mark.parametrize("seed", range(1, 9))
def test_near_and_far_lines_are_no_end_of_a_translation_buffer(seed: int) -> None:
    memory = Memory("far apart", 256 << 10, 40 * MIB, 33.0, 169.0, 566.0, far=303.0, translation=1 << 50)
    run, rows = make(memory.truth, seed=seed, asked=[translation(memory)])
    reaches = quantities(run, pa.table(rows))
    assert {(one.metric, one.status, one.low) for one in reaches} == {
        (f"memory.dtlb1.reach_{suffix}", Status.CENSORED, 4096) for suffix in ("64k", "2m")
    }


@pytest.mark.parametrize("seed", range(1, 7))
@pytest.mark.parametrize("name", ["H100", "A100", "L4"])
def test_a_walk_finds_the_sector_beside_near_and_far_lines(name: str, seed: int) -> None:
    (memory,) = [one for one in DEVICES if one.name == name]
    run, rows = make(memory.truth, seed=seed, asked=[walks(memory)])
    both = {one.metric: one for one in quantities(run, pa.table(rows))}
    assert ends(both["memory.sector.ca"]) == (16, 32)
    assert both["memory.sector.ca"].value == 32
    assert "memory.sector.ca.outer" not in both
    assert both["memory.sector.cg"].status is Status.UNSUPPORTED


@EACH
def test_streams_have_a_size_for_every_level(memory: Memory) -> None:
    kernels = ("read", "write", "copy", "triad") if memory.l2_bytes >= 16 * MIB else ("read", "write")
    for level, rate in (("l2", 6e12), ("dram", 2e12)):
        for kernel in kernels:
            assert found(memory)[f"bandwidth.{level}.{kernel}"].value == pytest.approx(rate, rel=0.01)


@EACH
def test_all_multiprocessors_fill_what_there_is(memory: Memory) -> None:
    whole = found(memory)["memory.l2.capacity.all_multiprocessors"]
    if memory.l2_bytes < 16 * MIB:
        assert whole.status is Status.UNSTABLE
        assert "does not hold the smallest sizes" in whole.reason
        return
    low, high = ends(whole)
    end = memory.l2_bytes / (2 if memory.copies else 1)
    # where a size is the end itself, half of its bytes miss, and chance says whether it or the next is told
    assert 0.75 * end <= low < end <= high <= max(1.15 * end, end + 4 * MIB)
