"""What only a browser can tell: the script dresses the tables, sorts, filters, and opens folds."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from reportgen.site.render import ASSETS
from reportgen.site.tables import Cell, Column, Row, table

BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        BROWSER is None, reason="no headless browser (chromium or google-chrome) is installed"
    ),
]

ROWS = (("add", 1.0), ("divide", 12.0), ("no number", None), ("multiply", 3.0))


def seen(page: Path, profile: Path, fragment: str = "") -> str:
    """The document after its scripts have run."""
    assert BROWSER is not None
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    done = subprocess.run(
        [BROWSER, *flags, f"--user-data-dir={profile}", "--virtual-time-budget=3000", "--dump-dom",
         page.as_uri() + fragment],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return done.stdout


def harness(folder: Path, action: str) -> Path:
    """A page with one table, the project's script, and something that a reader does."""
    shutil.copy(ASSETS / "tables.js", folder)
    rows = (
        Row((Cell(name), Cell("–" if value is None else f"{value:g}", sort=value)), id=f"latency.{name[:3]}")
        for name, value in ROWS
    )
    columns = (Column("operation"), Column("cycles", number=True))
    body = table("latency", "Latency.", columns, rows, filtered=True)
    page = folder / "page.html"
    page.write_text(
        "<!doctype html><meta charset=utf-8><script src=tables.js></script>"
        f"<body>{body}<details><summary>more</summary><p id=deep>deep</p></details>"
        f"<script>addEventListener('load', () => {{ {action} }})</script>"
    )
    return page


def order(html: str) -> list[str]:
    return re.findall(r'<th scope="row"[^>]*>([^<]+)</th>', html)


CLICK = "document.querySelectorAll('thead button')[{}].click();"


def test_numbers_sort_as_numbers_and_what_has_none_goes_last(tmp_path: Path) -> None:
    up = seen(harness(tmp_path, CLICK.format(1)), tmp_path / "profile")
    assert order(up) == ["add", "multiply", "divide", "no number"]
    assert 'aria-sort="ascending"' in up
    down = seen(harness(tmp_path, CLICK.format(1) * 2), tmp_path / "profile")
    assert order(down) == ["divide", "multiply", "add", "no number"]
    assert 'aria-sort="descending"' in down


def test_the_filter_keeps_rows_with_every_word_and_counts_them(tmp_path: Path) -> None:
    action = (
        "const box = document.querySelector('input[type=search]'); box.value = 'latency. ADD';"
        "box.dispatchEvent(new Event('input'));"
    )
    html = seen(harness(tmp_path, action), tmp_path / "profile")
    assert html.count("hidden") == 3
    assert "1 of 4" in html


def test_a_link_to_a_row_that_the_filter_hides_ends_the_filter(tmp_path: Path) -> None:
    action = (
        "const box = document.querySelector('input[type=search]'); box.value = 'add';"
        "box.dispatchEvent(new Event('input')); location.hash = 'latency.div';"
    )
    html = seen(harness(tmp_path, action), tmp_path / "profile")
    assert "hidden" not in html
    assert "of 4" not in html


def test_a_link_opens_the_fold_that_hides_its_target(tmp_path: Path) -> None:
    html = seen(harness(tmp_path, ""), tmp_path / "profile", "#deep")
    assert '<details open="" data-read="yes">' in html
