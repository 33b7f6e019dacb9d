"""Stores and loads on the page of a CPU: a heat map with a cell a case, tables, and what they fit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reportgen.runs import read
from reportgen.site import store_to_load
from reportgen.site.address import Links
from reportgen.site.figures import store_to_load as figure
from reportgen.site.figures import style
from reportgen.site.render import Renderer
from reportgen.site.report import Report
from tests.simulated.access_points import alias_probe, short_loop_probe, split_probe, store_to_load_probe
from tests.simulated.asked import Asked
from tests.simulated.cpu import make_data
from tests.simulated.truth import CpuTruth
from tests.unit.site.conftest import KNOWN
from tests.unit.site.reports import reported

QUIET = CpuTruth().quiet()


def suite(truth: CpuTruth) -> list[Asked]:
    return [store_to_load_probe(truth), short_loop_probe(truth), split_probe(truth), alias_probe(truth)]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("access")


@pytest.fixture(scope="module")
def report(root: Path) -> Report:
    bundle = read.load(make_data(QUIET, 3, root / "data", suite))
    return reported(bundle)


@pytest.fixture(scope="module")
def page(root: Path, report: Report) -> str:
    known = KNOWN | {"method/access.md"}
    renderer = Renderer(root / "data", root / "cache", Links(True, known), "https://reports.example/")
    renderer.render()
    (found,) = (root / "cache" / "pages" / "devices").glob("*/index.md")
    return found.read_text(encoding="utf-8")


def test_the_map_has_a_panel_for_each_register_file(report: Report) -> None:
    cases = store_to_load.cases(report)
    assert cases is not None
    general, vector = cases.panels
    assert general.stores == (8, 16, 32, 64)
    assert (8, "across") not in general.loads  # a load of one byte lies in the store or beside it
    assert (64, "across") in general.loads
    assert vector.stores == (64, 128, 256, 512)
    cycles = {(cell.store, cell.load, cell.place): cell.cycles for cell in general.cells}
    assert cycles[64, 32, "last"] == pytest.approx(5.0, rel=0.02)
    assert cycles[64, 64, "across"] == pytest.approx(13.0, rel=0.02)
    assert cycles[8, 64, "first"] == pytest.approx(13.0, rel=0.02)
    assert (8, 8, "last") not in cycles


def test_the_drawing_is_small_the_same_and_carries_its_numbers(report: Report) -> None:
    cases = store_to_load.cases(report)
    assert cases is not None
    drawn = figure.draw(cases)
    assert drawn == figure.draw(cases)
    assert len(drawn) < style.LIMIT_BYTES
    for text in ("general registers", "512-bit load", "64-bit store", "across", "13.0", "15.0"):
        assert f">{text}<" in drawn


def test_one_number_is_a_map_too() -> None:
    panel = figure.Panel("general registers", (64,), ((64, "first"),), (figure.Cell(64, 64, "first", 5.0),))
    assert ">5.0<" in figure.draw(figure.Cases((panel,)))


def test_a_run_without_such_probes_has_no_map(report: Report) -> None:
    empty = Report(
        run=report.run, architecture=report.architecture, quantities=(), findings=(), downloads=(), digest=""
    )
    assert store_to_load.cases(empty) is None


def test_every_metric_is_an_anchor_of_the_page(report: Report, page: str) -> None:
    anchors = set(re.findall(r'id="([^"]+)"', page))
    metrics = {quantity.metric for quantity in report.quantities}
    assert len(metrics) > 90
    assert metrics <= anchors


def test_figure_and_tables_stand_in_the_section(page: str) -> None:
    section = page.partition("## Stores, loads and where they lie")[2].partition("\n## ")[0]
    assert 'id="figure-store_to_load"' in section
    assert "Heat map of" in section
    for table in ("store_to_load", "split", "alias"):
        assert f'id="table-{table}"' in section
    assert "consistent with" in section
    assert "none seen" in section
    assert "Evidence of 2 inferences" in section
    first = page.partition("## Findings")[2].partition("\n## ")[0]
    assert "fall into three groups" not in first  # it stands in its own section
