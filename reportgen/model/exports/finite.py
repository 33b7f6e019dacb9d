"""No NaN and no infinity leaves this package: JSON cannot say them, and a reader cannot use them."""

from __future__ import annotations

import math
from typing import Any

import msgspec


def non_finite(record: Any, where: str = "") -> list[str]:
    """Paths of the numbers in a record (struct, mapping, sequence) that are not finite."""
    if isinstance(record, float):
        return [] if math.isfinite(record) else [where]
    if isinstance(record, msgspec.Struct):
        return [
            found
            for name in record.__struct_fields__
            for found in non_finite(getattr(record, name), f"{where}.{name}" if where else name)
        ]
    if isinstance(record, dict):
        return [found for key, value in record.items() for found in non_finite(value, f"{where}[{key}]")]
    if isinstance(record, (list, tuple)):
        return [found for i, value in enumerate(record) for found in non_finite(value, f"{where}[{i}]")]
    return []


def require_finite(record: Any, what: str) -> None:
    """Refuse to export a record that holds NaN or infinity.

    Raises:
        ValueError: names the fields; a gate should have withheld them.
    """
    if not _finite(record):
        found = non_finite(record)
        raise ValueError(f"{what} holds numbers that are not finite: {', '.join(found[:5])}")


def _finite(record: Any) -> bool:
    """Whether all numbers are: the same walk without the paths, which nearly no record needs."""
    kind = type(record)
    if kind is str or kind is int or record is None:
        return True
    if isinstance(record, float):
        return math.isfinite(record)
    if isinstance(record, msgspec.Struct):
        return all(map(_finite, msgspec.structs.astuple(record)))
    if isinstance(record, dict):
        return all(map(_finite, record.values()))
    return all(map(_finite, record)) if isinstance(record, (list, tuple)) else True
