"""Runs of a GPU whose driver is a stand-in: every way in which a kernel or a driver fails has its status."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from reportgen.collect.plan import EXTRA_ROUNDS
from reportgen.collect.runner import Options, Outcome, collect
from reportgen.errors import RunRefused
from reportgen.runs import read
from reportgen.runs.schema import Point
from reportgen.runs.verify import verify
from reportgen.status import Status
from tests.simulated import stand_in
from tests.simulated.faulty import suite

HOW = ("fine", "wrong", "still", "refused", "fault", "unwritten", "good")
"""`good` is no behaviour that spoils anything: it comes behind those that do."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, toolchain: str) -> Path:
    made = stand_in.build(tmp_path_factory.mktemp("driver"))
    if made is None:
        pytest.skip("no C compiler is here to build a stand-in for the driver")
    return made


def run(data: Path, library: Path, *how: str, **changes: object) -> Outcome:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(stand_in.LIBRARY, str(library))
        for name in [name for name in changes if name.startswith("STAND_IN")]:
            patch.setenv(name, str(changes.pop(name)))
        given: dict[str, object] = {"data": data, "selector": "cuda:0", "passes": 2, "seed": 1, "quick": True}
        options = Options(**(given | {"command": stand_in.command, "patience": 2.0} | changes))  # type: ignore[arg-type]
        asked = dataclasses.replace(suite(*how), tables={"cuda": {}})
        return collect(options, None, stand_in.StandIn(), asked)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def sealed(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run(tmp_path_factory.mktemp("data"), library, *HOW)


def points(outcome: Outcome) -> dict[str, Point]:
    return {str(p.settings["how"]): p for p in outcome.run.points if p.probe.endswith("trial")}


def test_every_way_to_fail_has_its_status(sealed: Outcome) -> None:
    found = points(sealed)
    assert {how: point.status for how, point in found.items()} == {
        "fine": Status.OK,
        "good": Status.OK,
        "wrong": Status.INVALID,
        "still": Status.INVALID,
        "refused": Status.FAILED,
        "fault": Status.FAILED,
        "unwritten": Status.FAILED,
    }
    assert "checksum" in found["wrong"].reason
    assert "the clock stood still" in found["still"].reason
    assert "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES 701" in found["refused"].reason
    assert "CUDA_ERROR_ILLEGAL_ADDRESS 700" in found["fault"].reason
    assert found["fault"].reason.startswith("cuCtxSynchronize")  # not what was given back behind it
    assert "the kernel did not run" in found["unwritten"].reason


def test_cycles_are_exact_and_nanoseconds_are_told(sealed: Outcome) -> None:
    assert verify(sealed.path) == []
    bundle = read.load(sealed.path)
    samples = bundle.samples
    fine = samples[samples["point"].str.contains("fine") & (samples["gate"] == "accepted")]
    assert set(fine["ticks"]) == {stand_in.CYCLES}
    assert set(fine["empty"]) == {2}
    assert set(fine["cpu"]) == {3}
    assert set(fine["repetitions"]) == {1}
    assert set(fine["calibration_before"]) == {198000}
    assert set(fine["calibration_after"]) == {100000}
    assert (fine[["canary_before", "canary_after"]] == 0).all().all()
    clock = sealed.run.sample_clock
    assert (clock.tick_hz, clock.calibration_cycles) == (1.98e9, 0)
    assert [mark.where for mark in sealed.run.drift] == ["start", "middle", "end"]
    assert {mark.cycle_hz for mark in sealed.run.drift} == {1.98e9}


@pytest.mark.parametrize(
    ("bits", "status"), [("0x40", Status.THROTTLED), ("0x4", Status.OK), ("0", Status.OK), ("0x1", Status.OK)]
)
def test_a_device_that_is_held_down(library: Path, tmp_path: Path, bits: str, status: Status) -> None:
    """Heat spoils samples, a power cap does not: it is how a device works under load."""
    done = run(tmp_path, library, "fine", STAND_IN_NVML=1, STAND_IN_THROTTLE=bits)
    point = points(done)["fine"]
    assert point.status == status
    assert point.total > 0
    # it marks drift too; what lacks samples is visited again
    assert str(point.facts["visit.sm_clock_mhz"]).split("; ") == ["1980-1980"] * (
        5 if status == Status.OK else 5 + EXTRA_ROUNDS
    )
    assert str(point.facts["visit.gpu_power_w"]).startswith("312.5-312.5")
    if status == Status.THROTTLED:
        assert "throttled" in point.reason
        assert "thermal (hardware)" in str(point.facts["visit.gpu_throttle"])
    samples = read.load(done.path).samples
    fine = samples[samples["point"].str.contains("fine")]
    assert set(fine["gate"]) == {"throttled" if status == Status.THROTTLED else "accepted"}


def test_a_field_that_nvml_does_not_tell(library: Path, tmp_path: Path) -> None:
    done = run(tmp_path, library, "fine", STAND_IN_NVML=1, STAND_IN_NVML_LACKS="nvmlDeviceGetPowerUsage")
    facts = points(done)["fine"].facts
    assert "visit.gpu_power_w" not in facts
    assert "visit.gpu_temperature_c" in facts


def test_a_kernel_that_never_ends_is_stopped(library: Path, tmp_path: Path) -> None:
    found = points(run(tmp_path, library, "hang", "fine"))
    assert found["hang"].status == Status.TIMED_OUT
    assert found["fine"].status == Status.OK


def test_a_timer_that_stands_still(library: Path, tmp_path: Path) -> None:
    found = points(run(tmp_path, library, "fine", STAND_IN_PACE=0))
    assert found["fine"].status == Status.FAILED
    assert "0 ns of the timer" in found["fine"].reason


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (34, "the stub that toolkits bring"),
        (100, "the driver finds no GPU"),
        (803, "of different versions"),
        (999, "for a reason it does not name"),
    ],
)
def test_a_driver_that_does_not_start(library: Path, tmp_path: Path, code: int, says: str) -> None:
    with pytest.raises(RunRefused, match=says):
        run(tmp_path, library, "fine", STAND_IN_INIT=code)


def test_no_device(library: Path, tmp_path: Path) -> None:
    with pytest.raises(RunRefused, match="the driver knows no such device"):
        run(tmp_path, library, "fine", STAND_IN_COUNT=0)


def test_what_time_does_not_reach_is_skipped_and_can_be_gone_on_with(library: Path, tmp_path: Path) -> None:
    first = run(tmp_path, library, "fine", "good", max_seconds=1e-3)
    assert {point.status for point in points(first).values()} == {Status.SKIPPED}
    assert points(first)["fine"].reason == "not reached within --max-seconds 0.001"
    again = run(tmp_path, library, "fine", "good", resume=first.resume.split()[3], selector="")
    assert {point.status for point in points(again).values()} == {Status.OK}
    assert again.run.supersedes == first.run.run
    assert again.resume == ""


def test_a_device_that_falls_off_the_bus_still_leaves_a_sealed_run(library: Path, tmp_path: Path) -> None:
    """`fault` comes last in some order; what was measured before it counts, the rest says why it does not."""
    done = run(tmp_path, library, "fine", "fault", passes=4, STAND_IN_GONE=tmp_path / "gone")
    assert verify(done.path) == []
    found = points(done)
    assert found["fine"].total > 0
    assert found["fault"].status == Status.FAILED
    assert done.resume


def test_a_device_that_never_starts_leaves_no_run(library: Path, tmp_path: Path) -> None:
    (tmp_path / "gone").touch()
    with pytest.raises(RunRefused, match="for a reason it does not name"):
        run(tmp_path, library, "fine", STAND_IN_GONE=tmp_path / "gone")
