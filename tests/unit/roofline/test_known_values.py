"""Right values that everybody knows: intensities of textbook kernels, ridges of a published accelerator."""

from __future__ import annotations

import pytest

from reportgen.roofline.across import Subject, across, at_intensity
from reportgen.roofline.batches import limit, path
from reportgen.roofline.bounds import attainable
from reportgen.roofline.ridges import ridges
from reportgen.roofline.traffic import product_bytes
from reportgen.workload import templates
from reportgen.workload.count import count_graph
from tests.unit.roofline.cases import roof as ceiling
from tests.unit.roofline.test_ridges import roof

A100_BANDWIDTH = 2.0e12
"""byte/s; with 19.5 TFLOP/s in FP32 and 312 TFLOP/s in BF16, as its maker states them."""


@pytest.mark.parametrize(
    ("dtype", "wanted"), [("float32", 1 / 6), ("float64", 1 / 12)], ids=["saxpy", "daxpy"]
)
@pytest.mark.parametrize("n", [1, 1000, 1 << 25])
def test_axpy(dtype: str, wanted: float, n: int) -> None:
    least, most = count_graph(templates.axpy(n, dtype)).intensity
    assert least == most == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("n", [6, 96, 4096])
def test_a_square_product_has_n_over_six_without_reading_c(n: int) -> None:
    assert count_graph(templates.gemm(n)).intensity[1] == pytest.approx(n / 6, rel=1e-12)
    assert count_graph(templates.gemm(n, dtype="float64")).intensity[1] == pytest.approx(n / 12, rel=1e-12)
    assert 2 * n**3 / product_bytes(n, n, n, 4) == pytest.approx(n / 6, rel=1e-12)


@pytest.mark.parametrize(("precision", "peak", "wanted"), [("fp32", 19.5e12, 9.75), ("bf16", 312e12, 156.0)])
def test_ridges_of_a_published_accelerator(precision: str, peak: float, wanted: float) -> None:
    (found,) = ridges([roof(f"peak.{precision}", peak), roof("bandwidth.dram.read", A100_BANDWIDTH)])
    assert found.value == pytest.approx(wanted, rel=1e-12)
    assert found.unit == "FLOP/byte"
    assert attainable(peak, A100_BANDWIDTH, wanted) == pytest.approx(peak)
    half = attainable(peak, A100_BANDWIDTH, wanted / 2)
    assert half == pytest.approx(peak / 2)


def test_which_roof_decides_changes_at_the_ridge() -> None:
    one = Subject("a", "a", "r", (ceiling("fp32", 19.5e12),), (ceiling("dram", A100_BANDWIDTH),))
    rows = across((one, one), [at_intensity(x, "dram", "fp32") for x in (9.7, 9.8)]).rows
    assert [row.sides[0].decides for row in rows] == ["dram", "fp32"]


def test_decoding_a_7b_model_in_fp16_has_an_intensity_of_its_batch() -> None:
    """Two FLOP a parameter and sequence, two bytes a parameter; a short cache weighs little."""
    points = path("llama2_7b", "dram", "fp16", (1, 2, 4, 8, 16, 32), past=16)
    for one in points:
        assert one.intensity() == pytest.approx(int(one.size), rel=0.05)


def test_the_cache_caps_the_intensity_of_decoding() -> None:
    """Of each sequence: 2 FLOP a parameter over its own keys and values, two bytes each."""
    past = 4096
    ends = limit(path("llama2_7b", "dram", "fp16", (128, 256), past))
    assert ends is not None
    model = templates.LLAMA2_7B
    entry = 2 * model.layers * model.width
    weights = 6.607e9  # all matrices, the embedding left out
    wanted = (2 * weights + 2 * past * entry) / (2 * past * entry)
    assert ends == pytest.approx(wanted, rel=0.03)
    (far,) = path("llama2_7b", "dram", "fp16", (1024,), past)
    assert (far.intensity() or 0) < ends < 16
