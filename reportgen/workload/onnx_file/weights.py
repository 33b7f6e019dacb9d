"""Weights that are the same one: by where they lie, or, where the data are there, by what they hold.

Exporters write a tied weight twice, sometimes transposed (TorchScript does so with the output layer of a
language model).  Candidates have as many elements of one type; a few elements are compared first, all of
them only if those agree.  Numbers are read from the mapped file in pieces, and never kept.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.errors import UserError
from reportgen.workload.dtypes import nbytes
from reportgen.workload.graph import Shape
from reportgen.workload.onnx_file.wire import ITSELF

LEAST = 256
"""Bytes below which a tensor is not compared: it saves nothing."""

SAMPLES = 12
PIECE = 1 << 20
"""Elements that are compared at a time."""

WIDTH = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}


@dataclass(frozen=True)
class Stored:
    """A weight of the file and where its numbers are."""

    name: str
    shape: Shape
    dtype: str
    location: str | None = None
    """File beside the model, `ITSELF`, or None where the numbers are in `raw`."""
    offset: int = 0
    length: int = 0
    raw: bytes = b""

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))


def stored(tensor: Any, dtype: str) -> Stored:
    """Of a TensorProto."""
    shape = tuple(tensor.dims)
    if not tensor.external_data:
        return Stored(tensor.name, shape, dtype, raw=tensor.raw_data)
    entries = {entry.key: entry.value for entry in tensor.external_data}
    size = nbytes(int(np.prod(shape, dtype=np.int64)), dtype)
    try:
        offset, length = int(entries.get("offset", 0)), int(entries.get("length", size))
    except ValueError:
        raise UserError(
            f"Where the numbers of '{tensor.name}' lie is not said in numbers.",
            "The file is damaged; export the model again.",
        ) from None
    return Stored(tensor.name, shape, dtype, entries.get("location", ""), offset, length)


def ties(weights: Iterable[Stored], model: Path) -> dict[str, str]:
    """Name -> name of the first weight with the same numbers, for weights that have a twin before them."""
    tied: dict[str, str] = {}
    places: dict[tuple[str, int, int], str] = {}
    groups: dict[tuple[str, int], list[Stored]] = {}
    for one in weights:
        if nbytes(one.size, one.dtype) < LEAST:
            continue
        if one.location is not None:
            first = places.setdefault((one.location, one.offset, one.length), one.name)
            if first != one.name:
                tied[one.name] = first
                continue
        groups.setdefault((one.dtype, one.size), []).append(one)
    with ExitStack() as stack:
        files = _Files(model, stack)
        for group in groups.values():
            if len(group) > 1:
                tied.update(_twins(group, files))
    return tied


class _Files:
    """Files with numbers, mapped when they are first asked for."""

    def __init__(self, model: Path, stack: ExitStack) -> None:
        self.model = model
        self.stack = stack
        self.mapped: dict[str, mmap.mmap | None] = {}

    def elements(self, one: Stored) -> np.ndarray[Any, Any] | None:
        """The elements of a weight as whole numbers, without copying; None where they are not there."""
        bits = nbytes(8, one.dtype)  # of one element, as eight of them have so many bytes
        kind = WIDTH.get(bits)
        if kind is None:
            return None
        size = one.size * bits // 8
        if one.location is None:
            return np.frombuffer(one.raw, kind) if len(one.raw) == size else None
        data = self._map(one.location)
        if data is None or one.length != size or one.offset + size > len(data):
            return None
        return np.frombuffer(data, kind, one.size, one.offset)

    def _map(self, location: str) -> mmap.mmap | None:
        if location not in self.mapped:
            path = self.model if location == ITSELF else self.model.parent / location
            found = None
            # A location that leads out of the model's folder is not followed.
            if location == ITSELF or path.resolve().is_relative_to(self.model.parent.resolve()):
                try:
                    file = self.stack.enter_context(path.open("rb"))
                    found = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                except (OSError, ValueError):
                    found = None
            self.mapped[location] = found
        return self.mapped[location]


def _twins(group: list[Stored], files: _Files) -> dict[str, str]:
    """Of weights with equally many elements: name -> first with the same numbers."""
    tied: dict[str, str] = {}
    firsts: dict[bytes, list[tuple[Stored, np.ndarray[Any, Any]]]] = {}
    for one in group:
        found = files.elements(one)
        if found is None:
            continue
        matrix = upright(found.reshape(one.shape))
        sample = _sample(matrix)
        if sample is None:
            continue
        known = firsts.setdefault(sample, [])
        for first, other in known:
            if matrix.shape == other.shape and _equal(matrix, other):
                tied[one.name] = first.name
                break
        else:
            known.append((one, matrix))
    return tied


def upright(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A matrix with at least as many rows as columns, so that it meets its transposed twin."""
    return array.T if array.ndim == 2 and array.shape[0] < array.shape[1] else array


def _sample(matrix: np.ndarray[Any, Any]) -> bytes | None:
    """A few elements; None where they are all the same, as in a weight that was only initialised."""
    places = np.linspace(0, matrix.size - 1, SAMPLES).astype(np.int64)
    # Rows times a step off the diagonal, so that not one column alone is looked at.
    taken = np.array([matrix[index] for index in zip(*np.unravel_index(places, matrix.shape), strict=True)])
    return taken.tobytes() if np.ptp(taken.astype(np.float64)) else None


def _equal(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    rows = max(1, PIECE // max(a.size // max(len(a), 1), 1))
    return all(np.array_equal(a[at : at + rows], b[at : at + rows]) for at in range(0, len(a), rows))


def look_alike(
    weights: Iterable[Stored], tables: Iterable[str], tied: dict[str, str], model: Path
) -> Iterator[tuple[str, str, int]]:
    """(table, weight, bytes) that may be one weight written twice, their numbers not being here."""
    listed = list(weights)
    wanted = set(tables)
    with ExitStack() as stack:
        files = _Files(model, stack)
        missing = [one for one in listed if len(one.shape) == 2 and files.elements(one) is None]
    for table in missing:
        if table.name not in wanted:
            continue
        for other in missing:
            if other.name == table.name or other.name in tied or other.name in wanted:
                continue
            if other.dtype == table.dtype and other.shape in (table.shape, table.shape[::-1]):
                yield table.name, other.name, nbytes(other.size, other.dtype)
