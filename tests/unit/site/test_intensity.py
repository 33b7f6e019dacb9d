"""A stream that computes on the page: drawn on the roofline, with a table of ridges and one of all rates."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from reportgen.findings.lint import offences_in_html
from reportgen.runs import write
from reportgen.site import address
from reportgen.site.figures import roofline, roofline_record
from reportgen.site.render import Renderer
from tests.simulated import gpu_execution, gpu_intensity, gpu_memory
from tests.simulated.asked import Asked
from tests.simulated.cpu import make_data
from tests.simulated.gpu import make
from tests.simulated.gpu_truth import GpuTruth
from tests.simulated.intensity_points import MULTIPLY_ADDS, sweep_probe
from tests.simulated.memory_points import bandwidth_probe, working_set_probe
from tests.simulated.roofline_points import peak_probes
from tests.simulated.truth import CpuTruth

LEVELS = ("L1", "L2", "L3", "DRAM")
SEEN = "ridge.observed.fp32"


def suite(truth: CpuTruth) -> list[Asked]:
    return [working_set_probe(truth), bandwidth_probe(truth), *peak_probes(truth), sweep_probe(truth)]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Path]]:
    """Markdown of the device's page, and the files of the site by where they lie."""
    root = tmp_path_factory.mktemp("site")
    made = make_data(CpuTruth().quiet(), 1, root / "data", suite)
    site = Renderer(root / "data", root / "cache").render()
    device = site.shelves[0].device
    text = (root / "cache" / "pages" / address.device_page(device)).read_text(encoding="utf-8")
    beside = {item.uri: item.path for item in site.assets}
    folder = address.run_asset(device, made.name, "figures/")
    return text, {uri.removeprefix(folder): path for uri, path in beside.items() if uri.startswith(folder)}


def body_of(text: str, name: str) -> str:
    table = text[text.index(f'id="table-{name}"') :]
    return table[table.index("<tbody>") : table.index("</tbody>")]


def test_every_level_has_a_row_beside_what_two_ceilings_give(page: tuple[str, dict[str, Path]]) -> None:
    body = body_of(page[0], "intensity")
    for level in LEVELS:
        assert f'id="{SEEN}.{level.lower()}"' in body
        assert f"{level}, FP32" in body
    assert body.count("agrees") == len(LEVELS)
    assert "disagrees" not in body
    assert len(re.findall(r">(?:99|100|101) %<", body)) == 2 * len(LEVELS)


def test_all_rates_stand_in_a_table_of_their_own(page: tuple[str, dict[str, Path]]) -> None:
    body = body_of(page[0], "intensity-rates")
    assert body.count("<tr") == len(MULTIPLY_ADDS)
    assert body.count("FLOP/s<") == len(LEVELS) * len(MULTIPLY_ADDS)


def test_no_word_says_more_than_was_measured(page: tuple[str, dict[str, Path]]) -> None:
    assert offences_in_html(page[0]) == ()


def test_the_sweep_is_drawn_and_lies_in_the_data(page: tuple[str, dict[str, Path]]) -> None:
    text, files = page
    assert "Small circles, joined" in text
    assert "small circles: a stream that computes" in files["roofline.svg"].read_text(encoding="utf-8")
    record = json.loads(files["roofline.json"].read_bytes())
    assert [one["level"] for one in record["sweeps"]] == [level.lower() for level in LEVELS]
    for one in record["sweeps"]:
        assert one["intensity"] == [count / 16 for count in MULTIPLY_ADDS]
        assert len(one["rate"]) == len(MULTIPLY_ADDS)
    embedded = text[text.index('<script type="application/json"') :]
    drawn = json.loads(embedded[embedded.index("{") : embedded.index("</script>")])
    assert [len(one["places"]) for one in drawn["sweeps"]] == [len(MULTIPLY_ADDS)] * len(LEVELS)


def test_a_sweep_beyond_the_axes_widens_them() -> None:
    plain = roofline_record.Roofline(
        memory=(roofline_record.Memory("dram", "read", 1e10),),
        compute=(roofline_record.Compute("fp32", 1e11),),
    )
    swept = roofline_record.Sweep("dram", ((0.001, 1e7), (5000.0, 1e11)))
    wide = roofline_record.Roofline(plain.memory, plain.compute, sweeps=(swept,))
    assert roofline_record.frame(plain)[:2] == (0.01, 1000.0)
    assert roofline_record.frame(wide)[:2] == (0.001, 10000.0)
    assert "small circles" not in roofline.draw(plain)


def test_a_gpu_has_its_two_levels(tmp_path: Path) -> None:
    truth = GpuTruth()
    needed = (gpu_memory.working_set, gpu_memory.streams, gpu_execution.peak_fp32, gpu_intensity.sweep)
    run, rows = make(truth, asked=[probe(truth) for probe in needed])
    write.seal(tmp_path / "data" / run.device.id / run.run, run, rows, ())
    Renderer(tmp_path / "data", tmp_path / "cache").render()
    text = (tmp_path / "cache" / "pages" / address.device_page(run.device.id)).read_text(encoding="utf-8")
    body = body_of(text, "intensity")
    assert body.count("<tr") == 2
    assert "L2, FP32" in body
    assert "one core" not in re.sub(r"<[^>]+>", " ", text[text.index("{#roofline}") :])
    assert offences_in_html(text) == ()
