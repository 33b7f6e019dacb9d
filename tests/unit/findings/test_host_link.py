"""Findings about the link to the host: sentences, what they are held against, how hypotheses end."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import msgspec
import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.findings import lint
from reportgen.findings.derive import derive
from reportgen.findings.finding import Claim, Finding, Verdict
from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.names import noun
from reportgen.model.compare import HIGHER_IS_FASTER, LOWER_IS_FASTER, relevant
from reportgen.model.exports.dictionary import lookup
from reportgen.status import Status
from tests.simulated import gpu_link, gpu_memory
from tests.simulated.gpu import make
from tests.simulated.gpu_link import FACTS, LINK, LinkTruth
from tests.simulated.gpu_truth import GpuTruth

TRUTH = GpuTruth()
METRICS = (
    *(f"host_link.{way}.{what}" for way in ("to_device", "to_host")
      for what in ("bandwidth", "start", "waited", "pageable_bandwidth", "pageable_waited")),
    "host_link.both.bandwidth",
    *(f"host_link.mapped.{what}" for what in (
        "latency", "latency_time", "latency_cg", "latency_time_cg", "read", "write")),
)  # fmt: skip


def found(
    link: LinkTruth = LINK,
    facts: dict[str, Any] = FACTS,
    reported: dict[str, Any] | None = None,
    *,
    memory: bool = False,
) -> dict[str, Finding]:
    """Findings of a device with such a link, and with memory of its own if wanted."""
    asked = [probe(TRUTH, link, facts) for probe in gpu_link.QUESTIONS]
    if memory:
        asked.append(gpu_memory.working_set(TRUTH))
    run, rows = make(TRUTH, asked=asked)
    device = msgspec.structs.replace(run.device, reported=run.device.reported | (reported or {}))
    run = msgspec.structs.replace(run, device=device)
    return {one.id: one for one in derive(run, quantities(run, pa.table(rows)))}


@cache
def usual() -> dict[str, Finding]:
    return found()


@pytest.mark.parametrize("metric", METRICS)
def test_each_metric_has_a_sentence_a_name_and_a_meaning(metric: str) -> None:
    one = usual()[metric]
    assert one.status in (Status.OK, Status.UNVERIFIED)
    assert one.claim is Claim.MEASURED
    assert not lint.offences(one.sentence)
    assert parse(metric).kind in (Kind.LINK_RATE, Kind.LINK_TIME)
    entry = lookup(metric)
    assert entry is not None
    assert entry.method == "host-link"
    assert noun(metric, str).startswith(("the ", "what a copy takes"))


@pytest.mark.parametrize(
    ("metric", "says"),
    [
        (
            "host_link.to_device.bandwidth",
            "Copies of page-locked memory from host to GPU, in a row without a",
        ),
        ("host_link.to_device.bandwidth", "PCIe generation 5 with 16 lanes, which carries 63"),
        ("host_link.to_device.bandwidth", "(nominal): the rate is 0.87 of that."),
        ("host_link.both.bandwidth", "in both directions together"),
        ("host_link.both.bandwidth", "the rate is 0.80 of that."),
        (
            "host_link.to_host.pageable_bandwidth",
            "pageable memory from GPU to host, each waited for by the host",
        ),
        ("host_link.to_host.start", "takes 1.7"),
        ("host_link.to_host.start", "all sizes lies on one straight line"),
        ("host_link.to_host.waited", "A copy of 4 KiB of page-locked memory from GPU to host takes 7.5"),
        (
            "host_link.mapped.latency_time",
            "Dependent loads of the volatile kind from page-locked memory of the",
        ),
        ("host_link.mapped.latency_cg", "cached in the second level (cg)"),
        ("host_link.mapped.read", "Kernels read 51.9"),
        ("host_link.mapped.write", "into page-locked memory of the host, without a copy."),
    ],
)
def test_sentences(metric: str, says: str) -> None:
    assert says in usual()[metric].sentence


def test_pageable_memory_is_slower_for_a_reason_that_is_inferred() -> None:
    one = usual()["staging:host_link.to_device.pageable_bandwidth"]
    assert one.claim is Claim.INFERRED
    assert len(one.alternatives) == 3
    assert "0.16 of the rate" in one.sentence
    assert "consistent with a way through page-locked buffers of the driver" in one.sentence
    assert not lint.offences(one.sentence)
    assert "staging:host_link.to_device.pageable_bandwidth" not in found(replace(LINK, pageable=5.6e10))


def test_a_link_that_works_below_its_best_says_both() -> None:
    slow = FACTS | {"pcie_generation": 3, "pcie_width": 8}
    text = found(replace(LINK, to_device=6.6e9), slow)["host_link.to_device.bandwidth"].sentence
    assert "PCIe generation 3 with 8 lanes (at most generation 5 with 16 lanes)" in text
    assert "0.84 of that" in text


def test_what_is_joined_otherwise_or_shares_memory_has_nothing_nominal() -> None:
    fast = replace(LINK, to_device=4.2e11)
    c2c = found(fast, FACTS | {"c2c_links": 10})["host_link.to_device.bandwidth"]
    assert (c2c.status, "joined by NVLink-C2C" in c2c.sentence) == (Status.UNVERIFIED, True)
    same = found(fast, reported={"integrated": 1})
    assert same["host_link.to_device.bandwidth"].status is Status.UNVERIFIED
    assert "share one memory here (integrated device)" in same["host_link.to_device.bandwidth"].sentence
    unknown = found(fast, {})["host_link.to_device.bandwidth"]
    assert (unknown.status, "NVML" in unknown.sentence) == (Status.UNVERIFIED, False)
    apart = found(facts=FACTS | {"device_node": 1})["host_link.to_host.bandwidth"].sentence
    assert "on another NUMA node than the device is at" in apart


def test_no_rate_above_what_the_link_carries() -> None:
    for link, metric in (
        (replace(LINK, to_device=6.6e10), "host_link.to_device.bandwidth"),
        (replace(LINK, both=1.3e11), "host_link.both.bandwidth"),
        (replace(LINK, read=6.6e10), "host_link.mapped.read"),
    ):
        one = found(link)[metric]
        assert one.status is Status.INVALID
        assert "what the link carries at the most" in one.contradictions[0]


def test_how_it_is_compared() -> None:
    for metric in METRICS:
        kind = parse(metric).kind
        assert relevant(metric) == 0.1
        assert (kind in HIGHER_IS_FASTER, kind in LOWER_IS_FASTER) == (
            kind is Kind.LINK_RATE,
            kind is Kind.LINK_TIME,
        )


def test_relations() -> None:
    both = found(replace(LINK, both=1.2e11))["host_link.both.bandwidth"]
    assert "what the two directions move alone" in both.contradictions[0]
    pageable = found(replace(LINK, pageable=6.0e10))["host_link.to_host.pageable_bandwidth"]
    assert "page-locked memory is copied without a detour" in pageable.contradictions[0]


@pytest.mark.parametrize(
    ("probe", "link", "verdict"),
    [
        ("copy", LINK, Verdict.SUPPORTED),
        ("copy", replace(LINK, both=6.0e10), Verdict.NOT_SUPPORTED),
        ("mapped_read", LINK, Verdict.SUPPORTED),
        ("mapped_read", replace(LINK, latency=1e-7), Verdict.NOT_SUPPORTED),
        ("mapped_stream", LINK, Verdict.SUPPORTED),
        ("mapped_stream", replace(LINK, read=2.0e10), Verdict.NOT_SUPPORTED),
    ],
)
def test_hypotheses(probe: str, link: LinkTruth, verdict: Verdict) -> None:
    facts = found(link, memory=probe == "mapped_read")
    assert facts[f"hypothesis:host_link/{probe}"].verdict is verdict
