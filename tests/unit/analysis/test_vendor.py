"""Our rates over the vendor's: where both are there, and only there."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.evidence import Evidence
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.vendor import vendor_ratios
from reportgen.runs.schema import ProbeInfo, Run
from reportgen.status import Status
from tests.simulated.gpu import make
from tests.simulated.gpu_truth import GpuTruth


@cache
def made() -> tuple[Run, dict[str, list[Any]]]:
    return make(GpuTruth())


def rate(metric: str, value: float | None, spread: float = 0.01) -> Quantity:
    ends = {} if value is None else {"low": value * (1 - spread), "high": value * (1 + spread)}
    return Quantity(metric, "FLOP/second", Status.OK, "p", "m", value=value, **ends)  # type: ignore[arg-type]


def probe(name: str, metric: str, precision: str = "") -> Evidence:
    info = ProbeInfo(
        name, "roofline", "?", "!", "n", "library", metric, "FLOP/second", constants={"precision": precision}
    )
    return Evidence(made()[0], info, (), {}, 0.0)


def gemm() -> Evidence:
    return probe("roofline/vendor_gemm_fp16", "kernel.vendor_gemm_fp16", "tensor_fp16")


def copy() -> Evidence:
    return probe("memory_hierarchy/vendor_copy", "bandwidth")


def test_a_peak_over_the_best_product() -> None:
    found = [
        rate("peak.tensor_fp16", 9.0e14),
        rate("kernel.vendor_gemm_fp16.2048", 5.0e14),
        rate("kernel.vendor_gemm_fp16.8192", 7.5e14),
    ]
    (one,) = vendor_ratios([gemm()], found)
    assert one.metric == "vendor.gemm_tensor_fp16.ratio"
    assert one.value == pytest.approx(1.2)
    half = 0.01 * 2**0.5  # each is known to a percent
    assert (one.low, one.high) == (pytest.approx(1.2 * (1 - half)), pytest.approx(1.2 * (1 + half)))
    assert one.details == {"ours": "peak.tensor_fp16", "theirs": "kernel.vendor_gemm_fp16.8192"}


def test_a_copy_over_the_drivers_at_each_level() -> None:
    found = [
        rate("bandwidth.l2.copy", 8e12),
        rate("bandwidth.l2.vendor_copy", 1e13),
        rate("bandwidth.dram.copy", 4e12),
        rate("bandwidth.dram.vendor_copy", 4e12),
    ]
    assert {one.metric: one.value for one in vendor_ratios([copy()], found)} == {
        "vendor.copy_l2.ratio": pytest.approx(0.8),
        "vendor.copy_dram.ratio": pytest.approx(1.0),
    }


def test_nothing_without_both() -> None:
    assert vendor_ratios([gemm(), copy()], [rate("peak.tensor_fp16", 1e15)]) == []
    assert vendor_ratios([gemm()], [rate("kernel.vendor_gemm_fp16.64", 1.0), rate("peak.fp32", 1.0)]) == []
    unknown = rate("kernel.vendor_gemm_fp16.64", None)
    assert vendor_ratios([gemm()], [unknown, rate("peak.tensor_fp16", 1e15)]) == []


@pytest.mark.parametrize(
    ("name", "metric"),
    [("vendor_copy", "bandwidth.vendor_copy"), ("bandwidth_saturation", "bandwidth.saturation")],
)
def test_what_has_no_rate_is_told_apart_from_what_has(name: str, metric: str) -> None:
    asked = msgspec.structs.replace(
        copy().probe, id=f"memory_hierarchy/{name}", analysis="bandwidth", unit="byte/second"
    )
    reason = "a CPU has no driver that copies for it"
    run, samples = made()
    point = msgspec.structs.replace(
        run.points[0], probe=asked.id, settings={"kernel": name}, status=Status.UNSUPPORTED, reason=reason
    )
    (one,) = quantities(msgspec.structs.replace(run, probes=(asked,), points=(point,)), pa.table(samples))
    assert (one.metric, one.status, one.reason) == (metric, Status.UNSUPPORTED, reason)
