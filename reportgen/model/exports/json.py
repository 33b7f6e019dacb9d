"""`model.json` and `findings.json`: the records as they are, indented."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from reportgen.findings.finding import Finding
from reportgen.model.architecture import Architecture
from reportgen.model.exports.finite import require_finite
from reportgen.runs.disk import write_file

MODEL = "model.json"
FINDINGS = "findings.json"


def encode(record: Any, what: str) -> bytes:
    """A record as indented JSON with a final newline.

    Raises:
        ValueError: it holds NaN or infinity.
    """
    require_finite(record, what)
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def encode_model(architecture: Architecture) -> bytes:
    """The bytes of `model.json`.

    Raises:
        ValueError: a fact holds NaN or infinity.
    """
    return encode(architecture, MODEL)


def write_model(folder: Path, architecture: Architecture) -> Path:
    """Write `model.json` into an existing folder.

    Raises:
        OSError: the folder cannot be written; an earlier file is untouched.
    """
    path = folder / MODEL
    write_file(path, encode_model(architecture))
    return path


def write_findings(folder: Path, findings: tuple[Finding, ...]) -> Path:
    """Write `findings.json`, a list of findings, into an existing folder.

    Raises:
        OSError: the folder cannot be written; an earlier file is untouched.
    """
    path = folder / FINDINGS
    write_file(path, encode(findings, FINDINGS))
    return path


def read_model(data: bytes) -> Architecture:
    """The architecture model from the bytes of a `model.json`; unknown keys are refused.

    Raises:
        msgspec.DecodeError: not JSON, or not a model of this schema.
    """
    return msgspec.json.decode(data, type=Architecture)


def read_findings(data: bytes) -> tuple[Finding, ...]:
    """The findings from the bytes of a `findings.json`.

    Raises:
        msgspec.DecodeError: not JSON, or not findings of this schema.
    """
    return msgspec.json.decode(data, type=tuple[Finding, ...])
