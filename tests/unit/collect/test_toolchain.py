"""Runs of kind `toolchain`: programs are built and inspected, nothing is timed."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from reportgen.backends import registry
from reportgen.backends.base import Candidate, Source
from reportgen.cli import summary
from reportgen.collect import toolchain
from reportgen.collect.progress import Silent
from reportgen.collect.runner import Interrupted, Options, Outcome, collect
from reportgen.errors import BackendUnavailable, UserError
from reportgen.runs import read, store
from reportgen.runs.schema import SCHEMA_VERSION
from reportgen.runs.verify import verify
from reportgen.status import Status
from reportgen.suite.definition import PlannedPoint, Probe
from tests.simulated.faulty import suite
from tests.simulated.target import OUTCOMES, TARGET, Toolchain

ASKED = dataclasses.replace(suite(*OUTCOMES, "unsupported"), tables={"cuda": {}})


def run(data: Path, progress: Silent | None = None, **changes: object) -> Outcome:
    options = Options(**({"data": data, "selector": "sm_90"} | changes))
    return collect(options, progress, Toolchain(), ASKED)


class Counting(Silent):
    """Counts the steps of each stage."""

    def __init__(self) -> None:
        self.totals: dict[str, int] = {}
        self.steps: dict[str, int] = {}
        self._name = ""

    def stage(self, name: str, total: int) -> None:
        self._name = name
        self.totals[name] = total

    def step(self, label: str) -> None:
        self.steps[self._name] = self.steps.get(self._name, 0) + 1


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Counting]:
    counting = Counting()
    return run(tmp_path_factory.mktemp("data"), counting), counting


def test_it_is_sealed_as_a_run_that_timed_nothing(sealed: tuple[Outcome, Counting]) -> None:
    found = sealed[0].run
    assert found.schema == SCHEMA_VERSION == 5
    assert found.toolchain_only
    assert found.clock is None
    assert found.plan == {"kind": "toolchain", "quick": False, "probes": "*"}
    with pytest.raises(ValueError, match="timed nothing"):
        _ = found.sample_clock


def test_every_point_says_what_became_of_its_program(sealed: tuple[Outcome, Counting]) -> None:
    points = {
        str(point.settings.get("how")): point
        for point in sealed[0].run.points
        if point.probe.endswith("trial")
    }
    assert {how: (point.status, point.reason) for how, point in points.items()} == {
        "fine": (Status.OK, ""),
        "folded": (Status.INVALID, OUTCOMES["folded"][2]),
        "emulated": (Status.UNSUPPORTED, OUTCOMES["emulated"][2]),
        "not there": (Status.UNSUPPORTED, "this target lacks it"),
        "not inspected": (Status.UNVERIFIED, OUTCOMES["not inspected"][2]),
        "crash": (Status.FAILED, OUTCOMES["crash"][2]),
        "unsupported": (Status.UNSUPPORTED, "the device lacks it"),
    }
    assert points["fine"].facts == {}
    assert points["fine"].program == "sha of fine"
    assert points["crash"].program == ""
    assert {point.total for point in points.values()} == {0}


def test_the_bundle_is_sound_and_lists_like_any_other(sealed: tuple[Outcome, Counting]) -> None:
    path = sealed[0].path
    assert verify(path) == []
    bundle = read.load(path)
    assert len(bundle.table) == 0
    assert set(bundle.programs) == {"sha of fine", "sha of folded", "sha of emulated", "sha of not inspected"}
    (ref,) = store.list_runs(path.parent.parent)
    assert (ref.device, ref.error) == ("sm-90", "")


def test_the_bar_counts_every_point_once(sealed: tuple[Outcome, Counting]) -> None:
    counting = sealed[1]
    assert counting.totals["building"] == counting.steps["building"] == len(OUTCOMES) + 2


def test_the_summary_tells_verified_from_emulated(sealed: tuple[Outcome, Counting]) -> None:
    found = sealed[0].run
    assert summary.cells(found) == {
        "verified": 2, "emulated": 1, "unsupported": 2, "unverified": 1, "invalid": 1, "failed": 1,
        "skipped": 0,
    }  # fmt: skip
    rows = {row["family"]: row for row in summary.families(found)}
    assert rows["instruction_latency"]["emulated"] == 1
    assert "skipped" not in rows["instruction_latency"]
    assert "nothing was timed on a device" in summary.time_line(found)


def test_a_glob_leaves_points_out(tmp_path: Path) -> None:
    found = run(tmp_path, glob="memory_hierarchy/*").run
    # One point says for the whole probe that it was not asked.
    assert summary.cells(found)["skipped"] == 1
    assert found.plan["probes"] == "memory_hierarchy/*"


@pytest.mark.parametrize("option", [{"passes": 2}, {"seed": 1}])
def test_options_of_timing_are_refused(tmp_path: Path, option: dict[str, int]) -> None:
    with pytest.raises(UserError, match="nothing is timed for sm_90"):
        run(tmp_path, **option)


def test_ctrl_c_leaves_nothing_behind_and_says_how_to_go_on(tmp_path: Path) -> None:
    class Impatient(Silent):
        def step(self, label: str) -> None:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="not built twice"):
        run(tmp_path, Impatient())
    assert list((tmp_path / TARGET.id).iterdir()) == []


def test_a_selector_of_several_stands_for_its_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "get", lambda selector: Toolchain())
    assert toolchain.members("sm_all") == ("sm_80", "sm_90")
    assert toolchain.members("sm_90") == ("sm_90",)
    assert toolchain.members("") == ("",)


def test_a_run_that_timed_nothing_cannot_be_replayed(
    sealed: tuple[Outcome, Counting], tmp_path: Path
) -> None:
    with pytest.raises(UserError, match="no samples to replay"):
        collect(Options(tmp_path, f"replay:{sealed[0].path}"))


def test_a_program_unlike_the_rest_of_its_sweep_is_rejected(tmp_path: Path) -> None:
    class Odd(Toolchain):
        def generate(self, probe: Probe, point: PlannedPoint) -> Source:
            length = int(point.settings["length"])
            return Source(point.id, "fine", {}, {}, {"odd": int(length == 64)})

    definition = ASKED.definitions["instruction_latency/trial"]
    sweep = msgspec.structs.replace(
        definition, variable="length", settings={"length": [32, 64, 128], "path": ["ca", "cg"]}
    )
    asked = dataclasses.replace(ASKED, definitions={"instruction_latency/trial": sweep})
    backend = Odd()
    found = collect(Options(tmp_path, "sm_90"), None, backend, asked).run
    assert backend.sweeps == 2
    ended = {(point.settings["length"], point.status, point.reason) for point in found.points}
    assert ended == {
        (32, Status.OK, ""),
        (64, Status.INVALID, "not the histogram of the sweep: also MOV"),
        (128, Status.OK, ""),
    }


def test_without_a_toolchain_a_target_says_what_is_missing(tmp_path: Path) -> None:
    class Missing(Toolchain):
        def discover(self) -> list[Candidate]:
            return [Candidate("sm_all", TARGET, "no CUDA compiler is here")]

    with pytest.raises(BackendUnavailable, match="'sm_90' cannot be used: no CUDA compiler is here"):
        collect(Options(tmp_path, "sm_90"), None, Missing(), ASKED)
