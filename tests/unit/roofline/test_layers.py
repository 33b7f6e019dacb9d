"""A counted graph as points: the whole of it and its modules."""

from __future__ import annotations

import pytest

from reportgen.roofline import layers
from reportgen.roofline.points import Source
from reportgen.workload.count import Count, count_graph
from reportgen.workload.golden import micro_graph

PRODUCT = {"op": "MatMul", "a": [64, 32], "b": [32, 16], "mac": 64 * 32 * 16}


def counted() -> Count:
    return count_graph(micro_graph(PRODUCT))


def test_the_whole_has_an_interval_of_bytes_and_its_modules_follow() -> None:
    whole, *modules = layers.points(counted(), "product", "dram")
    assert (whole.name, whole.precision, whole.unit) == ("product (all)", "fp32", "FLOP")
    assert whole.work == 2 * 64 * 32 * 16
    assert whole.rate is None
    assert whole.moved["dram"].least == 4 * (64 * 32 + 32 * 16 + 64 * 16)
    assert whole.moved["dram"].upper >= whole.moved["dram"].least
    assert whole.bytes_source is Source.COMPULSORY
    assert sum(module.work for module in modules) == whole.work
    assert all(module.bytes_source is Source.COUNTED for module in modules)


def test_another_precision_is_another_peak_and_integers_are_op() -> None:
    assert layers.points(counted(), "x", "l2", "bf16")[0].precision == "bf16"
    whole = layers.points(counted(), "x", "l2", "int8")[0]
    assert (whole.unit, list(whole.moved)) == ("OP", ["l2"])


@pytest.mark.parametrize(("kind", "name"), [("float32", "fp32"), ("bfloat16", "bf16"), ("int4", "int8")])
def test_types_of_models_have_peaks(kind: str, name: str) -> None:
    assert layers.PRECISIONS[kind] == name


def test_a_graph_without_work_has_no_points() -> None:
    embedding = count_graph(micro_graph({"op": "Embedding", "V": 10, "d": 4, "ids": 2, "mac": 0}))
    assert layers.main_precision(embedding) == "fp32"
    assert layers.points(embedding, "x", "dram") == ()
