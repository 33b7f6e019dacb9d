"""The map of near and far lines on the page of a simulated GPU."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reportgen.findings.lint import offences
from reportgen.runs import read, write
from reportgen.site import distance_map
from reportgen.site.address import Links, device_page
from reportgen.site.figures import distance as figure
from reportgen.site.figures import style
from reportgen.site.render import Renderer
from reportgen.site.report import Report
from tests.simulated.gpu import make
from tests.simulated.gpu_memory import chases, distances
from tests.simulated.gpu_truth import GpuTruth
from tests.unit.site.conftest import KNOWN
from tests.unit.site.reports import reported


def report_of(truth: GpuTruth, root: Path) -> Report:
    run, rows = make(truth, asked=[distances(truth), chases(truth)])
    bundle = read.load(write.seal(root / "data" / run.device.id / run.run, run, rows, ()))
    return reported(bundle)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sides")


@pytest.fixture(scope="module")
def report(root: Path) -> Report:
    return report_of(GpuTruth(sides=2, far_share=0.4), root)


def page(root: Path, report: Report) -> str:
    Renderer(root / "data", root / "cache", Links(True, KNOWN), "https://reports.example/").render()
    return (root / "cache" / "pages" / device_page(report.run.device.id)).read_text(encoding="utf-8")


def test_the_map_has_a_row_a_multiprocessor(report: Report) -> None:
    data = distance_map.record(report)
    assert data is not None
    assert data.groups == (0,) * 9 + (1,) * 9
    svg = figure.draw(data)
    assert svg == figure.draw(data)
    assert {"group 1: 9", "lines A: 120"} <= set(re.findall(r"(group \d: \d+|lines A: \d+)", svg))
    assert len(svg) < style.LIMIT_BYTES
    assert style.recolour(svg) != svg


def test_the_page_shows_it_with_words_and_a_table(root: Path, report: Report) -> None:
    text = page(root, report)
    assert re.search(r'alt="Heat map of 18 multiprocessors, in 2 groups of 9 and 9 by the lines', text)
    assert 'id="table-distance"' in text
    assert re.findall(r"(\d+%)</td>", text.partition('id="table-distance"')[2].partition("</table>")[0]) == [
        "60%",
        "40%",
    ]
    assert not offences(text)


def test_a_cache_in_one_piece_has_no_map(tmp_path: Path) -> None:
    one = report_of(GpuTruth(far=GpuTruth().near), tmp_path)
    assert distance_map.record(one) is None
    assert 'id="table-distance"' not in page(tmp_path, one)


def test_numbers_in_words() -> None:
    assert distance_map.ranges([0, 1, 2, 3, 8, 13, 12, 14]) == "0–3, 8, 12–14"
    assert distance_map.ranges(range(1, 132, 2)) == "1, 3, … 131"
    assert distance_map.ranges([7]) == "7"
