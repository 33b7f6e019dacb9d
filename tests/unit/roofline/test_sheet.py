"""One record of all that a roofline shows: kernels placed by level, nominal roofs, what is missing."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.roofline import causes, nominal, verdict
from reportgen.roofline.points import Source, Workload, from_workload, measured
from reportgen.roofline.ridges import ridges
from reportgen.roofline.roofs import roofs
from reportgen.roofline.sheet import COLUMNS, Sheet, build, letters, to_csv, to_json
from reportgen.roofline.verdict import Standing
from reportgen.runs.schema import Device, Run
from reportgen.status import Status
from tests.unit.roofline.cases import KIB, MIB

DEVICE = Device("cpu-one", "cpu", "maker", "one", "x86_64", cores=4)


def run(**changes: Any) -> Run:
    fields: dict[str, Any] = {
        "schema": 2, "run": "20260101T000000Z-00000000", "created": "", "finished": "", "device": DEVICE,
        "environment": {}, "toolchain": {}, "suite": {}, "plan": {}, "clock": None, "probes": (),
        "points": (),
    }  # fmt: skip
    return Run(**(fields | changes))


def quantity(metric: str, value: float | None, half: float = 0.0, **changes: Any) -> Quantity:
    stem = metric.partition(".")[0]
    unit = {"bandwidth": "byte/second", "memory": "byte"}.get(stem, "FLOP/second")
    fields: dict[str, Any] = {
        "unit": unit, "status": Status.OK if value is not None else Status.UNSUPPORTED,
        "probe": f"p/{metric}", "method": "roofline", "reason": "" if value is not None else f"no {metric}",
    }  # fmt: skip
    if value is not None:
        fields |= {"value": value, "low": value * (1 - half), "high": value * (1 + half)}
    return Quantity(metric=metric, **(fields | changes))


def kernel(name: str, rate: float | None, flop: float, moved: float, **details: Any) -> Quantity:
    details = {"flop": flop, "bytes": moved, "variable": "n"} | details
    return quantity(f"kernel.{name}", rate, 0.01, details=details)


def given(*more: Quantity) -> tuple[Quantity, ...]:
    n = 1024
    found = (
        quantity("peak.fp32", 100e9, 0.01),
        quantity("peak.fp64", 50e9, 0.01),
        quantity("peak.int8", 400e9, unit="OP/second"),
        quantity("peak.fp16", None),
        quantity("bandwidth.l1.read", 1000e9, 0.01),
        quantity("bandwidth.l2.read", 400e9, 0.01),
        quantity("bandwidth.l3.read", None),
        quantity("bandwidth.dram.read", 20e9, 0.02),
        quantity("bandwidth.dram.read.all_cores", 60e9),
        quantity("memory.l1.capacity", 32 * KIB, low=31 * KIB, high=33 * KIB),
        quantity("memory.l2.capacity", MIB, low=900 * KIB, high=1100 * KIB),
        kernel("saxpy.4096", 60e9, 2 * 4096, 12 * 4096, precision="fp32", footprint=8.0 * 4096),
        kernel("saxpy.1048576", 3.1e9, 2 * MIB, 12 * MIB, precision="fp32", footprint=8 * MIB),
        kernel("sgemm.1024", 90e9, 2.0 * n**3, 12.0 * n * n),
        kernel("dgemm.64", None, 1.0, 1.0),
        *more,
    )
    return (*found, *ridges(found))


def sheet(*more: Quantity, **options: Any) -> Sheet:
    return build(run(), given(*more), **options)


def test_roofs_ridges_and_kernels_with_short_names() -> None:
    found = sheet()
    assert [roof.name for roof in found.compute] == ["fp32", "fp64", "int8"]
    assert [roof.name for roof in found.memory] == ["l1", "l2", "dram"]
    assert {ridge.metric: round(ridge.value, 2) for ridge in found.ridges}["ridge.fp32.dram"] == 5.0
    assert [(entry.id, entry.point.name) for entry in found.points] == [
        ("A1", "saxpy n=4096"), ("A2", "saxpy n=1048576"), ("B", "sgemm n=1024"),
    ]  # fmt: skip
    assert {absent.name: absent.reason for absent in found.absent}["dgemm n=64"] == "no kernel.dgemm.64"
    assert {absent.name for absent in found.absent} >= {"FP16 roof", "L3 roof"}


def test_a_kernel_lies_where_its_data_lie_and_crosses_every_level_inwards() -> None:
    near, far, product = (entry.point for entry in sheet().points)
    assert near.levels == ("l1", "l2")  # 32 KiB
    assert far.levels == ("dram",)
    assert set(far.moved) == {"l1", "l2", "dram"}
    assert far.intensity() == pytest.approx(1 / 6)
    assert product.precision == "fp32"  # by the letter of the routine
    # the second level is crossed by what 33 KiB cannot keep, memory by what 1100 KiB cannot
    assert product.intensity("l2") == pytest.approx(1 / 4 * (33 * KIB / 4) ** 0.5, rel=0.05)
    assert 1 / 4 * (1100 * KIB / 4) ** 0.5 < (product.intensity("dram") or 0) < 1024 / 6


def test_verdicts_of_the_sheet() -> None:
    found = {entry.id: entry.verdict for entry in sheet().points}
    assert (found["A2"].standing, found["A2"].limiter) == (Standing.NEAR, "dram")
    assert (found["B"].standing, found["B"].limiter) == (Standing.NEAR, "fp32")


def test_one_precision_or_one_level() -> None:
    assert [e.point.name for e in sheet(precision="fp64").points] == []
    found = sheet(level="l1")
    assert all(set(entry.point.moved) == {"l1"} for entry in found.points)
    outer = sheet(level="dram")
    assert [entry.point.name for entry in outer.points] == ["saxpy n=1048576", "sgemm n=1024"]
    assert any("inside DRAM" in absent.reason for absent in outer.absent)


def test_the_charts_of_flop_and_of_op_share_the_levels() -> None:
    flop, op = sheet().with_unit("FLOP"), sheet().with_unit("OP")
    assert [roof.name for roof in op.compute] == ["int8"]
    assert {ridge.precision for ridge in op.ridges} == {"int8"}
    assert op.memory == flop.memory
    assert op.points == ()


def test_work_that_was_only_counted_gets_a_bound_and_a_time() -> None:
    layer = Workload("layer", 2e9, {"dram": 1e9}, "fp32", Source.COMPULSORY, {"dram": 3e9})
    (entry,) = sheet(points=[from_workload(layer)]).points
    assert entry.verdict.standing is Standing.PREDICTED
    assert entry.verdict.bound is not None
    assert entry.verdict.bound.value == pytest.approx(40e9)
    assert entry.predicted is not None
    assert (entry.predicted.at_least, entry.predicted.at_most) == pytest.approx((0.05, 0.17))
    assert (entry.point.work_source, entry.point.bytes_source) == (Source.COUNTED, Source.COMPULSORY)


def test_up_to_the_reported_last_cache_nothing_is_said_to_lie_in_memory() -> None:
    reported = Device(
        "d", "cpu", "m", "n", "x86_64", reported={"l1d_bytes": 1, "l2_bytes": 2, "l3_bytes": 32 * 2**20}
    )
    found = roofs(given(), reported)
    assert found.levels(16 * MIB) == ("l3", "dram")
    assert found.levels(64 * MIB) == ("dram",)
    assert found.all_cores == {"dram": 3.0}
    bare = roofs([quantity("peak.fp32", 1e9)], reported)
    assert list(bare.ends) == ["l1", "l2", "l3"]
    assert roofs([quantity("peak.fp32", 1e9)]).levels(1.0) == ()


def test_a_kernel_of_unknown_work_has_no_place() -> None:
    odd = quantity("kernel.odd.1", 1e9)
    points, absent = measured([odd], roofs(given()))
    assert points == ()
    assert "does not state its work" in absent[0].reason


def test_nominal_roofs_stand_beside_measured_ones_or_say_why_not() -> None:
    gpu = Device(
        "g", "cuda", "NVIDIA", "X", "sm_90",
        reported={"dram_bytes_per_second": 25e9, "fp32_flop_per_second": 95e9, "l2_bytes": 3, "note": "x"},
    )  # fmt: skip
    stated = nominal.reported(gpu)
    assert {(one.name, one.value) for one in stated} == {("dram", 25e9), ("fp32", 95e9)}
    published = nominal.published(
        [
            ("bandwidth.dram", "DRAM bandwidth, nominal", 24e9, "a sheet"),
            ("", "FP64 peak, nominal", 60e9, "a sheet"),
            ("", "FP16 peak, matrix units, nominal", 1e15, "a sheet"),
        ]
    )
    found, absent = nominal.beside(roofs(given(), gpu), (*stated, *published))
    by_name = {one.name: one for one in found}
    assert by_name["dram"].value == 24e9  # the lowest that is stated
    assert by_name["dram"].ratio == pytest.approx(20 / 24)
    assert by_name["fp32"].ratio == pytest.approx(100 / 95)  # above nominal: shown as it is
    assert by_name["fp64"].source == "a sheet"
    assert [one.name for one in absent] == ["nominal bandwidth: L1, L2", "nominal peak: INT8"]
    assert all("for this device" in one.reason for one in absent)


def test_the_table_and_the_record_hold_base_units_and_no_empty_words() -> None:
    found = sheet()
    rows = list(csv.DictReader(io.StringIO(to_csv(found).decode())))
    assert tuple(rows[0]) == COLUMNS
    assert [row["id"] for row in rows] == ["A1", "A2", "B"]
    assert float(rows[1]["intensity"]) == pytest.approx(1 / 6)
    assert float(rows[1]["bytes"]) == 12 * MIB
    assert rows[1]["verdict"] == "near a roof"
    assert rows[1]["limiter"] == "dram"
    assert rows[1]["bytes_source"] == "compulsory"
    record = json.loads(to_json(found))
    assert record["points"][1]["verdict"]["standing"] == "near a roof"
    assert record["points"][1]["point"]["moved"]["dram"]["least"] == 12 * MIB
    assert "NaN" not in to_json(found).decode()


def test_letters_go_on_after_z() -> None:
    assert [letters(n) for n in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


def test_the_page_of_formats_names_every_column_and_key() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "data-formats.md").read_text(encoding="utf-8")

    def rows(heading: str) -> tuple[str, ...]:
        section = page.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
        return tuple(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))

    assert rows("roofline.csv, roofline_op.csv") == COLUMNS
    assert rows("roofline.json, roofline_op.json") == Sheet.__struct_fields__
    assert all(f"`{standing}`" in page for standing in Standing)
    assert all(f"`{source}`" in page for source in Source)


def test_the_page_of_the_method_gives_the_constants() -> None:
    path = Path(__file__).resolve().parents[3] / "docs" / "method" / "roofline.md"
    written = dict(
        re.findall(r"^\| ([^|`]+?) \| ([\d.]+) \|", path.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert float(written["near"]) == verdict.NEAR
    assert float(written["partial"]) == verdict.PARTIAL
    assert float(written["above"]) == verdict.ROOM
    assert float(written["width of a cause"]) == causes.WIDTH
    assert float(written["boost"]) == causes.BOOST
