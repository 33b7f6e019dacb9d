"""docs/contributing-a-probe.md names every key of an operation and of a definition."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from reportgen.suite.definition import Definition, Operation
from reportgen.suite.load import load_suite

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "contributing-a-probe.md").read_text(encoding="utf-8")


def named(heading: str) -> set[str]:
    """Keys in the first column of the table below a heading."""
    text = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE)
    return {key for cell in cells for key in re.findall(r"`(\w+)`", cell)}


@pytest.mark.parametrize(("heading", "record"), [("An operation", Operation), ("A definition", Definition)])
def test_every_key_is_explained(heading: str, record: type[msgspec.Struct]) -> None:
    assert named(heading) == set(record.__struct_fields__)


@pytest.mark.parametrize(
    ("block", "file"),
    [("pdep", "instructions/x86_64.toml"), ("length = [48", "instruction_latency/bit.toml")],
)
def test_the_examples_are_those_of_the_suite(block: str, file: str) -> None:
    root = load_suite().root
    examples = [text for text in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL) if block in text]
    suite = (root / file).read_text(encoding="utf-8")
    lines = [line for line in examples[0].splitlines() if line and "hypothesis" not in line]
    assert [line for line in lines if line not in suite] == []
