"""Loops, branches and functions in a model's file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reportgen.workload.count import Count
from reportgen.workload.work import Work

pytest.importorskip("onnx", reason="the extra 'onnx' is not installed")

from onnx import TensorProto, helper

from tests.unit.workload.onnx_models import (
    INT64,
    constant,
    counted,
    matmul,
    node,
    value,
    weight,
)

# Loops, branches, functions


def loop(folder: Path, *, trips: bool = True, condition: str = "go") -> Count:
    body = helper.make_graph(
        [matmul("s", "w", "t"), node("Identity", ["c"], ["d"])],
        "body",
        [value("i", [], INT64), value("c", [], TensorProto.BOOL), value("s", [8, 8])],
        [
            value("d", [], TensorProto.BOOL),
            value("t", [8, 8]),
        ],
    )
    weights = [constant("trips", 10), constant("go", True, np.bool_), weight("w", (8, 8))]
    inputs = [value("x", [8, 8])]
    if condition == "data":
        inputs.append(value("data", [], TensorProto.BOOL))
    nodes = [node("Loop", ["trips" if trips else "", condition, "x"], ["y"], body=body, name="loop")]
    return counted(folder, nodes, inputs, [value("y", None)], weights)


def test_a_loop_counts_its_trips_and_its_weights_once(tmp_path: Path) -> None:
    found = loop(tmp_path)
    assert found.total.mac == 5120
    assert found.exact
    assert found.doubts == ()
    assert found.traffic.weights == found.memory.weights == 256
    assert found.graph.outputs[0].shape == (8, 8)


def test_a_loop_without_a_trip_count_counts_one_and_says_so(tmp_path: Path) -> None:
    found = loop(tmp_path, trips=False)
    assert found.total.mac == 512
    assert not found.exact
    assert "'loop' (Loop): the trip count depends on data" in found.doubts[0]


def test_a_loop_that_may_end_early_is_an_upper_bound(tmp_path: Path) -> None:
    found = loop(tmp_path, condition="data")
    assert found.total.mac == 5120
    assert "may end before its 10 trips" in found.doubts[0]


def test_a_scan_counts_its_length(tmp_path: Path) -> None:
    body = helper.make_graph(
        [node("Add", ["s", "e"], ["t"]), matmul("t", "w", "o"), node("Identity", ["t"], ["t2"])],
        "body",
        [value("s", [1, 8]), value("e", [1, 8])],
        [value("t2", [1, 8]), value("o", [1, 4])],
    )
    found = counted(
        tmp_path,
        [node("Scan", ["x0", "xs"], ["last", "ys"], body=body, num_scan_inputs=1)],
        [value("x0", [1, 8]), value("xs", [5, 1, 8])],
        [value("last", None), value("ys", None)],
        [weight("w", (8, 4))],
    )
    assert found.total == Work(mac=5 * 32, flop=5 * 8)
    assert [tensor.shape for tensor in found.graph.outputs] == [(1, 8), (5, 1, 4)]


@pytest.mark.parametrize(("known", "mac"), [(None, 1024), (True, 512), (False, 1024)])
def test_of_branches_the_dearer_counts_unless_the_condition_is_known(
    tmp_path: Path, known: bool | None, mac: int
) -> None:
    one = helper.make_graph([matmul("x", "w", "a")], "then", [], [value("a", [8, 8])])
    two = helper.make_graph(
        [matmul("x", "w", "b0"), matmul("b0", "w", "b")], "else", [], [value("b", [8, 8])]
    )
    inputs, weights = [value("x", [8, 8])], [weight("w", (8, 8))]
    if known is None:
        inputs.append(value("c", [], TensorProto.BOOL))
    else:
        weights.append(constant("c", known, np.bool_))
    nodes = [node("If", ["c"], ["y"], then_branch=one, else_branch=two)]
    found = counted(tmp_path, nodes, inputs, [value("y", None)], weights)
    assert found.total.mac == mac
    assert found.graph.outputs[0].shape == (8, 8)


def test_local_functions_are_inlined(tmp_path: Path) -> None:
    function = helper.make_function(
        "custom", "Twice", ["a", "b"], ["d"], [matmul("a", "b", "c"), matmul("c", "b", "d")],
        [helper.make_opsetid("", 20)],
    )  # fmt: skip
    nodes = [node("Twice", ["x", "w"], ["y"], domain="custom")]
    found = counted(
        tmp_path, nodes, [value("x", [8, 8])], [value("y", None)], [weight("w", (8, 8))], functions=[function]
    )
    assert found.total.mac == 1024
    assert found.exact
