"""The section about waiting and sharing: words, a figure with a panel for each question, and the table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reportgen.findings.lint import offences
from reportgen.runs import read, write
from reportgen.site import waiting_curves
from reportgen.site.address import Links, device_page
from reportgen.site.render import Renderer
from tests.simulated import gpu_execution, gpu_synchronisation
from tests.simulated.gpu import make, programs
from tests.simulated.gpu_truth import GpuTruth
from tests.unit.site.conftest import KNOWN
from tests.unit.site.reports import reported

TRUTH = GpuTruth()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("waiting")
    asked = [question(TRUTH) for question in (*gpu_synchronisation.QUESTIONS, gpu_execution.chain)]
    run, rows = make(TRUTH, asked=asked)
    write.seal(folder / "data" / run.device.id / run.run, run, rows, programs(TRUTH))
    return folder


def test_there_is_a_panel_for_each_question(root: Path) -> None:
    (folder,) = (root / "data" / "nvidia-simulated").iterdir()
    bundle = read.load(folder)
    report = reported(bundle)
    data = waiting_curves.waiting(report)
    assert data is not None
    assert [panel.title for panel in data.panels] == [
        "barrier of a block",
        "barrier of a cluster",
        "fences",
        "lanes of a warp at one address",
        "atomic adds of 512 blocks",
        "paths of a warp",
    ]
    assert data.panels[0].settings == ("1", "2", "4", "8", "16", "32")
    assert data.panels[2].settings == ("block", "device", "system")
    assert data.panels[4].settings == ("1", "32", "512", "131072")


def test_the_section_has_words_figure_and_table(root: Path) -> None:
    Renderer(root / "data", root / "cache", Links(True, KNOWN), "https://reports.example/").render()
    page = (root / "cache" / "pages" / device_page("nvidia-simulated")).read_text(encoding="utf-8")
    part = page[page.index("Waiting and sharing") :]
    assert "Each further warp adds 1.50" in part
    assert 'id="table-waiting"' in part
    assert 'id="figure-waiting"' in part
    assert 'id="barrier.cluster.further"' in part
    assert offences(re.sub(r"<[^>]*>", " ", part)) == ()
