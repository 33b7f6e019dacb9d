"""`reportgen roofline`: a user's kernels and the run's own, as table, JSON and SVG; bad input in one line."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reportgen.cli import output
from reportgen.cli.main import main
from reportgen.cli.roofline_chart import HEIGHT, WIDTH
from reportgen.findings.lint import offences, offences_in_html
from tests.simulated.cpu import make_data
from tests.simulated.instruction_points import latency_probes
from tests.simulated.memory_points import bandwidth_probe, working_set_probe
from tests.simulated.roofline_points import library_probes, peak_probes
from tests.simulated.truth import CpuTruth

GOLDEN = Path(__file__).resolve().parents[3] / "data" / "golden" / "models"


def call(*words: str | Path) -> Result:
    result = CliRunner().invoke(main, ["roofline", *map(str, words)], env={"COLUMNS": "200"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")

    def some(truth: CpuTruth):
        measured = [bandwidth_probe(truth), working_set_probe(truth)]
        return [*peak_probes(truth), *library_probes(truth), *measured]

    make_data(CpuTruth(passes=2), 1, folder, some)
    return folder


def test_the_kernels_of_a_run_with_chart_verdicts_and_what_is_missing(data: Path) -> None:
    done = call("latest", "--data", data)
    assert done.exit_code == 0
    assert "roofs of one core" in done.stdout
    assert "sgemm n=512" in done.stdout
    assert "near a roof: DRAM" in done.stdout
    assert "Not drawn:" in done.stdout
    assert "BF16 roof: The device lacks avx512bf16" in done.stdout
    assert offences(done.stdout) == ()
    chart = [line for line in done.stdout.splitlines() if "FP32" in line and "---" in line]
    assert len(chart) == 1
    assert all(len(line) < WIDTH + 24 for line in done.stdout.splitlines()[2 : HEIGHT + 4])


def test_everything_fits_into_80_columns(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "columns", lambda: 80)
    monkeypatch.setattr(output, "WIDE", 80)
    lines = call("latest", "--data", data).stdout.splitlines()
    assert [line for line in lines if len(line) > 80] == []
    assert offences("\n".join(lines)) == ()
    assert "What to change:" in lines
    heading = next(line for line in lines if line.startswith("id"))
    assert heading.split() == ["id", "point", "FLOP/byte", "achieved", "of", "roof", "verdict"]
    assert any("sgemm n=512 " in line and "GFLOP/s" in line for line in lines)


def test_a_kernel_of_the_user_stands_alone(data: Path) -> None:
    done = call("--data", data, "--point", "mine,2 GFLOP,1.2 GB,1 s", "--point", "other, with comma,1,1,1")
    assert done.exit_code == 0
    assert "sgemm" not in done.stdout
    assert "A mine: at 1.67 FLOP/byte in DRAM (1.2 GB a call) the lowest roof above it is" in done.stdout
    assert "other, with comma" in done.stdout
    assert "neither roof" in done.stdout


def test_a_kernel_above_its_roof_gets_its_likely_causes(data: Path) -> None:
    done = call("--data", data, "--point", "fast,1e15,1e9,0.5")
    assert "above a roof" in done.stdout
    assert "times its roof (" in done.stdout
    assert "  1. " in done.stdout
    assert "To find out:" in done.stdout


def test_json_is_the_whole_sheet(data: Path) -> None:
    record = json.loads(call("--data", data, "--json").stdout)
    assert {"compute", "memory", "ridges", "nominal", "points", "absent"} <= record.keys()
    names = [entry["point"]["name"] for entry in record["points"]]
    assert "sgemm n=1024" in names
    (one,) = json.loads(call("--data", data, "--json", "--point", "k,2e9,1e9,1").stdout)["points"]
    assert one["point"]["rate"] == 2e9
    assert one["verdict"]["standing"] == "neither roof"


def test_level_and_precision_choose_among_the_runs_own(data: Path) -> None:
    record = json.loads(call("--data", data, "--json", "--precision", "FP64").stdout)
    assert {entry["point"]["precision"] for entry in record["points"]} == {"fp64"}
    record = json.loads(call("--data", data, "--json", "--level", "L1").stdout)
    assert {tuple(entry["point"]["moved"]) for entry in record["points"]} == {("l1",)}
    assert "measured no kernel in FP16" in call("--data", data, "--precision", "fp16").stdout


def test_a_table_of_kernels(data: Path, tmp_path: Path) -> None:
    table = tmp_path / "points.csv"
    table.write_text("name,flop,bytes,seconds,level\na,1e9,1e9,1,l2\nb,1e9,1e9,1,\n")
    record = json.loads(call("--data", data, "--csv", table, "--json").stdout)
    assert [list(entry["point"]["moved"]) for entry in record["points"]] == [["l2"], ["dram"]]


def test_the_figure_is_one_file_with_titles_and_both_palettes(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "roofline.svg"
    done = call("--data", data, "--point", "mine <fast>,2 GFLOP,1 GB,1 s", "--svg", path)
    assert f"Wrote {path}" in done.stdout
    text = path.read_text(encoding="utf-8")
    tree = ET.fromstring(text)
    titles = [node.text or "" for node in tree.iter("{http://www.w3.org/2000/svg}title")]
    assert any(
        title.startswith("A mine <fast>, FP32\nI = 2 FLOP/byte in DRAM\nachieved 2 GFLOP/s")
        for title in titles
    )
    assert "prefers-color-scheme:dark" in text
    assert "http" not in text.replace("http://www.w3.org/", "")


def test_a_page_that_works_offline(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "roofline.html"
    assert (
        f"Wrote {path}" in call("--data", data, "--point", "mine <b>,2 GFLOP,1 GB,1 s", "--html", path).stdout
    )
    text = path.read_text(encoding="utf-8")
    assert "mine &lt;b&gt;" in text
    assert "<b>," not in text
    assert not re.findall(r'(?:src|href)="(?!data:|#)[^"]*"', text)
    assert "http" not in text.replace("http://www.w3.org/", "")
    assert offences_in_html(text) == ()


def test_a_model_gets_the_bound_of_every_module(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnx")
    monkeypatch.chdir(tmp_path)
    model = GOLDEN / "resnet18_dyn.onnx"
    done = call(model, "--data", data, "--depth", "2")
    assert done.exit_code == 0
    assert "resnet18_dyn (all)" in done.stdout
    assert "precision: FP32" in done.stdout
    assert "FLOP = 2 MAC + other FLOP" in done.stdout
    assert "if all overlaps" in done.stdout
    assert "Wrote resnet18_dyn.roofline.html" in done.stdout
    text = Path("resnet18_dyn.roofline.html").read_text(encoding="utf-8")
    assert "predicted" in text
    (whole, *_) = json.loads(call(model, "--data", data, "--json").stdout)["points"]
    assert whole["point"]["work"] >= 2 * 1814073344
    assert whole["verdict"]["standing"] == "predicted"
    assert whole["predicted"]["at_least"] <= whole["predicted"]["at_most"]


def test_a_model_that_is_not_there_and_words_without_one(data: Path, tmp_path: Path) -> None:
    assert "There is no file" in call(tmp_path / "none.onnx", "--data", data).stderr
    assert "go with a model" in call("latest", "--data", data, "--dim", "batch=1").stderr


REFUSED = [
    (("--point", "k,2e9,1e9,0"), 2, "time is zero"),
    (("--point", "k,2e9,-1,1"), 2, "bytes is negative"),
    (("--point", "k,2 GFLOPS,1e9,1"), 2, "may be a count or a rate"),
    (("--point", "k,2e9,1 GiB,1"), 2, "binary prefix"),
    (("--point", "k"), 2, "not name,W,Q,T"),
    (("--csv", "none.csv"), 2, "cannot be read"),
    (("--precision", "single", "--point", "k,1,1,1"), 2, "'single' is no precision"),
    (("nowhere",), 4, "no run 'nowhere'"),
    (("--svg", "no/such/folder/x.svg"), 2, "cannot be written"),
    (("--intensity", "1"), 2, "--intensity goes with --compare"),
    (("--compare", "latest", "--intensity", "0"), 2, "is no work a byte"),
    (("--compare", "latest", "--intensity", "1", "--precision", "half"), 2, "'half' is no precision"),
    (("--compare", "latest"), 2, "no workload to compare by"),
    (("--compare", "latest", "--intensity", "1"), 2, "a run is named twice"),
    (("--compare", "nowhere", "--intensity", "1"), 4, "no run 'nowhere'"),
    (("--decode", "gpt2", "--precision", "int8"), 2, "not decoded in INT8"),
]


@pytest.mark.parametrize(("words", "code", "message"), REFUSED)
def test_bad_input_is_one_line(data: Path, words: tuple[str, ...], code: int, message: str) -> None:
    done = call(*words, "--data", data)
    assert done.exit_code == code
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("error: ")
    assert message in done.stderr


def test_points_are_read_before_the_run(tmp_path: Path) -> None:
    assert "time is zero" in call("--data", tmp_path, "--point", "k,1,1,0").stderr


def test_a_run_without_roofs_says_what_to_collect(tmp_path: Path) -> None:
    make_data(CpuTruth(passes=2), 1, tmp_path, lambda truth: latency_probes(truth)[:1])
    done = call("--data", tmp_path)
    assert done.exit_code == 2
    assert "has no measured roof" in done.stderr
    assert "reportgen collect" in done.stderr


def test_a_precision_that_is_none_is_told_without_a_kernel_too(data: Path) -> None:
    done = call("latest", "--data", data, "--precision", "fp99")
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "--precision: 'fp99' is no precision. One of fp64, fp32" in done.stderr
    assert call("latest", "--data", data, "--precision", "FP64").exit_code == 0
