"""What leaves the package: JSON that comes back as it was, a table of fixed shape, no NaN anywhere."""

from __future__ import annotations

import csv as stdlib_csv
import io
import json as stdlib_json
import math
from pathlib import Path

import msgspec
import pytest

from reportgen.findings.derive import derive
from reportgen.findings.finding import Finding
from reportgen.model.architecture import Architecture
from reportgen.model.build import build
from reportgen.model.exports import csv, dictionary, json
from reportgen.model.exports.finite import non_finite, require_finite
from reportgen.status import Status
from tests.unit.findings.records import changed, healthy, quantity

Derived = tuple[Architecture, tuple[Finding, ...]]


@pytest.fixture(scope="module")
def derived() -> Derived:
    manifest, quantities = healthy()
    odd = (
        quantity("memory.l9.x", 1.5, reason='a "quoted", reason\nof two lines'),
        quantity("memory.dtlb2.reach", low=1536, status=Status.CENSORED),
        quantity("peak.fp64", math.nan, math.nan, math.inf),
        quantity("kernel.dgemm.64", math.inf),
    )
    every = (*quantities, *odd)
    findings = derive(manifest, every)
    return build(manifest, every, findings), findings


def rows(architecture: Architecture) -> list[dict[str, str]]:
    text = csv.encode(architecture).decode()
    return list(stdlib_csv.DictReader(io.StringIO(text, newline="")))


def test_a_model_comes_back_as_it_was(derived: Derived, tmp_path: Path) -> None:
    architecture, _ = derived
    path = json.write_model(tmp_path, architecture)
    assert path.name == "model.json"
    assert json.read_model(path.read_bytes()) == architecture


def test_findings_come_back_as_they_were(derived: Derived, tmp_path: Path) -> None:
    path = json.write_findings(tmp_path, derived[1])
    assert json.read_findings(path.read_bytes()) == derived[1]
    assert isinstance(stdlib_json.loads(path.read_bytes()), list)


def test_decoding_is_strict(derived: Derived) -> None:
    plain = stdlib_json.loads(json.encode(derived[0], json.MODEL))
    for broken in (
        plain | {"surprise": 1},
        plain | {"device": 1},
        {k: v for k, v in plain.items() if k != "run"},
    ):
        with pytest.raises(msgspec.ValidationError):
            json.read_model(stdlib_json.dumps(broken).encode())


def test_no_nan_and_no_infinity_anywhere(derived: Derived) -> None:
    architecture, findings = derived

    def refuse(word: str) -> None:
        raise AssertionError(word)

    for data in (json.encode(architecture, "model"), json.encode(findings, "findings")):
        stdlib_json.loads(data, parse_constant=refuse)
    assert non_finite(architecture) == []
    assert non_finite(findings) == []
    table = csv.encode(architecture).lower()
    assert b",nan" not in table
    assert b",inf" not in table
    text = " ".join(finding.sentence for finding in findings)
    assert " nan" not in text
    assert " inf " not in text


def test_a_record_with_nan_is_refused_by_name(derived: Derived) -> None:
    architecture = derived[0]
    bad = changed(architecture, facts=(changed(architecture.facts[0], value=math.nan),))
    with pytest.raises(ValueError, match=r"model.json holds numbers that are not finite: facts\[0\].value"):
        json.encode(bad, "model.json")
    with pytest.raises(ValueError, match="not finite"):
        csv.encode(bad)
    require_finite({"a": [1.0, {"b": 2.0}]}, "anything")
    assert non_finite({"a": [1.0, {"b": math.inf}]}) == ["[a][1][b]"]


def test_the_table_has_its_columns_and_one_row_a_metric(derived: Derived, tmp_path: Path) -> None:
    architecture = derived[0]
    path = csv.write_metrics(tmp_path, architecture)
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first == "metric,value,low,high,unit,n,status,reason,claim,confidence"
    metrics = [row["metric"] for row in rows(architecture)]
    assert metrics == [fact.metric for fact in architecture.facts]
    assert len(set(metrics)) == len(metrics)


def test_numbers_in_the_table_are_the_same_doubles(derived: Derived) -> None:
    for row, fact in zip(rows(derived[0]), derived[0].facts, strict=True):
        assert (float(row["value"]) if row["value"] else None) == fact.value
        assert row["status"] == fact.status
        assert row["reason"] == fact.reason


def test_no_value_is_an_empty_cell(derived: Derived) -> None:
    found = {row["metric"]: row for row in rows(derived[0])}
    for metric in ("latency.fp16_fma", "peak.fp64"):
        assert [found[metric][key] for key in ("value", "low", "high", "claim", "confidence")] == [""] * 5
        assert found[metric]["reason"]
    bound = found["memory.dtlb2.reach"]
    assert (bound["value"], bound["low"], bound["high"]) == ("", "1536.0", "")
    assert bound["status"] == "censored"


def test_the_same_model_gives_the_same_bytes(derived: Derived) -> None:
    manifest, quantities = healthy()
    first = build(manifest, quantities, derive(manifest, quantities))
    second = build(manifest, quantities[::-1], derive(manifest, quantities[::-1]))
    assert csv.encode(first) == csv.encode(second)


# the dictionary


@pytest.mark.parametrize(
    ("metric", "pattern"),
    [
        ("latency.integer_add", "latency.<operation>"),
        ("interference.a.b", "interference.<first>.<second>"),
        ("memory.l2.latency", "memory.<level>.latency"),
        ("memory.l2.latency_4k", "memory.<level>.<fact>_4k"),
        ("memory.l1.associativity", "memory.l1.associativity"),
        ("memory.dtlb1.reach", "memory.<tlb>.reach"),
        ("bandwidth.l1.copy", "bandwidth.<level>.<kernel>"),
        ("bandwidth.l1.copy.all_cores", "bandwidth.<level>.<kernel>.all_cores"),
        ("peak.fp32", "peak.<precision>"),
        ("peak.fp32.per_cycle", "peak.<precision>.per_cycle"),
        ("kernel.sgemm.512", "kernel.<routine>.<n>"),
        ("ridge.fp32.dram", "ridge.<precision>.<level>"),
    ],
)
def test_every_metric_has_its_entry(metric: str, pattern: str) -> None:
    entry = dictionary.lookup(metric)
    assert entry is not None
    assert entry.pattern == pattern


def test_an_unknown_metric_has_none() -> None:
    assert dictionary.lookup("colour.of.noise") is None


def test_the_dictionary_defines_what_a_run_holds() -> None:
    for one in healthy()[1]:
        entry = dictionary.lookup(one.metric)
        assert entry is not None, one.metric
        assert one.unit in entry.unit or entry.unit.startswith("as without"), one.metric


def test_an_entry_is_complete_and_its_method_has_a_page() -> None:
    pages = {path.stem for path in (Path(__file__).resolve().parents[3] / "docs" / "method").glob("*.md")}
    for entry in dictionary.ENTRIES:
        assert all(msgspec.structs.astuple(entry)), entry.pattern
        assert entry.method in pages, entry.pattern
        assert entry.definition.endswith(".")
        assert entry.caveat.endswith(".")


def test_the_dictionary_travels_as_csv_and_json(tmp_path: Path) -> None:
    table, listing = dictionary.write_dictionary(tmp_path)
    with table.open(encoding="utf-8", newline="") as file:
        read = list(stdlib_csv.DictReader(file))
    assert [row["pattern"] for row in read] == [entry.pattern for entry in dictionary.ENTRIES]
    assert msgspec.json.decode(listing.read_bytes(), type=tuple[dictionary.Entry, ...]) == dictionary.ENTRIES


def test_a_missing_folder_is_an_error(derived: Derived, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        json.write_model(tmp_path / "missing", derived[0])
