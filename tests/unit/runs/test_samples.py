"""Samples as a Parquet file, for readers that know nothing of this project."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reportgen.runs import samples
from reportgen.runs.schema import SAMPLE_COLUMNS

LARGEST = {"int8": 2**7 - 1, "int16": 2**15 - 1, "int32": 2**31 - 1, "int64": 2**63 - 1}


def columns(rows: int = 3) -> dict[str, list[Any]]:
    """Columns that hold the largest and the smallest numbers, in no order."""
    words = ["family/name#a=1", "", "\N{LATIN SMALL LETTER E WITH ACUTE}", "family/name#a=1"]
    numbers = {
        name: [LARGEST[kind], -LARGEST[kind] - 1, 0, 1][:rows]
        for name, kind in SAMPLE_COLUMNS.items()
        if kind in LARGEST
    }
    return {name: numbers.get(name, words[:rows]) for name in SAMPLE_COLUMNS}


@pytest.mark.parametrize("rows", [0, 1, 4])
def test_every_value_comes_back(rows: int) -> None:
    given = columns(rows)
    table = samples.from_parquet(samples.to_parquet(given, "digest"))
    assert {name: table.column(name).to_pylist() for name in SAMPLE_COLUMNS} == given
    assert dict(zip(table.schema.names, table.schema.types, strict=True)) == samples.arrow_types()
    assert table.schema.metadata[samples.MANIFEST_DIGEST] == b"digest"


def test_the_encodings_are_those_of_the_format() -> None:
    """Differences for what rises, words and repeated numbers by dictionary: Parquet 2.0, since 2013."""
    group = pq.ParquetFile(io.BytesIO(samples.to_parquet(columns(), ""))).metadata.row_group(0)
    found = {group.column(n).path_in_schema: group.column(n) for n in range(group.num_columns)}
    assert {one.compression for one in found.values()} == {"ZSTD"}
    assert {name for name, one in found.items() if "DELTA_BINARY_PACKED" in one.encodings} == set(
        samples.RISING
    )


def test_a_file_as_it_was_written_before_is_read() -> None:
    given = columns()
    sink = io.BytesIO()
    types = {name: pa.string() if name in ("point", "gate") else kind for name, kind in arrow().items()}
    table = pa.table({name: pa.array(given[name], kind) for name, kind in types.items()})
    pq.write_table(table, sink, compression="zstd")
    read = samples.from_parquet(sink.getvalue())
    assert {name: read.column(name).to_pylist() for name in SAMPLE_COLUMNS} == given


def arrow() -> dict[str, Any]:
    """Arrow type of every column."""
    return samples.arrow_types()


@pytest.mark.parametrize(
    ("name", "value"),
    [("pass", 128), ("ticks", 1 << 63), ("ticks", 1.5), ("ticks", None), ("point", 3), ("gate", None)],
)
def test_a_value_that_does_not_fit_names_its_column(name: str, value: object) -> None:
    wrong = {**columns(), name: [*columns(2)[name], value]}
    with pytest.raises(ValueError, match=f"sample column {name}: "):
        samples.to_parquet(wrong, "")


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="length"):
        samples.to_parquet({**columns(), "cpu": [0]}, "")


def test_writing_does_without_pandas() -> None:
    code = (
        "import sys; from reportgen.runs import samples, schema;"
        "samples.to_parquet({name: [] for name in schema.SAMPLE_COLUMNS}, '');"
        "sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


@pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="threads of a process are counted as Linux lists them"
)
def test_reading_starts_no_thread(tmp_path: Path) -> None:
    """One that lets go of the bytes while the interpreter ends would abort the process."""
    written = tmp_path / "samples.parquet"
    written.write_bytes(samples.to_parquet(columns(), ""))
    code = (
        "import os, sys, pyarrow.parquet; from pathlib import Path; from reportgen.runs import samples;"
        "count = lambda: len(os.listdir('/proc/self/task'));"
        "before = count(); table = samples.from_parquet(Path(sys.argv[1]).read_bytes());"
        "sys.exit(count() - before)"
    )
    assert subprocess.run([sys.executable, "-c", code, written], check=False, timeout=60).returncode == 0


def test_a_lack_of_memory_is_not_said_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    data = samples.to_parquet(columns(), "")

    def full(*_: object, **__: object) -> None:
        raise pa.ArrowMemoryError("malloc of size 4194304 failed")

    monkeypatch.setattr(pq, "ParquetFile", full)
    with pytest.raises(MemoryError):
        samples.from_parquet(data)
