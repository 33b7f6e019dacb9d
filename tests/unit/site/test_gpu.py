"""The page of a simulated GPU: every section has its figure and its table, and nothing speaks of cores."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest

from reportgen.findings.lint import offences
from reportgen.runs import read, write
from reportgen.site import gpu_curves, pictures
from reportgen.site.address import Links, device_page
from reportgen.site.figures import curves
from reportgen.site.render import Renderer
from reportgen.site.report import Report
from tests.simulated import gpu_intensity, gpu_library
from tests.simulated.gpu import SUITE, make, programs
from tests.simulated.gpu_truth import GpuTruth
from tests.unit.site.conftest import KNOWN
from tests.unit.site.reports import reported


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    truth = GpuTruth()
    run, rows = make(truth)
    folder = tmp_path_factory.mktemp("gpu") / run.device.id / run.run
    bundle = read.load(write.seal(folder, run, rows, programs(truth)))
    return reported(bundle)


def titles(data: curves.Curves | None) -> list[str]:
    assert data is not None
    return [panel.title for panel in data.panels]


def test_multiprocessors_have_a_panel_for_every_sweep(report: Report) -> None:
    assert titles(gpu_curves.execution(report)) == [
        "warps of a block",
        "lanes so many words apart",
        "blocks of a launch",
        "register pressure",
        "shared memory pressure",
        "launches of an empty kernel",
    ]


def test_memory_has_a_panel_for_every_way_to_it(report: Report) -> None:
    assert titles(gpu_curves.paths(report)) == [
        "by load path",
        "on the chip",
        "reads of all multiprocessors",
        "walk through memory",
        "translation of addresses",
        "near and far lines of L2",
        "shared memory of a cluster",
        "copies by the copy unit",
    ]


def test_a_band_is_the_interval_of_its_finding(report: Report) -> None:
    data = gpu_curves.execution(report)
    assert data is not None
    (panel,) = [one for one in data.panels if one.title == "blocks of a launch"]
    ((low, high),) = panel.bands
    assert (panel.settings[low], panel.settings[high]) == ("132", "160")


def test_warps_that_stay_stand_beside_those_that_fit(report: Report) -> None:
    data = gpu_curves.execution(report)
    assert data is not None
    (panel,) = [one for one in data.panels if one.title == "register pressure"]
    measured, fits = panel.series
    assert (measured.label, fits.label) == ("measured", "that fit by the limits")
    assert measured.values == pytest.approx(fits.values, rel=0.08)
    assert (fits.values[0], fits.values[-1]) == (64, 8)


def test_drawings_are_drawings_and_not_large(report: Report) -> None:
    for collect in (gpu_curves.execution, gpu_curves.paths):
        data = collect(report)
        assert data is not None
        svg = curves.draw(data)
        assert svg.count("<svg") == 1
        assert len(svg) < 200_000


def test_rates_of_launches_are_not_those_of_cores(report: Report) -> None:
    rates = pictures.rates(report)
    sweep = pictures.sweep(report)
    assert rates is not None
    assert sweep is not None
    assert rates.cores == 0
    assert [curve.pages for curve in sweep.curves] == ["loads cached at all levels (ca)"]


def test_a_report_without_such_quantities_has_no_panels(report: Report) -> None:
    bare = replace(report, quantities=(), findings=(), kept={})
    assert gpu_curves.execution(bare) is None
    assert gpu_curves.paths(bare) is None


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Markdown of the device's page."""
    root = tmp_path_factory.mktemp("site")
    truth = GpuTruth()
    run, rows = make(
        truth, asked=[probe(truth) for probe in (*SUITE, *gpu_library.QUESTIONS, *gpu_intensity.QUESTIONS)]
    )
    write.seal(root / "data" / run.device.id / run.run, run, rows, programs(truth))
    Renderer(root / "data", root / "cache", Links(True, KNOWN), "https://reports.example/").render()
    return (root / "cache" / "pages" / device_page(run.device.id)).read_text(encoding="utf-8")


def test_every_section_with_numbers_has_its_figure_and_its_table(page: str) -> None:
    for name in ("latency", "throughput", "execution", "working_set", "paths", "bandwidth", "roofline"):
        assert f'id="figure-{name}"' in page, name
    for name in ("execution", "memory", "paths", "bandwidth", "roofline"):
        assert f'id="table-{name}"' in page, name


def test_the_page_is_worded_for_a_gpu(page: str) -> None:
    text = re.sub(r"<[^>]+>", " ", page)
    for word in ("one core", "1 core", "cores used", "core clock", "canary", "write-allocate", "4 KiB pages"):
        assert word not in text, word
    assert not offences(text)
    assert "multiprocessors 132" in " ".join(text.split())


def test_a_metric_stands_in_one_table_of_the_page(page: str) -> None:
    ids = re.findall(r'<tr id="((?:memory|execution)\.[^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert {"memory.cg.l1.latency", "memory.cluster.8.next", "memory.l2.capacity.all_multiprocessors"} <= set(
        ids
    )
    assert {"execution.launch_overhead.fixed"} <= set(ids)


def test_our_rates_stand_beside_those_of_the_vendor(page: str) -> None:
    """The copy of the suite reaches 0.9 of a level, the driver's 0.95; cuBLAS 0.8 of the tensor peak."""
    assert page.index('id="table-roofline"') < page.index('id="table-vendor"')
    shown = {
        name: float(value)
        for name, value in re.findall(
            r'<tr id="(vendor\.[^"]+)"[^>]*>.*?<td[^>]*data-sort="([^"]+)"', page, re.DOTALL
        )
    }
    assert shown == {
        "vendor.copy_l2.ratio": pytest.approx(0.9 / 0.95, rel=0.01),
        "vendor.copy_dram.ratio": pytest.approx(0.9 / 0.95, rel=0.01),
        "vendor.gemm_tensor_fp16.ratio": pytest.approx(1 / 0.8, rel=0.01),
        "vendor.gemm_tensor_fp8.ratio": pytest.approx(1 / 0.8, rel=0.01),
        "vendor.gemm_tensor_int8.ratio": pytest.approx(1 / 0.8, rel=0.01),
    }
    told = html.unescape(re.sub(r"<[^>]+>", "", page))
    assert "(the driver's copy, matrix products of cuBLAS): 3 of 5; the lowest is 0.947 of it." in told


def test_a_kernel_has_an_intensity_at_every_level_that_counters_spoke_of(page: str) -> None:
    """Tiles of 128 give 64 FLOP a byte behind the second level; through the first go four times its bytes."""
    row = re.search(r'<tr id="kernel\.vendor_gemm_fp16\.8192".*?</tr>', page, re.DOTALL)
    assert row is not None
    told = re.sub(r"<[^>]+>", " ", row[0])
    assert "(counter)" in told
    assert "by counters: L1 16, L2 64, DRAM 1820 FLOP/byte" in " ".join(told.split())
    other = re.search(r'<tr id="kernel\.vendor_gemm_fp8\.8192".*?</tr>', page, re.DOTALL)
    assert other is not None
    assert "by counters" not in other[0]
