"""Tables of latency and throughput: of a GPU beside what its machine code holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reportgen.model.derive import derive_bundle
from reportgen.runs import read, write
from reportgen.site.address import Links, device_page
from reportgen.site.report import Report
from reportgen.site.sections import instructions
from reportgen.site.view import View
from tests.simulated.gpu import make, programs
from tests.simulated.gpu_execution import chain, throughput
from tests.simulated.gpu_truth import GpuTruth
from tests.unit.site.conftest import Rendered


@pytest.fixture(scope="module")
def gpu(tmp_path_factory: pytest.TempPathFactory) -> View:
    """A GPU of which one operation was asked."""
    truth = GpuTruth()
    run, rows = make(truth, asked=(chain(truth), throughput(truth)))
    folder: Path = tmp_path_factory.mktemp("gpu") / run.device.id / run.run
    bundle = read.load(write.seal(folder, run, rows, programs(truth)))
    found = derive_bundle(bundle)
    report = Report(run, found.architecture, found.quantities, found.findings, (), "0" * 64, bundle)
    return View(device_page(run.device.id), report, Links())


def cells(html: str, metric: str) -> list[str]:
    """Words of the cells of one row."""
    row = html[html.index(f'<tr id="{metric}"') :].partition("</tr>")[0]
    return [re.sub("<[^>]+>", " ", cell).strip() for cell in re.findall(r"<t[dh].*?</t[dh]>", row)]


def test_a_latency_of_a_gpu_stands_beside_its_machine_code(gpu: View) -> None:
    section = instructions.latency(gpu)
    assert section is not None
    html = section.body[-1]
    name, code, cycles, _, encoded, *_ = cells(html, "latency.fp32_fma")
    assert name == "FP32 fused multiply-add"
    assert code.startswith("FFMA")
    assert "fma.rn.f32" in code
    assert cycles.startswith("4")
    assert encoded == "4"
    assert 'id="encoded.latency.fp32_fma"' in html


def test_a_rate_of_a_gpu_is_told_in_lanes_too(gpu: View) -> None:
    section = instructions.throughput(gpu)
    assert section is not None
    rate, lanes = map(float, cells(section.body[-1], "throughput.fp32_fma")[1:3])
    assert rate > 3.9
    assert lanes == pytest.approx(32 * rate, rel=1e-3)
    assert "for 32 lanes" in section.body[0]


def test_a_cpu_has_neither_lanes_nor_encoded_cycles(rendered: Rendered) -> None:
    report = rendered.site.shelves[0].newest.report
    assert report is not None
    view = View(device_page(report.run.device.id), report, Links())
    for section in (instructions.latency(view), instructions.throughput(view)):
        assert section is not None
        html = "".join(section.body)
        assert "lanes per cycle" not in html
        assert "encoded" not in html


def test_on_a_cpu_the_number_stands_beside_the_name(rendered: Rendered) -> None:
    report = rendered.site.shelves[0].newest.report
    assert report is not None
    section = instructions.latency(View(device_page(report.run.device.id), report, Links()))
    assert section is not None
    name, cycles, _, _, form, _ = cells(section.body[-1], "latency.integer_add")
    assert name == "64-bit add"
    assert float(cycles) == pytest.approx(1.0, rel=0.01)
    assert form.startswith("add ")
