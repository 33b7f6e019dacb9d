"""Numbers that do not fit each other, and words that mean several things."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.names import COUNTED
from reportgen.model.exports import dictionary
from reportgen.status import USABLE, Status
from tests.field_cases.told import QUIET, told
from tests.simulated.asked import Asked
from tests.simulated.instruction_points import latency_probes, throughput_probes
from tests.simulated.memory_points import bandwidth_probe, chase_probe, working_set_probe
from tests.simulated.roofline_points import library_probes, peak_probes
from tests.simulated.suite import everything
from tests.simulated.truth import CpuTruth


def test_two_paths_into_one_cache_with_two_latencies() -> None:
    """Seen: L1 latency 68 cycles, the read-only path into the same cache 35, spread 0.0.

    Right: consistency gate: both drop in confidence, the contradiction is shown.
    """

    def paths(factor: float):
        def suite(truth: CpuTruth) -> list[Asked]:
            info, timed = chase_probe(truth)
            first, *rest = timed
            return [working_set_probe(truth), (info, [replace(first, cycles=first.cycles * factor), *rest])]

        return suite

    agreed, apart = told(paths(1.0)), told(paths(68 / 35))
    for metric in ("memory.l1.latency", "chase.l1.latency"):
        before, after = agreed.findings[metric], apart.findings[metric]
        assert before.contradictions == ()
        assert any("paths into one cache differ by less" in text for text in after.contradictions)
        assert after.confidence < 0.7 * before.confidence


def test_two_partitions_published_as_one_mean() -> None:
    """Seen: L2 latency median 169, p95 303, published as "mean 221".

    Right: two modes (near and far partition), no mean.
    """
    second = replace(QUIET.caches[1], latency=169.0, far=303 / 169)
    third = replace(QUIET.caches[2], latency=500.0)
    truth = replace(QUIET, caches=(QUIET.caches[0], second, third), dram_latency=900.0, samples=40)
    found = told(lambda truth: [chase_probe(truth)], truth)
    quantity = found.quantities["chase.l2.latency"]
    assert quantity.value is None
    near, far = quantity.modes
    assert near == pytest.approx(169, rel=0.02)
    assert far == pytest.approx(303, rel=0.02)
    sentence = found.findings["chase.l2.latency"].sentence
    assert "fall into 2 groups" in sentence
    assert sentence.endswith("no mean is given.")
    assert "221" not in found.exports


def test_a_routine_faster_than_the_peak() -> None:
    """Seen: measured 10702 GFLOP/s over a "peak" of 9015 since the card boosts.

    Right: peak at the clock seen, and at the rated clock, both shown.
    """
    boosted = replace(QUIET, blas_share=10702 / 9015)
    found = told(lambda truth: [*peak_probes(truth), *library_probes(truth)], boosted)
    peak = found.findings["peak.fp32"]
    rule = "no routine is faster than the best rate of its precision"
    assert any(rule in text and "at a lower clock" in text for text in peak.contradictions)
    assert found.findings["kernel.sgemm.1024"].contradictions
    # The peak per cycle stands beside it: times any clock it is the peak at that clock.
    per_cycle = found.quantities["peak.fp32.per_cycle"].value
    assert per_cycle is not None
    assert per_cycle * QUIET.cycle_hz == pytest.approx(found.quantities["peak.fp32"].value, rel=0.02)


def test_a_peak_forty_times_too_high() -> None:
    """Seen: one laptop chip "107 TFLOP/s" (true 2.6).

    Right: sourced ceiling gate.
    """

    def miscounted(truth: CpuTruth) -> list[Asked]:
        wrong = []
        for info, timed in peak_probes(truth):
            points = [
                replace(one, point=_with_work(one.point, flop=one.point.work.get("flop", 0.0) * 107 / 2.6))
                for one in timed
            ]
            wrong.append((info, points))
        return wrong

    found = told(miscounted)
    for metric in ("peak.fp32", "peak.fp32.per_cycle"):
        fact = found.facts[metric]
        assert fact.value is None, metric
    assert "the widest arithmetic of one core that has been sold" in found.facts["peak.fp32.per_cycle"].reason
    assert found.facts["peak.fp32.per_cycle"].status is Status.INVALID


def _with_work(point, **work: float):
    from tests.unit.findings.records import changed

    return changed(point, work=point.work | work)


def test_one_copy_two_rates() -> None:
    """Seen: copy 10.0 GB/s in one tool, 16.8 in another on the same memory: one of them was turned into
    non-temporal stores.

    Right: bytes counted, write-allocate and store kind are part of every bandwidth.
    """
    found = told(lambda truth: [working_set_probe(truth), bandwidth_probe(truth)])
    kernels = set()
    for metric, finding in found.findings.items():
        name = parse(metric)
        if name.kind is Kind.BANDWIDTH and finding.status in USABLE:
            assert COUNTED[name.part] in finding.sentence, metric
            kernels.add(name.part)
    assert kernels == set(COUNTED)
    assert all("write-allocate" in text for text in COUNTED.values())
    assert "non-temporal" in COUNTED["nt_copy"]
    assert "ordinary" in COUNTED["copy"]


def test_three_kinds_of_throughput_in_one_file() -> None:
    """Seen: users could not tell three kinds of "throughput" apart in a published file.

    Right: definitions travel with the data.
    """
    from reportgen.site.results import EXPORTS

    found = told(everything)
    undefined = [metric for metric in found.quantities if dictionary.lookup(metric) is None]
    assert undefined == []
    rates = [
        dictionary.lookup(metric)
        for metric in ("throughput.fp32_fma", "bandwidth.l1.read", "kernel.sgemm.256", "peak.fp32")
    ]
    assert len({entry.definition for entry in rates if entry is not None}) == 4
    assert len({entry.unit for entry in rates if entry is not None}) == 3  # a kernel's is a peak's
    assert dictionary.JSON in EXPORTS


def test_three_levels_of_one_latency() -> None:
    """Seen: 32.2 / 32.7 / 33.3 ns "latency" of three levels: one load per interpreter iteration.

    Right: chains are unrolled machine code.
    """
    cycles = [32.2 * 3.5, 32.7 * 3.5, 33.3 * 3.5, 33.9 * 3.5]
    caches = tuple(replace(cache, latency=time) for cache, time in zip(QUIET.caches, cycles, strict=False))
    truth = replace(QUIET, caches=caches, dram_latency=cycles[3])
    found = told(lambda truth: [working_set_probe(truth), chase_probe(truth)], truth)
    levels = [
        finding
        for metric, finding in found.findings.items()
        if parse(metric).kind in (Kind.LEVEL_LATENCY, Kind.CHASE) and not parse(metric).pages
    ]
    stated = [finding for finding in levels if finding.status is Status.OK and not finding.contradictions]
    assert len({parse(finding.id).subject for finding in stated}) <= 1


def test_a_narrow_test_beside_a_wide_one() -> None:
    """Seen: 512-bit code drags narrower tests to its clock.

    Right: the clock beside each sample; widths kept apart.
    """

    def slower_clock(columns) -> None:
        """While 512-bit code runs, ticks and calibrations of its samples are a fifth longer."""
        wide = [str(point).partition("#")[0].endswith("_512") for point in columns["point"]]
        for name in ("ticks", "calibration_before", "calibration_after", "canary_before", "canary_after"):
            columns[name][wide] = columns[name][wide] * 6 // 5

    found = told(lambda truth: [*latency_probes(truth), *throughput_probes(truth)], edit=slower_clock)
    for operation in ("fp32_fma", "fp32_fma_512", "permute_512", "integer_add"):
        latency = found.quantities[f"latency.{operation}"].value
        assert latency == pytest.approx(QUIET.operations[operation].latency, rel=0.01)
    assert (
        found.quantities["throughput.fp32_fma"].metric != found.quantities["throughput.fp32_fma_512"].metric
    )
