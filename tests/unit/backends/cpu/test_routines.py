"""Library probes: what they compute is what they say, and it is counted by definition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reportgen.backends.cpu.routines import COLUMNS, ROUTINES, Block, call, softmax
from reportgen.suite.load import load_suite

SMALL = {
    "sgemm": {"n": 8}, "dgemm": {"n": 8}, "saxpy": {"n": 64}, "daxpy": {"n": 64}, "sgemv": {"n": 8},
    "softmax": {"rows": 2}, "layer_norm": {"rows": 2},
    "llm_prefill": {"width": 16, "heads": 2, "prompt": 4, "batch": 3},
    "llm_decode": {"width": 16, "heads": 2, "context": 4, "batch": 3},
}  # fmt: skip


def work(name: str, **sizes: int):
    return ROUTINES[name].count(sizes)


@pytest.mark.parametrize("name", ROUTINES)
def test_every_routine_runs_again_and_again_and_stays_finite(name: str) -> None:
    made = call(name, SMALL[name], 1)
    with np.errstate(all="raise"):
        for _ in range(50):
            made()


def test_every_routine_is_asked_of_and_says_how_it_is_counted() -> None:
    asked = {
        definition.template.partition(":")[2]: definition
        for definition in load_suite().definitions.values()
        if definition.template.startswith("library:")
    }
    assert asked.keys() == ROUTINES.keys()
    for name, definition in asked.items():
        assert definition.constants["precision"] == ("fp64" if ROUTINES[name].double else "fp32")
        assert "FLOP" in definition.constants["counted"]
        assert definition.constants["bytes_source"] in ("compulsory", "counted")


@pytest.mark.parametrize(
    ("name", "sizes", "intensity"),
    [
        ("saxpy", {"n": 1000}, 1 / 6),
        ("daxpy", {"n": 1000}, 1 / 12),
        ("sgemm", {"n": 96}, 96 / 6),
        ("dgemm", {"n": 96}, 96 / 12),
        ("sgemv", {"n": 1 << 20}, 0.5),
        ("softmax", {"rows": 3}, 4 / 32),
        ("layer_norm", {"rows": 3}, 7 / 40),
    ],
)
def test_known_intensities(name: str, sizes: dict[str, int], intensity: float) -> None:
    counts = work(name, **sizes)
    assert counts.flop / counts.bytes == pytest.approx(intensity, rel=1e-5)
    assert counts.footprint <= counts.bytes


def test_decoding_grows_with_the_batch_until_keys_and_values_cap_it() -> None:
    def intensity(batch: int, context: int) -> float:
        counts = work("llm_decode", width=4096, heads=32, context=context, batch=batch)
        return counts.flop / counts.bytes

    # 2 FLOP an FP32 weight of 4 bytes: half the batch, while the cache is small against the weights
    assert intensity(1, 1) == pytest.approx(0.5, rel=0.01)
    assert intensity(64, 1) == pytest.approx(32, rel=0.02)
    # then each sequence brings its own keys and values: 24 w^2 + 4 c w FLOP over 8 c w bytes
    width, context = 4096, 1 << 12
    assert intensity(1 << 16, context) == pytest.approx(0.5 + 3 * width / context, rel=0.02)


def test_a_prompt_shares_one_reading_of_the_weights() -> None:
    one = work("llm_prefill", width=128, heads=2, prompt=1, batch=1)
    many = work("llm_prefill", width=128, heads=2, prompt=16, batch=1)
    assert many.flop / many.bytes > 10 * one.flop / one.bytes


def test_softmax_and_layer_norm_are_what_they_are_called() -> None:
    rng = np.random.default_rng(2)
    x, y, row = (
        rng.random((3, 8), dtype=np.float32),
        np.empty((3, 8), np.float32),
        np.empty((3, 1), np.float32),
    )
    softmax(x, y, row)
    assert np.allclose(y, np.exp(x) / np.exp(x).sum(-1, keepdims=True))
    made = call("layer_norm", {"rows": 4}, 3)
    made()
    x, y, gamma, beta = (made.__closure__[made.__code__.co_freevars.index(k)].cell_contents
                         for k in ("x", "y", "gamma", "beta"))  # fmt: skip
    assert x.shape == (4, COLUMNS)
    centred = x - x.mean(-1, keepdims=True)
    wanted = centred / np.sqrt((centred**2).mean(-1, keepdims=True)) * gamma + beta
    assert np.allclose(y, wanted, atol=1e-4)


def test_a_block_multiplies_as_often_as_it_counts() -> None:
    # 12 width^2 a token: three matrices of width x width, one, and twice width x 4 width
    rng = np.random.default_rng(1)
    block = Block(8, 2, 5, lambda *shape: rng.random(shape, dtype=np.float32) + np.float32(0.5))
    matrices = (block.qkv, block.out, block.up, block.down)
    assert sum(math.prod(matrix.shape) for matrix in matrices) == 12 * 8 * 8
    block.project()
    assert block.projected.shape == (5, 24)
    assert np.allclose((block.normed**2).mean(-1), 1, rtol=1e-5)
