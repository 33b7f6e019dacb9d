"""Where an encoding lacks a character, a plain spelling stands in."""

from __future__ import annotations

import codecs
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen.cli import plain
from reportgen.model.exports import json as model_json
from tests.unit.model.cost.machine import core


def test_what_cannot_be_encoded_is_spelt() -> None:
    codecs.register_error(plain.NAME, plain.spell)
    assert "1 … 2 µs, ≥ 3 ☃".encode("ascii", plain.NAME) == b"1 ... 2 us, >= 3 ?"
    assert "1 … 2 µs".encode("utf-8", plain.NAME) == "1 … 2 µs".encode()
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("ascii", plain.NAME)


@pytest.mark.parametrize(("encoding", "between"), [("ascii", " … ".encode()), ("latin-1", b" ... ")])
def test_a_table_in_another_encoding(tmp_path: Path, encoding: str, between: bytes) -> None:
    model_json.write_model(tmp_path, core())
    words = ["cost", "fp32_fma_256:8", "--device", str(tmp_path / "model.json")]
    done = subprocess.run(
        [sys.executable, "-m", "reportgen", *words],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    said, _, table = done.stdout.partition(b"decides: ")
    assert between in said
    assert between in table


@pytest.mark.parametrize("unwanted", [True, False])
def test_a_table_has_no_escape_codes(tmp_path: Path, unwanted: bool) -> None:
    model_json.write_model(tmp_path, core())
    words = ["cost", "fp32_fma_256:8", "--device", str(tmp_path / "model.json")]
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    env |= {"TERM": "xterm", "FORCE_COLOR": "1"} | ({"NO_COLOR": "1"} if unwanted else {})
    done = subprocess.run(
        [sys.executable, "-m", "reportgen", *words], env=env, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"decides" in done.stdout
    assert b"\x1b" not in done.stdout
