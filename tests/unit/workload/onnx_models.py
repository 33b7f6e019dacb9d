"""Small ONNX models, made as the tests need them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from reportgen.workload.count import Count, count

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
Dims = Sequence[int | str | None]


def value(name: str, shape: Dims | None, dtype: int = FLOAT) -> Any:
    """A graph input or output."""
    return helper.make_tensor_value_info(name, dtype, shape)


def weight(name: str, shape: Sequence[int], seed: int = 0, dtype: Any = np.float32) -> Any:
    """Numbers that differ, so that two weights are not taken for one."""
    data = np.random.default_rng(seed + len(name)).integers(1, 100, shape)
    return numpy_helper.from_array(data.astype(dtype), name)


def absent(
    name: str, shape: Sequence[int], dtype: int = FLOAT, file: str = "weights.bin", offset: int = 0
) -> Any:
    """A weight whose numbers are in a file that is not there."""
    tensor = TensorProto(name=name, data_type=dtype, dims=shape, data_location=TensorProto.EXTERNAL)
    size = int(np.prod(shape)) * 4
    for key, text in (("location", file), ("offset", str(offset)), ("length", str(size))):
        tensor.external_data.add(key=key, value=text)
    return tensor


def constant(name: str, numbers: Any, dtype: Any = np.int64) -> Any:
    """A small initializer: a shape, axes, a trip count."""
    return numpy_helper.from_array(np.asarray(numbers, dtype), name)


def model(
    nodes: Sequence[NodeProto],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    weights: Sequence[Any] = (),
    *,
    opset: int = 20,
    functions: Sequence[Any] = (),
    infos: Sequence[Any] = (),
) -> ModelProto:
    """A model that also imports com.microsoft and a domain of nobody's."""
    graph = helper.make_graph(nodes, "graph", inputs, outputs, initializer=weights, value_info=infos)
    domains = {node.domain for node in nodes} | {"com.microsoft", "custom"}
    imports = [
        helper.make_opsetid("", opset),
        *(helper.make_opsetid(one, 1) for one in sorted(domains - {""})),
    ]
    made: ModelProto = helper.make_model(
        graph, opset_imports=imports, functions=list(functions), ir_version=10
    )
    return made


def saved(folder: Path, made: ModelProto, name: str = "model.onnx") -> Path:
    """The file of a model."""
    path = folder / name
    path.write_bytes(made.SerializeToString())
    return path


node = helper.make_node


def counted(folder: Path, *parts: Any, dims: dict[str, int] | None = None, **more: Any) -> Count:
    """Of a model made of nodes, inputs, outputs and weights."""
    return count(saved(folder, model(*parts, **more)), dims)


def matmul(x: str = "x", w: str = "w", y: str = "y", **attrs: Any) -> Any:
    """A product of matrices."""
    return node("MatMul", [x, w], [y], **attrs)


def two_dims(folder: Path) -> Path:
    """A file whose two dimensions have names and no size."""
    made = model(
        [matmul()],
        [value("x", ["batch", "seq", 8])],
        [value("y", ["batch", "seq", 4])],
        [weight("w", (8, 4))],
    )
    return saved(folder, made)
