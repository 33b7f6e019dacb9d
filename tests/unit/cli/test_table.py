"""Tables of text: what fits stands in columns, and no word is broken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.cli import output, table

HEADINGS = ("device", "run", "created", "state")
ROWS = (
    ("amd-epyc-f25m17s1", "20261130T152255Z-722c5b90", "2026-11-30 15:22", "sealed"),
    ("sm-90", "20261130T155521Z-83122a0d", "2026-11-30 15:55", "sealed, validation of the cost model"),
)


def test_ids_and_dates_stay_whole_and_the_sentence_is_wrapped() -> None:
    assert table.lines_of(HEADINGS, ROWS, 80) == [
        "device             run                        created           state",
        "─" * 80,
        "amd-epyc-f25m17s1  20261130T152255Z-722c5b90  2026-11-30 15:22  sealed",
        "sm-90              20261130T155521Z-83122a0d  2026-11-30 15:55  sealed,",
        "                                                                validation of",
        "                                                                the cost model",
    ]


def test_where_the_words_do_not_fit_beside_each_other_a_row_is_stacked() -> None:
    assert table.lines_of(HEADINGS, [(*ROWS[1][:2], "", ROWS[1][3])], 40) == [
        "device   sm-90",
        "run      20261130T155521Z-83122a0d",
        "state    sealed, validation of the cost",
        "         model",
    ]


def test_numbers_stand_to_the_right_and_keep_their_per_cent() -> None:
    lines = table.lines_of(("name", "n", "share"), [("a", "9", "5 %"), ("b", "10", "15.5 %")], 80)
    assert lines[2:] == ["a      9  5 %", "b     10  15.5 %"]
    narrow = table.lines_of(("a", "b"), [("one two three", "it is 5 %")], 11)
    assert [line.split()[-1] for line in narrow if "5" in line] == ["%"]


WORDS = st.lists(st.text("abc", min_size=1, max_size=9), max_size=6).map(" ".join)


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=4), st.integers(20, 60))
def test_no_line_is_wider_than_asked_and_nothing_is_lost(rows: list[tuple[str, ...]], width: int) -> None:
    headings = ("one", "two", "a third")
    lines = table.lines_of(headings, rows, width)
    assert max(map(len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)
    said = " ".join(lines).split()
    assert all(word in said for row in rows for cell in row for word in cell.split())


@pytest.mark.parametrize(("told", "width"), [(None, output.WIDE), ("100", 100), ("60", 60)])
def test_a_pipe_is_as_wide_as_columns_says(
    told: str | None, width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if told is not None:
        monkeypatch.setenv("COLUMNS", told)
    output.show([{"name": "word " * 60}], ["name"], as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert width - 5 < max(map(len, lines)) <= width
