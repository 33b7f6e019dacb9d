from __future__ import annotations

import json
from pathlib import Path

import pytest

from reportgen.errors import UserError
from reportgen.workload.golden import Check, checks, golden_root, micro_graph

ALL = list(checks())
GOLDEN = json.loads((golden_root() / "work_counts.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("check", ALL, ids=lambda check: f"{check.name} {check.what} from {check.source}")
def test_every_known_value_is_met_exactly(check: Check) -> None:
    if check.got is None:
        pytest.skip(check.reason)
    assert check.got == check.wanted


def test_no_value_of_the_file_is_left_out() -> None:
    macs = [check for check in ALL if check.what == "mac"]
    assert len({check.name for check in macs}) >= len(GOLDEN["micro"]) + len(GOLDEN["models"])
    for case in GOLDEN["micro"]:
        assert any(check.name.startswith(case["op"]) and check.wanted == case["mac"] for check in macs)
    assert {check.name for check in macs} >= set(GOLDEN["models"])
    assert sum(check.what == "FLOP/byte" for check in ALL) == len(GOLDEN["intensity"])


def test_files_of_exporters_are_among_the_sources() -> None:
    assert {check.source for check in ALL} == {
        "template", "resnet18_dyn.onnx", "mbv2_dyn.onnx", "bert_sdpa_dyn.onnx",
    }  # fmt: skip


def test_a_wrong_value_would_be_found() -> None:
    assert not Check("x", "mac", 2, 1, "template").passed
    assert Check("x", "mac", 2, None, "file", "no onnx").passed


def test_a_case_without_a_graph_says_so() -> None:
    with pytest.raises(UserError, match="'Fold' of the known right values has no graph here"):
        micro_graph({"op": "Fold"})


def test_missing_values_are_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="The known right values are missing"):
        golden_root(tmp_path / "reportgen")


def test_a_wheel_carries_its_own_copy(tmp_path: Path) -> None:
    shipped = tmp_path / "reportgen" / "_golden"
    shipped.mkdir(parents=True)
    (shipped / "work_counts.json").write_text("{}")
    assert golden_root(tmp_path / "reportgen") == shipped
