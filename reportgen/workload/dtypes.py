"""Element types by the names numpy and ONNX use, and what an element occupies."""

from __future__ import annotations

BITS = {
    "float64": 64,
    "float32": 32,
    "float16": 16,
    "bfloat16": 16,
    "float8e4m3fn": 8,
    "float8e4m3fnuz": 8,
    "float8e5m2": 8,
    "float8e5m2fnuz": 8,
    "float8e8m0": 8,
    "float6e2m3": 6,
    "float6e3m2": 6,
    "float4e2m1": 4,
    "complex64": 64,
    "complex128": 128,
    "int64": 64,
    "uint64": 64,
    "int32": 32,
    "uint32": 32,
    "int16": 16,
    "uint16": 16,
    "int8": 8,
    "uint8": 8,
    "int4": 4,
    "uint4": 4,
    "int2": 2,
    "uint2": 2,
    "bool": 8,
    "string": 0,
}
"""Bits of one element.  int4 is half a byte: two of them share one.  A string has no size of its own."""


def nbytes(size: int, dtype: str) -> int:
    """Bytes of `size` elements, the last one rounded up to a whole byte.

    An unknown type counts four bytes an element, as the most frequent one would.
    """
    return (size * BITS.get(dtype, 32) + 7) >> 3


def is_float(dtype: str) -> bool:
    """Whether arithmetic in this type is FLOP (complex included)."""
    return dtype.startswith(("float", "bfloat", "complex"))


def is_complex(dtype: str) -> bool:
    """Whether an element is a pair of numbers."""
    return dtype.startswith("complex")
