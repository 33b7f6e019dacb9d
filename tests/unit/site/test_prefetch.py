"""Lines fetched ahead on the page of a CPU: curves in and out of order, tables, and what they fit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reportgen.runs import read
from reportgen.site import prefetch_curves
from reportgen.site.address import Links
from reportgen.site.figures import curves, style
from reportgen.site.render import Renderer
from reportgen.site.report import Report
from tests.simulated.cpu import make_data
from tests.simulated.prefetch_points import probes
from tests.simulated.truth import CpuTruth
from tests.unit.site.conftest import KNOWN
from tests.unit.site.reports import reported

QUIET = CpuTruth().quiet()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("prefetch")


@pytest.fixture(scope="module")
def report(root: Path) -> Report:
    return reported(read.load(make_data(QUIET, 3, root / "data", probes)))


@pytest.fixture(scope="module")
def page(report: Report, root: Path) -> str:
    known = KNOWN | {"method/prefetch.md"}
    renderer = Renderer(root / "data", root / "cache", Links(True, known), "https://reports.example/")
    renderer.render()
    (found,) = (root / "cache" / "pages" / "devices").glob("*/index.md")
    return found.read_text(encoding="utf-8")


def test_curves_in_and_out_of_order(report: Report) -> None:
    found = prefetch_curves.runs(report)
    assert found is not None
    one, many, memory, places, streams = found.panels
    assert one.settings == ("-4", "-1", "+1", "+2", "+3", "+4", "+8", "+16", "+32", "+64")
    assert [series.label for series in one.series] == ["in order", "in random order"]
    assert many.settings == ("-1", "+1", "+2", "+4", "+16")
    assert memory.settings == ("+1", "+4", "+16")
    assert places.settings[:4] == ("1", "2", "3-4", "5-8")
    assert streams.bands == ((6, 7),)  # 32 to 48
    ordered = dict(zip(one.series[0].places, one.series[0].values, strict=True))
    assert ordered[0] == pytest.approx(22.6, rel=0.05)


def test_a_panel_for_what_went_before(report: Report) -> None:
    found = prefetch_curves.near(report)
    assert found is not None
    assert [panel.title for panel in found.panels] == [
        *("behind even line of a pair", "behind odd line", "behind run of eight", "behind run, next page"),
    ]
    assert found.panels[0].settings[:2] == ("-32", "-8")


def test_the_drawings_are_small_and_the_same(report: Report) -> None:
    for found in (prefetch_curves.runs(report), prefetch_curves.near(report)):
        assert found is not None
        drawn = curves.draw(found)
        assert drawn == curves.draw(found)
        assert len(drawn) < style.LIMIT_BYTES


def test_a_run_without_such_probes_has_none(report: Report) -> None:
    empty = Report(
        run=report.run, architecture=report.architecture, quantities=(), findings=(), downloads=(), digest=""
    )
    assert prefetch_curves.runs(empty) is None
    assert prefetch_curves.near(empty) is None


def test_every_metric_is_an_anchor_of_the_page(report: Report, page: str) -> None:
    anchors = set(re.findall(r'id="([^"]+)"', page))
    metrics = {quantity.metric for quantity in report.quantities}
    assert len(metrics) > 50
    assert metrics <= anchors


def test_figures_and_tables_stand_in_the_section(page: str) -> None:
    section = page.partition("## Lines fetched ahead")[2].partition("\n## ")[0]
    for part in (
        *('id="figure-prefetch"', 'id="figure-prefetch_near"', 'id="table-prefetch_stride"'),
        *(
            'id="table-prefetch_near"',
            'id="table-prefetch_run"',
            "Evidence of 5 inferences",
            "consistent with",
        ),
    ):
        assert part in section
    first = page.partition("## Findings")[2].partition("\n## ")[0]
    assert "come sooner than in random order" not in first  # it stands in its own section
