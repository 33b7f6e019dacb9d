from __future__ import annotations

from math import log2, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import UserError
from reportgen.workload.builder import Builder
from reportgen.workload.count import count_graph, work_of
from reportgen.workload.graph import Op, Shape, Tensor
from reportgen.workload.rules import Work, kinds
from reportgen.workload.rules.attention import visible_pairs
from reportgen.workload.rules.contrib import expected_experts
from reportgen.workload.rules.einsum import describe_path, parse
from reportgen.workload.rules.fft import transform

SIZES = st.integers(1, 6)


def work(kind: str, *ins: Shape | Tensor | None, out: Shape, dtype: str = "float32", **attrs: Any) -> Work:
    """The work of one operation on inputs of these shapes."""
    given_ = tuple(Tensor(one, dtype) if isinstance(one, tuple) else one for one in ins)
    found, reason = work_of(Op(kind, given_, (Tensor(out, dtype),), attrs))
    assert not reason
    return found


@pytest.mark.parametrize(
    ("kind", "found", "wanted"),
    [
        ("Gemm", work("Gemm", (8, 4), (4, 6), out=(8, 6)), Work(mac=192)),
        ("bias", work("Gemm", (8, 4), (4, 6), (6,), out=(8, 6)), Work(mac=192, flop=48)),
        ("beta 0", work("Gemm", (8, 4), (4, 6), (6,), out=(8, 6), beta=0.0), Work(mac=192)),
        ("scaled", work("Gemm", (4, 8), (4, 6), (6,), out=(8, 6), transA=1, alpha=0.5, beta=2.0),
         Work(mac=192, flop=144)),
        ("Linear", work("Linear", (3, 8, 4), (6, 4), (6,), out=(3, 8, 6)), Work(mac=576, flop=144)),
        ("complex", work("MatMul", (2, 4), (4, 2), out=(2, 2), dtype="complex64"), Work(mac=64)),
        ("dilated", work("Conv", (1, 4, 9, 9), (8, 4, 3, 3), out=(1, 8, 5, 5), dilations=(2, 2)),
         Work(mac=7200)),
        ("grouped", work("Conv", (1, 4, 8, 8), (8, 2, 3, 3), (8,), out=(1, 8, 6, 6), group=2),
         Work(mac=5184, flop=288)),
        ("sum", work("ReduceSum", (4, 8), out=(4,)), Work(flop=28)),
        ("mean", work("ReduceMean", (4, 8), out=(4,)), Work(flop=32)),
        ("max", work("ReduceMax", (4, 8), out=(4,)), Work(comparison=28)),
        ("L2", work("ReduceL2", (4, 8), out=(4,)), Work(flop=60, transcendental=4)),
        ("softmax", work("Softmax", (4, 8), out=(4, 8)), Work(flop=96, transcendental=32, comparison=32)),
        ("layer norm", work("LayerNormalization", (4, 8), (8,), (8,), out=(4, 8)),
         Work(flop=7 * 32 + 12, transcendental=4)),
        ("rms norm", work("RMSNormalization", (4, 8), (8,), out=(4, 8)),
         Work(flop=4 * 32 + 12, transcendental=4)),
        ("batch norm", work("BatchNormalization", (1, 4, 8), out=(1, 4, 8)), Work(flop=64)),
        ("max pool", work("MaxPool", (1, 1, 8, 8), out=(1, 1, 4, 4), kernel_shape=(2, 2)),
         Work(comparison=64)),
        ("average pool", work("AveragePool", (1, 1, 8, 8), out=(1, 1, 4, 4), kernel_shape=(2, 2)),
         Work(flop=64)),
        ("global pool", work("GlobalAveragePool", (1, 2, 8, 8), out=(1, 2, 1, 1)), Work(flop=128)),
        ("nearest", work("Resize", (1, 1, 4, 4), out=(1, 1, 8, 8)), Work()),
        ("bilinear", work("Resize", (1, 1, 4, 4), out=(1, 1, 8, 8), mode="linear"), Work(flop=11 * 64)),
        ("bicubic", work("Resize", (1, 1, 4, 4), out=(1, 1, 8, 8), mode="cubic"), Work(flop=47 * 64)),
        ("same size", work("Resize", (1, 1, 4, 4), out=(1, 1, 4, 4), mode="linear"), Work()),
        ("sigmoid", work("Sigmoid", (8,), out=(8,)), Work(flop=16, transcendental=8)),
        ("relu", work("Relu", (8,), out=(8,)), Work(comparison=8)),
        ("gelu", work("Gelu", (8,), out=(8,)), Work(flop=32, transcendental=8)),
        ("gelu tanh", work("Gelu", (8,), out=(8,), approximate="tanh"), Work(flop=64, transcendental=8)),
        ("square", work("Pow", (8,), (), out=(8,), exponent=2), Work(flop=8)),
        ("power", work("Pow", (8,), (), out=(8,)), Work(transcendental=8)),
        ("power one", work("Pow", (8,), (), out=(8,), exponent=1), Work()),
        ("integers", work("Mul", (8,), (8,), out=(8,), dtype="int32"), Work(integer=8)),
        ("complex product", work("Mul", (8,), (8,), out=(8,), dtype="complex64"), Work(flop=48)),
        ("compared", work("Greater", (8,), (8,), out=(8,)), Work(comparison=8)),
        ("three", work("Max", (8,), (8,), (8,), out=(8,)), Work(comparison=16)),
        ("three added", work("Sum", (8,), (8,), (8,), out=(8,)), Work(flop=16)),
        ("clip", work("Clip", (8,), (), None, out=(8,)), Work(comparison=8)),
        ("top k", work("TopK", (4, 100), out=(4, 7)), Work(comparison=1200)),
        ("inverse", work("Inv", (3, 8, 8), out=(3, 8, 8)), Work(flop=3072)),
        ("Cholesky", work("Cholesky", (6, 6), out=(6, 6)), Work(flop=72)),
        ("solve", work("Solve", (6, 6), (6, 2), out=(6, 2)), Work(flop=144 + 144)),
        ("singular values", work("SVD", (8, 6), out=(6,)), Work(flop=4 * 8 * 36 - 288)),
        ("rotary", work("RotaryEmbedding", (1, 2, 3, 8), out=(1, 2, 3, 8)), Work(flop=144)),
        ("scatter", work("ScatterElements", (9,), (4,), (4,), out=(9,), reduction="add"), Work(flop=4)),
        ("quantise", work("QuantizeLinear", (8,), (), out=(8,)), Work(flop=16, comparison=16)),
        ("4 bits", work("MatMulNBits", (2, 3, 64), (16, 2, 16), (32,), out=(2, 3, 16), K=64, N=16),
         Work(mac=6 * 1024, flop=1024, integer=1024)),
        ("deformed", work("DeformConv", (1, 2, 5, 5), (4, 2, 3, 3), (1, 18, 3, 3), out=(1, 4, 3, 3)),
         Work(mac=648, flop=11 * 162)),
        ("sort", work("Sort", (4, 8), out=(4, 8)), Work(comparison=96)),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)  # fmt: skip
def test_a_formula_by_hand(kind: str, found: Work, wanted: Work) -> None:
    assert found == wanted, kind


@pytest.mark.parametrize("kind", kinds())
def test_no_rule_fails_in_a_way_of_its_own(kind: str) -> None:
    """On inputs that do not fit, a rule refuses or counts; it never raises what nobody expects."""
    for shape in ((), (4,), (2, 3, 4), (2, 3, 4, 4)):
        tensor = Tensor(shape)
        found, reason = work_of(Op(kind, (tensor,) * 3, (tensor,), {}))
        assert (
            reason or min(found.mac, found.flop, found.transcendental, found.integer, found.comparison) >= 0
        )


@given(st.lists(SIZES, max_size=3), SIZES, SIZES, SIZES)
def test_matmul_counts_what_numpy_multiplies(stack: list[int], m: int, k: int, n: int) -> None:
    a, b = (*stack, m, k), (k, n)
    out = np.matmul(np.ones(a), np.ones(b)).shape
    assert work("MatMul", a, b, out=out).mac == prod(stack) * m * k * n


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 14))
def test_pairs_under_a_causal_mask_are_those_of_the_mask(queries: int, keys: int, window: int) -> None:
    seen = 0
    for row in range(queries):
        last = keys - queries + row
        seen += sum(1 for key in range(keys) if key <= last and (not window or key > last - window))
    assert visible_pairs(queries, keys, window) == seen


@pytest.mark.parametrize(
    ("equation", "shapes", "mac", "flop"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)], 24, 0),
        ("ij,jk", [(2, 3), (3, 4)], 24, 0),
        ("i,j->ij", [(5,), (7,)], 0, 35),
        ("ij,ij->ij", [(5, 7), (5, 7)], 0, 35),
        ("ij->j", [(5, 7)], 0, 28),
        ("ii->", [(6, 6)], 0, 5),
        ("ij->ji", [(5, 7)], 0, 0),
        ("...ij,...jk->...ik", [(3, 1, 2, 4), (5, 4, 6)], 3 * 5 * 48, 0),
        ("ij,jk,kl->il", [(2, 10), (10, 3), (3, 4)], 60 + 24, 0),
        ("bhqd,bhkd->bhqk", [(2, 3, 5, 8), (2, 3, 7, 8)], 1680, 0),
    ],
)
def test_einsum(equation: str, shapes: list[Shape], mac: int, flop: int) -> None:
    if all(size for shape in shapes for size in shape):
        assert (
            parse(equation, shapes).shape == np.einsum(equation, *(np.ones(shape) for shape in shapes)).shape
        )
    ins = [Tensor(shape) for shape in shapes]
    found, _ = work_of(Op("Einsum", tuple(ins), (Tensor((1,)),), {"equation": equation}))
    assert (found.mac, found.flop) == (mac, flop if equation != "ii->" else found.flop)


def test_several_operands_are_multiplied_in_the_stated_order() -> None:
    # (ij,jk),kl costs 84, ij,(jk,kl) costs 200.
    assert describe_path("ij,jk,kl->il", [(2, 10), (10, 3), (3, 4)]) in (
        "ij,jk->ik, then kl,ik->il",
        "ij,jk->ik, then ik,kl->il",
    )


def test_the_order_is_stated_with_the_total() -> None:
    build = Builder()
    ins = [build.input(shape) for shape in ((2, 10), (10, 3), (3, 4))]
    counted = count_graph(build.graph(build.op("Einsum", *ins, shape=(2, 4), equation="ij,jk,kl->il")))
    assert counted.total.mac == 84
    (note,) = counted.doubts
    assert note.startswith("Einsum ij,jk,kl->il is counted as ij,jk->ik, then ")


@pytest.mark.parametrize(
    ("equation", "shapes", "said"),
    [
        ("ij,jk->ik", [(2, 3)], "has 2 terms for 1 operands"),
        ("ij,jk->ik", [(2, 3), (4, 5)], "index 'j' is 3 and 4"),
        ("ijk->i", [(2, 3)], "does not fit the shape"),
        ("ij->k", [(2, 3)], "the result has an index that no operand has"),
    ],
)
def test_an_equation_that_does_not_fit_says_where(equation: str, shapes: list[Shape], said: str) -> None:
    with pytest.raises(UserError, match=said):
        parse(equation, shapes)


def test_fft_convention() -> None:
    assert transform(1024, 3, real=False).flop == 3 * 5 * 1024 * 10
    assert transform(1024, 1, real=True).flop == 5 * 1024 * 10 // 2
    assert transform(1, 9, real=False) == Work()
    assert transform(1000, 1, real=False).flop == round(5000 * log2(1000))
    assert work("DFT", (2, 64, 1), out=(2, 64, 2), axis=1).flop == 2 * 5 * 64 * 6 // 2
    assert work("STFT", (1, 256, 1), (), (64,), out=(1, 7, 33, 2), length=64).flop == 7 * (960 + 64)


@given(st.integers(1, 64), st.integers(1, 8), st.integers(1, 200))
def test_experts_hit_lie_between_those_of_one_token_and_all(number: int, k: int, tokens: int) -> None:
    k = min(k, number)
    hit = expected_experts(number, k, tokens)
    assert k - 1e-9 <= hit <= min(number, k * tokens) + 1e-9


def test_a_mixture_computes_its_top_k_and_moves_the_experts_hit() -> None:
    build = Builder()
    x, scores = build.input((2, 4)), build.input((2, 8))
    w1, w2 = build.weight((8, 16, 4)), build.weight((8, 4, 16))
    counted = count_graph(build.graph(build.op("MoE", x, scores, w1, None, w2, shape=(2, 4), k=2)))
    assert counted.total.mac == 2 * 2 * 128
    hit = 8 * (1 - (1 - 2 / 8) ** 2)
    assert counted.traffic.weights == round(4 * 8 * 64 * hit / 8) * 2


@pytest.mark.parametrize(("kind", "gates", "calls"), [("RNN", 1, 1), ("GRU", 3, 3), ("LSTM", 4, 5)])
def test_both_directions_of_a_recurrent_layer(kind: str, gates: int, calls: int) -> None:
    found = work(kind, (10, 2, 3), (2, gates * 5, 3), (2, gates * 5, 5), out=(10, 2, 2, 5))
    assert found.mac == 10 * 2 * 2 * gates * 5 * (3 + 5)
    assert found.transcendental == 10 * 2 * 2 * 5 * calls


def test_several_layers_in_one_operation() -> None:
    params = [(20, 3), (20, 5), (20,), (20,), (20, 5), (20, 5), (20,), (20,)]
    found = work("RecurrentStack", (10, 2, 3), *params, out=(10, 2, 5), cell="LSTM", elements=60 + 100 + 200)
    assert found.mac == 20 * 360
    assert found.transcendental == 20 * 10 * 5
