"""Edges that were located, snapped, censored or doubled wrongly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reportgen.findings.crosschecks import DISAGREES
from reportgen.status import Status
from tests.field_cases.told import KIB, MIB, QUIET, covers, device, told
from tests.simulated.asked import Asked, ok_point
from tests.simulated.memory import chase_latency
from tests.simulated.memory_points import CHASE_STEPS, sweep_sizes, working_set_probe
from tests.simulated.sampler import Timed
from tests.simulated.truth import CpuTruth, TrueCache


def sweep(truth: CpuTruth) -> list[Asked]:
    return [working_set_probe(truth)]


def first_level(size: int, ways: int = 12) -> CpuTruth:
    return replace(QUIET, caches=(TrueCache("l1", size, 5.0, ways=ways), *QUIET.caches[1:]))


def test_an_edge_short_of_the_data_sheet() -> None:
    """Seen: L1 of a 192 KiB SM located at about 146 KB; users expect 128 or 192.

    Right: report [largest fit, smallest miss], name carve-out, set aliasing and launch shape as alternatives;
    never snap to spec.
    """
    card = device(isa="sm_80", reported={"l1d_bytes": 192 * KIB})
    found = told(sweep, first_level(146 * KIB, ways=16), change=card)
    finding = found.findings["memory.l1.capacity"]
    assert covers(found.quantities["memory.l1.capacity"], 146 * KIB)
    assert not covers(found.quantities["memory.l1.capacity"], 192 * KIB)
    assert "192" not in finding.sentence
    named = "; ".join(finding.alternatives)
    assert "carve-out" in named
    assert "set aliasing" in named
    assert "launch shape" in named
    assert [check.outcome for check in finding.checks if check.channel == "driver"] == [DISAGREES]


@pytest.mark.parametrize("size", [24 * KIB, 32 * KIB, 48 * KIB, 64 * KIB, 128 * KIB])
def test_an_edge_one_line_too_far(size: int) -> None:
    """Seen: constant L1 reported 2112 B on every device (2048 is true).

    Right: no off-by-one-line bias: proven on a simulated set-associative cache.
    """
    found = told(sweep, first_level(size, ways=8)).quantities["memory.l1.capacity"]
    assert found.low is not None
    assert found.high is not None
    assert found.low <= size < found.high
    assert found.value is not None
    assert abs(found.value / size - 1) < 0.06


def test_the_range_of_the_probe_ended_first() -> None:
    """Seen: constant L1.5 reported as 65537 with confidence 0 where the probe's own range ended at 64 KiB.

    Right: `censored`: "at least 64 KiB".
    """
    found = told(sweep, replace(first_level(48 * KIB), sweep_high=MIB))
    quantity = found.quantities["memory.l2.capacity"]
    assert quantity.status is Status.CENSORED
    assert quantity.high is None
    assert quantity.low is not None
    assert quantity.low <= MIB
    assert "at least" in found.findings["memory.l2.capacity"].sentence
    assert found.facts["memory.l2.capacity"].high is None


def test_one_cache_at_four_places_each_of_them_sure() -> None:
    """Seen: one 256 KiB cache reported as 238848, 255232, 258560 and 241920 B, each "confidence 0.97".

    Right: confidence speaks of where the edge is, not of whether there is one.
    """
    l2 = TrueCache("l2", 256 * KIB, 16.0, ways=16, placed=True)
    truth = replace(CpuTruth(), caches=(QUIET.caches[0], l2, QUIET.caches[2]))
    for granted in (True, False):  # without huge pages chance decides which sets a page falls on
        for seed in (1, 2, 3, 4):
            found = told(sweep, replace(truth, huge_granted=granted), seed)
            edge, finding = found.quantities["memory.l2.capacity"], found.findings["memory.l2.capacity"]
            if covers(edge, 256 * KIB):
                continue
            assert not granted
            assert finding.confidence < 0.85
            assert "page placement (set aliasing)" in finding.alternatives


def test_a_buffer_smaller_than_was_asked_for() -> None:
    """Seen: requested 4000 KB buffer silently rounded to 1952 KB gives a false boundary.

    Right: store requested and actual bytes.
    """

    def suite(truth: CpuTruth) -> list[Asked]:
        """From 512 KiB on, half of what was asked for is granted."""
        info, _ = working_set_probe(truth)
        timed = []
        for size in sweep_sizes(truth):
            actual = size if size < 512 * KIB else size // 128 * 64
            granted = {"bytes_requested": size, "bytes_actual": actual, "huge_bytes": actual}
            settings = {"bytes": size, "pages": "huge"}
            point = ok_point(info.id, settings, work={"steps": CHASE_STEPS}, facts=granted)
            timed.append(Timed(point, cycles=chase_latency(truth, actual, "huge") * CHASE_STEPS))
        return [(info, timed)]

    sharp = TrueCache("l2", 2 * MIB, 16.0, ways=16)
    truth = replace(QUIET, caches=(QUIET.caches[0], sharp, QUIET.caches[2]))
    edge = told(suite, truth).quantities["memory.l2.capacity"]
    assert covers(edge, 2 * MIB)
    assert not covers(edge, 4 * MIB)


def test_translation_mixed_into_memory_latency() -> None:
    """Seen: random chase mixes TLB misses into DRAM latency.

    Right: huge-page and page-local variants, both named.
    """
    found = told(sweep)
    huge, small = (found.quantities[f"memory.dram.latency{pages}"] for pages in ("", "_4k"))
    assert huge.value is not None
    assert small.value is not None
    assert small.value > huge.value + QUIET.dtlb2_penalty / 2
    finding = found.findings["pages:memory.dram.latency"]
    assert "on small pages and" in finding.sentence
    assert "consistent with the cost of address translation" in finding.sentence
