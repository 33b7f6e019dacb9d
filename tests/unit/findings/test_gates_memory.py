"""Gates of levels, paths and rates."""

from __future__ import annotations

import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.findings.gates.record import Contradiction, Severity
from reportgen.status import Status
from tests.unit.findings.records import KIB, MIB, breaches, changed, point, quantity, run

# capacities_nest, latencies_rise, cycles_match_seconds, label_needs_its_working_set


def test_capacities_nest() -> None:
    inner = quantity("memory.l1.capacity", 48 * KIB, 46 * KIB, 50 * KIB)
    outer = quantity("memory.l2.capacity", 40 * KIB, 38 * KIB, 42 * KIB)
    (found,) = breaches("capacities_nest", inner, outer, run=run())
    assert "(48 KiB) and the L2 capacity (40 KiB) do not fit each other" in found.text
    censored = quantity("memory.l2.capacity", low=40 * KIB, status=Status.CENSORED)
    assert not breaches("capacities_nest", inner, censored, run=run())


def test_tlb_reaches_nest() -> None:
    pair = quantity("memory.dtlb1.reach", 96, 92, 104), quantity("memory.dtlb2.reach", 64, 60, 68)
    assert breaches("capacities_nest", *pair, run=run())


def test_three_levels_with_one_latency_are_a_contradiction() -> None:
    """One load per interpreter iteration: 32.2, 32.7 and 33.3 ns."""
    levels = {"l1": 32.2e-9, "l2": 32.7e-9, "dram": 33.3e-9}
    found = breaches(
        "latencies_rise", *(quantity(f"memory.{n}.latency_time", t) for n, t in levels.items()), run=run()
    )
    assert len(found) == 2


def test_latencies_rise_on_each_kind_of_page_by_itself() -> None:
    small = quantity("memory.l1.latency_4k", 5.0), quantity("memory.l2.latency_4k", 16.0)
    huge = quantity("memory.l1.latency", 5.0), quantity("memory.l2.latency", 15.0)
    assert not breaches("latencies_rise", *small, *huge, run=run())
    assert breaches("latencies_rise", small[0], quantity("memory.l2.latency_4k", 4.0), run=run())


def test_a_chase_falls_from_level_to_level() -> None:
    pair = quantity("chase.l2.latency", 16.0), quantity("chase.l3.latency", 15.0)
    assert breaches("latencies_rise", *pair, run=run())


def test_a_level_by_one_probe_and_the_next_by_another_are_apart_too() -> None:
    """A label that slipped: "L3" of the sweep takes as long as DRAM of the chase."""
    pair = quantity("memory.l3.latency", 544.0), quantity("chase.dram.latency", 554.0)
    (found,) = breaches("latencies_rise", *pair, run=run())
    assert found.metrics == ("memory.l3.latency", "chase.dram.latency")


def test_ticks_taken_for_cycles_are_found() -> None:
    seconds = quantity("memory.l1.latency_time", 5.0 / 3.5e9)
    ticks = quantity("memory.l1.latency", 5.0 * 2.6 / 3.5)
    assert breaches("cycles_match_seconds", ticks, seconds, run=run())
    assert not breaches("cycles_match_seconds", quantity("memory.l1.latency", 5.0), seconds, run=run())


def sized(metric: str, value: float, size: int, cores: int = 1) -> tuple[Quantity, object]:
    name = f"p#{metric}"
    settings = {"bytes": size, "cores": cores}
    return quantity(metric, value, points=(name,)), point(name, settings, facts={"bytes_actual": size})


L3 = quantity("memory.l3.capacity", 8 * MIB, 7 * MIB, 9 * MIB)
L2 = quantity("memory.l2.capacity", 2 * MIB, 1.8 * MIB, 2.2 * MIB)


@pytest.mark.parametrize("metric", ["chase.l3.latency", "bandwidth.l3.read"])
def test_225_mib_are_not_l3_because_the_guest_shows_it(metric: str) -> None:
    wrong, where = sized(metric, 1e10, 225 * MIB)
    (found,) = breaches("label_needs_its_working_set", L2, L3, wrong, run=run(points=[where]))
    assert found.severity is Severity.LIMIT
    assert "225 MiB, beyond the measured end of L3" in found.text
    right, there = sized(metric, 1e10, 4 * MIB)
    assert not breaches("label_needs_its_working_set", L2, L3, right, run=run(points=[there]))


def test_a_working_set_inside_the_level_below_is_named() -> None:
    wrong, where = sized("bandwidth.l3.read", 1e10, 1 * MIB)
    (found,) = breaches("label_needs_its_working_set", L2, L3, wrong, run=run(points=[where]))
    assert "still inside L2" in found.text


# core_bandwidth, bandwidth_falls, read_covers_loads, write_covers_stores
# dram_beyond_caches, peak_at_clock_seen, load_within_peaks


def test_no_core_moves_more_than_three_accesses_a_cycle() -> None:
    assert breaches("core_bandwidth", quantity("bandwidth.l1.triad", 750e9), run=run())
    assert not breaches("core_bandwidth", quantity("bandwidth.l1.triad", 650e9), run=run())
    assert not breaches("core_bandwidth", quantity("bandwidth.l1.triad.all_cores", 1300e9), run=run())
    assert not breaches("core_bandwidth", quantity("bandwidth.l1.triad", 9e12), run=run(drift=()))


def test_bandwidth_falls_with_the_level() -> None:
    inner, outer = quantity("bandwidth.l2.copy", 60e9), quantity("bandwidth.l3.copy", 70e9)
    (found,) = breaches("bandwidth_falls", inner, outer, run=run())
    assert found.metrics == ("bandwidth.l2.copy", "bandwidth.l3.copy")
    assert not breaches("bandwidth_falls", inner, quantity("bandwidth.l3.copy", 60.1e9), run=run())


def test_stores_that_bypass_the_caches_are_not_compared_by_level() -> None:
    pair = quantity("bandwidth.l1.nt_write", 10e9), quantity("bandwidth.dram.nt_write", 20e9)
    assert not breaches("bandwidth_falls", *pair, run=run())


def test_read_covers_the_loads_of_copy() -> None:
    read, copy = quantity("bandwidth.l1.read", 100e9), quantity("bandwidth.l1.copy", 240e9)
    (found,) = breaches("read_covers_loads", read, copy, run=run())
    assert "loads within the copy bandwidth of L1" in found.text
    assert not breaches("read_covers_loads", read, quantity("bandwidth.l1.copy", 190e9), run=run())


def test_read_covers_two_of_three_streams_of_a_triad() -> None:
    read = quantity("bandwidth.l2.read", 100e9)
    assert breaches("read_covers_loads", read, quantity("bandwidth.l2.triad", 160e9), run=run())
    assert not breaches("read_covers_loads", read, quantity("bandwidth.l2.triad", 150e9), run=run())
    other_cores = quantity("bandwidth.l2.triad.all_cores", 300e9)
    assert not breaches("read_covers_loads", read, other_cores, run=run())


def test_write_covers_the_stores_of_the_same_kind() -> None:
    """Copy 10.0 GB/s in one tool and 16.8 in another: one of them was turned into non-temporal stores."""
    write = quantity("bandwidth.dram.write", 5e9)
    (found,) = breaches("write_covers_stores", write, quantity("bandwidth.dram.copy", 16.8e9), run=run())
    assert "turned into another kind" in found.sentence()
    assert not breaches("write_covers_stores", write, quantity("bandwidth.dram.copy", 10.0e9), run=run())
    assert not breaches("write_covers_stores", write, quantity("bandwidth.dram.nt_copy", 16.8e9), run=run())
    bypassing = quantity("bandwidth.dram.nt_write", 5e9)
    assert breaches("write_covers_stores", bypassing, quantity("bandwidth.dram.nt_copy", 16.8e9), run=run())


@pytest.mark.parametrize(("size", "cores", "fails"), [(64, 1, True), (64, 2, False), (128, 1, False)])
def test_dram_needs_four_times_the_last_level(size: int, cores: int, fails: bool) -> None:
    """Streaming from a cache read 970 GB/s on a memory of 288 GB/s."""
    one, where = sized("bandwidth.dram.read", 15e9, size * MIB, cores)
    found = breaches("dram_beyond_caches", one, run=run(points=[where], reported={"l3_bytes": 32 * MIB}))
    assert bool(found) is fails
    if fails:
        assert "cache-resident" in found[0].sentence()


def test_dram_is_guarded_by_the_measured_cache_where_none_is_reported() -> None:
    one, where = sized("chase.dram.latency", 400.0, 16 * MIB)
    assert breaches("dram_beyond_caches", L3, one, run=run(points=[where]))


def test_a_peak_fits_the_clock_that_was_seen() -> None:
    per_cycle = quantity("peak.fp32.per_cycle", 64.0)
    assert breaches("peak_at_clock_seen", quantity("peak.fp32", 107e12), per_cycle, run=run())
    assert not breaches("peak_at_clock_seen", quantity("peak.fp32", 224e9), per_cycle, run=run())


@pytest.mark.parametrize("kind", ["burst", "sustained"])
@pytest.mark.parametrize("isa", ["x86_64", "sm_90"])
def test_cores_under_load_together_do_no_more_than_each_alone(kind: str, isa: str) -> None:
    card = changed(run(), device=changed(run().device, isa=isa, cores=4))
    per_cycle = quantity("peak.fp32.per_cycle", 64.0)
    most = 4 * 64.0 * max(mark.cycle_hz for mark in card.drift)
    (found,) = breaches("load_within_peaks", quantity(f"peak.fp32.{kind}", 1.1 * most), per_cycle, run=card)
    assert found.severity is Severity.RELATION
    assert set(found.metrics) == {f"peak.fp32.{kind}", "peak.fp32.per_cycle"}
    assert "4 times the measured work per cycle of one" in found.text
    assert not breaches("load_within_peaks", quantity(f"peak.fp32.{kind}", most), per_cycle, run=card)
    wide = quantity(f"peak.fp32.{kind}", 1.1 * most, 0.9 * most, 1.3 * most)
    assert not breaches("load_within_peaks", wide, per_cycle, run=card)
    blind = changed(card, drift=())
    assert not breaches("load_within_peaks", quantity(f"peak.fp32.{kind}", 9 * most), per_cycle, run=blind)


# paths_into_one_cache_agree, edge_is_not_of_the_code


def test_one_cache_through_two_paths_has_one_latency() -> None:
    """L1 latency 68 cycles, the read-only path into the same cache 35."""
    first, second = quantity("memory.l1.latency", 68.0), quantity("chase.l1.read_only.latency", 35.0)
    (found,) = breaches("paths_into_one_cache_agree", first, second, run=run())
    assert found.severity is Severity.RELATION
    assert set(found.metrics) == {"memory.l1.latency", "chase.l1.read_only.latency"}
    assert "the L1 latency of the pointer chase by the path read_only (35 cycles)" in found.text
    near = quantity("chase.l1.read_only.latency", 60.0)
    assert not breaches("paths_into_one_cache_agree", first, near, run=run())
    wide = quantity("chase.l1.read_only.latency", 35.0, 20.0, 70.0)
    assert not breaches("paths_into_one_cache_agree", first, wide, run=run())


def test_a_load_as_an_instruction_is_a_path_into_the_first_level() -> None:
    pair = quantity("memory.l1.latency", 9.0), quantity("latency.l1_load", 5.0)
    assert breaches("paths_into_one_cache_agree", *pair, run=run())
    assert not breaches("paths_into_one_cache_agree", pair[0], quantity("latency.l1_load", 8.0), run=run())


def test_far_levels_and_small_pages_are_given_room() -> None:
    far = quantity("memory.dram.latency", 400.0), quantity("chase.dram.latency", 260.0)
    assert not breaches("paths_into_one_cache_agree", *far, run=run())
    small = quantity("memory.l2.latency_4k", 40.0), quantity("memory.l2.latency", 16.0)
    assert not breaches("paths_into_one_cache_agree", *small, run=run())


def test_a_path_to_far_lines_and_one_to_their_copies_differ_as_the_lines_do() -> None:
    """The second level of an H800: loads that are answered nearby, and loads that go where a line belongs."""
    paths = quantity("memory.l2.latency", 264.0), quantity("chase.l2.cg.latency", 383.0)
    lines = quantity("memory.l2.distance.near", 264.0), quantity("memory.l2.distance.far", 502.0)
    assert breaches("paths_into_one_cache_agree", *paths, run=run())
    assert not breaches("paths_into_one_cache_agree", *paths, *lines, run=run())
    beyond = quantity("chase.l2.cg.latency", 900.0)
    assert breaches("paths_into_one_cache_agree", paths[0], beyond, *lines, run=run())
    first = quantity("memory.l1.latency", 68.0), quantity("chase.l1.read_only.latency", 35.0)
    assert breaches("paths_into_one_cache_agree", *first, *lines, run=run())


def edge(programs: dict[int, str]) -> list[Contradiction]:
    points = [point(f"s#bytes={size}", {"bytes": size}, program=code) for size, code in programs.items()]
    one = quantity("memory.l1.capacity", 45e3, 40e3, 50e3, points=tuple(p.id for p in points))
    return breaches("edge_is_not_of_the_code", one, run=run(points=points))


def test_an_edge_where_the_program_changes_is_of_the_code() -> None:
    (found,) = edge({30_000: "a", 40_000: "a", 50_000: "b", 60_000: "b"})
    assert found.severity is Severity.LIMIT
    assert "the step is a change of the code, and says nothing of the device" in found.text


@pytest.mark.parametrize(
    "programs",
    [
        {30_000: "a", 40_000: "a", 50_000: "a", 60_000: "a"},
        {30_000: "a", 40_000: "b", 50_000: "c", 60_000: "d"},
        {30_000: "", 40_000: "", 50_000: "", 60_000: ""},
        {30_000: "a", 40_000: "a", 45_000: "b", 50_000: "a"},
    ],
    ids=["one program", "a program a point", "not recorded", "other code only on the edge"],
)
def test_an_edge_of_the_device_passes(programs: dict[int, str]) -> None:
    assert edge(programs) == []
