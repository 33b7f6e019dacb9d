from __future__ import annotations

from dataclasses import replace

import pytest

from reportgen.workload import templates
from reportgen.workload.count import count_graph
from reportgen.workload.templates import LLAMA2_7B, Transformer


@pytest.mark.parametrize(
    ("n", "dtype", "beta", "wanted"),
    [
        (600, "float32", 0.0, 100),
        (600, "float64", 0.0, 50),
        (800, "float32", 1.0, 100),
        (1600, "float64", 1.0, 100),
    ],
)
def test_intensity_of_square_products(n: int, dtype: str, beta: float, wanted: float) -> None:
    counted = count_graph(templates.gemm(n, dtype=dtype, beta=beta))
    assert 2 * counted.total.mac / counted.traffic.compulsory == wanted


def test_intensity_of_a_transform_in_place_of_memory() -> None:
    counted = count_graph(templates.fft(1024))
    assert counted.intensity[1] == 5 * 1024 * 10 / (16 * 1024)


def test_kernels_have_the_work_of_their_definition() -> None:
    assert count_graph(templates.gemv(30, 20)).total.mac == 600
    assert count_graph(templates.dot(30)).total.mac == 30
    assert count_graph(templates.axpy(30)).traffic.compulsory == 360
    assert count_graph(templates.conv2d((1, 8, 16, 16), (16, 8, 3, 3), pad=1)).total.mac == 294912
    assert count_graph(templates.softmax(4, 8)).total.transcendental == 32
    assert count_graph(templates.layer_norm(4, 8)).exact


def test_decoding_has_about_as_many_flop_a_byte_as_sequences() -> None:
    """In float16, until the key-value cache takes over."""
    one = count_graph(templates.decode(LLAMA2_7B, 1, 128)).intensity[1]
    assert one == pytest.approx(1.0, abs=0.01)
    eight = count_graph(templates.decode(LLAMA2_7B, 8, 128)).intensity[1]
    assert eight == pytest.approx(8.0, rel=0.05)
    many = [count_graph(templates.decode(LLAMA2_7B, batch, 4096)).intensity[1] for batch in (1, 16, 256)]
    assert many[0] < many[1] < many[2] < 8  # the cache caps it


def test_the_cache_of_decoding() -> None:
    counted = count_graph(templates.decode(LLAMA2_7B, 2, 100))
    entry = 2 * 32 * 32 * 128 * 2  # keys and values, layers, heads, depth, bytes
    assert counted.traffic.cache_read == 2 * 100 * entry
    assert counted.traffic.cache_written == 2 * entry
    assert counted.memory.cache == 2 * 101 * entry
    assert len(counted.attention.found) == counted.attention.expected == 32


def test_quantised_weights_and_cache() -> None:
    wide = count_graph(templates.decode(LLAMA2_7B, 1, 128))
    small = count_graph(templates.decode(LLAMA2_7B, 1, 128, weight_dtype="int4", cache_dtype="int8"))
    assert small.total == wide.total
    assert small.traffic.cache_read == wide.traffic.cache_read // 2
    # Norms and the embedding row stay float16.
    assert small.traffic.weights == pytest.approx(wide.traffic.weights / 4, rel=1e-3)


def test_prefill_can_end_with_one_row_of_logits() -> None:
    every = count_graph(templates.prefill(LLAMA2_7B, seq=128)).total.mac
    last = count_graph(templates.prefill(LLAMA2_7B, seq=128, all_logits=False)).total.mac
    assert every - last == 127 * 4096 * 32000


def test_grouped_heads_shrink_cache_and_projections_not_the_attention() -> None:
    model = Transformer("full", 2, 64, 8, 128, 100, gated=True, bias=False)
    full = count_graph(templates.decode(model, 1, 31))
    grouped = count_graph(templates.decode(replace(model, kv_heads=2), 1, 31))
    assert grouped.attention.mac_full == full.attention.mac_full
    assert grouped.attention.grouped == 2
    assert grouped.memory.cache * 4 == full.memory.cache
    assert full.total.mac - grouped.total.mac == 2 * 2 * 64 * (64 - 16)


def test_a_mixture_of_experts_moves_what_is_hit() -> None:
    model = Transformer("moe", 1, 64, 4, 128, 100, gated=True, bias=False, experts=8, experts_used=2)
    one, many = (count_graph(templates.decode(model, batch, 4)) for batch in (1, 64))
    expert = 3 * 64 * 128 * 2
    mixture = [row for row in one.rows if row.op.kind == "MoE"]
    assert mixture[0].work.mac == 2 * 3 * 64 * 128
    rows = 63 * 64 * 2  # of the embedding table
    assert many.traffic.weights - one.traffic.weights - rows == pytest.approx((8 - 2) * expert, rel=1e-6)


def test_a_tied_output_layer_is_one_weight() -> None:
    counted = count_graph(templates.prefill(templates.GPT2, seq=8))
    parameters = counted.memory.weights // 2
    assert parameters == pytest.approx(124_439_808, rel=1e-4)  # as published, biases of the norms included


@pytest.mark.parametrize(
    ("depth", "gmac"), [(18, 1.814), (34, 3.664), (50, 4.089), (101, 7.801), (152, 11.514)]
)
def test_residual_nets_are_those_of_the_literature(depth: int, gmac: float) -> None:
    assert count_graph(templates.resnet(depth)).total.mac / 1e9 == pytest.approx(gmac, abs=0.001)
