"""Counters through a stand-in of Nsight Compute: whose number it is, and every way to get none."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import msgspec
import pytest

from reportgen.backends.base import Build, Order
from reportgen.backends.cuda import counter_metrics, counters, profiled, profiling, targets
from reportgen.backends.cuda.ctypes_binding import CtypesBinding
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.collect import counting
from reportgen.collect.messages import Made
from reportgen.runs.schema import Point, Run
from reportgen.status import Status
from tests.simulated import stand_in
from tests.simulated.gpu import make
from tests.simulated.gpu_truth import GpuTruth

TOOL = Path(__file__).resolve().parents[3] / "data/ncu/stand_in.py"
SETUP: dict[str, int | float | str] = {
    "kernel": "probe_x",
    "kind": "kernel",
    "arguments": "input:float; output:unsigned; clocks:unsigned",
    "threads": 32,
}


VENDORS: dict[str, int | float | str] = {"kind": "vendor", "routine": "gemm", "n": 16, "precision": "fp16"}


def order(point: str, how: str = "fine") -> Order:
    if point.startswith("vendor"):
        return Order(point, b"", "", VENDORS, 0.0, 0.0, 1, 0)
    code = f"stand-in ioc {stand_in.CYCLES} {how}\0".encode()
    return Order(point, code, "sha", SETUP | {"kind": "body"}, 0.0, 0.0, 1, 0)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, toolchain: str) -> Path:
    made = stand_in.build(tmp_path_factory.mktemp("driver"))
    if made is None:
        pytest.skip("no C compiler is here to build a stand-in for the driver")
    return made


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A process to watch that launches nothing, and says that it launched all but what is called `bad`."""
    script = tmp_path / "profiled.py"
    script.write_text(
        "import json, sys\n"
        "for order in json.load(open(sys.argv[1]))['orders']:\n"
        "    line = {'point': order['point'], 'reason': 'no' if order['point'] == 'bad' else ''}\n"
        "    open(sys.argv[2], 'a').write(json.dumps(line) + '\\n')\n"
    )
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nshift 2\nexec {sys.executable} {script} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr(profiling.sys, "executable", str(program))
    return tmp_path


def count(*points: str) -> profiling.Counted:
    return profiling.count(0, stand_in.DEVICE, [order(point) for point in points], 5.0, str(TOOL))


def test_numbers_go_to_the_points_that_were_launched(watched: Path) -> None:
    found = count("a", "bad", "b")
    assert found.said.startswith("ncu")
    assert "dram__bytes_read.sum" in found.said
    assert set(found.points) == {"a", "b"}
    assert found.points["a"] == {
        "flop": 2 * 1024 + 16.0, "dram_bytes": 3000.0, "l1_bytes": 4096.0, "shared_bytes": 8 * 128.0,
        "seconds": pytest.approx(1.5e-6),
    }  # fmt: skip


def test_all_kernels_of_the_vendors_are_added_up(watched: Path) -> None:
    found = count("a", "vendor 1", "bad", "vendor 2", "b")
    assert set(found.points) == {"a", "vendor 1", "vendor 2", "b"}
    assert found.points["vendor 1"] == found.points["vendor 2"]
    assert found.points["vendor 1"] == {
        "flop": 2 * (2 * 1024 + 16.0 + 1e6), "dram_bytes": 6000.0, "l1_bytes": 8192.0,
        "shared_bytes": 16 * 128.0, "seconds": pytest.approx(3e-6),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("isa", "bytes_told"), [("sm_80", 3000.0), ("sm_120", 4000.0), ("sm_121", None), ("sm_90a", 3000.0)]
)
def test_every_target_is_asked_for_metrics_of_its_own(
    watched: Path, isa: str, bytes_told: float | None
) -> None:
    device = msgspec.structs.replace(stand_in.DEVICE, isa=isa)
    found = profiling.count(0, device, [order("a")], 5.0, str(TOOL))
    assert found.points["a"].get("dram_bytes") == bytes_told
    assert found.points["a"]["flop"] == 2 * 1024 + 16.0


def test_every_published_target_is_known() -> None:
    for number in targets.PUBLISHED:
        asked = counter_metrics.asked(number)
        assert len(asked) == len(set(asked))
        assert counter_metrics.tensor(number)
        assert all(name.endswith(".sum") for name in asked)


BUSY = {counter_metrics.TENSOR_PIPE: 8.0}
SASS = {next(iter(counter_metrics.FLOP)): 10.0}


@pytest.mark.parametrize(
    ("values", "ours", "told"),
    [
        (SASS, True, {"flop": 20.0}),
        (SASS, False, {}),  # nothing says what the matrix units did
        (SASS | BUSY, True, {}),
        (SASS | {counter_metrics.TENSOR_PIPE: 0.0}, False, {"flop": 20.0}),
        (SASS | BUSY | dict.fromkeys(counter_metrics.tensor(90), 100.0), False, {"flop": 520.0}),
        (BUSY | {counter_metrics.TENSOR_OP: 64.0}, False, {"op": 64.0}),
        ({counter_metrics.L1: 5.0}, True, {"l1_bytes": 5.0}),
    ],
)
def test_work_is_told_only_where_all_of_it_was_counted(
    values: dict[str, float], ours: bool, told: dict[str, float]
) -> None:
    assert counter_metrics.told(values, 90, ours=ours) == told


def test_a_target_whose_matrix_units_read_shared_memory() -> None:
    passes = {counter_metrics.SHARED: 2.0}
    assert counter_metrics.told(passes, 100) == {}
    both = passes | {counter_metrics.SHARED_TENSOR: 6.0}
    assert counter_metrics.told(both, 100) == {"shared_bytes": 1024.0}


def test_a_metric_that_one_launch_lacks_is_not_added_up() -> None:
    assert counter_metrics.summed([{"a": 1.0, "b": 2.0}, {"a": 3.0}]) == {"a": 4.0}
    assert counter_metrics.summed([]) == {}


def test_kernels_under_the_roofs_and_products_are_counted() -> None:
    kinds = [SETUP, SETUP | {"kind": "body"}, VENDORS, VENDORS | {"routine": "copy"}]
    orders = [Order(str(n), b"", "", setup, 0.0, 0.0, 1, 0) for n, setup in enumerate(kinds)]
    assert [one.point for one in profiling.chosen(orders)] == ["0", "2"]


@pytest.mark.parametrize(
    ("behaviour", "says"),
    [
        ("refused", "not_permitted: the driver keeps counters for administrators"),
        ("silent", "unsupported: ncu wrote no report (it said nothing)"),
        ("short", "unsupported: launches in ncu's report are not those that were made"),
    ],
)
def test_no_numbers(watched: Path, monkeypatch: pytest.MonkeyPatch, behaviour: str, says: str) -> None:
    monkeypatch.setenv("STAND_IN_NCU", behaviour)
    found = count("a", "b")
    assert found.said.startswith(says)
    assert found.points == {}


def test_a_tool_that_hangs_is_stopped(watched: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_NCU", "hang")
    monkeypatch.setattr(profiling, "START_SECONDS", 0.2)
    found = profiling.count(0, stand_in.DEVICE, [order("a")], 0.2, str(TOOL))
    assert found.said == "unsupported: ncu says: no end within 0 s; it was stopped"


def test_no_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiling.shutil, "which", lambda name: None)
    assert count_without() == "unsupported: Nsight Compute (ncu) is not installed"
    gone = profiling.count(0, stand_in.DEVICE, [order("a")], 1.0, "/nowhere/ncu")
    assert gone.said.startswith("unsupported: ncu says: ")


def count_without() -> str:
    return profiling.count(0, stand_in.DEVICE, [order("a")], 1.0).said


def test_a_report_through_its_package(watched: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def metric(name: str) -> object:
        known = {"dram__bytes_read.sum": 5.0, "dram__bytes_write.sum": 2.0, "lts__t_bytes.sum": -1.0}
        if name not in known:
            return None
        valued = name != "lts__t_bytes.sum"
        return SimpleNamespace(unit=lambda: "byte", as_double=lambda: known[name], has_value=lambda: valued)

    names = ["frame_empty_32", "frame_mark", "probe_x", "frame_mark", "probe_x"]
    made = [SimpleNamespace(name=lambda name=name: name, metric_by_name=metric) for name in names]
    actions = SimpleNamespace(num_actions=lambda: len(made), action_by_idx=lambda index: made[index])
    package = ModuleType("ncu_report")
    report = SimpleNamespace(num_ranges=lambda: 1, range_by_idx=lambda place: actions)
    package.load_report = lambda path: report  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ncu_report", package)
    assert count("a", "b").points == {"a": {"dram_bytes": 7.0}, "b": {"dram_bytes": 7.0}}


def test_no_program_is_launched_when_time_is_over(library: Path, tmp_path: Path) -> None:
    launcher = CudaLauncher(0, stand_in.DEVICE, CtypesBinding(str(library)))
    profiled.run(profiled.Job(0, stand_in.DEVICE, [order("a")], -1.0), tmp_path / "done", launcher)
    assert (tmp_path / "done").read_bytes() == b""


def test_the_process_that_is_watched(library: Path, tmp_path: Path) -> None:
    launcher = CudaLauncher(0, stand_in.DEVICE, CtypesBinding(str(library)))
    orders = [order("a"), order("b", "refused"), order("c", "fault"), order("d")]
    profiled.run(profiled.Job(0, stand_in.DEVICE, orders, 60.0), tmp_path / "done", launcher)
    lines = [msgspec.json.decode(line) for line in (tmp_path / "done").read_bytes().splitlines()]
    assert [line["point"] for line in lines] == ["a", "b", "c"]  # nothing runs after a sticky error
    assert lines[0]["reason"] == ""
    assert "701" in lines[1]["reason"]
    assert "700" in lines[2]["reason"]


class Counter:
    """A backend whose counters say one thing of every point."""

    asked: list[str]

    def count(
        self, selector: str, device: object, orders: list[Order], seconds: float
    ) -> tuple[str, dict[str, dict[str, float]]]:
        self.asked = [order.point for order in orders]
        return "ncu 1: x", {order.point: {"flop": 8.0} for order in orders}


def sealed(counters: str) -> Run:
    run, _ = make(GpuTruth())
    points = (Point("p#a", "p", {}, Status.OK), Point("p#b", "p", {}, Status.FAILED, "no"))
    return msgspec.structs.replace(run, points=points, counters=counters)


def test_a_run_is_counted_once_at_its_end() -> None:
    made = {name: Made(Build(name, b"code")) for name in ("p#a", "p#b")}
    backend = Counter()
    run = counting.counted(backend, "cuda:0", sealed("ncu 1"), made, None)
    assert backend.asked == ["p#a"]
    assert run.counters == "ncu 1: x"
    assert [point.facts for point in run.points] == [{"counter.flop": 8.0}, {}]


def test_a_run_that_may_not_count_or_has_no_time_left() -> None:
    run = sealed(counters.NOT_PERMITTED)
    assert counting.counted(Counter(), "cuda:0", run, {}, None) is run
    assert counting.counted(object(), "cuda:0", sealed("ncu 1"), {}, None).counters == "ncu 1"
    late = counting.counted(Counter(), "cuda:0", sealed("ncu 1"), {}, 10.0)
    assert late.counters == "ncu 1: not read, time was nearly over"
