from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from reportgen.collect import lock
from reportgen.errors import RunRefused


def test_the_second_run_on_a_device_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    folder = tmp_path / "device"
    with lock.hold(folder, "device"):
        with pytest.raises(RunRefused, match=rf"measuring device \(process {os.getpid()}\)"):
            lock.hold(folder, "device").__enter__()
        with lock.hold(tmp_path / "other", "other"):
            pass
    assert not (folder / ".lock").exists()
    with lock.hold(folder, "device"):
        pass


def test_a_lock_file_left_over_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / ".lock").write_text("99999\n")
    with lock.hold(tmp_path, "device"):
        assert (tmp_path / ".lock").read_text() == f"{os.getpid()}\n"


def test_a_file_in_the_way_of_the_data_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(RunRefused, match="not a folder") as raised:
        lock.hold(tmp_path / "data" / "device", "device").__enter__()
    assert "--data" in raised.value.remedy


def test_a_read_only_data_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, *args: object, **kwargs: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(RunRefused, match=r"cannot be written \(Read-only file system\)") as raised:
        lock.hold(tmp_path / "device", "device").__enter__()
    assert "--data" in raised.value.remedy
