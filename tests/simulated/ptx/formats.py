"""Number formats that numpy does not have: BF16, TF32, and floats of eight, six and four bits."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[Any]

SMALL: dict[str, tuple[int, int, int, bool]] = {
    "e4m3": (4, 3, 7, False),
    "e5m2": (5, 2, 15, True),
    "e3m2": (3, 2, 3, False),
    "e2m3": (2, 3, 1, False),
    "e2m1": (2, 1, 1, False),
}
"""Name -> bits of exponent and mantissa, bias, whether there are infinities (OCP 8-bit and MX formats)."""


def from_bf16(bits: Values) -> Values:
    """BF16 -> float32."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def to_bf16(values: Values) -> Values:
    """Nearest BF16, ties to even."""
    return (rounded(values, 16) >> np.uint32(16)).astype(np.uint16)


def rounded(values: Values, dropped: int) -> Values:
    """Bits of float32 whose lowest `dropped` are rounded away; what is not a number stays so."""
    single = np.ascontiguousarray(values, dtype=np.float32)
    bits = single.view(np.uint32)
    half = np.uint32((1 << dropped - 1) - 1)
    up = bits + half + (bits >> np.uint32(dropped) & np.uint32(1))
    kept = np.where(np.isfinite(single), up, bits)
    kept = np.where(np.isnan(single), np.uint32(0x7FFFFFFF), kept)
    return kept & ~np.uint32((1 << dropped) - 1)


def to_tf32(values: Values) -> Values:
    """Bits of the nearest TF32."""
    return rounded(values, 13)


def flushed(values: Values) -> Values:
    """Numbers too small to be normal become zero."""
    tiny = np.finfo(values.dtype).tiny
    return np.where(np.abs(values) < tiny, np.copysign(values.dtype.type(0), values), values)


@cache
def table(name: str) -> NDArray[np.float32]:
    """Code -> value of a small format."""
    exponent_bits, mantissa_bits, bias, infinite = SMALL[name]
    bits = 1 + exponent_bits + mantissa_bits
    found = np.zeros(1 << bits, dtype=np.float32)
    for code in range(1 << bits):
        sign = -1.0 if code >> bits - 1 else 1.0
        exponent = code >> mantissa_bits & (1 << exponent_bits) - 1
        mantissa = code & (1 << mantissa_bits) - 1
        if exponent:
            value = (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias)
        else:
            value = mantissa / (1 << mantissa_bits) * 2.0 ** (1 - bias)
        if infinite and exponent == (1 << exponent_bits) - 1:
            value = float("nan") if mantissa else float("inf")
        if name == "e4m3" and code & 0x7F == 0x7F:
            value = float("nan")
        found[code] = sign * value
    return found


def decode(name: str, codes: Values) -> Values:
    """Values of codes."""
    values = table(name)
    found: Values = values[codes & (len(values) - 1)]
    return found


def encode(name: str, values: Values) -> Values:
    """Codes of the nearest values, ties to even; what is larger becomes the largest finite one."""
    all_values = table(name)
    half = len(all_values) // 2
    finite = np.flatnonzero(np.isfinite(all_values[:half]))
    steps = all_values[finite].astype(np.float64)
    size = np.minimum(np.abs(values.astype(np.float64)), steps[-1])
    above = np.clip(np.searchsorted(steps, size), 1, len(steps) - 1)
    low, high = steps[above - 1], steps[above]
    middle = (low + high) / 2
    up = (size > middle) | ((size == middle) & (above % 2 == 0))
    codes = finite[np.where(up, above, above - 1)]
    codes = np.where(np.isnan(values), half - 1, codes)
    return (codes | np.where(np.signbit(values), half, 0)).astype(np.uint8)


def e8m0(codes: Values) -> Values:
    """Powers of two of MX scales."""
    codes = codes.astype(np.int32)
    return np.where(codes == 255, np.nan, np.exp2(codes - 127.0)).astype(np.float64)
