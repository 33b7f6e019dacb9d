"""Each test of this folder tells what was seen, and what is right."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
CASES = [
    function
    for path in sorted(FOLDER.glob("test_*.py"))
    if path != Path(__file__)
    for function in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(function, ast.FunctionDef) and function.name.startswith("test_")
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.removeprefix("test_"))
def test_a_case_tells_what_was_seen_and_what_is_right(case: ast.FunctionDef) -> None:
    told = ast.get_docstring(case) or ""
    assert told.startswith("Seen: ")
    assert "\n\nRight: " in told


def test_most_cases_have_a_test() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 48
