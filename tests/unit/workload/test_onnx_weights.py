"""Weights in a model's file: absent, tied, quantised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.workload.count import count

pytest.importorskip("onnx", reason="the extra 'onnx' is not installed")

from onnx import TensorProto

from tests.unit.workload.onnx_models import (
    INT64,
    absent,
    constant,
    counted,
    matmul,
    model,
    node,
    saved,
    value,
    weight,
)

# Weights


def test_weights_that_are_not_there_are_not_needed(tmp_path: Path) -> None:
    found = counted(tmp_path, [matmul()], [value("x", [2, 8])], [value("y", None)], [absent("w", (8, 4))])
    assert found.total.mac == 64
    assert found.exact
    assert found.memory.weights == 128


def embedding_and_head(weights: list[Any], *, transposed: bool) -> Any:
    head = (
        node("MatMul", ["e", "head"], ["y"]) if transposed else node("Gemm", ["e", "head"], ["y"], transB=1)
    )
    return model(
        [node("Gather", ["wte", "ids"], ["e"]), head], [value("ids", [3], INT64)], [value("y", None)], weights
    )


@pytest.mark.parametrize("transposed", [False, True])
def test_a_tied_weight_that_was_written_twice_counts_once(tmp_path: Path, transposed: bool) -> None:
    table = weight("wte", (50, 8))
    numbers = np.frombuffer(table.raw_data, np.float32).reshape(50, 8)
    twin = constant("head", numbers.T.copy() if transposed else numbers, np.float32)
    found = count(saved(tmp_path, embedding_and_head([table, twin], transposed=transposed)))
    assert found.memory.weights == found.traffic.weights == 1600
    assert found.doubts == ()


def test_equal_sizes_alone_tie_nothing(tmp_path: Path) -> None:
    made = embedding_and_head([weight("wte", (50, 8)), weight("head", (8, 50), seed=9)], transposed=True)
    found = count(saved(tmp_path, made))
    assert found.memory.weights == 3200


def test_weights_that_were_only_initialised_are_not_tied(tmp_path: Path) -> None:
    zeros = [constant(name, np.zeros((8, 50)), np.float32) for name in ("a", "b")]
    nodes = [matmul("x", "a", "p"), matmul("x", "b", "q")]
    found = counted(tmp_path, nodes, [value("x", [2, 8])], [value("p", None), value("q", None)], zeros)
    assert found.memory.weights == 3200


def test_external_weights_at_one_place_are_one(tmp_path: Path) -> None:
    weights = [absent("a", (8, 8)), absent("b", (8, 8)), absent("c", (8, 8), offset=256)]
    nodes = [matmul("x", "a", "p"), matmul("p", "b", "q"), matmul("q", "c", "y")]
    found = counted(tmp_path, nodes, [value("x", [2, 8])], [value("y", None)], weights)
    assert found.memory.weights == 512


def test_a_twin_that_cannot_be_compared_is_a_warning(tmp_path: Path) -> None:
    made = embedding_and_head([absent("wte", (50, 8)), absent("head", (8, 50), offset=1600)], transposed=True)
    found = count(saved(tmp_path, made))
    assert found.memory.weights == 3200
    (doubt,) = found.doubts
    assert doubt.startswith("'wte' and 'head' may be one weight written twice: 1600 bytes are counted twice")


def test_external_weights_are_compared_where_they_are_there(tmp_path: Path) -> None:
    table = np.arange(400, dtype=np.float32).reshape(50, 8)
    (tmp_path / "weights.bin").write_bytes(table.tobytes() + table.T.tobytes())
    made = embedding_and_head([absent("wte", (50, 8)), absent("head", (8, 50), offset=1600)], transposed=True)
    assert count(saved(tmp_path, made)).memory.weights == 1600


def test_a_place_outside_of_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(bytes(3200))
    inner = tmp_path / "inner"
    inner.mkdir()
    weights = [
        absent("wte", (50, 8), file="../weights.bin"),
        absent("head", (8, 50), file="../weights.bin", offset=1600),
    ]
    assert len(count(saved(inner, embedding_and_head(weights, transposed=True))).doubts) == 1


def test_only_rows_of_a_table_are_read(tmp_path: Path) -> None:
    nodes = [node("Gather", ["table", "ids"], ["y"])]
    found = counted(
        tmp_path, nodes, [value("ids", [16], INT64)], [value("y", None)], [absent("table", (1000, 64))]
    )
    assert found.total.mac == 0
    assert found.traffic.weights == 4096
    assert found.memory.weights == 256_000
    assert found.traffic.unfused == 4096 + 128 + 4096


# Quantised models


def test_int4_weights_are_half_a_byte(tmp_path: Path) -> None:
    nodes = [node("DequantizeLinear", ["w", "scale"], ["f"], axis=0), matmul("x", "f")]
    weights = [absent("w", (64, 32), TensorProto.INT4), weight("scale", (64,))]
    found = counted(tmp_path, nodes, [value("x", [2, 64])], [value("y", None)], weights, opset=21)
    assert found.memory.weights == 64 * 32 // 2 + 256
    assert found.traffic.weights == 64 * 32 // 2 + 256
    assert found.by_precision["float32"].mac == 2 * 64 * 32


def test_a_quantised_graph_is_followed_to_its_integers(tmp_path: Path) -> None:
    """It says float at the product; the int8 kernel runs."""
    nodes = [
        node("QuantizeLinear", ["x", "s", "z"], ["xq"]),
        node("DequantizeLinear", ["xq", "s", "z"], ["xf"]),
        node("DequantizeLinear", ["w", "s", "z"], ["wf"]),
        matmul("xf", "wf"),
    ]
    weights = [
        absent("w", (64, 32), TensorProto.INT8),
        constant("s", 0.5, np.float32),
        constant("z", 0, np.int8),
    ]
    found = counted(tmp_path, nodes, [value("x", [2, 64])], [value("y", None)], weights)
    assert found.total.mac == 2 * 64 * 32
    assert found.by_precision["int8"].mac == 2 * 64 * 32
    product = next(row.op for row in found.rows if row.op.kind == "MatMul")
    assert found.traffic.by_op[product] == 128 + 2048 + 256  # int8, int8, float32
    assert found.traffic.weights == 2048 + 4 + 1


def test_integer_operators(tmp_path: Path) -> None:
    u8 = TensorProto.UINT8
    nodes = [node("MatMulInteger", ["a", "b"], ["y"])]
    found = counted(tmp_path, nodes, [value("a", [2, 8], u8), value("b", [8, 4], u8)], [value("y", None)])
    assert found.total.mac == 64
    assert list(found.by_precision) == ["int8"]


def test_rows_of_a_packed_table(tmp_path: Path) -> None:
    """Two 4-bit elements in a byte, a scale for 32 of them."""
    nodes = [
        node("GatherBlockQuantized", ["t", "ids", "s"], ["y"], domain="com.microsoft", bits=4, block_size=32)
    ]
    weights = [absent("t", (1000, 32), TensorProto.UINT8), absent("s", (1000, 2))]
    found = counted(tmp_path, nodes, [value("ids", [16], INT64)], [value("y", None)], weights)
    assert found.graph.outputs[0].shape == (16, 64)
    assert found.traffic.weights == 16 * 32 + 16 * 8
    assert found.traffic.unfused == 16 * 32 + 16 * 8 + 128 + 16 * 64 * 4


def test_an_input_without_a_shape_is_not_counted_behind_it(tmp_path: Path) -> None:
    found = counted(tmp_path, [matmul()], [value("x", None)], [value("y", None)], [weight("w", (8, 4))])
    assert "the file gives 'x' no shape" in found.uncounted["MatMul"][1]
