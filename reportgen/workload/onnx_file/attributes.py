"""Attributes of a node as plain numbers, texts and tuples; tensors only if they are small."""

from __future__ import annotations

from typing import Any

from reportgen.workload.onnx_file.values import LARGEST

# AttributeProto.AttributeType
FLOAT, INT, STRING, TENSOR, GRAPH, FLOATS, INTS, STRINGS = 1, 2, 3, 4, 5, 6, 7, 8

DTYPES = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    8: "string",
    9: "bool",
    10: "float16",
    11: "float64",
    12: "uint32",
    13: "uint64",
    14: "complex64",
    15: "complex128",
    16: "bfloat16",
    17: "float8e4m3fn",
    18: "float8e4m3fnuz",
    19: "float8e5m2",
    20: "float8e5m2fnuz",
    21: "uint4",
    22: "int4",
    23: "float4e2m1",
    24: "float8e8m0",
    25: "uint2",
    26: "int2",
}
"""TensorProto.DataType -> name."""

NUMBERS = {name: number for number, name in DTYPES.items()}


def attributes(node: Any) -> dict[str, Any]:
    """Name -> value; graphs are left out, they become bodies."""
    found: dict[str, Any] = {}
    for one in node.attribute:
        kind = one.type
        if kind == INT:
            found[one.name] = one.i
        elif kind == FLOAT:
            found[one.name] = one.f
        elif kind == STRING:
            found[one.name] = one.s.decode("utf-8", "replace")
        elif kind == INTS:
            found[one.name] = tuple(one.ints)
        elif kind == FLOATS:
            found[one.name] = tuple(one.floats)
        elif kind == STRINGS:
            found[one.name] = tuple(text.decode("utf-8", "replace") for text in one.strings)
        elif kind == TENSOR and has_numbers(one.t):
            found[one.name] = numbers(one.t)
    return found


def has_numbers(tensor: Any) -> bool:
    """Whether a TensorProto is small and its numbers are in it."""
    size = 1
    for dim in tensor.dims:
        size *= dim
    return size <= LARGEST and not tensor.external_data and tensor.data_type in DTYPES


def numbers(tensor: Any) -> Any:
    """A small TensorProto as an array; None where its numbers are not there after all."""
    from onnx import numpy_helper

    try:
        return numpy_helper.to_array(tensor)
    except (ValueError, TypeError):
        return None
