"""`reportgen roofline --compare`: the same workload under the roofs of two devices."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.cli import roofline_chart
from reportgen.cli.main import main
from reportgen.cli.roofline_chart import HEIGHT
from reportgen.findings.lint import offences, offences_in_html
from tests.simulated.two_devices import STREAM_ID, make_two
from tests.unit.cli.test_roofline import GOLDEN, call

NAMES = ("simulated-core-4000", "--compare", STREAM_ID)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("two")
    make_two(folder)
    return folder


def test_bounds_deciders_and_their_ratio_at_one_intensity(two: Path) -> None:
    done = call(*NAMES, "--data", two, "--intensity", "0.25")
    assert done.exit_code == 0
    assert "1 Simulated Core 4000" in done.stdout
    assert "2 Simulated Stream 200" in done.stdout
    assert "0.25 FLOP/byte" in done.stdout
    assert len(re.findall(r" DRAM\b", done.stdout)) >= 2
    (ratio,) = re.findall(r"([\d.]+) times \(([\d.]+) … ([\d.]+)\): higher", done.stdout)
    assert float(ratio[1]) < 2 < float(ratio[2])
    assert offences(done.stdout) == ()


def test_the_chart_has_a_line_at_each_intensity_and_a_digit_a_device(two: Path) -> None:
    done = call(*NAMES, "--data", two, "--intensity", "0.25")
    lines = done.stdout.splitlines()
    start = next(n for n, line in enumerate(lines) if "columns of |" in line)
    chart = lines[start + 2 : start + 2 + HEIGHT]
    at = lines[start + 1].index("A")
    assert sum(line[at : at + 1] == "|" for line in chart) >= HEIGHT - 2
    assert any("111111" in line for line in chart)
    assert any("222222" in line for line in chart)


def test_a_page_of_a_comparison_works_offline(two: Path, tmp_path: Path) -> None:
    path = tmp_path / "compared.html"
    words = ("--intensity", "0.25", "--point", "mine <b>,2 GFLOP,1.2 GB", "--point", "other,1 GFLOP,1 MB")
    done = call(*NAMES, "--data", two, *words, "--html", path, "--json")
    assert "Wrote" not in done.stdout
    assert "mine" in json.dumps(json.loads(done.stdout))
    text = path.read_text(encoding="utf-8")
    assert "mine &lt;b&gt;" in text
    assert "<b>," not in text
    assert text.count("<img") == 1
    assert "against 1" in text
    assert not re.findall(r'(?:src|href)="(?!data:|#)[^"]*"', text)
    assert "http" not in text.replace("http://www.w3.org/", "")
    assert offences_in_html(text) == ()
    assert text.count("download=") == 2
    done = call(*NAMES, "--data", two, "--intensity", "0.25", "--html", path)
    assert f"Wrote {path}" in done.stdout


def test_a_chart_fits_into_a_narrow_terminal() -> None:
    assert roofline_chart.fitting(80) + roofline_chart.MARGIN < 80
    assert roofline_chart.fitting(200) == roofline_chart.WIDTH


def test_json_holds_sides_and_ratios(two: Path) -> None:
    record = json.loads(call(*NAMES, "--data", two, "--json", "--point", "k,1 TFLOP,10 GB,9 s").stdout)
    assert [one["device"] for one in record["devices"]] == ["simulated-core-4000", STREAM_ID]
    (row,) = record["rows"]
    assert [side["decides"] for side in row["sides"]] == ["fp32", "fp32"]
    assert row["sides"][0]["share"] == pytest.approx(0.5, rel=0.05)
    (ratio,) = row["ratios"]
    assert ratio["answer"] == "lower"
    assert ratio["low"] < 0.6 < ratio["high"] * 1.02


def test_work_without_a_time_will_do_here(two: Path) -> None:
    done = call(*NAMES, "--data", two, "--point", "mine,2 GFLOP,1 GB")
    assert "mine: 2 FLOP/byte" in done.stdout
    assert "achieved" not in done.stdout
    assert call("latest", "--data", two, "--point", "mine,2 GFLOP,1 GB").exit_code == 2


def test_the_batch_path_of_a_decoded_model(two: Path, tmp_path: Path) -> None:
    path = tmp_path / "across.svg"
    done = call(*NAMES, "--data", two, "--decode", "llama2_7b", "--batch", "1,16,256", "--svg", path)
    for name in ("batch 1:", "batch 16:", "batch 256:"):
        assert f"Llama 2 7B, decoding, {name}" in done.stdout
    assert "With ever larger batches the intensity tends to 12.8 FLOP/byte" in done.stdout
    assert "higher" in done.stdout
    assert "lower" in done.stdout  # few sequences: bandwidth; many: peak
    tree = ET.fromstring(path.read_text(encoding="utf-8"))
    titles = [node.text or "" for node in tree.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == 3 * 2
    assert titles[0].startswith("A Llama 2 7B, decoding, batch 1, FP32 on Simulated Core 4000\n")
    assert "\nI = 0.5 FLOP/byte" in titles[0]
    assert "prefers-color-scheme:dark" in path.read_text(encoding="utf-8")
    assert offences(" ".join(node.text or "" for node in tree.iter())) == ()


def test_a_missing_roof_is_said_once(two: Path) -> None:
    done = call(*NAMES, "--data", two, "--decode", "gpt2", "--precision", "bf16", "--batch", "1,2")
    assert done.stdout.count("no BF16 roof was measured") == 1
    assert "at most" in done.stdout


def test_one_figure_needs_one_precision_and_level(two: Path, tmp_path: Path) -> None:
    table = tmp_path / "points.csv"
    table.write_text("name,work,bytes,seconds,level\na,1e9,1e9,1,l2\nb,1e9,1e9,1,\n")
    done = call(*NAMES, "--data", two, "--csv", table, "--svg", tmp_path / "x.svg")
    assert done.exit_code == 2
    assert "several precisions or levels" in done.stderr
    done = call(*NAMES, "--data", two, "--csv", table)
    assert "(FP32, L2)" in done.stdout
    assert done.stdout.count("columns of |") == 2


def test_a_counted_model_on_both(two: Path) -> None:
    pytest.importorskip("onnx")
    done = call(GOLDEN / "resnet18_dyn.onnx", "--device", *NAMES, "--data", two)
    assert done.exit_code == 0
    assert "resnet18_dyn (all)" in done.stdout
    assert "Wrote" not in done.stdout


def test_work_that_was_only_counted_stands_at_its_bound_in_the_chart(two: Path) -> None:
    done = call(STREAM_ID, "--data", two, "--decode", "llama2_7b", "--batch", "1,256")
    assert re.search(r"---A2-+FP32$", done.stdout, re.MULTILINE)  # many sequences: at the peak
    assert re.search(r" A1/", done.stdout)  # one: on the slope of memory
    assert "predicted: FP32" in done.stdout
    assert offences(done.stdout) == ()


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_a_comparison_fits_the_terminal_with_every_number_whole(two: Path, width: int) -> None:
    words = [*NAMES, "--data", two, "--decode", "llama2_7b", "--batch", "1,256"]
    words += ["--point", "a kernel whose name is long,2GFLOP,1.2GB,1s", "--intensity", "0.25"]
    done = CliRunner().invoke(main, ["roofline", *map(str, words)], env={"COLUMNS": str(width)})
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= width
    after = [line for line in lines[lines.index("id  workload: intensity") :] if line]
    assert "A   a kernel whose name is long: 1.67 FLOP/byte" in after
    side = re.compile(r" +[12] +[\d.]+ [GMT]FLOP/s \([\d.]+ … [\d.]+\) +(?=[A-Z])")
    sides = [found for line in after if (found := side.match(line))]
    assert len(sides) == 2 * 4, "a line a device, for each workload"
    assert sum(" 2 against 1: " in line and line.endswith(("higher", "lower", "same")) for line in after) == 4
    if width >= 80:
        assert len({found.end() for found in sides}) == 1, "under each other"
