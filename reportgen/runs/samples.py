"""`samples.parquet`: columns of Python lists <-> a file any Parquet reader understands.

Strings are dictionary-encoded, integers as small as `SAMPLE_COLUMNS` says, pages compressed with
zstd.  pyarrow is imported when it is needed: the command line starts without it.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from reportgen.runs.schema import SAMPLE_COLUMNS

if TYPE_CHECKING:
    import pyarrow

MANIFEST_DIGEST = b"reportgen.manifest"
"""Key in the file's metadata: sha256 of the manifest these samples belong to."""


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
            values = pa.array(columns[name], pa.string() if pa.types.is_dictionary(kind) else kind)
        except (pa.ArrowInvalid, OverflowError) as error:
            raise ValueError(f"sample column {name}: {error}") from None
        arrays.append(values.dictionary_encode() if pa.types.is_dictionary(kind) else values)
    schema = pa.schema(list(types.items()), metadata={MANIFEST_DIGEST: manifest_digest.encode()})
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), sink, compression="zstd")
    return sink.getvalue()


def from_parquet(data: bytes) -> pyarrow.Table:
    """The table, its strings dictionary-encoded.

    Raises:
        ValueError: not a Parquet file, or a column of `SAMPLE_COLUMNS` is missing.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(pa.BufferReader(data))
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"not a Parquet file ({error})") from None
    missing = [name for name in SAMPLE_COLUMNS if name not in table.column_names]
    if missing:
        raise ValueError(f"column {missing[0]} is missing")
    return table
