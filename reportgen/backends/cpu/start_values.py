"""What registers hold when a body starts: values that stay tame over millions of steps."""

from __future__ import annotations

import struct

from reportgen.suite.definition import Operation

_ONE = {"fp64": ("<d", 1.0), "fp32": ("<f", 1.0), "fp16": ("<e", 1.0)}


def pattern(operation: Operation, which: str) -> bytes:
    """64 bytes that a vector register starts with; `which` is `d` (accumulator), `a` or `b`."""
    if operation.values == "bits":
        return bytes(range(64)) if which != "b" else bytes(reversed(range(64)))
    if operation.precision == "bf16":
        return struct.pack("<H", 0x3F80 if which != "b" else 0x3F00) * 32
    if operation.precision in _ONE:
        code, one = _ONE[operation.precision]
        value = {"d": one, "a": one, "b": 0.5}[which]
        if operation.values == "fraction":
            value = {"d": 1.7, "a": 3.3, "b": 1.3}[which]
        unit = struct.pack(code, value)
        return unit * (64 // len(unit))
    return (
        struct.pack("<Q", {"d": 0x0102030405060708, "a": 0x0101010101010101, "b": 0x0202020202020202}[which])
        * 8
    )


def integer(operation: Operation, which: str) -> int:
    """What a general register starts with; `which` is `d` (accumulator), `a` or `b`."""
    if operation.values == "divide":
        # x <- 2^62 / x alternates between two non-trivial divisors
        return {"d": 1_000_003, "a": 1 << 62, "b": 3}[which]
    if operation.values == "divide_by_one":
        return 1
    return {"d": 3, "a": 5, "b": 7}[which]
