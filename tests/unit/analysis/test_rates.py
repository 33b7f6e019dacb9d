"""Bandwidth, peaks and library routines of known truth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest

from reportgen.analysis.hierarchy import Hierarchy, reported
from reportgen.analysis.robust import Interval
from reportgen.runs.schema import Point, Run
from reportgen.status import Status
from tests.simulated.asked import Asked, ok_point, probe_info
from tests.simulated.cpu import device_of
from tests.simulated.memory_points import bandwidth_probe, working_set_probe
from tests.simulated.roofline_points import library_probes, peak_probes
from tests.simulated.sampler import Timed
from tests.simulated.truth import KIB, MIB, CpuTruth
from tests.unit.analysis.cases import Columns, analysed, covers, reject

NOISY = replace(CpuTruth(), sweep_high=128 * MIB)


def memory(truth: CpuTruth) -> list[Asked]:
    return [working_set_probe(truth), bandwidth_probe(truth)]


def point_changed(run: Run, change: Any) -> Run:
    return msgspec.structs.replace(run, points=tuple(change(point) for point in run.points))


def test_every_level_and_kernel_is_found_and_covered() -> None:
    hits = []
    for seed in range(4):
        found = analysed(memory, NOISY, seed)
        for level, kernels in NOISY.bandwidth.items():
            for kernel, rate in kernels.items():
                one = found[f"bandwidth.{level}.{kernel}"]
                assert one.value == pytest.approx(rate, rel=0.05)
                hits.append(covers(one, rate))
    assert np.mean(hits) >= 0.9


def test_all_cores_together_are_one_rate() -> None:
    found = analysed(memory, NOISY)
    for level in ("l1", "l2", "dram"):
        one = found[f"bandwidth.{level}.copy.all_cores"]
        truth = NOISY.bandwidth[level]["copy"] * NOISY.scaling[level]
        assert one.value == pytest.approx(truth, rel=0.05)
        assert one.details["cores"] == 2


def test_a_sample_that_lacks_a_thread_is_left_out() -> None:
    def one_thread_rejected(columns: Columns) -> None:
        odd = columns["sample"] % 2 == 1
        reject(columns, (columns["thread"] == 1) & odd)
        # Had its bytes been counted alone, the rate would have halved.

    found = analysed(memory, replace(NOISY, samples=40), edit=one_thread_rejected)
    one = found["bandwidth.l1.copy.all_cores"]
    assert one.value == pytest.approx(2 * NOISY.bandwidth["l1"]["copy"], rel=0.05)


def test_a_thread_that_starts_late_lengthens_the_whole() -> None:
    def late(columns: Columns) -> None:
        second = columns["thread"] == 1
        columns["start"] = columns["start"] + np.where(second, columns["ticks"], 0)

    found = analysed(memory, NOISY, edit=late)
    one = found["bandwidth.l1.copy.all_cores"]
    assert one.value == pytest.approx(NOISY.bandwidth["l1"]["copy"], rel=0.05)


def test_memory_that_fits_the_last_cache_is_not_memory() -> None:
    """All cores but the sizes are too small to leave the cache that the system reports."""

    def small(run: Run) -> Run:
        def shrink(point: Point) -> Point:
            if float(point.settings.get("bytes", 0)) < 100 * MIB or "kernel" not in point.settings:
                return point
            return msgspec.structs.replace(point, facts=point.facts | {"bytes_actual": 40 * MIB})

        return point_changed(run, shrink)

    found = analysed(memory, NOISY, change=small)
    one = found["bandwidth.dram.copy"]
    assert (one.status, one.value) == (Status.INVALID, None)
    assert one.reason.startswith("cache-resident")
    assert found["bandwidth.l1.copy"].status is Status.OK


def test_a_level_without_a_size_says_so() -> None:
    found = analysed(memory, NOISY)
    one = found["bandwidth.l3.copy.all_cores"]  # half of the third level on each of two cores
    assert (one.status, one.value) == (Status.SKIPPED, None)
    assert "well inside L3" in one.reason


def test_without_a_sweep_levels_are_as_reported_and_unverified() -> None:
    one = analysed([bandwidth_probe(NOISY)], NOISY)["bandwidth.l1.read"]
    assert one.status is Status.UNVERIFIED
    assert one.value == pytest.approx(NOISY.bandwidth["l1"]["read"], rel=0.05)


def test_a_refused_kernel_keeps_its_reason() -> None:
    def refuse(point: Point) -> Point:
        if point.settings.get("kernel") != "nt_write":
            return point
        return msgspec.structs.replace(point, status=Status.UNSUPPORTED, reason="no AVX")

    found = analysed(memory, NOISY, change=lambda run: point_changed(run, refuse))
    assert (found["bandwidth.dram.nt_write"].status, found["bandwidth.dram.nt_write"].reason) == (
        Status.UNSUPPORTED,
        "no AVX",
    )
    assert found["bandwidth.dram.nt_copy"].status is Status.OK


@pytest.mark.parametrize(
    ("size", "cores", "level"),
    [
        (16 * KIB, 1, "l1"),
        (16 * KIB, 64, "l1"),
        (47 * KIB, 1, ""),  # too near the edge
        (256 * KIB, 1, "l2"),
        (256 * KIB, 64, "l2"),  # the second level is each core's own
        (4 * MIB, 1, "l3"),
        (4 * MIB, 4, ""),  # the third is everybody's
        (20 * MIB, 1, ""),
        (128 * MIB, 1, "dram"),
        (16 * MIB, 8, "dram"),
    ],
)
def test_levels_of_working_sets(size: int, cores: int, level: str) -> None:
    ends = {
        "l1": Interval(48 * KIB, 47 * KIB, 50 * KIB),
        "l2": Interval(2 * MIB, 1.5 * MIB, 2.2 * MIB),
        "l3": Interval(15 * MIB, 10 * MIB, 18 * MIB),
    }
    known = Hierarchy(ends, 32 * MIB, measured=True)
    assert known.level_of(size, cores)[0] == level
    assert bool(known.level_of(size, cores)[1]) is not bool(level)


def test_nothing_known_names_no_level() -> None:
    device = msgspec.structs.replace(device_of(NOISY), reported={})
    level, why = reported(device).level_of(4096)
    assert (level, why) == ("", "No cache level is known, so no working set can be given to one.")


# -- peaks and routines -----------------------------------------------------------------------------


def test_the_best_operation_is_the_peak() -> None:
    found = analysed(peak_probes, NOISY)
    peak, per_cycle = found["peak.fp32"], found["peak.fp32.per_cycle"]
    assert per_cycle.value == pytest.approx(64, rel=0.005)
    assert covers(per_cycle, 64)
    assert peak.value == pytest.approx(64 * NOISY.cycle_hz, rel=0.03)
    assert (peak.unit, per_cycle.unit) == ("FLOP/second", "FLOP/cycle")
    assert peak.details["operation"] == "fp32_fma_512"
    assert set(peak.details["operations"]) == {"fp32_fma", "fp32_fma_512"}
    assert found["peak.bf16"].status is Status.UNSUPPORTED
    assert "peak.bf16.per_cycle" not in found


def test_integer_work_is_counted_in_op() -> None:
    info = probe_info("roofline/peak_compute_int8", "peak", "peak.int8", "OP/second", "how fast?")
    point = ok_point(
        info.id, {"operation": "int8_dot", "accumulators": 12}, work={"op": 384 * 128.0, "flop": 0}
    )
    found = analysed([(info, [Timed(point, cycles=384)])], NOISY)
    assert found["peak.int8"].unit == "OP/second"
    assert found["peak.int8.per_cycle"].value == pytest.approx(128, rel=0.005)


def test_routines_are_unverified_and_know_their_intensity() -> None:
    found = analysed(library_probes, NOISY)
    large = found["kernel.sgemm.1024"]
    assert large.status is Status.UNVERIFIED
    assert large.value == pytest.approx(0.8 * 64 * NOISY.cycle_hz, rel=0.06)
    assert large.details["intensity"] == pytest.approx(2 * 1024**3 / (12 * 1024**2))
    assert {f"kernel.sgemm.{n}" for n in (64, 128, 256, 512, 1024)} <= found.keys()


def test_a_routine_that_failed_at_one_size_keeps_the_others() -> None:
    def lost(columns: Columns) -> None:
        reject(columns, columns["point"] == "roofline/gemm_sweep#n=512")

    found = analysed(library_probes, NOISY, edit=lost)
    assert found["kernel.sgemm.512"].status is Status.UNSTABLE
    assert found["kernel.sgemm.256"].status is Status.UNVERIFIED
