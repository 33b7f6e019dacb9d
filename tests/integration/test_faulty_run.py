"""Crashes, hangs, full disks, kills and Ctrl-C: the run goes on, or can be gone on with; nothing is lost."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from reportgen.collect import lock
from reportgen.collect.plan import EXTRA_ROUNDS
from reportgen.collect.progress import Silent
from reportgen.collect.runner import Interrupted, Options, Outcome, collect
from reportgen.collect.supervisor import Supervisor
from reportgen.errors import BackendUnavailable, RunRefused, UserError
from reportgen.runs import disk, read, store
from reportgen.runs.verify import verify
from reportgen.status import Status
from tests.simulated.faulty import BUILD, DEVICE, FINE, MEASURE, ROOT, Faulty, command, suite

PATIENCE = 1.0
ASKED = suite(*FINE)


class StopAt(Silent):
    """Presses Ctrl-C, or sends a signal, when so many visits are made."""

    def __init__(self, visits: int, how: object = KeyboardInterrupt) -> None:
        self._left = visits
        self._how = how
        self._measuring = False

    def stage(self, name: str, total: int) -> None:
        self._measuring = name == "measuring"

    def step(self, label: str) -> None:
        self._left -= self._measuring
        if self._left == 0 and self._measuring:
            if self._how is KeyboardInterrupt:
                raise KeyboardInterrupt
            os.kill(os.getpid(), self._how if isinstance(self._how, signal.Signals) else signal.SIGKILL)


def options(data: Path, **changes: object) -> Options:
    return Options(
        **(
            {"data": data, "selector": "faulty", "patience": PATIENCE, "seed": 1, "command": command}
            | changes
        )
    )


def run(data: Path, asked=ASKED, backend: Faulty | None = None, progress=None, **changes: object) -> Outcome:
    return collect(options(data, **changes), progress, backend or Faulty(), asked)


def states(outcome: Outcome) -> dict[str, tuple[Status, str]]:
    trial = [point for point in outcome.run.points if point.probe.endswith("/trial")]
    return {str(point.settings["how"]): (point.status, point.reason) for point in trial}


def visits_of(path: Path) -> set[tuple[str, int, int]]:
    columns = read.load(path).columns()
    return set(zip(columns["point"], columns["pass"], columns["order"], strict=True))


def test_every_fault_is_a_row_with_a_reason_and_the_run_goes_on(tmp_path: Path) -> None:
    outcome = run(tmp_path, suite(*FINE, *BUILD, *MEASURE), glob="*trial")
    found = states(outcome)
    assert verify(outcome.path) == []
    for how in FINE:
        assert found[how] == (Status.OK, "")
    assert found["unsupported"] == (Status.UNSUPPORTED, "the device lacks it")
    assert found["bad mnemonic"][0] == Status.FAILED
    assert found["bad mnemonic"][1].endswith("error: invalid instruction mnemonic 'foo'")
    assert found["wrong code"] == (Status.INVALID, "it is rejected")
    assert found["not inspected"] == (Status.UNVERIFIED, "it is unverified")
    assert found["killed"][0] == Status.FAILED
    assert "SIGKILL" in found["killed"][1]
    assert found["hung"][0] == Status.TIMED_OUT
    assert found["exits"][1].endswith("exit code 1: LLVM ERROR: Cannot select")
    assert found["raises"] == (Status.FAILED, "ValueError: no such register")
    assert found["refused"][0] == Status.NOT_PERMITTED
    assert found["noisy"][0] == Status.UNSTABLE
    assert found["ragged"] == (Status.FAILED, "the launcher's columns differ in length: ticks")
    bundle = read.load(outcome.path)
    # What was rejected was not run, and its listing is kept; what was disturbed is kept, marked.
    assert bundle.programs["sha of wrong code"].listing == "listing of wrong code"
    assert "instruction_latency/trial#how=wrong code" not in set(bundle.samples["point"])
    assert (bundle.samples["gate"] == "calibrations disagree").sum() > 0


def test_a_sound_run_records_order_drift_clock_and_time(tmp_path: Path) -> None:
    outcome = run(tmp_path)
    recorded = outcome.run
    assert {point.status for point in recorded.points} == {Status.OK}
    assert [mark.where for mark in recorded.drift] == ["start", "middle", "end"]
    assert recorded.clock.tick_hz == pytest.approx(1e9, rel=0.05)
    assert recorded.clock.tick_hz_low <= recorded.clock.tick_hz <= recorded.clock.tick_hz_high
    assert recorded.plan == {
        "seed": 1,
        "passes": 3,
        "quick": False,
        "probes": "*",
        "order": "random within each pass",
    }
    assert recorded.timing["build"] > 0
    assert recorded.timing["verify"] > 0
    assert recorded.device == DEVICE
    # three passes over four points, and the drift mark
    assert len(visits_of(outcome.path)) == 3 * 4 + 3
    assert [path.name for path in outcome.path.parent.iterdir()] == [outcome.path.name]


def test_what_is_asked_last_has_a_worker_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = suite(*FINE)
    slow = msgspec.structs.replace(asked.definitions["memory_hierarchy/slow"], last=True)
    asked.definitions["memory_hierarchy/slow"] = slow
    left = []
    leave = Supervisor.leave

    def watch(supervisor: Supervisor, patient: bool = True) -> None:
        if "measure" in supervisor._arguments[-1]:  # others build
            left.append(patient)
        leave(supervisor, patient)

    monkeypatch.setattr(Supervisor, "leave", watch)
    outcome = run(tmp_path, asked)
    assert {point.status for point in outcome.run.points} == {Status.OK}
    assert left == [True] * 3  # before the first of them, behind the last, and at the end of all
    visited = [point for point, _, _ in sorted(visits_of(outcome.path), key=lambda visit: visit[2])]
    assert [point.startswith("memory_hierarchy") for point in visited[-4:]] == [True, True, True, False]


def test_disturbed_points_get_further_rounds(tmp_path: Path) -> None:
    outcome = run(tmp_path, suite("fine", "noisy"), glob="*trial")
    passes = {number for point, number, _ in visits_of(outcome.path) if point.endswith("noisy")}
    assert len(passes) == 3 + EXTRA_ROUNDS


def test_ctrl_c_keeps_what_was_measured_and_names_the_command_that_goes_on(tmp_path: Path) -> None:
    with pytest.raises(Interrupted) as raised:
        run(tmp_path, progress=StopAt(5))
    assert raised.value.exit_code == 130
    (begun,) = store.list_partial(tmp_path)
    go_on = f"reportgen collect --resume {begun.run} --data {tmp_path}"
    assert str(raised.value) == f"interrupted. 5 visits are kept. Go on with: {go_on}"
    assert store.list_runs(tmp_path) == []
    outcome = run(tmp_path, resume=begun.run, selector="")
    assert outcome.run.run == begun.run
    uninterrupted = run(tmp_path / "other")
    assert visits_of(outcome.path) == visits_of(uninterrupted.path)
    assert [point.status for point in outcome.run.points] == [Status.OK] * 4
    assert verify(outcome.path) == []
    assert store.list_partial(tmp_path) == []


def test_ctrl_c_before_the_first_visit_leaves_nothing(tmp_path: Path) -> None:
    class Early(Silent):
        def stage(self, name: str, total: int) -> None:
            if name == "measuring":
                raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="Go on with"):
        run(tmp_path, progress=Early())
    assert run(tmp_path, resume="latest").run.run


def test_a_run_that_was_killed_goes_on(tmp_path: Path) -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\n"
        "from tests.integration.test_faulty_run import StopAt, run\n"
        f"run(Path({str(tmp_path)!r}), progress=StopAt(7, 'kill'))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    (begun,) = store.list_partial(tmp_path)
    torn = begun.path / "journal.jsonl"
    torn.write_bytes(torn.read_bytes() + b'{"type":"visit","ord')
    outcome = run(tmp_path, resume="latest")
    assert verify(outcome.path) == []
    assert len(visits_of(outcome.path)) == 15


def interrupted(tmp_path: Path) -> None:
    with pytest.raises(Interrupted):
        run(tmp_path, progress=StopAt(5))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"backend": Faulty(msgspec.structs.replace(DEVICE, id="another-device"))}, "this is another-device"),
        ({"asked": suite(*FINE, digest="two")}, "suite changed"),
        ({"backend": Faulty(assembler="2")}, "assembler changed"),
        # the same suite digest, and yet another program: a template that no digest covers
        ({"asked": suite("fine", "good")}, "program of instruction_latency/trial#how=sound"),
    ],
)
def test_a_run_goes_on_only_where_it_began(tmp_path: Path, changes: dict[str, object], words: str) -> None:
    interrupted(tmp_path)
    with pytest.raises(RunRefused, match=words):
        run(tmp_path, resume="latest", **changes)
    # and it still can
    assert len(visits_of(run(tmp_path, resume="latest").path)) == 15


def test_a_run_that_is_not_there_cannot_go_on(tmp_path: Path) -> None:
    with pytest.raises(RunRefused, match="no interrupted run 'latest'") as raised:
        run(tmp_path, resume="latest")
    assert "without --resume" in raised.value.remedy


def test_a_disk_that_fills_up_harms_nothing_and_the_run_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed = run(tmp_path)
    written = []
    real = disk.append

    def full(handle: int, data: bytes) -> None:
        written.append(len(data))
        if len(written) > 6:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle, data)

    with monkeypatch.context() as patch:
        patch.setattr(disk, "append", full)
        with pytest.raises(RunRefused, match="no space left") as raised:
            run(tmp_path)
    (begun,) = store.list_partial(tmp_path)
    assert f"reportgen collect --resume {begun.run}" in raised.value.remedy
    assert verify(sealed.path) == []
    outcome = run(tmp_path, resume="latest")
    assert verify(outcome.path) == []
    assert len(visits_of(outcome.path)) == 15
    assert len(store.list_runs(tmp_path)) == 2


def test_a_disk_that_is_full_at_the_end_loses_no_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(disk, "write_file", full)
        with pytest.raises(RunRefused, match="no space left") as raised:
            run(tmp_path)
    assert raised.value.remedy.count("--resume") == 1
    outcome = run(tmp_path, resume="latest")
    assert len(visits_of(outcome.path)) == 15


def test_a_second_run_on_the_device_is_refused(tmp_path: Path) -> None:
    with (
        lock.hold(tmp_path / DEVICE.id, DEVICE.id),
        pytest.raises(RunRefused, match="another run is measuring"),
    ):
        run(tmp_path)
    assert run(tmp_path).path.is_dir()


def test_a_data_folder_that_cannot_be_written_is_named_before_anything_is_built(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file in the way")
    with pytest.raises(RunRefused, match="data"):
        run(tmp_path / "data")


def test_unknown_and_unusable_devices_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no device 'faulty:other'; usable: faulty"):
        run(tmp_path, selector="faulty:other")
    with pytest.raises(BackendUnavailable, match="its driver is missing"):
        run(tmp_path, selector="faulty:broken")
    with pytest.raises(UserError, match="there is no backend 'abacus'"):
        collect(Options(data=tmp_path, selector="abacus"))
    with pytest.raises(UserError, match=r"only cpu, cuda, replay\. Did you mean sm_90\?"):
        collect(Options(data=tmp_path, selector="sm-90"))
    assert list(tmp_path.iterdir()) == []


def test_quick_leaves_long_probes_out(tmp_path: Path) -> None:
    outcome = run(tmp_path, quick=True)
    skipped = [point for point in outcome.run.points if point.status == Status.SKIPPED]
    assert [point.reason for point in skipped] == ["left out by --quick"]
    assert outcome.run.plan["passes"] == 2
