"""`samples.parquet`: columns of Python lists <-> a file any Parquet reader understands.

Strings are dictionary-encoded, integers as small as `SAMPLE_COLUMNS` says, pages compressed with
zstd.  pyarrow is imported when it is needed: the command line starts without it.  Arrays are made of
buffers, because `pyarrow.array` imports pandas, which takes as long as to write a run.
"""

from __future__ import annotations

import io
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reportgen.runs.schema import SAMPLE_COLUMNS

if TYPE_CHECKING:
    import pyarrow

MANIFEST_DIGEST = b"reportgen.manifest"
"""Key in the file's metadata: sha256 of the manifest these samples belong to."""


LEVEL = 15
"""Of zstd: a run of the suite takes a second more than at its usual level, and a tenth less room."""
RISING = ("start", "order")
"""Columns stored as differences, which they are smaller as: `start` to little more than half."""
_CODES = {"int8": "b", "int16": "h", "int32": "i", "int64": "q"}
"""Of the `array` module."""


def arrow_types() -> dict[str, Any]:
    """Arrow type of every column."""
    import pyarrow as pa

    kinds = {
        "string (dictionary)": pa.dictionary(pa.int32(), pa.string()),
        "int8": pa.int8(),
        "int16": pa.int16(),
        "int32": pa.int32(),
        "int64": pa.int64(),
    }
    return {name: kinds[kind] for name, kind in SAMPLE_COLUMNS.items()}


def to_parquet(columns: dict[str, list[Any]], manifest_digest: str) -> bytes:
    """The file's bytes.

    Args:
        columns: exactly the columns of `SAMPLE_COLUMNS`, lists of equal length.
        manifest_digest: `manifest.digest` of the run.

    Raises:
        ValueError: a column is missing, unknown, of another length, or a number does not fit.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if set(columns) != set(SAMPLE_COLUMNS):
        wrong = sorted(set(columns) ^ set(SAMPLE_COLUMNS))
        raise ValueError(f"sample columns missing or unknown: {', '.join(wrong)}")
    types = arrow_types()
    arrays = []
    for name, kind in types.items():
        try:
            arrays.append(
                _strings(columns[name]) if pa.types.is_dictionary(kind) else _integers(columns[name], kind)
            )
        except (TypeError, OverflowError, AttributeError) as error:
            raise ValueError(f"sample column {name}: {error}") from None
    schema = pa.schema(list(types.items()), metadata={MANIFEST_DIGEST: manifest_digest.encode()})
    sink = io.BytesIO()
    pq.write_table(
        pa.Table.from_arrays(arrays, schema=schema),
        sink,
        compression="zstd",
        compression_level=LEVEL,
        use_dictionary=[name for name in types if name not in RISING],
        column_encoding=dict.fromkeys(RISING, "DELTA_BINARY_PACKED"),
    )
    return sink.getvalue()


def _integers(values: Sequence[int], kind: Any) -> Any:
    """An Arrow array.

    Raises:
        TypeError: a value is no integer.
        OverflowError: one does not fit.
    """
    import pyarrow as pa

    packed = array(_CODES[str(kind)], values)
    return pa.Array.from_buffers(kind, len(packed), [None, pa.py_buffer(packed)])


def _strings(values: Sequence[str]) -> Any:
    """A dictionary-encoded Arrow array, its words in the order of their first use.

    Raises:
        AttributeError: a value is no string.
    """
    import pyarrow as pa

    places: dict[str, int] = {}
    indices = array("i", (places.setdefault(value, len(places)) for value in values))
    words = [word.encode() for word in places]
    ends = array("i", [0])
    for word in words:
        ends.append(ends[-1] + len(word))
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(words))]
    dictionary = pa.Array.from_buffers(pa.string(), len(words), buffers)
    return pa.DictionaryArray.from_arrays(_integers(indices, pa.int32()), dictionary)


def from_parquet(data: bytes) -> pyarrow.Table:
    """The table, its strings dictionary-encoded.

    Raises:
        ValueError: not a Parquet file, or a column of `SAMPLE_COLUMNS` is missing.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # In this thread alone: a thread of Arrow's that is the last to hold `data` when the interpreter ends
        # takes the whole process with it (SIGABRT).
        table = pq.ParquetFile(pa.BufferReader(data), pre_buffer=False).read(use_threads=False)
    except MemoryError:  # of Arrow too: nothing is said of the file
        raise
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"not a Parquet file ({error})") from None
    missing = [name for name in SAMPLE_COLUMNS if name not in table.column_names]
    if missing:
        raise ValueError(f"column {missing[0]} is missing")
    return table
