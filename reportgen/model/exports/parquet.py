"""`facts.parquet`: the table of facts with typed columns, and the meaning of each in the file's schema.

The schema carries the heading of the run, what stands in each column (`meaning`, a key of the field's own
metadata) and the whole data dictionary as JSON under the key `dictionary`.
"""

from __future__ import annotations

import io
from typing import Any

from reportgen.model.architecture import Architecture
from reportgen.model.exports import dictionary, heading
from reportgen.model.exports.fact_rows import COLUMNS, rows


def encode(architecture: Architecture) -> bytes:
    """The table as the bytes of a Parquet file (version 2.6, zstd).

    Raises:
        ValueError: a fact holds NaN or infinity.
    """
    # Imported here: a site whose results are kept is rendered without it.
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds: dict[str, Any] = {
        "text": pa.string(),
        "number": pa.float64(),
        "count": pa.int64(),
        "numbers": pa.list_(pa.float64()),
    }
    fields = [pa.field(one.name, kinds[one.kind], metadata={"meaning": one.meaning}) for one in COLUMNS]
    about = {
        "heading": "\n".join(heading.lines(architecture)),
        "device": architecture.device,
        "run": architecture.run,
        "dictionary": dictionary.encode_json().decode(),
    }
    schema = pa.schema(fields, metadata=about)
    columns = list(zip(*rows(architecture), strict=True)) or [()] * len(COLUMNS)
    arrays = [pa.array(cells, type=field.type) for cells, field in zip(columns, fields, strict=True)]
    out = io.BytesIO()
    pq.write_table(pa.table(arrays, schema=schema), out, compression="zstd")
    return out.getvalue()
