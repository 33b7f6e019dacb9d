"""Every format has its file, its heading, and a reason where a run gives none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reportgen import __version__
from reportgen.cli.export import FORMATS
from reportgen.cli.main import main
from reportgen.errors import UserError
from reportgen.model.exports import json as model_json
from reportgen.model.exports.registry import EXPORTS, export, files
from tests.unit.model.exports.models import cpu, measured, target

BINARY = {"parquet"}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return model_json.write_model(tmp_path, cpu())


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["export", *map(str, words)], env={"COLUMNS": "160"})


def test_the_command_line_knows_every_format() -> None:
    assert tuple(EXPORTS) == FORMATS
    assert len({one.file for one in EXPORTS.values()}) == len(EXPORTS)


@pytest.mark.parametrize("architecture", [cpu(), target(), measured()])
def test_a_file_says_of_which_run_it_is_and_who_wrote_it(architecture) -> None:
    for name, one in EXPORTS.items():
        if one.lacks(architecture) or name in BINARY:
            continue
        text = one.encode(architecture).decode()
        assert architecture.run in text, name
        assert architecture.device in text, name
        assert architecture.created[:10] in text or name == "bibtex", name
        assert __version__ in text, name


def test_a_run_gives_the_files_that_it_can() -> None:
    every = {one.file for one in EXPORTS.values()}
    assert every - set(files(cpu())) == {"trace.config", "gpgpusim.config"}
    assert every - set(files(target())) == {"osaca.yml", "sched.td"}


def test_what_a_run_does_not_give_is_refused_with_what_it_gives() -> None:
    with pytest.raises(
        UserError, match=r"gives no osaca file: .* this run is of sm_90\. It gives: json, csv"
    ):
        export(target(), "osaca")


def test_a_file_is_written(model: Path, tmp_path: Path) -> None:
    done = call(model, "--format", "csv", "--out", tmp_path / "deep" / "facts.csv")
    assert done.exit_code == 0, done.output
    assert "facts.csv" in done.output
    assert (tmp_path / "deep" / "facts.csv").read_bytes() == export(cpu(), "csv")


def test_text_goes_to_the_terminal_and_binary_does_not(model: Path) -> None:
    assert call(model, "--format", "bibtex").stdout.encode() == export(cpu(), "bibtex")
    refused = call(model, "--format", "parquet")
    assert refused.exit_code != 0
    assert refused.stderr == "error: A parquet file is not text. Name a file with --out.\n"


def test_the_list_says_what_is_missing(model: Path) -> None:
    rows = {row["format"]: row for row in json.loads(call(model, "--list", "--json").stdout)}
    assert rows["csv"]["missing"] == ""
    assert "x86_64" in rows["accel-sim"]["missing"]


def test_faults_are_one_line(model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for words in ((model,), (model, "--format", "csv", "--out", tmp_path / "file" / "x.csv")):
        refused = call(*words)
        assert refused.exit_code != 0
        assert refused.stderr.startswith("error: ")
        assert len(refused.stderr.splitlines()) == 1


def test_json_tells_what_was_written(model: Path, tmp_path: Path) -> None:
    done = call(model, "--format", "cff", "--out", tmp_path / "CITATION.cff", "--json")
    told = json.loads(done.stdout)
    assert (told["format"], told["bytes"]) == ("cff", (tmp_path / "CITATION.cff").stat().st_size)
