"""A bundle that is not as it was sealed: its page tells some faults, not hundreds."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.runs import verify
from reportgen.site.results import FAULTS, Unreadable, deriving


def test_many_faults_are_told_by_their_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(verify, "verify", lambda path: [f"fault {number}" for number in range(FAULTS + 3)])
    with pytest.raises(Unreadable, match=r"fault 0; .*; and 3 more$"), deriving(tmp_path):
        raise AssertionError("nothing is derived from it")


def test_few_faults_are_told_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(verify, "verify", lambda path: ["one", "another"])
    with pytest.raises(Unreadable, match=r"^one; another$"), deriving(tmp_path):
        raise AssertionError("nothing is derived from it")
