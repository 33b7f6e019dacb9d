"""What is published of GH100, beside what is expected of the kernels here on an H200."""

from __future__ import annotations

import pytest

from reportgen.findings.published import weighing
from reportgen.findings.published.weighing import Weighed
from reportgen.runs.schema import Device
from tests.unit.findings.records import changed, evidence, quantity, run

H200 = Device("nvidia-h200", "cuda", "NVIDIA", "NVIDIA H200", "sm_90", cores=132)


def weighed(metric: str, value: float, unit: str) -> tuple[Weighed, ...]:
    one = quantity(metric, value, unit=unit)
    return weighing.weigh(evidence(one, run=changed(run(), device=H200)), one)


@pytest.mark.parametrize(
    ("metric", "value", "unit"),
    [
        ("memory.l1.latency", 33.0, "cycle"),
        ("memory.shared.l1.latency", 23.0, "cycle"),
        ("memory.l2.latency", 262.0, "cycle"),
        ("memory.dram.latency", 720.0, "cycle"),
        ("memory.cluster.2.next", 185.0, "cycle"),
        ("latency.fp64_fma", 8.0, "cycle"),
        ("tensor.latency.mma_m16n8k16_f16_f32", 24.0, "cycle"),
        ("tensor.latency.wgmma_m64n256k16_f16_f32", 128.0, "cycle"),
        ("tensor.throughput.mma_m16n8k32_s8_s32", 2 / 3, "instruction/cycle"),
        ("bandwidth.l2.read", 9.7e12, "byte/second"),
    ],
)
def test_what_is_expected_of_an_h200_is_not_contradicted(metric: str, value: float, unit: str) -> None:
    """By the conventions of the kernels here: addresses are chased, rates are of a multiprocessor."""
    found = weighed(metric, value, unit)
    deciding = [one for one in found if one.decides]
    assert found
    assert 2 * sum(one.agrees for one in deciding) >= len(deciding)


@pytest.mark.parametrize(("per_cycle", "agree"), [(123.0, True), (96.0, False), (0.0, None)])
def test_a_rate_by_the_cycle_stands_beside_one_by_the_second(per_cycle: float, agree: bool | None) -> None:
    """Of the first level, whose rate by the cycle is that of all products of the architecture."""
    one = quantity("bandwidth.l1.read", 3.2e13, unit="byte/second", details={"byte_per_cycle": per_cycle})
    found = weighing.weigh(evidence(one, run=changed(run(), device=H200)), one)
    assert {each.agrees for each in found if each.decides} == (set() if agree is None else {agree})
    assert {each.above for each in found} == (set() if agree is None else {True})


def test_figures_of_related_products_are_shown_of_far_latencies_only() -> None:
    far = weighed("memory.l2.latency", 270.0, "cycle")
    assert len(far) > 3
    assert not any(one.decides for one in far)
    assert any(one.decides for one in weighed("memory.l1.latency", 33.0, "cycle"))
    assert not weighed("bandwidth.dram.read", 4.4e12, "byte/second")
