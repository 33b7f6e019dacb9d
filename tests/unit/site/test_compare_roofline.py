"""The comparison of rooflines on the page that compares devices."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from reportgen.findings.lint import offences_in_html
from reportgen.site import address
from reportgen.site.address import Links
from reportgen.site.figures import roofline_across
from reportgen.site.figures.roofline_across import Line, Lines, Mark, Vertical
from reportgen.site.figures.style import LIMIT_BYTES
from reportgen.site.render import Renderer
from tests.simulated.two_devices import STREAM_ID, make_two


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rendered site of two devices: `data` and `cache`."""
    root = tmp_path_factory.mktemp("two")
    make_two(root / "data")
    Renderer(root / "data", root / "cache", Links()).render()
    return root


def text_of(folder: Path) -> str:
    page = (folder / "cache" / "pages" / address.COMPARE).read_text(encoding="utf-8")
    return page[page.index("{#workloads}") : page.index("{#bandwidth}")]


def asset(folder: Path, name: str) -> bytes:
    return (folder / "cache" / "pages" / "compare" / "figures" / name).read_bytes()


def test_each_workload_has_its_bound_on_each_device_and_their_ratio(folder: Path) -> None:
    page = text_of(folder)
    rows = re.findall(r"<tr><th.*?</tr>", page[page.index("<tbody>") :])
    assert len(rows) == 3 + 9
    vector, product = rows[0], rows[2]
    assert "0.167 FLOP/byte" in vector
    assert vector.count("decided by DRAM") == 2
    assert "rg-verdict-higher" in vector
    assert "683 FLOP/byte" in product
    assert product.count("decided by FP32") == 2
    assert "rg-verdict-lower" in product
    assert "Llama 2 7B, decoding, batch 1<" in rows[3]
    assert "Roofs of one core each." in page
    assert offences_in_html(page) == ()


def test_figure_and_data_lie_beside_the_page(folder: Path) -> None:
    page = text_of(folder)
    for ending in ("light.svg", "dark.svg", "svg", "csv", "json"):
        assert f"figures/roofline.{ending}" in page
        assert 0 < len(asset(folder, f"roofline.{ending}")) < LIMIT_BYTES
    rows = list(csv.DictReader(io.StringIO(asset(folder, "roofline.csv").decode())))
    assert len(rows) == 2 * 12
    assert {row["device"] for row in rows} == {"simulated-core-4000", STREAM_ID}
    assert [row["answer"] for row in rows[:2]] == ["", "higher"]
    record = json.loads(asset(folder, "roofline.json"))
    assert [row["id"] for row in record["rows"]] == list("ABCDEFGHIJKL")


def test_one_device_has_nothing_to_be_compared_with(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "data" / STREAM_ID, tmp_path / "data" / STREAM_ID)
    Renderer(tmp_path / "data", tmp_path / "cache", Links()).render()
    page = (tmp_path / "cache" / "pages" / address.COMPARE).read_text(encoding="utf-8")
    assert "{#workloads}" not in page


def lines(*some: Line, at: tuple[float, ...] = (0.25,)) -> Lines:
    marks = tuple(Mark(f"A{n}", 1, x, 1e9, 0.9e9, 1.1e9, "told") for n, x in enumerate(at))
    verticals = tuple(Vertical(f"w{n}", x) for n, x in enumerate(at))
    return Lines("fp32", "dram", "FLOP", some, marks, verticals)


def test_axes_are_the_same_whole_decades_for_any_devices() -> None:
    slow, fast = Line(1, "slow", 20e9, 10e9), Line(2, "fast", 60e12, 4e12)
    assert (
        roofline_across.frame(lines(slow))[:2] == roofline_across.frame(lines(slow, fast))[:2] == (0.01, 1e3)
    )
    for end in roofline_across.frame(lines(slow, fast, at=(0.25, 4000))):
        exponent = len(f"{end:.0f}") - 1 if end >= 1 else -2
        assert end == pytest.approx(10.0**exponent)


def test_lines_that_end_together_and_intensities_that_nearly_meet_keep_their_names() -> None:
    twins = (Line(1, "one", 50e9, 10e9), Line(2, "two", 50e9, 20e9), Line(3, "bare", None, 5e9))
    svg = roofline_across.draw(lines(*twins, at=(1.0, 1.02, 1.04)))
    for name in ("w0", "w1", "w2"):
        assert f">{name}</text>" in svg
    ends = sorted(float(y) for y in re.findall(r'font-weight: 700[^>]* y="([\d.]+)"', svg))
    assert svg.count("<title>told</title>") == 3
    assert len(ends) == 3
    assert all(below - above > 8 for above, below in pairwise(ends))
