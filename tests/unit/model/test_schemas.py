"""The committed JSON Schemas are those of the records, and real files obey them."""

from __future__ import annotations

import json as stdlib_json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from reportgen.findings.derive import derive
from reportgen.model import schemas
from reportgen.model.build import build
from reportgen.model.exports import dictionary, json
from tests.unit.findings.records import healthy

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "schemas"


def test_committed_schemas_are_current() -> None:
    assert sorted(path.name for path in FOLDER.glob("*.json")) == sorted(schemas.FILES)
    for name in schemas.FILES:
        assert (FOLDER / name).read_bytes() == schemas.encoded(name), (
            f"{name} is not current; 'reportgen schema --out docs/schemas' writes it again"
        )


def test_schemas_are_written_into_a_new_folder(tmp_path: Path) -> None:
    written = schemas.write(tmp_path / "new")
    assert [path.name for path in written] == list(schemas.FILES)


def documents() -> dict[str, Any]:
    manifest, quantities = healthy()
    findings = derive(manifest, quantities)
    return {
        "run.schema.json": msgspec.json.encode(manifest),
        "model.schema.json": json.encode(build(manifest, quantities, findings), "model"),
        "findings.schema.json": json.encode(findings, "findings"),
        "dictionary.schema.json": dictionary.encode_json(),
    }


@pytest.mark.parametrize(
    "name", ["run.schema.json", "model.schema.json", "findings.schema.json", "dictionary.schema.json"]
)
def test_documents_obey_their_schema(name: str) -> None:
    schema = schemas.schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(stdlib_json.loads(documents()[name]), schema, jsonschema.Draft202012Validator)


def test_a_schema_refuses_unknown_keys() -> None:
    broken = stdlib_json.loads(documents()["model.schema.json"]) | {"surprise": 1}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schemas.schema("model.schema.json"), jsonschema.Draft202012Validator)
