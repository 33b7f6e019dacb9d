"""CSV and Parquet: every fact comes back value for value, with its meaning."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import pyarrow.parquet as pq
import pytest

from reportgen.model.architecture import Architecture
from reportgen.model.exports import dictionary, fact_rows, facts_csv, parquet
from reportgen.status import USABLE
from tests.unit.findings.records import changed
from tests.unit.model.exports.models import cpu

MODEL = cpu()


def from_csv(architecture: Architecture) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(facts_csv.encode(architecture).decode(), newline="")))


def from_parquet(architecture: Architecture) -> list[dict[str, Any]]:
    return pq.read_table(io.BytesIO(parquet.encode(architecture))).to_pylist()


def number(text: str) -> float | None:
    return float(text) if text else None


def test_a_table_of_facts_comes_back_value_for_value() -> None:
    for row, fact in zip(from_csv(MODEL), MODEL.facts, strict=True):
        usable = fact.status in USABLE
        assert (row["metric"], row["unit"], row["status"]) == (fact.metric, fact.unit, fact.status)
        assert (number(row["value"]), number(row["low"]), number(row["high"])) == (
            fact.value,
            fact.low,
            fact.high,
        )
        assert (int(row["n"]), row["reason"], row["method"]) == (fact.n, fact.reason, fact.method)
        assert row["claim"] == (fact.claim if usable else "")
        assert number(row["confidence"]) == (fact.confidence if usable else None)
        assert tuple(float(one) for one in row["modes"].split()) == fact.modes


def test_parquet_holds_the_same_with_types() -> None:
    for row, expected in zip(from_parquet(MODEL), fact_rows.rows(MODEL), strict=True):
        found = tuple(tuple(one) if isinstance(one, list) else one for one in row.values())
        assert found == expected


def test_a_row_says_what_it_means_and_whose_it_is() -> None:
    rows = {row["metric"]: row for row in from_csv(MODEL)}
    row = rows["latency.fp32_fma_256"]
    entry = dictionary.lookup("latency.fp32_fma_256")
    assert entry is not None
    assert (row["definition"], row["caveat"]) == (entry.definition, entry.caveat)
    assert row["id"] == "written-core/20261101T000000Z-00000000#latency.fp32_fma_256"
    assert (row["device"], row["run"], row["created"][:10]) == (
        "written-core", "20261101T000000Z-00000000", "2026-11-01",
    )  # fmt: skip
    assert rows["memory.l9.colour"]["definition"] == ""
    assert len({row["id"] for row in rows.values()}) == len(MODEL.facts)


def test_the_schema_of_a_parquet_file_explains_every_column() -> None:
    schema = pq.read_schema(io.BytesIO(parquet.encode(MODEL)))
    assert schema.names == [column.name for column in fact_rows.COLUMNS]
    assert all(field.metadata[b"meaning"] for field in schema)
    assert schema.metadata[b"run"].decode() == MODEL.run
    assert b"written by reportgen" in schema.metadata[b"heading"]
    assert [one["pattern"] for one in json.loads(schema.metadata[b"dictionary"])] == [
        entry.pattern for entry in dictionary.ENTRIES
    ]


def test_a_run_without_facts_is_a_table_without_rows() -> None:
    empty = changed(MODEL, facts=())
    assert from_csv(empty) == []
    assert from_parquet(empty) == []


def test_the_same_model_gives_the_same_bytes() -> None:
    assert facts_csv.encode(cpu()) == facts_csv.encode(MODEL)
    assert parquet.encode(cpu()) == parquet.encode(MODEL)


@pytest.mark.parametrize("encode", [facts_csv.encode, parquet.encode])
def test_a_number_that_is_not_finite_is_refused(encode: Any) -> None:
    bad = changed(MODEL, facts=(changed(MODEL.facts[0], value=math.inf),))
    with pytest.raises(ValueError, match="not finite"):
        encode(bad)
