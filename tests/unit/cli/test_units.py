"""Units in what commands print: one spelling each, decimal prefixes for rates, binary for capacities."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.cli.main import main
from reportgen.findings.lint import UNITS, offences
from tests.simulated.two_devices import STREAM_ID, make_two
from tests.unit.cli.test_roofline import GOLDEN


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("two")
    make_two(folder)
    return folder


def printed(*words: str | Path) -> str:
    done = CliRunner().invoke(main, [str(word) for word in words], env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    return done.output


COMMANDS = (
    ("roofline", STREAM_ID),
    ("roofline", STREAM_ID, "--point", "near,1 GFLOP,100 MB,7 ms", "--point", "above,1e15,1e9,0.5"),
    ("roofline", STREAM_ID, "--decode", "gpt2", "--batch", "1,64"),
    ("roofline", "simulated-core-4000", "--compare", STREAM_ID, "--intensity", "9"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_commands_that_read_a_run(two: Path, words: tuple[str, ...]) -> None:
    assert offences(printed(*words, "--data", two)) == ()


def test_what_is_derived_and_its_sentences(two: Path, tmp_path: Path) -> None:
    text = printed("derive", STREAM_ID, "--data", two, "--out", tmp_path)
    assert offences(text.replace(str(tmp_path), "")) == ()
    sentences = (tmp_path / "findings.json").read_text(encoding="utf-8")
    assert "GB/s" in sentences
    assert offences(sentences) == ()


@pytest.mark.parametrize("words", [("count", "--by", "module"), ("count", "--by", "kind")], ids=" ".join)
def test_counting(words: tuple[str, ...]) -> None:
    pytest.importorskip("onnx")
    command, *options = words
    text = printed(command, GOLDEN / "resnet18_dyn.onnx", *options)
    assert offences(text, UNITS) == ()
    assert "FLOP" in text


@pytest.mark.parametrize("command", ["roofline", "derive", "count", "compare"])
def test_help(command: str) -> None:
    assert offences(printed(command, "--help"), UNITS) == ()
