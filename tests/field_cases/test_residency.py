"""Working sets that lie elsewhere than their label says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reportgen.status import Status
from tests.field_cases.told import KIB, MIB, QUIET, device, told
from tests.simulated.asked import Asked, ok_point
from tests.simulated.memory import chase_latency
from tests.simulated.memory_points import CHASE_STEPS, bandwidth_probe, chase_probe, working_set_probe
from tests.simulated.sampler import Timed
from tests.simulated.truth import CpuTruth
from tests.unit.backends.cpu import x86
from tests.unit.findings.records import changed


def streams(truth: CpuTruth) -> list[Asked]:
    return [working_set_probe(truth), bandwidth_probe(truth)]


def chases(truth: CpuTruth) -> list[Asked]:
    return [working_set_probe(truth), chase_probe(truth)]


def test_dram_faster_than_the_memory() -> None:
    """Seen: "DRAM" read 2.4 TB/s on a card whose memory does 1.555 TB/s: all blocks shared one buffer that
    stayed in cache.

    Right: the level label is checked (working set >= 4 x aggregate last-level cache) and nothing above the
    physical limit is published.
    """
    fast = dict(QUIET.bandwidth)
    fast["dram"] = {"read": 2.4e12}
    card = device(isa="sm_80", name="NVIDIA A100-PCIE-40GB", cores=108)
    found = told(streams, replace(QUIET, bandwidth=fast), change=card)
    fact = found.facts["bandwidth.dram.read"]
    assert (fact.status, fact.value) == (Status.INVALID, None)
    assert "above 1.555 TB/s: what the memory can do according to the data sheet" in fact.reason
    assert "cache-resident" in fact.reason


def test_streaming_a_buffer_that_the_cache_holds() -> None:
    """Seen: streaming 1 Mi elements gives 970 GB/s on a 288 GB/s card.

    Right: the same; status `invalid`, reason "cache-resident".
    """
    found = told(streams, change=device(reported={"l3_bytes": 300 * MIB}))
    for kernel in ("read", "write", "copy", "triad"):
        quantity = found.quantities[f"bandwidth.dram.{kernel}"]
        assert quantity.status is Status.INVALID
        assert quantity.reason.startswith("cache-resident: ")
        assert quantity.value is None


@pytest.mark.parametrize(
    ("cache", "guarded"), [(16, False), (32, False), (48, True), (96, True), (256, True)]
)
def test_dram_latency_that_falls_with_bigger_caches(cache: int, guarded: bool) -> None:
    """Seen: "DRAM latency" of five cards 148..276 ns, falling with bigger caches: a 128 MiB buffer.

    Right: residency guard from the device's own cache size.
    """
    truth = replace(QUIET, sweep_high=128 * MIB)
    found = told(chases, truth, change=device(reported={"l3_bytes": cache * MIB}))
    quantity = found.quantities["chase.dram.latency"]
    assert (quantity.status is Status.INVALID) == guarded
    if guarded:
        assert "cache-resident" in quantity.reason


def test_a_label_from_the_cache_that_a_guest_is_shown() -> None:
    """Seen: 225 MiB working set labelled "L3" since the guest shows the host's cache; it is DRAM.

    Right: labels come from measured boundaries.
    """

    def suite(truth: CpuTruth) -> list[Asked]:
        info, timed = chase_probe(truth)
        size = 225 * MIB
        point = ok_point(
            info.id, {"level": "l3", "bytes": size}, work={"steps": CHASE_STEPS},
            facts={"bytes_requested": size, "bytes_actual": size, "huge_bytes": size},
        )  # fmt: skip
        seconds = chase_latency(truth, size, "huge") * CHASE_STEPS / truth.cycle_hz
        others = [one for one in timed if one.point.settings["level"] != "l3"]
        return [working_set_probe(truth), (info, [*others, Timed(point, seconds=seconds)])]

    found = told(suite, change=device(reported={"l3_bytes": 300 * MIB}))
    quantity = found.quantities["chase.l3.latency"]
    assert (quantity.status, quantity.value) == (Status.INVALID, None)
    assert quantity.reason.startswith("225 MiB were meant for l3; ")


def test_the_host_s_cache_reported_inside_a_guest() -> None:
    """Seen: the OS reports a host's 300 MiB L3 inside a guest; the guest reaches 6-9 MiB.

    Right: OS-reported and measured are two sources; the mismatch is a finding.
    """
    caches = (*QUIET.caches[:2], replace(QUIET.caches[2], size=8 * MIB))
    found = told(streams, replace(QUIET, caches=caches), change=device(reported={"l3_bytes": 300 * MIB}))
    measured = found.quantities["memory.l3.capacity"]
    assert measured.low is not None
    assert measured.high is not None
    assert measured.low <= 8 * MIB <= measured.high < 20 * MIB
    mismatch = found.findings["reported:memory.l3.capacity"]
    assert "The operating system reports 300 MiB of L3; the measured boundary is between" in mismatch.sentence
    assert mismatch.sentence.endswith("The two disagree.")
    assert "a guest or container sees the host's cache and gets a share of it" in mismatch.alternatives


@pytest.mark.parametrize("memory", [512 * MIB, 2048 * MIB])
def test_arrays_sized_from_the_host_s_cache(memory: int) -> None:
    """Seen: arrays sized from the host's L3 explode in a container.

    Right: capped by the memory limit and by time.
    """
    reported: dict[str, int | float | str] = {"l1d_bytes": 32 * KIB, "l2_bytes": MIB, "l3_bytes": 300 * MIB}
    small = changed(x86.device(reported=reported), memory_bytes=memory)
    source = x86.generate("memory_hierarchy/pointer_chasing#level=dram", small)
    assert int(source.setup["bytes"]) <= memory / 4
    assert float(source.setup["seconds"]) < 10
