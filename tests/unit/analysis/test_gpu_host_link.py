"""The link between host and GPU: rates, fixed times and latencies as they are; what cannot be is said."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import msgspec
import pyarrow as pa
import pytest

from reportgen.analysis import pcie
from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.status import Status
from tests.simulated import gpu_link
from tests.simulated.gpu import make
from tests.simulated.gpu_link import FACTS, LINK, LinkTruth
from tests.simulated.gpu_truth import MIB, GpuTruth

TRUTH = GpuTruth()


def found(link: LinkTruth = LINK, facts: dict[str, Any] = FACTS, noise: float = 0.001) -> dict[str, Quantity]:
    asked = [
        gpu_link.copies(TRUTH, link, facts),
        gpu_link.loads(TRUTH, link),
        gpu_link.streams(TRUTH, link),
    ]
    run, rows = make(TRUTH, asked=asked, noise=noise)
    return {one.metric: one for one in quantities(run, pa.table(rows))}


def near(quantity: Quantity, truth: float, within: float = 0.01) -> bool:
    assert quantity.value is not None, quantity.reason
    return abs(quantity.value / truth - 1) <= within


@pytest.fixture(scope="module")
def usual() -> dict[str, Quantity]:
    return found()


@pytest.mark.parametrize("direction", ["to_device", "to_host", "both"])
def test_the_rate_is_that_of_the_largest_copies(usual: dict[str, Quantity], direction: str) -> None:
    one = usual[f"host_link.{direction}.bandwidth"]
    assert near(one, getattr(LINK, direction))
    assert (one.unit, one.method, one.status) == ("byte/second", "host-link", Status.UNVERIFIED)
    assert one.details["settled_from"] == 16 * MIB
    assert one.details["nominal"] == one.details["nominal_most"] == pytest.approx(63.015e9, rel=1e-3)
    assert one.details["bytes"] == sorted(one.details["bytes"])


def test_what_a_copy_takes_beside_its_bytes(usual: dict[str, Quantity]) -> None:
    for direction in ("to_device", "to_host"):
        one = usual[f"host_link.{direction}.start"]
        assert near(one, LINK.start, 0.02)
        assert one.details["linearity"] < 0.01
    assert "host_link.both.start" not in usual


def test_short_copies_that_are_waited_for(usual: dict[str, Quantity]) -> None:
    assert near(usual["host_link.to_device.waited"], LINK.wait + 4096 / LINK.to_device)
    pageable = usual["host_link.to_host.pageable_waited"]
    assert near(pageable, LINK.wait + 4096 / LINK.pageable)
    assert near(usual["host_link.to_host.pageable_bandwidth"], LINK.pageable)


def test_loads_and_streams_through_the_link(usual: dict[str, Quantity]) -> None:
    for end in ("", "_cg"):
        assert near(usual[f"host_link.mapped.latency{end}"], LINK.latency * TRUTH.clock_hz)
        assert near(usual[f"host_link.mapped.latency_time{end}"], LINK.latency)
    assert near(usual["host_link.mapped.read"], LINK.read)
    assert near(usual["host_link.mapped.write"], LINK.write)


def test_copies_that_lie_on_no_line_have_no_fixed_time() -> None:
    one = found(replace(LINK, bend=1.4))["host_link.to_device.start"]
    assert (one.status, one.value) == (Status.UNSTABLE, None)
    assert "one of 1 MiB would take 0.71 times" in one.reason
    assert one.details["seconds"]


def test_a_fixed_time_that_scatter_hides_is_none() -> None:
    one = found(replace(LINK, start=1e-12), noise=0.05)["host_link.to_device.start"]
    assert (one.status, one.value) == (Status.UNSTABLE, None)


def test_a_rate_that_still_rises_is_a_lower_bound() -> None:
    one = found(replace(LINK, start=5e-3))["host_link.to_device.bandwidth"]
    assert (one.status, one.high) == (Status.CENSORED, None)
    assert one.low is not None
    assert one.low < LINK.to_device
    assert "256 MiB" in one.reason


def test_loads_that_depend_on_the_working_set_have_no_one_latency() -> None:
    info, points = gpu_link.loads(TRUTH)
    points[0] = replace(points[0], cycles=(points[0].cycles[0] / 2,))
    run, rows = make(TRUTH, asked=[(info, points)])
    by = {one.metric: one for one in quantities(run, pa.table(rows))}
    assert by["host_link.mapped.latency"].status is Status.UNSTABLE
    assert "64 KiB and 256 KiB differ by 100%" in by["host_link.mapped.latency"].reason
    assert by["host_link.mapped.latency_cg"].status is Status.OK


def test_without_a_point_there_is_a_reason() -> None:
    info, points = gpu_link.copies(TRUTH)
    gone = [
        replace(one, point=msgspec.structs.replace(one.point, status=Status.FAILED, reason="no room"))
        if one.point.settings["way"] != "queued"
        else one
        for one in points
    ]
    run, rows = make(TRUTH, asked=[(info, gone)])
    by = {one.metric: one for one in quantities(run, pa.table(rows))}
    for metric in ("pageable_bandwidth", "pageable_waited", "waited"):
        one = by[f"host_link.to_device.{metric}"]
        assert (one.status, one.reason) == (Status.FAILED, "no room")
    assert by["host_link.to_device.bandwidth"].value


@pytest.mark.parametrize(
    ("facts", "known"),
    [
        ({}, {}),
        ({"pcie_generation": 9, "pcie_width": 16}, {"pcie_generation": 9, "pcie_width": 16}),
        ({"pcie_generation": 4, "pcie_width": 0}, {"pcie_generation": 4, "pcie_width": 0}),
        (
            {"pcie_generation": 1, "pcie_width": 8, "pcie_generation_most": 4, "pcie_width_most": 16},
            {
                "pcie_generation": 1, "pcie_width": 8, "pcie_generation_most": 4, "pcie_width_most": 16,
                "nominal": 2.0e9, "nominal_most": 16 * 16e9 * 128 / 130 / 8,
            },
        ),
        ({"pcie_generation": 5, "pcie_width": 16, "c2c_links": 10},
         {"pcie_generation": 5, "pcie_width": 16, "c2c_links": 10}),
    ],
)  # fmt: skip
def test_what_a_link_carries(facts: dict[str, Any], known: dict[str, Any]) -> None:
    assert pcie.nominal(facts) == pytest.approx(known)


def test_generations_double() -> None:
    rates = [pcie.LANE[number] for number in sorted(pcie.LANE)]
    ratios = [later / before for before, later in pairwise(rates)]
    assert ratios == pytest.approx([2, 1.97, 2, 2, 1.92, 2], abs=0.01)
    assert pcie.carries(3, 16) == pytest.approx(15.754e9, rel=1e-4)


def test_one_that_idled_when_it_was_asked_does_not_count() -> None:
    info, points = gpu_link.copies(TRUTH)
    slow = points[0].point
    facts = slow.facts | {"pcie_generation": 1}
    points[0] = replace(points[0], point=msgspec.structs.replace(slow, facts=facts))
    run, rows = make(TRUTH, asked=[(info, points)])
    by = {one.metric: one for one in quantities(run, pa.table(rows))}
    assert by["host_link.to_device.bandwidth"].details["pcie_generation"] == 5


def test_ends_of_a_link() -> None:
    far = found(facts=FACTS | {"device_node": 1})["host_link.to_device.bandwidth"]
    assert far.details["other_node"] == 1
    info, points = gpu_link.copies(TRUTH)
    run, rows = make(TRUTH, asked=[(info, points)])
    device = msgspec.structs.replace(run.device, reported=run.device.reported | {"integrated": 1})
    same = quantities(msgspec.structs.replace(run, device=device), pa.table(rows))
    details = next(one for one in same if one.metric == "host_link.to_device.bandwidth").details
    assert (details["integrated"], "nominal" in details) == (1, False)
