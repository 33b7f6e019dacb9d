"""JSON Schema of every record that reportgen writes, for readers in other languages.

`docs/schemas/*.json` are these schemas, committed; a test fails when they are not current, and
`reportgen schema --out docs/schemas` writes them again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from reportgen.findings.finding import Finding
from reportgen.model.architecture import MODEL_SCHEMA, Architecture
from reportgen.model.compare import COMPARISON_SCHEMA, Comparison
from reportgen.model.exports.dictionary import Entry
from reportgen.runs.disk import write_file
from reportgen.runs.schema import SCHEMA_VERSION, Program, Run

DIALECT = "https://json-schema.org/draft/2020-12/schema"

FILES: dict[str, tuple[Any, str]] = {
    "run.schema.json": (Run, f"run.json of a bundle, schema {SCHEMA_VERSION}"),
    "program.schema.json": (Program, f"one line of programs.jsonl.gz, schema {SCHEMA_VERSION}"),
    "model.schema.json": (Architecture, f"model.json, schema {MODEL_SCHEMA}"),
    "findings.schema.json": (tuple[Finding, ...], f"findings.json, schema {MODEL_SCHEMA}"),
    "comparison.schema.json": (
        Comparison,
        f"output of 'reportgen compare --json', schema {COMPARISON_SCHEMA}",
    ),
    "dictionary.schema.json": (tuple[Entry, ...], f"dictionary.json, schema {MODEL_SCHEMA}"),
}
"""File name -> the record it describes, and what that is called."""


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema that belongs in the file `name`; KeyError for an unknown one."""
    record, title = FILES[name]
    return {"$schema": DIALECT, "title": title, **msgspec.json.schema(record)}


def encoded(name: str) -> bytes:
    """The schema file as it lies on disk."""
    return msgspec.json.format(msgspec.json.encode(schema(name)), indent=1) + b"\n"


def write(folder: Path) -> list[Path]:
    """Write every schema into `folder` (created); returns the files.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        write_file(folder / name, encoded(name))
    return [folder / name for name in FILES]
