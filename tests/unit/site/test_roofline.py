"""The roofline on the page: verdicts, charts, their data, and what the script draws from."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from reportgen.findings.lint import offences_in_html
from reportgen.roofline.bounds import Moved
from reportgen.roofline.points import Point
from reportgen.roofline.roofs import Absent
from reportgen.roofline.sheet import Sheet, entries
from reportgen.site import address, roofline_data
from reportgen.site.figures import labels, roofline_record
from reportgen.site.figures.labels import Box
from reportgen.site.figures.roofline import standalone
from reportgen.site.markup import escape
from reportgen.site.render import Renderer
from reportgen.site.sections import roofline as section
from tests.simulated.asked import Asked
from tests.simulated.cpu import make_data
from tests.simulated.memory_points import bandwidth_probe, working_set_probe
from tests.simulated.roofline_points import peak_probes, sustained_probe
from tests.simulated.truth import CpuTruth
from tests.unit.roofline.cases import roofs
from tests.unit.site.conftest import Rendered


def page_of(rendered: Rendered) -> str:
    page = rendered.page(address.device_page(rendered.site.shelves[0].device))
    return page[page.index("{#roofline}") : page.index("{#measuring}")]


def asset(rendered: Rendered, name: str) -> bytes:
    device = rendered.site.shelves[0].device
    uri = address.run_asset(device, rendered.newer.name, f"figures/{name}")
    assert uri in {item.uri for item in rendered.site.assets}
    return (rendered.cache / "pages" / uri).read_bytes()


def test_bandwidths_of_all_cores_stand_beside_those_of_one(rendered: Rendered) -> None:
    page = page_of(rendered)
    table = page[page.index('id="table-all-cores"') :]
    body = table[table.index("<tbody>") : table.index("</tbody>")]
    assert "DRAM" in body
    assert " times</td>" in body


def test_with_arithmetic_on_all_cores_they_have_a_figure(tmp_path: Path) -> None:
    def some(truth: CpuTruth) -> list[Asked]:
        memory = [bandwidth_probe(truth), working_set_probe(truth)]
        return [*peak_probes(truth), sustained_probe(truth), *memory]

    quiet = CpuTruth().quiet()
    truth = replace(quiet, noise=replace(quiet.noise, wobble=0.002))
    made = make_data(truth, 1, tmp_path / "data", some)
    site = Renderer(tmp_path / "data", tmp_path / "cache").render()
    name = address.run_asset(site.shelves[0].device, made.name, "figures/roofline_all_cores")
    stored = {item.uri: item.path for item in site.assets}
    assert {f"{name}.{ending}" for ending in ("light.svg", "dark.svg", "svg", "csv", "json")} <= stored.keys()
    record = json.loads(stored[f"{name}.json"].read_bytes())
    assert [roof["metric"] for roof in record["compute"]] == ["peak.fp32.sustained"]
    assert {ridge["precision"] for ridge in record["ridges"]} == {"fp32"}
    page = (tmp_path / "cache" / "pages" / address.device_page(site.shelves[0].device)).read_text()
    assert page.count("roofline_all_cores.light.svg") == 1
    assert offences_in_html(page) == ()


def test_each_kernel_has_a_row_with_its_verdict(rendered: Rendered) -> None:
    page = page_of(rendered)
    table = page[page.index('id="table-kernels"') :]
    for metric in ("kernel.sgemm.512", "kernel.saxpy.33554432", "kernel.sgemv.8192"):
        row = table[table.index(f'id="{metric}"') :]
        assert 'class="rg-verdict rg-standing-' in row[: row.index("</tr>")]
    assert "FLOP/byte" in table
    assert "(compulsory)" in table
    for metric in ("peak.fp32", "ridge.fp32.dram"):
        assert f'id="{metric}"' in page


def test_what_is_not_drawn_is_listed_with_its_reason(rendered: Rendered) -> None:
    page = page_of(rendered)
    assert "Not drawn, and why" in page
    assert "<b>BF16 roof</b>: The device lacks avx512bf16 and amx-bf16." in page
    assert "nominal peak: FP64, FP32" in page


def test_a_figure_has_its_data_beside_it(rendered: Rendered) -> None:
    page = page_of(rendered)
    assert all(f'figures/roofline.{kind}"' in page for kind in ("csv", "json", "svg"))
    rows = list(csv.DictReader(io.StringIO(asset(rendered, "roofline.csv").decode())))
    names = {row["name"] for row in rows}
    assert "sgemm n=1024" in names
    assert {
        entry["point"]["name"] for entry in json.loads(asset(rendered, "roofline.json"))["points"]
    } == names
    assert b"<title>" in asset(rendered, "roofline.svg")


def test_the_script_has_everything_that_the_drawing_shows(rendered: Rendered) -> None:
    page = page_of(rendered)
    match = re.search(r'<script type="application/json">(.*?)</script>', page)
    assert match is not None
    data = json.loads(match.group(1))
    assert {roof["name"] for roof in data["compute"]} == {"fp32", "fp64"}
    assert {roof["name"] for roof in data["memory"]} >= {"l1", "dram"}
    for point in data["points"]:
        assert {
            "id",
            "name",
            "bytes",
            "level",
            "levels",
            "rate",
            "share",
            "limiter",
            "verdict",
        } <= point.keys()
        assert f'id="{point["row"]}"' in page
    assert page.index('class="rg-roofline"') < page.index('id="figure-roofline"') < page.index("</script>")


def sheet(*points: Point, **fields: Any) -> Sheet:
    some = roofs()
    return Sheet("d", "n", "r", tuple(some.compute.values()), tuple(some.memory.values()), (), (),
                 entries(points, some), **({"absent": ()} | fields))  # fmt: skip


def point(name: str, rate: float, level: str = "dram", **fields: Any) -> Point:
    return Point(name, 1e9, {level: Moved(1e9)}, "fp32", rate=rate, low=rate, high=rate, group=name, **fields)


def test_kernels_above_a_roof_share_a_box_and_neighbours_their_causes() -> None:
    box = section.above(
        sheet(point("one", 26e9), point("two", 27e9), point("three", 380e9), point("low", 1e9))
    )
    assert "3 kernels stand above a measured roof" in box
    assert box.count("<ol>") == 2
    first = box[box.index("<b>A one") : box.index("</ol>")]
    assert "B two" in first
    assert first.index("another mix of loads and stores") < first.index("another clock")
    assert "low" not in re.findall(r"<b>[A-Z] (\w+)</b>", box)
    assert section.above(sheet(point("low", 1e9))) == ""


def test_advice_that_many_kernels_get_is_written_once() -> None:
    def told(*rates: float) -> str:
        some = sheet(*(point(f"k{n}", rate) for n, rate in enumerate(rates)))
        return section.kernels(some, lambda _, text: escape(text), "Kernels.")

    many = told(1e9, 1.1e9, 1.2e9, 19e9)
    assert many.count("access pattern") == 1
    assert many.count('href="#change-a"') == 3
    assert '<li id="change-a">' in many
    assert many.count("fuse with the kernels") == 1
    assert "(b) below" not in many
    few = told(1e9, 19e9)
    assert "#change-" not in few
    assert few.count("access pattern") == 1


def test_a_long_list_of_what_is_missing_is_folded() -> None:
    few = section.absent(sheet(absent=(Absent("x", "y"),)))
    many = section.absent(sheet(absent=tuple(Absent(str(n), "y") for n in range(9))))
    assert "<details" not in few
    assert "<details" in many
    assert "(9)" in many
    assert section.absent(sheet()) == ""


def test_data_in_a_script_cannot_end_it() -> None:
    text = roofline_data.embedded(sheet(point("</script><b>&", 1e9)))
    assert "<" not in text
    assert json.loads(text)["points"][0]["name"] == "</script><b>&"


def test_both_charts_have_the_same_whole_decades() -> None:
    flop = roofline_record.record(sheet(point("k", 1e9)).with_unit("FLOP"), "FLOP")
    op = roofline_record.record(sheet().with_unit("OP"), "OP")
    assert roofline_record.frame(flop)[:2] == roofline_record.frame(op)[:2] == (0.01, 1000.0)
    assert op.unit == "OP"
    assert op.bound == "int8"
    far = Point("far", 1e9, {"dram": Moved(1e4)}, "fp32", rate=2e12, low=2e12, high=2e12)
    left, right, bottom, top = roofline_record.frame(roofline_record.record(sheet(far), "FLOP"))
    assert (left, right) == (0.01, 1e5)
    assert bottom <= 2e8
    assert top == 1e13


def test_a_prediction_stands_clear_of_the_names_of_roofs() -> None:
    def right(rate: float | None) -> float:
        on_the_roof = Point("on the roof", 1e12, {"dram": Moved(1e10)}, "fp32", rate=rate)
        return roofline_record.frame(roofline_record.record(sheet(on_the_roof), "FLOP"))[1]

    assert right(1e9) == 1e3  # measured, below the roof: axes of several charts stay the same
    assert right(None) == 1e4


def test_the_pointer_is_told_intensity_rate_share_and_limiter() -> None:
    (kernel,) = roofline_record.record(sheet(point("kernel", 18e9)), "FLOP").kernels
    assert kernel.told.splitlines() == [
        "A kernel, FP32",
        "I = 1 FLOP/byte in DRAM",
        "achieved 18 GFLOP/s",
        "90 % of 20 GFLOP/s, the DRAM roof",
        "near a roof: DRAM",
    ]


def test_no_label_lies_on_another_or_on_a_mark() -> None:
    spots = [(100 + 7 * (n % 9), 100 + 6 * (n // 9), f"A{n}") for n in range(45)]
    frame = Box(60, 60, 260, 220)
    taken = [Box(90, 100, 130, 112)]
    boxes = [
        Box(
            x + spot.dx,
            y + spot.dy,
            x + spot.dx + labels.ADVANCE * labels.SIZE * len(text),
            y + spot.dy + labels.SIZE,
        )
        for (x, y, text), spot in zip(spots, labels.place(spots, frame, taken), strict=True)
        if spot is not None
    ]
    assert 5 < len(boxes) < 45
    marks = [
        Box(x - labels.MARKER, y - labels.MARKER, x + labels.MARKER, y + labels.MARKER) for x, y, _ in spots
    ]
    for place, box in enumerate(boxes):
        assert box.inside(frame)
        assert not any(box.meets(other) for other in (*boxes[:place], *marks, *taken))


def test_a_file_of_its_own_keeps_its_colours_written_out() -> None:
    svg = '<svg viewBox="0 0 1 1"><defs></defs><path style="fill: #1f2329"/></svg>'
    made = standalone(svg)
    assert 'style="fill: #1f2329"' in made
    assert '[style*="fill: #1f2329"]{fill:#e4e7ec!important}' in made


@pytest.mark.parametrize("unit", ["FLOP", "OP"])
def test_without_a_roof_there_is_no_chart(unit: str) -> None:
    bare = msgspec.structs.replace(sheet(), compute=())
    assert not roofline_record.drawable(bare.with_unit(unit))
