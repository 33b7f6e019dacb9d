from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest

import reportgen
from reportgen.workload.numpy_functions.registry import traces
from reportgen.workload.tracer import Counter, TracedArray, tensor_of, traced
from reportgen.workload.work import Work


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True)) @ v


def test_code_is_counted_without_data() -> None:
    with reportgen.count_flops() as counter:
        q, k, v = (counter.array(shape) for shape in ((2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 8)))
        out = attention(q, k, v)
    assert out.shape == (2, 3, 5, 8)
    assert counter.total.mac == 2 * 1680
    assert counter.total.transcendental == 210
    report = counter.count.attention
    assert (len(report.found), report.expected, report.mac_full) == (1, 1, 3360)


def test_the_same_code_runs_on_real_arrays_untouched() -> None:
    rng = np.random.default_rng(0)
    q, k, v = rng.random((1, 1, 2, 4)), rng.random((1, 1, 3, 4)), rng.random((1, 1, 3, 4))
    with reportgen.count_flops() as counter:
        out = attention(q, k, v)
    assert isinstance(out, np.ndarray)
    assert counter.total == Work()


def test_nothing_is_recorded_outside() -> None:
    with reportgen.count_flops() as counter:
        x = counter.array((8, 8))
    y = x @ x  # shapes still work
    assert y.shape == (8, 8)
    assert counter.total == Work()


def test_counters_nest() -> None:
    with reportgen.count_flops() as outer:
        x = outer.array((8, 8))
        x = x @ x
        with reportgen.count_flops() as inner:
            x = x @ x
        x @ x
    assert inner.total.mac == 512
    assert outer.total.mac == 3 * 512


def test_a_counter_ends_with_an_error_too() -> None:
    def failing() -> None:
        with reportgen.count_flops() as counter:
            counters.append(counter)
            x = counter.array((4, 4))
            x @ x
            raise KeyError

    counters: list[Counter] = []
    with pytest.raises(KeyError):
        failing()
    x = counters[0].array((4, 4))
    x @ x
    assert counters[0].total.mac == 64


def test_threads_do_not_see_each_other() -> None:
    totals: dict[int, int] = {}
    barrier = threading.Barrier(4)

    def work(size: int) -> None:
        with reportgen.count_flops() as counter:
            x = counter.array((size, size))
            barrier.wait()
            for _ in range(50):
                x = x @ x
        totals[size] = counter.total.mac

    threads = [threading.Thread(target=work, args=(size,)) for size in (2, 3, 4, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert totals == {size: 50 * size**3 for size in (2, 3, 4, 5)}


def test_a_thread_in_a_copy_of_the_context_is_counted() -> None:
    with reportgen.count_flops() as counter:
        x = counter.array((4, 4))
        for target in (lambda: x @ x, lambda: contextvars_free(x)):
            thread = threading.Thread(target=contextvars.copy_context().run, args=(target,))
            thread.start()
            thread.join()
        bare = threading.Thread(target=lambda: x @ x)
        bare.start()
        bare.join()
    assert counter.total.mac == 2 * 64


def contextvars_free(x: Any) -> Any:
    return x @ x


def test_scopes_nest_and_a_module_called_twice_counts_twice() -> None:
    def layer(x: Any, w: Any) -> Any:
        with counter.scope("layer"), counter.scope("linear"):
            return x @ w

    with reportgen.count_flops() as counter:
        w = counter.array((10, 10), role="weight")
        x = counter.array((1, 10))
        with counter.scope("a"):
            x = layer(x, w)
        with counter.scope("b"):
            x = layer(x, w)
    assert {name: share.work.mac for name, share in counter.by_scope(1).items()} == {"a": 100, "b": 100}
    assert list(counter.by_scope(3)) == ["a.layer.linear", "b.layer.linear"]
    assert counter.traffic.weights == 400
    assert counter.count.memory.weights == 400


@pytest.mark.parametrize(
    ("form", "wanted"),
    [
        (lambda x: np.fft.fft(x), Work(flop=4 * 5 * 8 * 3)),
        (lambda x: np.fft.rfft(x), Work(flop=4 * 5 * 8 * 3 // 2)),
        (lambda x: x @ x.T, Work(mac=128)),
        (lambda x: x**2, Work(flop=32)),
        (lambda x: x.sum(), Work(flop=31)),
        (lambda x: np.outer(x[0], x[1]), Work(flop=64)),
        (lambda x: np.maximum(x, 0), Work(comparison=32)),
        (lambda x: x.T.reshape(-1)[::2], Work()),
        (lambda x: np.clip(x, 0, None), Work(comparison=32)),
    ],
)
def test_work_of_some_functions(form: Callable[..., Any], wanted: Work) -> None:
    with reportgen.count_flops() as counter:
        form(counter.array((4, 8)))
    assert counter.total == wanted


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (lambda x: np.asarray(x), "has a shape and no data, so numpy.asarray"),
        (lambda x: bool(x[0, 0]), "a condition on its value is not possible"),
        (lambda x: float(x[0, 0]), r"float\(\) is not possible"),
        (lambda x: int(x[0, 0]), r"int\(\) is not possible"),
        (lambda x: x[0, 0].item(), r"item\(\) is not possible"),
        (lambda x: [1, 2][x[0, 0]], "an index made of it is not possible"),
        (lambda x: x[x > 0], "numpy.where keeps the shape"),
        (lambda x: np.where(x > 0), "a shape that depends on data"),
        (lambda x: np.median(x), r"numpy\.median has no traced form\. Add one: .*@traces\(numpy\.median\)"),
        (lambda x: np.linalg.eigvals(x), r"numpy\.linalg\.eigvals has no traced form"),
        (lambda x: np.linalg.norm(x, 3), "of order 3 has no traced form"),
        (lambda x: np.add.at(x, [0], 1), r"numpy\.add\.at has no traced form"),
        (lambda x: len(x[0, 0]), r"len\(\) of a traced array without axes"),
    ],
)
def test_what_is_not_possible_says_why(form: Callable[..., Any], said: str) -> None:
    with reportgen.count_flops() as counter, pytest.raises(TypeError, match=said):
        form(counter.array((4, 4)))


def test_shapes_that_do_not_fit_are_errors() -> None:
    with reportgen.count_flops() as counter:
        x = counter.array((4, 3))
        with pytest.raises(ValueError, match="do not fit"):
            x @ x
        with pytest.raises(ValueError, match="cannot reshape"):
            x.reshape(5)
        with pytest.raises(ValueError, match="cannot put"):
            x[0] = counter.array((7,))
        with pytest.raises(ValueError, match="shape mismatch"):
            x + counter.array((2, 2))
        with pytest.raises(AttributeError, match="has no 'tofile'"):
            _ = x.tofile


def test_the_recipe_works(monkeypatch: pytest.MonkeyPatch) -> None:
    from reportgen.workload.numpy_functions.registry import FUNCTIONS

    monkeypatch.delitem(FUNCTIONS, np.median, raising=False)

    @traces(np.median)
    def form(x: Any, *rest: Any) -> TracedArray:
        return traced("Sort", (x,), x.shape, x.dtype)

    with reportgen.count_flops() as counter:
        np.median(counter.array((4, 8)))
    del FUNCTIONS[np.median]
    assert counter.total.comparison == 32 * 3


def test_an_operation_of_ones_own_without_a_rule_is_no_silent_zero() -> None:
    with reportgen.count_flops() as counter:
        traced("MyKernel", (counter.array((4,)),), (4,), "float32")
        np.nextafter(counter.array((4,)), 1)
    assert set(counter.count.uncounted) == {"MyKernel", "numpy.nextafter"}
    assert counter.coverage() == 0.0


def test_questions_about_the_shape_compute_nothing() -> None:
    with reportgen.count_flops() as counter:
        x = counter.array((4, 8), "bfloat16")
        assert np.shape(x) == x.shape == (4, 8)
        assert (np.ndim(x), np.size(x), np.size(x, 1), len(x), x.nbytes) == (2, 32, 8, 4, 64)
        assert repr(x) == "TracedArray(shape=(4, 8), dtype=float16)"
        assert not np.iscomplexobj(x)
    assert counter.count.rows == ()


def test_types_that_numpy_lacks_are_kept() -> None:
    with reportgen.count_flops() as counter:
        x = counter.array((4, 8), "bfloat16")
        assert (x @ x.T + 1).tensor.dtype == "bfloat16"
        assert (x + counter.array((8,), "float32")).tensor.dtype == "float32"


def test_iteration_goes_over_rows() -> None:
    with reportgen.count_flops() as counter:
        rows = list(counter.array((3, 8)))
    assert [row.shape for row in rows] == [(8,)] * 3
    assert counter.total == Work()


def test_real_arrays_may_stand_among_traced_ones() -> None:
    with reportgen.count_flops() as counter:
        x = counter.array((4, 8), "float64")
        y = np.ones((2, 4)) @ x * 2.0
    assert y.shape == (2, 8)
    assert counter.total == Work(mac=64, flop=16)
    assert counter.traffic.inputs == 4 * 8 * 8 + 2 * 4 * 8
    assert tensor_of(2.0).role == "constant"


def test_a_counter_can_be_read_on_the_way() -> None:
    with reportgen.count_flops() as counter:
        x = counter.array((4, 4))
        x = x @ x
        assert counter.total.mac == 64
        x = x @ x
        assert counter.total.mac == 128
        assert counter.by_kind()["MatMul"].operations == 2
        assert counter.to_json(2)["mac"] == 128
    assert isinstance(counter, Counter)


def test_memory_is_not_taken_for_large_shapes() -> None:
    with reportgen.count_flops() as counter:
        x = counter.array((1 << 20, 1 << 20))
        y = np.pad((x @ x)[1:, ::2] + x[:-1, : 1 << 19], 1).sum(axis=0)[[0, 1, 2]]
    assert y.shape == (3,)
    assert counter.total.mac == 1 << 60
    assert prod(x.shape) == 1 << 40
