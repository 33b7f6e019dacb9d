"""Operations of equal shapes are counted once for all of them; the count is that of each on its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from reportgen.workload.count import count_graph
from reportgen.workload.graph import Graph
from reportgen.workload.onnx_reader import read_onnx

pytest.importorskip("onnx", reason="the extra 'onnx' is not installed")

from onnx import TensorProto

from tests.unit.workload.onnx_models import absent, constant, model, node, saved, value, weight

QUANTISED = [
    node("QuantizeLinear", ["x", "s", "z"], ["xq"]),
    node("DequantizeLinear", ["xq", "s", "z"], ["xf"]),
    node("DequantizeLinear", ["q", "s", "z"], ["wf"]),
]


def products(x: str, *factors: str) -> list[Any]:
    """y0, y1 and so on, of one shape each, and their rectified sum."""
    made = [node("MatMul", [x, factor], [f"y{at}"], name=f"m{at}/mul") for at, factor in enumerate(factors)]
    names = [f"y{at}" for at in range(len(factors))]
    rectified = [node("Relu", [name], [f"r{name}"]) for name in names]
    return [*made, *rectified, node("Sum", [f"r{name}" for name in names], ["y"])]


@pytest.mark.parametrize(
    ("nodes", "rows"),
    [
        (products("x", "w", "v", "w", "w"), 2),
        (products("x", "w", "v", "w", "w"), 0),  # results without an element
        # The last differs from the first in what lies in memory, not in shape or type.
        ([*QUANTISED, *products("xf", "w", "w", "v", "wf")], 2),
    ],
    ids=["plain", "empty", "quantised"],
)
def test_alike_operations_count_as_each_would_alone(tmp_path: Path, nodes: list[Any], rows: int) -> None:
    weights = [
        weight("w", (8, 8)),
        weight("v", (8, 8)),
        absent("q", (8, 8), TensorProto.INT8),
        constant("s", 0.5, np.float32),
        constant("z", 0, np.int8),
    ]
    read = read_onnx(saved(tmp_path, model(nodes, [value("x", [rows, 8])], [value("y", None)], weights)))
    assert sum(op.like is not None for op in read.ops) == 6  # of four products and of four rectifiers
    apart = Graph(
        tuple(msgspec.structs.replace(op, like=None) for op in read.ops), read.inputs, read.outputs, read.name
    )
    shared, alone = count_graph(read), count_graph(apart)
    assert shared.to_json() == alone.to_json()
    assert [row.work for row in shared.rows] == [row.work for row in alone.rows]
    assert list(shared.traffic.by_op.values()) == list(alone.traffic.by_op.values())


def test_operations_of_unknown_shape_are_named_each(tmp_path: Path) -> None:
    nodes = [
        node("Mystery", ["x"], ["a"], domain="custom"),
        node("Relu", ["a"], ["b"], name="first"),
        node("Relu", ["a"], ["c"], name="second"),
        node("Sum", ["b", "c"], ["y"]),
    ]
    found = count_graph(read_onnx(saved(tmp_path, model(nodes, [value("x", [2])], [value("y", None)]))))
    reasons = [row.reason for row in found.rows if row.op.kind == "Relu"]
    assert [reason.partition(" ")[0] for reason in reasons] == ["'first'", "'second'"]
