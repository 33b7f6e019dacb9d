"""Metric ids, taken apart."""

from __future__ import annotations

import pytest

from reportgen.findings.metric import Kind, MetricId, parse


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("latency.fp32_fma", (Kind.LATENCY, "fp32_fma", "", "", "")),
        ("throughput.fp32_fma", (Kind.THROUGHPUT, "fp32_fma", "", "", "")),
        ("issue_interval.fp32_fma", (Kind.ISSUE_INTERVAL, "fp32_fma", "", "", "")),
        ("interference.a.b", (Kind.INTERFERENCE, "a", "b", "", "")),
        ("memory.l1.capacity", (Kind.CAPACITY, "l1", "", "", "")),
        ("memory.l1.capacity_4k", (Kind.CAPACITY, "l1", "", "", "4k")),
        ("memory.dram.latency", (Kind.LEVEL_LATENCY, "dram", "", "", "")),
        ("memory.dram.latency_time_4k", (Kind.LEVEL_TIME, "dram", "", "", "4k")),
        ("memory.line", (Kind.LINE, "", "", "", "")),
        ("memory.l1.associativity", (Kind.ASSOCIATIVITY, "l1", "", "", "")),
        ("memory.dtlb2.reach", (Kind.TLB_REACH, "dtlb2", "", "", "")),
        ("chase.l2.latency", (Kind.CHASE, "l2", "", "", "")),
        ("bandwidth.l2.copy", (Kind.BANDWIDTH, "l2", "copy", "", "")),
        ("bandwidth.l2.copy.all_cores", (Kind.BANDWIDTH, "l2", "copy", "all_cores", "")),
        ("peak.fp32", (Kind.PEAK, "fp32", "", "", "")),
        ("peak.fp32.per_cycle", (Kind.PEAK_PER_CYCLE, "fp32", "", "", "")),
        ("kernel.sgemm.512", (Kind.KERNEL, "sgemm", "512", "", "")),
        ("ridge.fp32.dram", (Kind.RIDGE, "fp32", "dram", "", "")),
    ],
)
def test_known_ids(metric: str, expected: tuple[Kind, str, str, str, str]) -> None:
    assert parse(metric) == MetricId(metric, *expected)


@pytest.mark.parametrize(
    "metric",
    ["", "memory", "memory.l1", "memory.l1.colour", "latency", "peak.a.b", "bandwidth.a.b.c.d"],
)
def test_unknown_ids_are_other(metric: str) -> None:
    assert parse(metric).kind is Kind.OTHER
