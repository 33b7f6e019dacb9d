"""Caches give up what was used longest ago, and nothing that is in use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen import caches
from reportgen.errors import UserError

MIB = 1 << 20


def fill(folder: Path, name: str, used: float, size: int = MIB) -> Path:
    """A file that was last used at a time."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(size))
    os.utime(path, (used, used))
    return path


def names(cache: caches.Cache, folder: Path) -> set[str]:
    """Of what is there."""
    return {entry.path.name for entry in caches.entries(cache, folder)}


@pytest.fixture
def ten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ten files of a MiB, used one after the other, and a limit of eight."""
    monkeypatch.setenv(caches.VARIABLE, "8")
    for number in range(10):
        fill(tmp_path, f"ab/{number}", used=1000.0 + number)
    return tmp_path


def test_those_used_longest_ago_go_until_a_fifth_is_free(ten: Path) -> None:
    caches.touch(ten / "ab/0")
    assert caches.InUse(caches.CUDA, ten).trim() == 4 * MIB
    assert names(caches.CUDA, ten) == {"0", "5", "6", "7", "8", "9"}


def test_nothing_goes_below_the_limit(ten: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(caches.VARIABLE, "10")
    assert caches.InUse(caches.CUDA, ten).trim() == 0
    assert len(names(caches.CUDA, ten)) == 10


def test_what_was_used_since_the_beginning_stays(ten: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(caches.VARIABLE, "0")
    held = caches.InUse(caches.CUDA, ten)
    caches.touch(ten / "ab/3")
    (ten / "ab/new").write_bytes(bytes(MIB))
    assert held.trim() == 9 * MIB
    assert names(caches.CUDA, ten) == {"3", "new"}


def test_a_use_changes_no_time_stamp_that_builds_look_at(ten: Path) -> None:
    before = (ten / "ab/1").stat().st_mtime_ns
    caches.touch(ten / "ab/1")
    assert (ten / "ab/1").stat().st_mtime_ns == before
    assert max(caches.entries(caches.CUDA, ten), key=lambda entry: entry.used).path.name == "1"
    caches.touch(ten / "ab/not there")


def test_nothing_is_taken_from_another_process(ten: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from reportgen import caches;"
        "held = caches.InUse(caches.CUDA, Path(sys.argv[1]));"
        "print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(ten)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        held = caches.InUse(caches.CUDA, ten)
        assert held.trim() is None
        assert held.empty() is None
        assert len(names(caches.CUDA, ten)) == 10
        other.communicate("")
    assert held.trim() == 4 * MIB
    other_held = caches.InUse(caches.CUDA, ten)
    assert held.empty() is None  # after emptying it is shared again: this one may be used meanwhile
    other_held.close()
    assert held.empty() == 6 * MIB
    assert names(caches.CUDA, ten) == set()


def test_a_folder_is_an_entry_where_it_is_taken_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(caches.VARIABLE, "3")
    for number, place in enumerate(("old", "new")):
        fill(tmp_path, f"{place}/model.json", used=1000.0 + number)
        fill(tmp_path, f"{place}/more/result.json", used=2000.0 + number)
    fill(tmp_path, "stray", used=1.0)
    assert {(one.path.name, one.used, one.size) for one in caches.entries(caches.RESULTS, tmp_path)} == {
        ("old", 2000.0, 2 * MIB),
        ("new", 2001.0, 2 * MIB),
    }
    assert caches.InUse(caches.RESULTS, tmp_path).trim() == 2 * MIB
    assert names(caches.RESULTS, tmp_path) == {"new"}


def test_a_folder_that_cannot_be_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    held = caches.InUse(caches.CUDA, tmp_path / "file" / "cuda")
    assert held.trim() is None
    assert held.empty() is None
    assert caches.entries(caches.CUDA, tmp_path / "file" / "cuda") == []
    assert caches.entries(caches.RESULTS, tmp_path / "file" / "results") == []
    held.close()


@pytest.mark.parametrize("told", ["much", "-1", "1.5", "1e3"])
def test_a_limit_that_is_no_number_is_told(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(caches.VARIABLE, told)
    with pytest.raises(UserError, match=f"{caches.VARIABLE} is '{told}'") as raised:
        caches.limit()
    assert raised.value.remedy


@pytest.mark.parametrize("told", ["", " "])
def test_without_a_limit_there_is_one(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(caches.VARIABLE, told)
    assert caches.limit() == caches.DEFAULT_MIB * MIB
