"""The section about instruction supply: of a CPU with two lengths of code, of a GPU with one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reportgen.findings.lint import offences
from reportgen.runs import write
from reportgen.site.address import Links, device_page
from reportgen.site.render import Renderer
from tests.simulated import gpu
from tests.simulated.cpu import make_records
from tests.simulated.footprint_points import footprint_probe
from tests.simulated.gpu_footprint import TrueCode, footprint
from tests.simulated.gpu_truth import GpuTruth
from tests.simulated.truth import CpuTruth
from tests.unit.site.conftest import KNOWN


def rendered(root: Path, device: str) -> str:
    Renderer(root / "data", root / "cache", Links(True, KNOWN), "https://reports.example/").render()
    return (root / "cache" / "pages" / device_page(device)).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def cpu(tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("cpu")
    run, columns, programs = make_records(CpuTruth().quiet(), 3, lambda one: [footprint_probe(one)])
    rows = {name: column.tolist() for name, column in columns.items()}
    write.seal(root / "data" / run.device.id / run.run, run, rows, programs)
    return rendered(root, run.device.id)


def row(page: str, metric: str) -> str:
    found = re.search(rf'<tr[^>]*id="{re.escape(metric)}".*?</tr>', page, re.DOTALL)
    assert found is not None
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", found[0]))


def test_what_two_lengths_agree_on_comes_first(cpu: str) -> None:
    assert 'id="figure-code_footprint"' in cpu
    ends = cpu.index('id="table-code_footprint"')
    assert ends < cpu.index('id="fetch.op_cache.capacity"') < cpu.index('id="fetch.nop4.level1.capacity"')
    assert "bands are those ends" in cpu
    assert "is consistent with a limit in bytes" in cpu
    assert not offences(re.sub(r"<[^>]+>", " ", cpu))


def test_ends_stand_in_bytes_and_instructions_and_rates_in_both(cpu: str) -> None:
    assert re.search(r"moves of 2 bytes, level 1 .* KiB", row(cpu, "fetch.move2.level1.capacity"))
    count = row(cpu, "fetch.op_cache.capacity")
    assert re.search(r" – \d+ … \d+ ", count), count  # no size, but a count
    assert " 5.9" in row(cpu, "fetch.move4.level1.rate") or " 6" in row(cpu, "fetch.move4.level1.rate")
    assert " 24 " in row(cpu, "fetch.move4.level1.rate")


def test_a_gpu_s_ends_are_numbered_and_banded(tmp_path: Path) -> None:
    run, rows = gpu.make(GpuTruth(), asked=[footprint(TrueCode())])
    write.seal(tmp_path / "data" / run.device.id / run.run, run, rows, ())
    page = rendered(tmp_path, run.device.id)
    assert "so no end is given a name" in re.sub(r"\s+", " ", page)
    assert "Bands are the ends of the first curve." in page
    assert "FFMA, 16 warps, level 2" in row(page, "fetch.ffma_16_warps.level2.capacity")
    assert not offences(re.sub(r"<[^>]+>", " ", page))
