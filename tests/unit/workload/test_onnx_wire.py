"""Files are read without the numbers of their weights."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from reportgen.workload.count import count
from reportgen.workload.onnx_file import wire

pytest.importorskip("onnx", reason="the extra 'onnx' is not installed")

from onnx import ModelProto, helper, numpy_helper

from tests.unit.workload.onnx_models import constant, model, node, saved, value


def heavy(folder: Path, width: int = 1024, layers: int = 2) -> Path:
    """A file that is almost all weights: 4 MiB a layer."""
    rng = np.random.default_rng(1)
    weights = [
        numpy_helper.from_array(rng.random((width, width), np.float32), f"w{at}") for at in range(layers)
    ]
    nodes = [node("MatMul", [f"x{at}", f"w{at}"], [f"x{at + 1}"]) for at in range(layers)]
    return saved(folder, model(nodes, [value("x0", [1, width])], [value(f"x{layers}", None)], weights))


def test_memory_does_not_grow_with_the_weights(tmp_path: Path) -> None:
    """The bound for a file of 2 GB is 1.5 times its size; what is held here is far below."""
    path = heavy(tmp_path)
    size = path.stat().st_size
    assert size > 8 << 20
    tracemalloc.start()
    found = count(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.total.mac == 2 * 1024 * 1024
    assert found.memory.weights == 8 << 20
    assert peak < 0.5 * size


def test_the_message_without_payloads_is_small_and_says_where_they_lie(tmp_path: Path) -> None:
    path = heavy(tmp_path)
    stripped = wire.read_model_bytes(path)
    assert len(stripped) < 4096
    proto = ModelProto.FromString(stripped)
    whole = path.read_bytes()
    for at, tensor in enumerate(proto.graph.initializer):
        entries = {entry.key: entry.value for entry in tensor.external_data}
        start, length = int(entries["offset"]), int(entries["length"])
        numbers = np.frombuffer(whole[start : start + length], np.float32)
        original = ModelProto.FromString(whole).graph.initializer[at]
        assert tensor.name == original.name
        assert list(tensor.dims) == [1024, 1024]
        np.testing.assert_array_equal(numbers, numpy_helper.to_array(original).reshape(-1))


def test_a_file_above_the_limit_is_the_same_but_for_payloads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small payloads, nodes, names and shapes come through the walk unchanged."""
    monkeypatch.setattr(wire, "SMALL", 0)
    weights = [constant("shape", [2, 8]), constant("w", np.arange(32).reshape(8, 4), np.float32)]
    nodes = [
        node("Reshape", ["x", "shape"], ["r"]),
        node("MatMul", ["r", "w"], ["y"], name="m", doc_string="d" * 300),
    ]
    made = model(nodes, [value("x", [16])], [value("y", None)], weights)
    assert wire.read_model_bytes(saved(tmp_path, made)) == made.SerializeToString()


def test_payloads_of_constants_in_the_body_of_a_loop_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "SMALL", 0)
    big = numpy_helper.from_array(np.ones((128, 128), np.float32), "big")
    body = helper.make_graph(
        [
            node("Constant", [], ["w"], value=big),
            node("MatMul", ["s", "w"], ["t"]),
            node("Identity", ["c"], ["d"]),
        ],
        "body",
        [value("i", [], 7), value("c", [], 9), value("s", [1, 128])],
        [value("d", [], 9), value("t", [1, 128])],
    )
    nodes = [node("Loop", ["n", "go", "x"], ["y"], body=body)]
    weights = [constant("n", 3), constant("go", True, np.bool_)]
    path = saved(tmp_path, model(nodes, [value("x", [1, 128])], [value("y", None)], weights))
    assert len(wire.read_model_bytes(path)) < 2048
    found = count(path)
    assert found.total.mac == 3 * 128 * 128
    assert found.memory.weights == 65536


def test_weights_in_other_fields_than_raw_data_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "SMALL", 0)
    weights = [helper.make_tensor("w", 1, (128, 128), np.ones(128 * 128))]
    assert not weights[0].raw_data
    made = model([node("MatMul", ["x", "w"], ["y"])], [value("x", [2, 128])], [value("y", None)], weights)
    path = saved(tmp_path, made)
    assert len(wire.read_model_bytes(path)) < 1024
    assert count(path).total.mac == 2 * 128 * 128


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.95])
def test_a_truncated_large_file_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: float
) -> None:
    from reportgen.errors import UserError

    monkeypatch.setattr(wire, "SMALL", 0)
    path = heavy(tmp_path, width=128)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * keep)])
    with pytest.raises(UserError, match="is no ONNX file, or a damaged one"):
        count(path)
