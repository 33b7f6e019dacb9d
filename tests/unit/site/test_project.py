"""A site without a checkout: shipped pages, the user's folders, and no folder of the user's emptied."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from mkdocs.config import load_config

from reportgen.cli.main import main
from reportgen.errors import UserError
from reportgen.site import project

ROOT = Path(__file__).resolve().parents[3]
SHIPPED: dict[str, str] = next(
    ast.literal_eval(node.value)  # importing the hook would need the build's own packages
    for node in ast.parse((ROOT / "hatch_build.py").read_text(encoding="utf-8")).body
    if isinstance(node, ast.Assign)
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with runs, a blank in its name."""
    folder = tmp_path / "my runs"
    (folder / "data").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The calls of other programs, none of which is run."""
    calls: list[list[str]] = []

    def run(words: list[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
        calls.append(words)
        told = Path("fault").read_bytes() if Path("fault").exists() else b""
        return subprocess.CompletedProcess(words, 1 if "fails" in str(Path.cwd()) else 0, stderr=told)

    monkeypatch.setattr(subprocess, "run", run)
    return calls


def site(*words: str) -> Result:
    return CliRunner().invoke(main, ["site", *words])


def test_a_wheel_carries_pages_and_settings(tmp_path: Path) -> None:
    assert SHIPPED["docs"] == "reportgen/_site/docs"
    assert SHIPPED["mkdocs.yml"] == "reportgen/_site/mkdocs.yml"
    assert all((ROOT / source).exists() for source in SHIPPED)
    assert project.root() == ROOT
    package = tmp_path / "reportgen"
    with pytest.raises(UserError, match="pages of the site are missing"):
        project.root(package)
    (package / "_site" / "docs").mkdir(parents=True)
    (package / "_site" / "mkdocs.yml").write_text("")
    (package / "_site" / "docs" / "index.md").write_text("")
    assert project.root(package) == package / "_site"


def test_the_settings_are_those_of_the_project_with_the_users_folders(here: Path) -> None:
    path = project.write(Path("data"), Path("html"), project.CACHE, project.root())
    config = load_config(str(path))
    assert config.docs_dir == str(ROOT / "docs")
    assert config.site_dir == str(here / "html")
    assert config.theme.name == "material"
    assert config.plugins["reportgen"].config.data_dir == str(here / "data")
    assert config.plugins["reportgen"].config.cache_dir == str(here / ".cache" / "reportgen")


def test_it_is_built_or_served(here: Path, called: list[list[str]]) -> None:
    assert site().output == "The report is in site/index.html.\n"
    assert site("--serve", "--out", "data").exit_code == 0
    assert [words[3] for words in called] == ["build", "serve"]
    assert {words[-1] for words in called} == {".cache/reportgen/mkdocs.yml"}


def test_a_fault_of_mkdocs_is_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called: list[list[str]]
) -> None:
    (tmp_path / "fails" / "data").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "fails")
    result = site()
    assert (result.exit_code, len(called)) == (2, 1)
    assert "MkDocs ended with the fault above" in result.stderr


@pytest.mark.parametrize(
    ("last", "told"),
    [
        (
            "OSError: [Errno 30] Read-only file system: '/a/site/method'",
            "'/a/site/method' cannot be read or written (Read-only file system).",
        ),
        ("OSError: [Errno 28] No space left on device", "'site' cannot be read or written (No space left"),
        ("KeyError: 'word'", ""),
    ],
)
def test_a_full_disk_is_one_line_and_any_other_fault_keeps_its_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called: list[list[str]], last: str, told: str
) -> None:
    (tmp_path / "fails" / "data").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "fails")
    Path("fault").write_text(f"Traceback (most recent call last):\n  File ...\n{last}\n")
    lines = site().stderr.splitlines()
    assert (len(lines) == 1) is bool(told)
    assert lines[-1].startswith(f"error: {told}" if told else "error: MkDocs ended with the fault above")
    assert len(called) == 1


def test_a_build_that_was_cut_short_is_begun_again(here: Path, called: list[list[str]]) -> None:
    assert site("--out", "html").exit_code == 0
    (here / "html" / "half.html").write_text("")
    assert site("--out", "html").exit_code == 0
    (here / "html" / project.BEGUN).unlink()
    assert "was not built by MkDocs" in site("--out", "html").stderr
    assert len(called) == 2


def test_a_folder_of_the_users_is_not_emptied(here: Path, called: list[list[str]]) -> None:
    (here / "thesis").mkdir()
    (here / "thesis" / "chapter.txt").write_text("")
    (here / "file").write_text("")
    for words, message in [
        (["--out", "thesis"], "'thesis' was not built by MkDocs"),
        (["--out", "."], "'.' holds the runs"),
        (["--out", "data"], "'data' holds the runs"),
        (["--out", "file"], "'file' cannot be written"),
        (["--data", "absent"], "no folder 'absent'"),
    ]:
        result = site(*words)
        assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
        assert message in result.stderr
    assert called == []
    for mark in project.MARKS:
        (here / "thesis" / mark).parent.mkdir(exist_ok=True)
        (here / "thesis" / mark).write_text("")
    assert site("--out", "thesis").exit_code == 0
