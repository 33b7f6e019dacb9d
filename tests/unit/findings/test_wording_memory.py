"""Sentences about memory, rates and routines."""

from __future__ import annotations

import pytest

from reportgen.findings.metric import parse
from reportgen.findings.wording import memory, names
from tests.unit.findings.records import KIB, quantity

# measured: memory


def test_a_boundary_is_an_interval() -> None:
    one = quantity("memory.l1.capacity", 48 * KIB, 46 * KIB, 50 * KIB)
    assert memory.capacity(parse(one.metric), one) == (
        "A working set of 46 KiB still runs at the L1 latency and one of 50 KiB no longer does (n = 240): "
        "the end of L1 lies between them."
    )
    small = quantity("memory.l1.capacity_4k", 48 * KIB, 46 * KIB, 50 * KIB)
    assert "L1 latency on small pages and one of" in memory.capacity(parse(small.metric), small)


def test_levels() -> None:
    one = quantity("memory.l2.latency_4k", 16.0)
    assert memory.level_latency(parse(one.metric), one) == (
        "A dependent load whose working set is in the L2 range on small pages takes 16.00 cycles "
        "(15.98 … 16.02, n = 240)."
    )
    chase = quantity("chase.dram.latency", 420.0)
    assert memory.chase(parse(chase.metric), chase) == (
        "A pointer chase over one random cycle in the DRAM range takes 420.0 cycles (419.6 … 420.4, n = 240) "
        "a step."
    )


def test_line_ways_and_pages() -> None:
    assert memory.line(quantity("memory.line", 64, 56, 64)) == (
        "A second access is still served together with the first at an offset of 56 B and no longer at 64 B "
        "(n = 240)."
    )
    ways = quantity("memory.l1.associativity", 12, 12, 13)
    assert memory.associativity(parse(ways.metric), ways) == (
        "At least 12 and fewer than 13 lines that fall into one set stay in L1 (n = 240)."
    )
    exact = quantity("memory.l1.associativity", 12, 12, 12)
    assert memory.associativity(parse(exact.metric), exact) == (
        "Lines that fall into one set stay in L1 up to a count of 12 (n = 240)."
    )
    reach = quantity("memory.dtlb1.reach", 96, 92, 104)
    assert memory.tlb_reach(parse(reach.metric), reach) == (
        "At least 92 and fewer than 104 pages, one load each, are touched before the first slowdown of the "
        "first-level data TLB (n = 240)."
    )


@pytest.mark.parametrize("kernel", names.COUNTED)
def test_every_bandwidth_says_what_it_counts(kernel: str) -> None:
    one = quantity(f"bandwidth.dram.{kernel}", 15e9)
    text = memory.bandwidth(parse(one.metric), one, cores=1)
    assert "counted" in text
    assert "stores" in text
    assert text.endswith("write-allocate traffic is not counted.")
    assert ("non-temporal" in text) is kernel.startswith("nt_")


def test_bandwidth() -> None:
    one = quantity("bandwidth.l2.copy.all_cores", 140e9)
    assert memory.bandwidth(parse(one.metric), one, cores=2) == (
        "All 2 cores together moved 140 GB/s (139.9 … 140.1 GB/s, n = 240) in the L2 range with the copy "
        "kernel; the bytes loaded and the bytes stored are both counted; the stores are ordinary ones, and "
        "write-allocate traffic is not counted."
    )


def test_peaks_libraries_and_ridges() -> None:
    peak = quantity("peak.fp32", 224e9)
    assert memory.peak(parse(peak.metric), peak, "512-bit FP32 fused multiply-add") == (
        "The best FP32 rate of one core was 224 GFLOP/s (223.8 … 224.2 GFLOP/s, n = 240) with “512-bit FP32 "
        "fused multiply-add”, at the clock that the core had then."
    )
    cycle = quantity("peak.fp32.per_cycle", 64.0)
    assert memory.peak(parse(cycle.metric), cycle) == (
        "The most FP32 work that one core did per cycle was 64.00 FLOP/cycle (63.94 … 64.06, n = 240)."
    )
    routine = quantity("kernel.sgemm.512", 130e9)
    assert memory.library(parse(routine.metric), routine) == (
        "The library routine sgemm ran at 130 GFLOP/s (129.9 … 130.1 GFLOP/s, n = 240) for n = 512, counted "
        "by the work of the definition; its machine code was not inspected."
    )
    ridge = quantity("ridge.fp32.dram", 12.8)
    assert memory.ridge(parse(ridge.metric), ridge, "read") == (
        "The measured FP32 peak divided by the measured DRAM bandwidth (read) is 12.80 FLOP/byte "
        "(12.79 … 12.81, n = 240): the roofline model puts the ridge there."
    )


def test_a_routine_is_sized_by_what_it_counts() -> None:
    assert names.noun("kernel.sgemm.512", str) == "the rate of sgemm at n = 512"
    assert names.noun("kernel.llm_decode.16", str) == "the rate of llm_decode at batch = 16"
    assert names.noun("kernel.softmax.64", str) == "the rate of softmax at rows = 64"
