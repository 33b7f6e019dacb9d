"""Replacement on the page of a CPU: shares and predictions as a figure and as tables."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from reportgen.runs import read
from reportgen.site import replacement_shares
from reportgen.site.address import Links
from reportgen.site.figures import replacement as figure
from reportgen.site.figures import style
from reportgen.site.render import Renderer
from reportgen.site.report import Report
from tests.simulated.asked import Asked
from tests.simulated.cpu import make_data
from tests.simulated.replacement_points import OUTER, replacement_probe
from tests.simulated.truth import CpuTruth
from tests.unit.site.conftest import KNOWN
from tests.unit.site.reports import reported

QUIET = CpuTruth().quiet()
TRUTH = replace(
    QUIET,
    replacement="PLRU",
    caches=(QUIET.caches[0], replace(QUIET.caches[1], ways=8), QUIET.caches[2]),
)


def suite(truth: CpuTruth) -> list[Asked]:
    return [replacement_probe(truth), replacement_probe(truth, None, OUTER)]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("replacement")


@pytest.fixture(scope="module")
def report(root: Path) -> Report:
    return reported(read.load(make_data(TRUTH, 3, root / "data", suite)))


@pytest.fixture(scope="module")
def page(root: Path, report: Report) -> str:
    known = KNOWN | {"method/replacement.md"}
    renderer = Renderer(root / "data", root / "cache", Links(True, known), "https://reports.example/")
    renderer.render()
    (found,) = (root / "cache" / "pages" / "devices").glob("*/index.md")
    return found.read_text(encoding="utf-8")


def test_what_fits_stands_first_and_has_no_coloured_cell(report: Report) -> None:
    record = replacement_shares.record(report)
    assert record is not None
    assert record.sequences == tuple(str(number) for number in range(1, 11))
    first = record.policies[0]
    assert first.left
    assert "PLRU" in [line.title for line in record.policies if line.left]
    for line in record.policies:
        assert len(line.cells) == len(record.measured)
        assert line.left == (not any(cell.beyond for cell in line.cells))
    assert "LRU" in [line.title for line in record.policies if not line.left]


def test_the_drawing_is_small_the_same_and_carries_its_numbers(report: Report) -> None:
    record = replacement_shares.record(report)
    assert record is not None
    drawn = figure.draw(record)
    assert drawn == figure.draw(record)
    assert len(drawn) < style.LIMIT_BYTES
    for text in ("measured", "PLRU, fits", "random", f"{record.measured[0]:.2f}"):
        assert f">{text}<" in drawn


def test_a_prediction_is_one_number_or_two() -> None:
    assert figure.told(figure.Cell(0.333, 0.334, 0.0)) == "0.33"
    assert figure.told(figure.Cell(0.17, 1.0, 0.0)) == ".17–1.00"


def test_a_run_without_shares_has_no_figure(report: Report) -> None:
    empty = Report(
        run=report.run, architecture=report.architecture, quantities=(), findings=(), downloads=(), digest=""
    )
    assert replacement_shares.record(empty) is None


def test_figure_and_tables_stand_in_the_section(report: Report, page: str) -> None:
    section = page.partition("## Replacement in a set")[2].partition("\n## ")[0]
    assert 'id="figure-replacement"' in section
    assert 'id="table-replacement"' in section
    assert 'id="table-replacement-policies"' in section
    outer = section.partition("### Replacement in a set of L2")[2]
    assert 'id="table-replacement-l2"' in outer
    assert "access sequences to sets of L2 (8 ways) are consistent with" in outer
    assert "consistent with" in section
    anchors = set(re.findall(r'id="([^"]+)"', section))
    assert {quantity.metric for quantity in report.quantities} <= anchors
    first = page.partition("## Findings")[2].partition("\n## ")[0]
    assert "access sequences" not in first  # it stands in its own section
