"""Branches on the page of a CPU: a panel for each question, its ends as bands, a table, what they fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from reportgen.runs import read
from reportgen.site import branch_curves
from reportgen.site.address import Links
from reportgen.site.figures import curves
from reportgen.site.render import Renderer
from reportgen.site.report import Report
from tests.simulated.asked import Asked
from tests.simulated.branch_points import calls_probe, misprediction_probe, rounds_probe, taken_probe
from tests.simulated.cpu import make_data
from tests.simulated.truth import CpuTruth
from tests.unit.site.conftest import KNOWN
from tests.unit.site.reports import reported

QUIET = CpuTruth().quiet()


def suite(truth: CpuTruth) -> list[Asked]:
    return [misprediction_probe(truth), taken_probe(truth), calls_probe(truth), rounds_probe(truth)]


def report(truth: CpuTruth, root: Path) -> Report:
    bundle = read.load(make_data(truth, 3, root, suite))
    return reported(bundle)


@pytest.fixture(scope="module")
def panels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, curves.Panel]:
    data = branch_curves.branches(report(QUIET, tmp_path_factory.mktemp("branches")))
    assert data is not None
    assert curves.draw(data).count("cycles a taken branch") >= 3
    return {panel.title: panel for panel in data.panels}


def test_every_question_has_a_panel(panels: dict[str, curves.Panel]) -> None:
    assert list(panels) == [
        "wrong predictions",
        "16 bytes apart",
        "32 bytes apart",
        "64 bytes apart",
        "rounds of short loops",
        "nested calls",
    ]


def test_the_cost_of_a_misprediction_is_level_over_its_shares(panels: dict[str, curves.Panel]) -> None:
    panel = panels["wrong predictions"]
    assert panel.settings == ("0.125", "0.25", "0.5")
    assert [one.label for one in panel.series] == ["others taken", "others not taken"]
    for series in panel.series:
        assert series.values == pytest.approx([15.0] * len(series.values), rel=0.05)


def test_bands_are_the_intervals_of_the_ends(panels: dict[str, curves.Panel]) -> None:
    panel = panels["64 bytes apart"]
    first, second = panel.bands
    assert [panel.settings[at] for at in first] == ["512", "588"]
    assert [panel.settings[at] for at in second] == ["7132", "8192"]
    panel = panels["nested calls"]
    assert [[panel.settings[at] for at in band] for band in panel.bands] == [["32", "33"]]


def test_without_an_end_there_is_no_band(tmp_path: Path) -> None:
    truth = replace(QUIET, branch_targets=(), code_levels=(), return_stack=1000)
    data = branch_curves.branches(report(truth, tmp_path))
    assert data is not None
    assert all(not panel.bands for panel in data.panels)


def test_the_page_has_a_section_with_table_and_inferences(tmp_path: Path) -> None:
    make_data(QUIET, 3, tmp_path / "data", suite)
    Renderer(tmp_path / "data", tmp_path / "cache", Links(True, KNOWN), "https://reports.example/").render()
    page = next((tmp_path / "cache" / "pages" / "devices").glob("*/index.md")).read_text(encoding="utf-8")
    section = page.split("## Branches")[1].split("\n## ")[0]
    for metric in (
        "branch.misprediction",
        "branch.taken.interval",
        "branch.taken.16b.first",
        "branch.return.depth",
    ):
        assert f'id="{metric}"' in section
    assert "consistent with a buffer that holds so many branch targets" in section
    assert "consistent with a buffer" not in page.split("## Findings")[1].split("\n## ")[0]
