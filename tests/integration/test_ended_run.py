"""Runs that others end: SIGTERM seals them, a kill leaves what can be sealed, one file carries them."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.cli import summary
from reportgen.cli.main import main
from reportgen.collect import ending, rescue, tally, visits
from reportgen.collect.runner import Interrupted
from reportgen.errors import BundleError, RunRefused
from reportgen.runs import pack, read, store
from reportgen.runs.verify import verify
from reportgen.status import Status
from tests.integration.test_faulty_run import ASKED, StopAt, run, states, visits_of
from tests.simulated.faulty import suite


def test_sigterm_seals_what_was_measured_and_the_rest_can_be_gone_on_with(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    outcome = run(tmp_path, progress=StopAt(3, signal.SIGTERM), glob="*trial")
    assert signal.getsignal(signal.SIGTERM) == before
    assert verify(outcome.path) == []
    assert len(visits_of(outcome.path)) == 3
    reasons = {reason for status, reason in states(outcome).values() if status == Status.SKIPPED}
    assert reasons == {f"not reached: {ending.REASON}"}
    seldom = [reason for status, reason in states(outcome).values() if status == Status.UNSTABLE]
    assert seldom
    assert all(one.startswith(tally.CUT) and ending.REASON in one for one in seldom)
    (begun,) = store.list_partial(tmp_path)
    assert outcome.resume.endswith(f"--resume {begun.run} --data {tmp_path}")
    whole = run(tmp_path, resume=begun.run, selector="")
    assert {status for status, _ in states(whole).values()} == {Status.OK}
    assert visits_of(whole.path) > visits_of(outcome.path)


def test_what_was_measured_is_sealed_where_the_device_is_not(tmp_path: Path) -> None:
    with pytest.raises(Interrupted):
        run(tmp_path, progress=StopAt(7), glob="*trial")
    sealed = run(tmp_path, resume="latest", selector="", seal=True)
    assert verify(sealed.path) == []
    assert len(visits_of(sealed.path)) == 7
    assert {state for state, _ in states(sealed).values()} <= {Status.OK, Status.SKIPPED, Status.UNSTABLE}
    assert read.load(sealed.path).programs["sha of fine"].listing == "listing of fine"
    # and where the device is, it goes on
    (begun,) = store.list_partial(tmp_path)
    assert sealed.resume.endswith(f"--resume {begun.run} --data {tmp_path}")
    whole = run(tmp_path, resume=begun.run, selector="")
    assert whole.run.supersedes == sealed.run.run
    assert {status for status, _ in states(whole).values()} == {Status.OK}


def test_nothing_is_sealed_without_samples_or_with_another_suite(tmp_path: Path) -> None:
    with pytest.raises(Interrupted):
        run(tmp_path, progress=StopAt(3), glob="*trial")
    (begun,) = store.list_partial(tmp_path)
    with pytest.raises(RunRefused, match="suite changed"):
        run(tmp_path, suite("fine", "good", digest="two"), resume="latest", selector="", seal=True)
    (begun.path / rescue.BUILT).unlink()
    with pytest.raises(RunRefused, match="cannot be read") as raised:
        run(tmp_path, resume="latest", selector="", seal=True)
    assert f"--resume {begun.run}" in raised.value.remedy
    with pytest.raises(Interrupted):
        run(tmp_path / "empty", suite("refused"), progress=StopAt(1), glob="*trial")
    with pytest.raises(RunRefused, match="no sample"):
        run(tmp_path / "empty", suite("refused"), resume="latest", selector="", seal=True)


def test_a_probe_that_hangs_its_device_is_left_alone(tmp_path: Path) -> None:
    how = [f"hung {number}" for number in range(5)]
    outcome = run(tmp_path, suite(*how), glob="*trial", patience=0.2)
    found = states(outcome)
    assert [status for status, _ in found.values()].count(Status.TIMED_OUT) == 2
    alone = [reason for status, reason in found.values() if status == Status.SKIPPED]
    shown = {row["status"]: (row["points"], row["reason"]) for row in summary.reasons(outcome.run)}
    assert shown["skipped"] == (3, alone[0])
    assert shown["timed_out"][0] == 2
    assert len(alone) == 3
    ended = "2 other points of this probe ended the worker process, 2 of them because it hung"
    assert set(alone) == {f"{visits.LEFT_ALONE}: {ended}"}
    assert verify(outcome.path) == []


def test_runs_travel_as_one_file(tmp_path: Path) -> None:
    here, there, file = tmp_path / "here", tmp_path / "there", tmp_path / "out/runs.tar.gz"
    outcome = run(here, progress=StopAt(2, signal.SIGTERM), glob="*trial")
    (begun,) = store.list_partial(here)
    said = CliRunner().invoke(main, ["runs", "pack", str(file), "--data", str(here)])
    assert said.exit_code == 0, said.output
    assert "2 runs, 5 files" in said.output
    said = CliRunner().invoke(main, ["runs", "unpack", str(file), "--data", str(there)])
    assert said.exit_code == 0, said.output
    assert "as sealed" in said.output
    assert f"--resume {begun.run}" in " ".join(said.output.split())
    copies = [path for path in sorted(there.rglob("*")) if path.is_file()]
    assert [path.read_bytes() for path in copies] == [
        path.read_bytes() for path in sorted(here.rglob("*")) if path.is_file()
    ]
    assert {status for status, _ in states(run(there, resume="latest", selector="")).values()} == {Status.OK}
    # what is there is left
    assert pack.unpack(file, there) == [there / begun.path.parent.name / begun.path.name]
    with pytest.raises(RunRefused, match="no run to pack"):
        pack.pack([], file)
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(BundleError, match="cannot be unpacked"):
        pack.unpack(file, tmp_path / "third")
    assert not (tmp_path / "third").exists()
    assert outcome.path.exists()
    assert ASKED.digest == "one"


@pytest.mark.parametrize("name", ["../a/b", "/a/b/c", "a/b", "a/b/.hidden", "a/b/c/d"])
def test_an_archive_of_something_else_is_refused(tmp_path: Path, name: str) -> None:
    import io
    import tarfile

    file = tmp_path / "odd.tar.gz"
    with tarfile.open(file, "w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = 1
        archive.addfile(entry, io.BytesIO(b"x"))
    with pytest.raises(BundleError, match="no file of a run"):
        pack.unpack(file, tmp_path / "data")
    assert not (tmp_path / "data").exists()
