"""What is no model, or one that cannot be read, is said to be so."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.errors import UserError
from reportgen.workload.count import count
from reportgen.workload.work import Work

pytest.importorskip("onnx", reason="the extra 'onnx' is not installed")


from tests.unit.workload.onnx_models import (
    absent,
    counted,
    matmul,
    model,
    node,
    saved,
    two_dims,
    value,
    weight,
)

# Files that are wrong


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty"),
        (b"PK\x03\x04rest", "a zip archive, as PyTorch saves"),
        (b"GGUF\x03\x00", "a GGUF file"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
        (b"not a model at all, just text\n" * 10, "is no ONNX file"),
        (b"\x08\x0a", "it holds no graph"),
    ],
)
def test_what_is_no_model_is_said_to_be_none(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(UserError, match=said):
        count(path)


def test_a_truncated_file(tmp_path: Path) -> None:
    path = two_dims(tmp_path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UserError, match="is no ONNX file, or a damaged one"):
        count(path, {"batch": 1, "seq": 1})


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    path = two_dims(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"MatMul", b"Mat\xfful"))
    with pytest.raises(UserError, match="a name in it is not text"):
        count(path, {"batch": 1, "seq": 1})


def test_a_place_that_is_no_number(tmp_path: Path) -> None:
    lost = absent("w", (8, 4))
    lost.external_data[1].value = "zero"
    with pytest.raises(UserError, match="Where the numbers of 'w' lie is not said in numbers"):
        counted(tmp_path, [matmul()], [value("x", [2, 8])], [value("y", None)], [lost])


def test_a_folder_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a folder"):
        count(tmp_path)
    with pytest.raises(UserError, match="cannot be read"):
        count(tmp_path / "no.onnx")


@pytest.mark.parametrize(("opset", "said"), [(99, "operator set 99"), (0, "operator set 0")])
def test_an_unknown_operator_set(tmp_path: Path, opset: int, said: str) -> None:
    with pytest.raises(UserError, match=f"asks for {said} of ONNX; onnx .* knows 1 to"):
        counted(
            tmp_path, [matmul()], [value("x", [2, 8])], [value("y", None)], [weight("w", (8, 4))], opset=opset
        )


def test_no_operator_set(tmp_path: Path) -> None:
    made = model([matmul()], [value("x", [2, 8])], [value("y", None)], [weight("w", (8, 4))])
    del made.opset_import[:]
    with pytest.raises(UserError, match="asks for no operator set"):
        count(saved(tmp_path, made))


def test_a_cyclic_graph(tmp_path: Path) -> None:
    nodes = [node("Add", ["x", "b"], ["a"], name="one"), node("Relu", ["a"], ["b"], name="two")]
    with pytest.raises(UserError, match=r"cyclic: '(one|two)' \(\w+\) needs"):
        counted(tmp_path, nodes, [value("x", [2])], [value("b", [2])])


def test_nodes_out_of_order_are_sorted(tmp_path: Path) -> None:
    nodes = [node("Relu", ["a"], ["y"]), matmul(y="a")]
    found = counted(tmp_path, nodes, [value("x", [2, 8])], [value("y", None)], [weight("w", (8, 4))])
    assert found.total == Work(mac=64, comparison=8)


def test_a_name_that_nobody_makes(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="reads 'ghost', which no node makes"):
        counted(tmp_path, [node("Relu", ["ghost"], ["y"])], [value("x", [2])], [value("y", None)])


def test_an_output_that_nobody_makes(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Output 'z' of graph 'graph' is made by no node"):
        counted(tmp_path, [node("Relu", ["x"], ["y"])], [value("x", [2])], [value("z", None)])


def test_without_the_package_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(
        UserError, match=r"needs the package 'onnx'\. Install it: pip install 'reportgen\[onnx\]'"
    ):
        count(two_dims(tmp_path))
