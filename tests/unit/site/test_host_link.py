"""The section about the link to the host: words, figure, and table with the share of the nominal rate."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from reportgen.findings.lint import offences
from reportgen.runs import read, write
from reportgen.runs.schema import Run
from reportgen.site import gpu_curves
from reportgen.site.address import Links, device_page
from reportgen.site.figures import curves
from reportgen.site.render import Renderer
from tests.simulated import gpu_execution, gpu_link
from tests.simulated.gpu import make, programs
from tests.simulated.gpu_link import LINK
from tests.simulated.gpu_truth import GpuTruth
from tests.unit.site.conftest import KNOWN
from tests.unit.site.reports import reported

TRUTH = GpuTruth()
ASKED = [probe(TRUTH) for probe in (*gpu_link.QUESTIONS, gpu_execution.chain)]


def written(root: Path, **reported: int) -> tuple[str, Run]:
    """Markdown of the device's page, and the run."""
    run, rows = make(TRUTH, asked=ASKED)
    device = msgspec.structs.replace(run.device, reported=run.device.reported | reported)
    run = msgspec.structs.replace(run, device=device)
    write.seal(root / "data" / run.device.id / run.run, run, rows, programs(TRUTH))
    Renderer(root / "data", root / "cache", Links(True, KNOWN), "https://reports.example/").render()
    page = (root / "cache" / "pages" / device_page(run.device.id)).read_text(encoding="utf-8")
    return page, run


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("site")


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return written(root)[0]


def row(page: str, metric: str) -> str:
    found = re.search(rf'<tr[^>]*id="{re.escape(metric)}".*?</tr>', page, re.DOTALL)
    assert found is not None
    return re.sub(r"<[^>]+>", " ", found[0])


def test_the_section_has_words_a_figure_and_a_table(page: str) -> None:
    assert 'id="figure-host_link"' in page
    assert 'id="table-host_link"' in page
    assert "Copies from one GPU to another are not among them." in page
    assert "All of it is of this host" in re.sub(r"\s+", " ", page)
    assert not offences(re.sub(r"<[^>]+>", " ", page))


def test_rates_stand_over_what_the_link_carries(page: str) -> None:
    assert "0.87" in row(page, "host_link.to_device.bandwidth")
    assert "0.80" in row(page, "host_link.both.bandwidth")
    assert "0.82" in row(page, "host_link.mapped.read")
    assert page.count("PCIe generation 5 with 16 lanes") > 5
    assert "–" in row(page, "host_link.to_device.start")


def test_the_inference_stands_under_the_table(page: str) -> None:
    told = page.rindex("consistent with a way through page-locked buffers of the driver")
    assert page.index('id="table-host_link"') < told


def test_the_figure_shows_all_directions_and_what_is_nominal(root: Path, page: str) -> None:
    (folder,) = (root / "data").glob("*/*")
    bundle = read.load(folder)
    report = reported(bundle)
    drawn = gpu_curves.host_link(report)
    assert drawn is not None
    locked, pageable = drawn.panels
    assert [one.label for one in locked.series] == [
        "to the GPU", "to the host", "both at once", "one direction, nominal",
    ]  # fmt: skip
    assert [one.label for one in pageable.series] == ["to the GPU", "to the host"]
    assert (locked.settings[0], locked.settings[-1]) == ("4 KiB", "256 MiB")
    assert locked.series[0].values[-1] == pytest.approx(LINK.to_device / 1e9, rel=0.01)
    assert len(curves.draw(drawn)) < 100_000


def test_a_device_that_shares_memory_says_so(tmp_path: Path) -> None:
    text = re.sub(r"\s+", " ", written(tmp_path, integrated=1)[0])
    assert "GPU and host share one memory here: what is copied crosses no link" in text
    assert "nominal" not in row(text, "host_link.to_device.bandwidth")
