"""`reportgen cost`: estimates and rankings on the command line, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reportgen.cli import standard_input
from reportgen.cli.main import main
from reportgen.errors import UserError
from reportgen.model.exports import json as model_json
from tests.simulated.cpu import make_data
from tests.simulated.instruction_points import latency_probes
from tests.simulated.truth import CpuTruth
from tests.unit.model.cost.machine import core

SCALAR = """# items: 8
loop:
 vmovups ymm1, [rsi+rax]
 vfmadd231ps ymm0, ymm1, [rdi+rax]
 add rax, 32
 dec r15
 jne loop
"""
WIDE = SCALAR.replace("# items: 8", "# items: 16").replace(
    " add rax", " vfmadd231ps ymm2, ymm1, [rdi+rax+32]\n add rax"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    model_json.write_model(tmp_path, core())
    (tmp_path / "one.s").write_text(SCALAR)
    (tmp_path / "two.s").write_text(WIDE)
    return tmp_path


def call(folder: Path, *words: str) -> Result:
    device = ["--device", str(folder / "model.json")]
    return CliRunner().invoke(main, ["cost", *words, *device], env={"COLUMNS": "160"})


def test_an_estimate_says_what_decides(folder: Path) -> None:
    result = call(folder, str(folder / "one.s"))
    assert result.exit_code == 0
    assert "one.s: 4 cycles a round (3.996 … " in result.stdout
    assert "0.5 for each of 8 results" in result.stdout
    assert "decides: dependencies" in result.stdout
    assert "the chain vfmadd231ps ymm0,ymm1,[rdi+rax]" in result.stdout
    assert "The model knows 100% of 5 instructions." in result.stdout


def test_two_are_ranked(folder: Path) -> None:
    result = call(folder, str(folder / "one.s"), str(folder / "two.s"))
    assert "two.s costs less than one.s: 2.00 times fewer cycles a result (" in result.stdout
    same = call(folder, str(folder / "one.s"), str(folder / "one.s"))
    assert "The model cannot tell which costs less" in same.stdout


def test_json_holds_estimates_and_ranking(folder: Path) -> None:
    found = json.loads(call(folder, str(folder / "one.s"), str(folder / "two.s"), "--json").stdout)
    assert [one["name"] for one in found["estimates"]] == ["one.s", "two.s"]
    assert found["ranking"]["verdict"] == "second"
    alone = json.loads(call(folder, "fp32_fma_256:8", "--json").stdout)
    assert alone["ranking"] is None
    assert alone["estimates"][0]["cycles"] == 4.0


def test_a_working_set_beyond_the_first_level_counts(folder: Path) -> None:
    assert "64 bytes from l2 and 0 back" in call(folder, str(folder / "one.s"), "--bytes", "256KiB").stdout


def test_unknown_instructions_are_named(folder: Path) -> None:
    (folder / "odd.s").write_text("vaddps ymm0, ymm0, ymm1\ncpuid\n")
    result = call(folder, str(folder / "odd.s"))
    assert "The model knows 50% of 2 instructions." in result.stdout
    assert "Unknown, and taken to cost as much as the others: cpuid." in result.stdout


def test_where_nothing_is_known_the_range_is_open(folder: Path) -> None:
    (folder / "odd.s").write_text("fsin\nfcos\n")
    result = call(folder, str(folder / "odd.s"))
    assert "… open)" in result.stdout
    assert "Unknown, so that the range is open: fsin; fcos." in result.stdout
    found = json.loads(call(folder, str(folder / "odd.s"), "--json").stdout)["estimates"][0]
    assert (found["covered"], found["high"]) == (0.0, None)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("absent.s",), "there is no file 'absent.s'"),
        (("a.s", "b.s", "c.s"), "3 files were given"),
        (("fp32_fma_256:8", "--bytes", "many"), "--bytes: 'many' is not a size"),
        (("fp32_fma_256:8", "--bytes", "0"), "--bytes: '0' is no working set"),
        (("fp32_fma_256:8", "--bytes=-4KiB"), "--bytes: '-4KiB' is no working set"),
        (("nonsense:8",), "written-core has no rate of nonsense"),
        (("fp32_fmas_256:8",), "Did you mean fp32_fma_256"),
        (("fp32_fma_256:0",), "'fp32_fma_256:0' counts nothing"),
    ],
)
def test_what_is_refused_is_one_line(folder: Path, words: tuple[str, ...], message: str) -> None:
    result = call(folder, *words)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr


def test_a_list_may_be_longer_than_the_name_of_a_file(folder: Path) -> None:
    result = call(folder, ",".join(["fp32_fma_256:8"] * 100))
    assert result.exit_code == 0
    assert "of 800 instructions" in result.stdout


def test_a_model_of_a_newer_schema_is_refused(folder: Path) -> None:
    plain = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(plain | {"schema": 99}))
    result = call(folder, "fp32_fma_256:8")
    assert result.exit_code == 4
    assert "has model schema 99; this reportgen reads up to" in result.stderr
    (folder / "model.json").write_text(json.dumps(plain | {"schema": 0}))
    result = call(folder, "fp32_fma_256:8")
    assert result.exit_code == 4
    assert "has model schema 0; the first one is 1. Derive the model again" in result.stderr


def test_without_a_device_the_newest_run_of_such_code_answers(folder: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    here = make_data(CpuTruth(passes=2), 1, data, lambda truth: latency_probes(truth)[:2])
    result = CliRunner().invoke(main, ["cost", str(folder / "one.s"), "--data", str(data)])
    assert result.exit_code == 0
    assert f"run {here.name}" in result.stdout
    (folder / "k.sass").write_text("FFMA R0, R1, R2, R0 ;\n")
    result = CliRunner().invoke(main, ["cost", str(folder / "k.sass"), "--data", str(data)])
    assert result.exit_code == 2
    assert f"no run in '{data}' is of a device for SASS code" in " ".join(result.stderr.split())


def test_code_is_piped_in(folder: Path) -> None:
    device = ["--device", str(folder / "model.json")]
    piped = CliRunner().invoke(main, ["cost", "-", *device], input=SCALAR)
    assert "stdin: 4 cycles a round" in piped.stdout
    for command in (["cost", *device], ["measure", "--data", str(folder)]):
        refused = CliRunner().invoke(main, [*command, "-"], input=b"\x7fELF\xff\xfe")
        assert refused.exit_code == 2
        assert refused.stderr.startswith("error: 'stdin' is no text.")


def test_a_standard_input_that_is_closed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(UserError, match="is closed"):
        standard_input.text()


@pytest.mark.parametrize("command", [["measure", "--asm", "nop"], ["survey"], ["validate"]], ids=" ".join)
def test_where_results_shall_go_is_looked_at_before_minutes_of_measuring(
    command: list[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    data, out = tmp_path / "data", tmp_path / "file" / "out"
    result = CliRunner().invoke(main, [*command, "--data", str(data), "--out", str(out)])
    assert result.exit_code == 2
    assert f"'{out}' cannot be written (Not a directory). Name another folder with --out." in result.stderr
    assert not data.exists()
