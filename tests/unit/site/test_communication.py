"""What cores share on the page of a CPU: a matrix, curves, tables, and what they fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from reportgen.runs import read
from reportgen.site import communication_figures
from reportgen.site.address import Links
from reportgen.site.figures import core_matrix, curves, style
from reportgen.site.render import Renderer
from reportgen.site.report import Report
from tests.simulated.asked import Asked
from tests.simulated.communication_points import contended_probe, locked_probe, sharing_probe, transfer_probe
from tests.simulated.cpu import make_data
from tests.simulated.truth import CpuTruth
from tests.simulated.truth_lines import TrueSharing
from tests.unit.site.conftest import KNOWN
from tests.unit.site.reports import reported

EIGHT = replace(CpuTruth().quiet(), cores=8, sharing=TrueSharing(group=4))


def suite(truth: CpuTruth) -> list[Asked]:
    return [transfer_probe(truth), locked_probe(truth), sharing_probe(truth), contended_probe(truth)]


def report(truth: CpuTruth, root: Path) -> Report:
    return reported(read.load(make_data(truth, 3, root, suite)))


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return report(EIGHT, tmp_path_factory.mktemp("communication"))


def test_the_matrix_has_every_pair_and_its_number(eight: Report) -> None:
    data = communication_figures.matrix(eight)
    assert data is not None
    assert data.cpus == tuple(map(str, range(8)))
    assert len(data.cells) == 56
    near = [time for first, second, time in data.cells if int(first) // 4 == int(second) // 4]
    assert near == pytest.approx([26] * len(near), rel=0.05)
    drawn = core_matrix.draw(data)
    assert all(f"CPU {number}" in drawn for number in range(8))


def test_a_large_matrix_has_colours_alone() -> None:
    names = tuple(map(str, range(48)))
    cells = tuple((a, b, 20.5 + 5 * (int(a) // 8 != int(b) // 8)) for a in names for b in names if a < b)
    large = core_matrix.draw(core_matrix.CoreMatrix(names, cells))
    small = core_matrix.draw(core_matrix.CoreMatrix(("0", "1"), (("0", "1", 39.0), ("1", "0", 39.1))))
    assert "39.1" in small
    assert style.ON_DEEP not in small, "a difference of a part in four hundred is not drawn as a large one"
    assert ">20.5<" not in large
    assert ">25.5<" not in large


def test_every_question_has_a_panel(eight: Report) -> None:
    data = communication_figures.shared(eight)
    assert data is not None
    panels = {panel.title: panel for panel in data.panels}
    assert list(panels) == [
        "plain additions, two cores",
        "atomic additions, two cores",
        "one word, all together",
        "one word, each core",
    ]
    panel = panels["atomic additions, two cores"]
    assert [[panel.settings[at] for at in band] for band in panel.bands] == [["32 B", "64 B"]]
    assert panels["one word, each core"].settings == ("1", "2", "4", "8")
    assert curves.draw(data).count("cycles an addition") >= 2


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("communication-page")
    make_data(EIGHT, 3, root / "data", suite)
    Renderer(root / "data", root / "cache", Links(True, KNOWN), "https://reports.example/").render()
    return next((root / "cache" / "pages" / "devices").glob("*/index.md")).read_text(encoding="utf-8")


def test_the_page_has_a_section_with_figures_tables_and_inferences(page: str) -> None:
    section = page.split("## Between cores")[1].split("\n## ")[0]
    for metric in (
        "communication.transfer.store",
        "communication.transfer.store.farthest",
        "communication.false_sharing.locked_add.granule",
        "communication.contended.read.cycles",
    ):
        assert f'id="{metric}"' in section
    assert "figure-between_cores" in section
    assert "figure-shared_words" in section
    assert "56 pairs" in section
    assert "groups of cores that share a cache" in section


def test_one_cpu_has_no_section(tmp_path: Path) -> None:
    data = report(replace(EIGHT, cores=1), tmp_path)
    assert communication_figures.matrix(data) is None
    assert communication_figures.shared(data) is None
