"""docs/exports.md: every format has its section, every line can be typed, and the Python in it runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from reportgen.cli.main import main
from reportgen.model.architecture import Architecture
from reportgen.model.exports.fact_rows import COLUMNS
from reportgen.model.exports.registry import EXPORTS
from reportgen.model.load import load_architecture
from tests.unit.test_readme import parse

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
TYPED = re.findall(r"^    (reportgen [^#\n]+?)(?: *#.*)?$", PAGE, re.MULTILINE)
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_every_column_of_the_tables_is_described() -> None:
    page = (ROOT / "docs" / "data-formats.md").read_text(encoding="utf-8")
    table = page.split("## facts.csv, facts.parquet\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `(\w+)` \| \w+ \| (.*) \|$", table, re.MULTILINE)
    assert rows == [(column.name, column.meaning) for column in COLUMNS]


def test_every_format_has_a_section_that_names_its_file() -> None:
    sections = dict(
        re.findall(r"^## [^\n]* \{#([\w-]+)\}$\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    )
    assert set(sections) == {"python", *EXPORTS}
    for name, one in EXPORTS.items():
        assert f"`{one.file}`" in sections[name]


@pytest.mark.parametrize("line", TYPED)
def test_a_line_can_be_typed(line: str) -> None:
    parse(main, shlex.split(line)[1:])  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def model() -> Architecture:
    return load_architecture("amd-epyc-f25m17s1", ROOT / "data")


def test_the_python_of_the_page_runs(
    model: Architecture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("csv", "parquet"):
        (tmp_path / EXPORTS[name].file).write_bytes(EXPORTS[name].encode(model))
    monkeypatch.setattr("reportgen.load", lambda name: model)
    monkeypatch.chdir(tmp_path)
    for block in BLOCKS:
        exec(compile(block, "exports.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"[34]\.\d+ cycle", printed[0])
    assert len(BLOCKS) == 3
    assert any(line.startswith("amd-epyc-f25m17s1/") for line in printed)


def test_the_message_of_an_unknown_name_is_as_the_page_has_it(model: Architecture) -> None:
    with pytest.raises(KeyError) as told:
        model.instruction("fp32_fm")
    words = " ".join(PAGE.split())
    assert f"*{told.value}*" in words
