"""The pages of docs/method have one shape, and the constants they give are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reportgen.backends import gates
from reportgen.backends.cpu.clock import CALIBRATION_CYCLES, CANARY_INSTRUCTIONS

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "method"
PAGES = sorted(FOLDER.glob("*.md"))
PARTS = ["Method", "Constants, and why", "Assumptions", "What goes wrong", "Sources"]


def constants(page: str) -> dict[str, str]:
    """Name -> value as written, of the table under "Constants, and why"."""
    text = (FOLDER / page).read_text(encoding="utf-8").split("## Constants, and why")[1].split("\n## ")[0]
    return {
        name.strip(): value.strip()
        for name, value in re.findall(r"^\| ([^|]+)\|([^|]+)\|", text, re.MULTILINE)
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_a_page_asks_answers_and_doubts(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.count("\n**Question.** ") == 1
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == PARTS


def test_the_clock_page_gives_the_constants_of_the_gates() -> None:
    written = constants("clock.md")
    assert int(written["length of the chain"]) == CALIBRATION_CYCLES
    assert int(written["NOPs"]) == CANARY_INSTRUCTIONS
    assert written["agreement"] == f"{gates.AGREEMENT:.1%}".replace("%", " %")
    assert written["share of the best rate"] == f"{gates.CANARY_SHARE:.0%}".replace("%", " %")
    assert int(written['samples behind "best"']) == gates.SUPPORT
    assert int(written["accepted samples"]) == gates.MIN_ACCEPTED
    assert written["standard error"] == f"{gates.PRECISION:.2%}".replace("%", " %")
    assert f"{gates.MEDIAN_COST} x {gates.MAD_TO_SIGMA} x MAD" in (FOLDER / "clock.md").read_text(
        encoding="utf-8"
    )
