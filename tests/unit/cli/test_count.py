from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from reportgen.cli.main import main
from reportgen.workload.golden import golden_root

pytest.importorskip("onnx", reason="the extra 'onnx' is not installed")

from tests.unit.workload.onnx_models import model, node, saved, value, weight

RESNET = golden_root() / "models" / "resnet18_dyn.onnx"


def call(*words: str | Path, code: int = 0) -> Result:
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return result


def one_line(result: Result) -> str:
    (line,) = result.stderr.strip().splitlines()
    return line


@pytest.fixture
def open_model(tmp_path: Path) -> Path:
    nodes = [
        node("MatMul", ["x", "w"], ["m"]),
        node("Mystery", ["m"], ["y"], domain="custom", name="/a/b/Mystery"),
    ]
    return saved(
        tmp_path, model(nodes, [value("x", ["batch", 8])], [value("y", None)], [weight("w", (8, 4))])
    )


def test_totals_come_with_their_convention() -> None:
    said = call("count", RESNET).stdout
    assert "1,814,073,344  multiply-accumulates, padded taps included" in said
    assert "FLOP = 2 MAC + other FLOP" in said
    assert "49 of 49 operations (100.0%)" in said
    assert ">=" not in said


def test_what_is_not_counted_makes_lower_bounds(open_model: Path) -> None:
    said = call("count", open_model, "--dim", "batch=2").stdout
    assert ">= 64  multiply-accumulates" in said
    assert "1 of 2 operations (50.0%)  totals are lower bounds" in said
    assert "not counted: 1 x custom.Mystery: 'custom.Mystery' has no rule. Add one:" in said
    assert "note: Dimensions: batch = 2" in said


def test_strict_fails(open_model: Path) -> None:
    line = one_line(call("count", open_model, "--dim", "batch=2", "--strict", code=2))
    assert line.startswith("error: Not every operation could be counted: 1 x custom.Mystery.")


def test_a_rule_of_ones_own(open_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from reportgen.workload.rules import registry

    monkeypatch.setattr(registry, "_RULES", dict(registry._RULES))
    rules = tmp_path / "rules.py"
    rules.write_text(
        "from reportgen.workload.rules import Work, rule\n\n"
        "@rule('custom.Mystery')\ndef work(op):\n    return Work(flop=op.input(0).size)\n"
    )
    # Its output still has no shape, and nothing else needs it.
    said = call("count", open_model, "--dim", "batch=2", "--rules", rules, "--json").stdout
    assert json.loads(said)["uncounted"]["custom.Mystery"]["reason"].startswith("'/a/b/Mystery'")
    assert "cannot be read" in one_line(call("count", open_model, "--rules", tmp_path / "no.py", code=2))


def test_a_file_that_holds_no_rules_is_one_line(open_model: Path, tmp_path: Path) -> None:
    for content in (b"x = ", b"\xff\xfe", b"\0"):
        (tmp_path / "rules.py").write_bytes(content)
        line = one_line(call("count", open_model, "--rules", tmp_path / "rules.py", code=2))
        assert "rules.py' is no Python (" in line
    assert "(Is a directory)" in one_line(call("count", open_model, "--rules", tmp_path, code=2))


@pytest.mark.parametrize("weight", ["nan", "inf", "-1"])
def test_a_weight_of_calls_is_a_number_from_zero_up(open_model: Path, weight: str) -> None:
    said = call("count", open_model, "--transcendental", weight, code=2).stderr
    assert "Invalid value for '--transcendental'" in said


def test_an_open_dimension_is_one_line(open_model: Path) -> None:
    line = one_line(call("count", open_model, code=2))
    assert line == "error: The model leaves its dimension 'batch' open. Bind them, as in: --dim batch=1"


@pytest.mark.parametrize("text", ["batch", "batch=", "=3", "batch=two", "batch=-1", "batch=1.5"])
def test_a_dimension_is_a_name_and_a_size(open_model: Path, text: str) -> None:
    assert f"'{text}' is not name=size" in call("count", open_model, "--dim", text, code=2).stderr


def test_json_has_every_key() -> None:
    plain: dict[str, Any] = json.loads(call("count", RESNET, "--json", "--depth", "2").stdout)
    assert plain["mac"] == 1814073344
    wanted = "mac flop transcendental integer bytes_compulsory bytes_unfused coverage by_module by_kind"
    assert set(wanted.split()) <= plain.keys()
    assert plain["coverage"] == 1.0
    assert sum(row["mac"] for row in plain["by_module"].values()) == plain["mac"]
    assert "stem.0" in plain["by_module"]


@pytest.mark.parametrize(("words", "column"), [(["module", "--depth", "2"], "b.0"), (["kind"], "Conv")])
def test_breakdowns(words: list[str], column: str) -> None:
    said = call("count", RESNET, "--by", *words).stdout
    assert words[0] in said
    assert column in said


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    assert "There is no file" in one_line(call("count", tmp_path / "no.onnx", code=2))


def test_selfcheck_finds_every_value_equal() -> None:
    said = call("selfcheck").stdout
    assert "35 of 35 values are equal." in said
    assert "resnet18_dyn.onnx" in said
    rows = json.loads(call("selfcheck", "--json").stdout)
    assert {row["result"] for row in rows} == {"equal"}


def test_selfcheck_fails_on_a_wrong_value(monkeypatch: pytest.MonkeyPatch) -> None:
    from reportgen.workload import golden

    wrong = [
        golden.Check("x", "mac", 2, 1, "template"),
        golden.Check("y", "mac", 2, None, "y.onnx", "no onnx"),
    ]
    monkeypatch.setattr(golden, "checks", lambda: iter(wrong))
    said = call("selfcheck", code=1).stdout
    assert "DIFFERS" in said
    assert "0 of 1 values are equal, 1 not checked." in said
