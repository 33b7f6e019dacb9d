"""Named workloads under the roofs of a made-up device."""

from __future__ import annotations

import csv
import io
import json

import pytest

from reportgen.roofline import workloads
from reportgen.roofline.sheet import Sheet
from reportgen.roofline.workloads import Placed
from reportgen.workload.templates.named import NAMED, counted
from tests.unit.roofline.cases import roof


def sheet(*names: str) -> Sheet:
    rates = {"fp32": 100e9, "bf16": 400e9, "dram": 20e9}
    made = {name: roof(name, rates[name]) for name in names}
    compute = tuple(one for name, one in made.items() if name != "dram")
    memory = tuple(one for name, one in made.items() if name == "dram")
    return Sheet("core", "Core", "run", compute, memory, (), (), (), ())


@pytest.fixture(scope="module")
def placed() -> dict[str, Placed]:
    return {one.named.id: one for one in workloads.place(sheet("fp32", "bf16", "dram"))}


def test_all_are_placed_in_the_types_they_are_run_in(placed: dict[str, Placed]) -> None:
    assert list(placed) == [one.id for one in NAMED]
    assert placed["resnet50"].precision == "fp32"
    assert placed["llama2_7b_decode_1"].precision == "bf16"
    assert [one.whole.id for one in placed.values()] == list("ABCDEFGHI")


def test_known_counts_and_intensities(placed: dict[str, Placed]) -> None:
    assert placed["resnet50"].count.total.mac == 4_089_184_256
    _, one = placed["llama2_7b_decode_1"].count.intensity
    _, many = placed["llama2_7b_decode_16"].count.intensity
    assert one == pytest.approx(1, rel=0.05)
    assert 8 < many < 16


def test_times_follow_from_the_roofs(placed: dict[str, Placed]) -> None:
    whole = placed["llama2_7b_decode_1"].whole
    assert whole.predicted is not None
    moved = placed["llama2_7b_decode_1"].count.traffic.compulsory
    assert whole.predicted.at_least == pytest.approx(moved / 20e9)
    assert whole.verdict.limiter == "dram"
    assert placed["vgg16"].whole.verdict.limiter == "fp32"


def test_layers_that_are_alike_are_one_and_add_up(placed: dict[str, Placed]) -> None:
    one = placed["llama2_7b_prefill"]
    assert [(module.name, module.alike) for module in one.modules] == [
        ("embedding", 1), ("layers.0 … layers.31", 32), ("head", 1),
    ]  # fmt: skip
    assert one.modules[0].entry is None
    for some in placed.values():
        assert sum(module.alike * module.share.work.mac for module in some.modules) == some.count.total.mac


def test_without_a_peak_or_a_bandwidth_there_is_nothing_to_say() -> None:
    assert workloads.place(sheet("fp32")) == ()
    assert {one.precision for one in workloads.place(sheet("fp32", "dram"))} == {"fp32"}
    only_narrow = workloads.place(sheet("bf16", "dram"))
    assert only_narrow
    assert all(one.named.narrow for one in only_narrow)


def test_csv_and_json_hold_modules_and_counts(placed: dict[str, Placed]) -> None:
    some = tuple(placed.values())
    rows = list(csv.DictReader(io.StringIO(workloads.to_csv(some).decode())))
    whole = next(row for row in rows if row["workload"] == "resnet50" and not row["module"])
    assert int(whole["mac"]) == 4_089_184_256
    assert float(whole["at_least"]) <= float(whole["at_most"])
    stored = {one["workload"]: one for one in json.loads(workloads.to_json(some))}
    assert stored["resnet50"]["count"]["by_kind"]["Conv"]["mac"] > 4e9
    assert stored["gpt2_prefill"]["modules"][1]["alike"] == 12


def test_a_workload_is_counted_once_for_all_devices() -> None:
    assert counted("vgg16", "float32") is counted("vgg16", "float32")
