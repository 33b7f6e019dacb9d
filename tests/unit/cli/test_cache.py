"""`reportgen cache` shows what is kept, and empties it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reportgen import caches
from reportgen.cli import doctor
from reportgen.cli.main import main

MIB = 1 << 20


def call(*words: str) -> Result:
    """The command in this process."""
    return CliRunner().invoke(main, ["cache", *words])


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with kernels and a result in its caches."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv(caches.VARIABLE, "2")
    for name, size in (("cuda/ab/abc.cubin", 3), ("results/key/result.json", 1)):
        path = tmp_path / ".cache/reportgen" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(bytes(size * MIB))
    return tmp_path


def test_sizes_are_shown(kept: Path) -> None:
    rows = {row["cache"]: row for row in json.loads(call("--json").stdout)}
    assert {name: (row["entries"], row["bytes"], row["limit"]) for name, row in rows.items()} == {
        "cuda": (1, 3 * MIB, 2 * MIB),
        "results": (1, MIB, 2 * MIB),
        "figures": (0, 0, 2 * MIB),
    }
    assert "3 MiB" in call().stdout
    assert not (kept / ".cache/reportgen/figures").exists()


def test_they_are_emptied_but_for_one_in_use(kept: Path) -> None:
    held = caches.InUse(caches.RESULTS, kept / ".cache/reportgen/results")
    rows = {row["cache"]: row for row in json.loads(call("--empty", "--json").stdout)}
    assert (rows["cuda"]["state"], rows["cuda"]["bytes"]) == ("3 MiB removed", 0)
    assert (rows["results"]["state"], rows["results"]["bytes"]) == ("in use, or not to be written", MIB)
    held.close()
    rows = {row["cache"]: row for row in json.loads(call("--empty", "--json").stdout)}
    assert rows["results"]["state"] == "1 MiB removed"


def test_a_wrong_limit_is_a_users_error(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(caches.VARIABLE, "lots")
    result = call()
    assert result.exit_code == 2
    assert caches.VARIABLE in result.stderr


def test_the_doctor_tells_what_is_too_large(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {name: (state, found, remedy) for name, state, found, remedy in doctor._caches()}
    assert rows["cache cuda"] == (
        doctor.NOTE,
        "3 MiB of 2 MiB",
        "'reportgen cache --empty' removes it.",
    )
    assert rows["cache results"] == (doctor.OK, "1 MiB of 2 MiB", "")
    monkeypatch.setenv(caches.VARIABLE, "lots")
    assert [state for _, state, _, _ in doctor._caches()] == [doctor.MISSING]
