"""docs/method/counting.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from reportgen.workload.builder import Builder
from reportgen.workload.count import count_graph
from reportgen.workload.onnx_file import values, weights
from reportgen.workload.rules import einsum, kinds
from reportgen.workload.rules.linear_algebra import COMPLEX_MAC
from reportgen.workload.work import COLUMNS, Work

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "method" / "counting.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[tuple[str, str]]:
    """First two cells of the table below a heading."""
    text = re.split(rf"^#+ {re.escape(heading)}$", PAGE, flags=re.MULTILINE)[1]
    text = re.split(r"^#", text, flags=re.MULTILINE)[0]
    return re.findall(r"^\| ([^|]+) \| ([^|]+) \|", text, re.MULTILINE)[1:]


def names(heading: str) -> list[str]:
    return [name for cell, _ in rows(heading) for name in re.findall(r"`([^`]+)`", cell)]


def test_every_key_of_the_json_has_its_row() -> None:
    build = Builder()
    x = build.input((2, 2))
    plain = count_graph(build.graph(build.op("MatMul", x, x, shape=(2, 2)))).to_json()
    assert names("The JSON") == list(plain)
    cells = dict(rows("The JSON"))
    for key in ("bytes", "memory", "attention", "intensity"):
        assert set(re.findall(r"`([^`]+)`", cells[f"`{key}`"])) - {"flop_total"} == set(plain[key])


def test_every_column_has_its_row() -> None:
    assert names("Five columns") == list(COLUMNS) == list(Work.__struct_fields__)


def test_the_constants_are_those_of_the_code() -> None:
    written = {name.strip(): int(value) for name, value in rows("Constants, and why")}
    assert written == {
        "FLOP in a MAC": Work(mac=1).flop_total,
        "MAC of complex numbers": COMPLEX_MAC,
        "operands of an einsum in the best order": einsum.MOST_OPTIMAL,
        "constants that are followed": values.LARGEST,
        "weights that are compared": weights.LEAST,
    }


def test_there_are_rules_for_what_the_page_names() -> None:
    wanted = {
        "MatMul",
        "Conv",
        "ConvTranspose",
        "Einsum",
        "LSTM",
        "Attention",
        "MoE",
        "FFT",
        "Softmax",
        "TopK",
    }
    assert wanted <= set(kinds())
