"""The search box of a model: words, classes and order, and an address that keeps them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from reportgen.site.render import ASSETS
from reportgen.site.tables import Cell, Column, Row, table
from tests.browser.test_site_in_browser import BROWSER, seen

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        BROWSER is None, reason="no headless browser (chromium or google-chrome) is installed"
    ),
]

COLUMNS = (Column("operation"), Column("class"), Column("latency", number=True))
OPERATIONS = (
    ("add", "integer", 1.0),
    ("fma", "float", 4.0),
    ("fdiv", "float", 11.0),
    ("lost", "float", None),
)
FACTS = (("capacity", "memory", 32.0), ("line", "memory", 64.0))


def harness(folder: Path, action: str = "") -> Path:
    for name in ("tables.js", "browser.js"):
        shutil.copy(ASSETS / name, folder)
    body = ""
    for identity, some in (("operations", OPERATIONS), ("facts", FACTS)):
        rows = (
            Row(
                (Cell(name), kind, Cell("–" if value is None else f"{value:g}", sort=value)),
                id=f"{identity}.{name}", kind="rg-absent" if value is None else "",
            )
            for name, kind, value in some
        )  # fmt: skip
        body += table(identity, identity, COLUMNS, rows, browsed=True)
    page = folder / "page.html"
    page.write_text(
        "<!doctype html><meta charset=utf-8><script src=tables.js></script><script src=browser.js></script>"
        f"<body>{body}<p id=told></p><script>addEventListener('load', () => {{ {action} "
        "setTimeout(() => { document.getElementById('told').textContent = location.hash; }, 50); })</script>"
    )
    return page


def shown(html: str) -> list[str]:
    """Names of the rows that are not hidden, in order."""
    rows = re.findall(r"<tr([^>]*)><th scope=\"row\"[^>]*>([^<]+)</th>", html)
    return [name for attributes, name in rows if "hidden" not in attributes]


def told(html: str) -> str:
    match = re.search(r'<p id="told">([^<]*)</p>', html)
    assert match is not None
    return match.group(1).replace("&amp;", "&")


def put(selector: str, value: str) -> str:
    return (
        f"{{ const one = document.querySelector('{selector}'); one.value = '{value}';"
        "one.dispatchEvent(new Event('input')); }"
    )


def test_everything_is_shown_at_first_and_the_address_stays(tmp_path: Path) -> None:
    html = seen(harness(tmp_path), tmp_path / "profile")
    assert shown(html) == ["add", "fma", "fdiv", "lost", "capacity", "line"]
    assert "4 of 4 operations, 2 of 2 facts" in html
    assert told(html) == ""


def test_words_and_class_narrow_both_tables_and_go_into_the_address(tmp_path: Path) -> None:
    action = put("input[type=search]", "f") + put("select", "operations.float")
    html = seen(harness(tmp_path, action), tmp_path / "profile")
    assert shown(html) == ["fma", "fdiv", "lost"]
    assert "3 of 4 operations, 0 of 2 facts" in html
    assert told(html) == "#q=f&class=operations.float"
    assert re.search(r'id="table-facts"[^>]*hidden', html)


def test_an_address_restores_search_class_order_and_gaps(tmp_path: Path) -> None:
    fragment = "#class=operations.float&known=1&sort=operations.2.descending"
    html = seen(harness(tmp_path), tmp_path / "profile", fragment)
    assert shown(html) == ["fdiv", "fma"]
    assert 'aria-sort="descending"' in html
    assert told(html) == fragment


def test_a_sort_goes_into_the_address(tmp_path: Path) -> None:
    click = "document.querySelectorAll('#table-operations thead button')[2].click();"
    assert told(seen(harness(tmp_path, click), tmp_path / "profile")) == "#sort=operations.2.ascending"


def test_the_address_of_a_row_and_an_odd_one_leave_all_rows(tmp_path: Path) -> None:
    for fragment in ("#facts.line", "#class=nothing.such&sort=operations.9.up"):
        html = seen(harness(tmp_path), tmp_path / "profile", fragment)
        assert len(shown(html)) == 6
        assert told(html) == fragment


def test_one_button_shows_all_again(tmp_path: Path) -> None:
    action = put("input[type=search]", "fma") + "document.querySelector('.rg-browse button').click();"
    html = seen(harness(tmp_path, action), tmp_path / "profile")
    assert len(shown(html)) == 6
    assert told(html) == ""


def test_controls_are_reached_by_keyboard_and_have_names(tmp_path: Path) -> None:
    html = seen(harness(tmp_path), tmp_path / "profile")
    bar = html[html.index('class="rg-filter rg-browse"') :]
    bar = bar[: bar.index('class="rg-table"')]
    assert re.findall(r"<label>([\w ]+?) <", bar) == ["Search", "Class", "Only with a value"]
    assert 'role="search"' in bar
    assert "tabindex" not in bar  # native controls only
