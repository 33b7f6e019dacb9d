"""The interactive roofline as a reader has it: choices, keys, and what is read out."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from reportgen.roofline.bounds import Moved
from reportgen.roofline.points import Point
from reportgen.roofline.sheet import Sheet, entries
from reportgen.site import roofline_data
from reportgen.site.render import ASSETS
from tests.browser.test_site_in_browser import BROWSER, seen
from tests.unit.roofline.cases import roofs

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        BROWSER is None, reason="no headless browser (chromium or google-chrome) is installed"
    ),
]


def sheet() -> Sheet:
    some = roofs()

    def point(name: str, precision: str, unit: str, rate: float, **moved: float) -> Point:
        crossed = {level: Moved(size) for level, size in moved.items()}
        return Point(
            name,
            1e9,
            crossed,
            precision,
            unit,
            rate,
            rate * 0.9,
            rate * 1.1,
            levels=(list(moved)[-1],),
            group=name,
        )

    points = (
        point("wide", "fp32", "FLOP", 19e9, l1=2e9, dram=1e9),
        point("near", "fp32", "FLOP", 90e9, l1=1e8),
        point("double", "fp64", "FLOP", 10e9, dram=1e9),
        point("whole", "int8", "OP", 300e9, l1=1e8),
    )
    return Sheet(
        "d",
        "n",
        "r",
        tuple(some.compute.values()),
        tuple(some.memory.values()),
        (),
        (),
        entries(points, some),
        (),
    )


def harness(folder: Path, action: str = "") -> Path:
    shutil.copy(ASSETS / "roofline.js", folder)
    page = folder / "page.html"
    page.write_text(
        "<!doctype html><meta charset=utf-8><script src=roofline.js></script><body>"
        '<div class="rg-roofline"><figure><div class="rg-scroll"><img alt="drawing"></div></figure>'
        f'<script type="application/json">{roofline_data.embedded(sheet())}</script></div><p id="A">row</p>'
        "<script>addEventListener('load', () => {"
        "const [precision, level] = document.querySelectorAll('select');"
        "const choose = (box, value) => { box.value = value; box.dispatchEvent(new Event('change')); };"
        "const press = (key) => document.activeElement.dispatchEvent("
        "new KeyboardEvent('keydown', { key: key, bubbles: true }));"
        f"{action} }})</script>"
    )
    return page


def drawn(html: str) -> list[str]:
    return re.findall(r'<g class="rg-point[^"]*"[^>]*data-id="(\w+)"', html)


def read(html: str) -> str:
    match = re.search(r"<output[^>]*>(.*?)</output>", html, re.DOTALL)
    assert match is not None
    return re.sub(r"<[^>]+>", " ", match.group(1))


def test_it_shows_all_kernels_of_flop_at_the_level_of_their_data(tmp_path: Path) -> None:
    html = seen(harness(tmp_path), tmp_path / "profile")
    assert sorted(drawn(html)) == ["A", "B", "C"]
    assert 'class="rg-roofline rg-live"' in html
    assert 'alt="drawing"' in html  # still there, for print
    assert "FLOP/byte</text>" in html
    assert re.search(
        r'aria-label="wide: I 1 FLOP/byte in DRAM, achieved 19 GFLOP/s, roof 20 GFLOP/s, 95 % of it', html
    )


def test_a_precision_has_its_kernels_and_its_unit(tmp_path: Path) -> None:
    html = seen(harness(tmp_path, "choose(precision, 'int8')"), tmp_path / "profile")
    assert drawn(html) == ["D"]
    assert "OP/byte</text>" in html
    html = seen(harness(tmp_path, "choose(precision, 'bf16')"), tmp_path / "profile")
    assert drawn(html) == []
    assert "No kernel of this choice" in read(html)


def test_a_level_moves_kernels_to_the_bytes_that_cross_it(tmp_path: Path) -> None:
    html = seen(harness(tmp_path, "choose(level, 'l1')"), tmp_path / "profile")
    assert sorted(drawn(html)) == ["A", "B"]
    assert 'aria-label="wide: I 0.5 FLOP/byte in L1' in html
    assert "lowest roof: FP32" in html


def test_arrow_keys_go_from_kernel_to_kernel_and_read_them(tmp_path: Path) -> None:
    html = seen(
        harness(tmp_path, "document.querySelector('.rg-point').focus(); press('End');"), tmp_path / "profile"
    )
    assert "B near (FP32)" in read(html)
    assert "90 % of it" in read(html)
    html = seen(
        harness(tmp_path, "document.querySelector('.rg-point').focus(); press('ArrowRight');"),
        tmp_path / "profile",
    )
    assert "A wide (FP32)" in read(html)
    assert "row in the table" in read(html)
    assert len(re.findall(r'class="rg-point[^"]*" tabindex="0"', html)) == 1
