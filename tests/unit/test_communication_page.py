"""The page about what cores share gives the constants of the code."""

from __future__ import annotations

import math

from reportgen.analysis import line_transfer, shared_words, side_by_side
from reportgen.backends.cpu import communication, shared_lines
from reportgen.findings.wording.communication import BESIDE
from reportgen.suite import expand
from reportgen.suite.load import load_suite
from tests.unit.test_method_pages import constants


def test_the_page_between_cores_gives_the_constants() -> None:
    written = constants("communication.md")
    rounds = load_suite().definitions["core_communication/line_transfer"].settings["rounds"]
    assert written["rounds"] == f"{rounds[0]}, {rounds[1]} and {rounds[2]}"
    assert written["all pairs"] == f"up to {expand.ALL_PAIRS} CPUs"
    assert int(written["most pairs"]) == expand.MOST_PAIRS
    assert written["budget"] == f"2^{math.log2(shared_lines.BUDGET):.0f} turns"
    assert int(written["additions"]) == shared_lines.ADDITIONS
    assert int(written["places"]) == communication.BLOCKS
    assert communication.BLOCK == 1024
    assert written["at once"] == f"{100 * side_by_side.AT_ONCE:.0f} %"
    assert float(written["elsewhere"]) == line_transfer.ELSEWHERE
    assert written["not linear"] == f"{100 * line_transfer.NOT_LINEAR:.0f} %"
    assert float(written["least cost"]) == shared_words.LEAST_COST
    assert float(written["loose"]) == shared_words.LOOSE
    assert float(written["beside"]) == BESIDE
