"""The journal survives kills, torn lines and full disks, and lets no foreign run go on."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import msgspec
import pytest

from reportgen.backends.base import Batch
from reportgen.collect import journal
from reportgen.collect.journal import Entry, Journal
from reportgen.errors import RunRefused
from reportgen.runs import disk
from tests.unit.collect.header import HEADER


def entry(order: int) -> Entry:
    batch = Batch("a/b#c=1", {"ticks": [1, 2, 3]}, ["accepted"] * 3, clock=(order, order))
    return Entry(order, 0, batch, 0, 0.5)


def append_many(kept: Journal) -> None:
    for order in range(2, 9):
        kept.append(entry(order))


def write(path: Path, count: int) -> Journal:
    kept = Journal(path, HEADER)
    for order in range(count):
        kept.append(entry(order))
    return kept


def test_what_was_appended_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    write(path, 3).close()
    header, entries, length = journal.read(path)
    assert header == HEADER
    assert entries == [entry(0), entry(1), entry(2)]
    assert length == path.stat().st_size


@pytest.mark.parametrize(
    "tail", [b'{"type":"visit","order":3,', b'{"type":"visit","order":3}\n', b"\0\0\0\0\n"]
)
def test_a_torn_last_line_is_cut_off_and_the_rest_goes_on(tmp_path: Path, tail: bytes) -> None:
    path = tmp_path / "journal.jsonl"
    write(path, 2).close()
    path.write_bytes(path.read_bytes() + tail)
    _, entries, length = journal.read(path)
    assert len(entries) == 2
    kept = Journal(path, None, length)
    kept.append(entry(2))
    kept.close()
    assert journal.read(path)[1] == [entry(0), entry(1), entry(2)]


def test_a_damaged_line_within_is_not_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    write(path, 3).close()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], lines[1], b"oops\n", lines[3]]))
    with pytest.raises(RunRefused, match="damaged at line 3"):
        journal.read(path)
    path.write_bytes(lines[1])
    with pytest.raises(RunRefused, match="no header"):
        journal.read(path)
    path.write_bytes(b"")
    with pytest.raises(RunRefused, match="no header"):
        journal.read(path)
    with pytest.raises(RunRefused, match="cannot be read"):
        journal.read(tmp_path / "absent")


def test_a_full_disk_leaves_whole_lines_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.jsonl"
    real = disk.append
    calls = []

    def full(handle: int, data: bytes) -> None:
        calls.append(data)
        if len(calls) > 3:
            os.write(handle, data[:10])
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle, data)

    monkeypatch.setattr(disk, "append", full)
    kept = write(path, 2)
    with pytest.raises(OSError, match="No space left"):
        append_many(kept)
    with pytest.raises(OSError, match="No space left"):
        kept.close()
    assert journal.read(path)[1] == [entry(0), entry(1)]
    assert path.read_bytes().endswith(b"\n")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"device": "another-cpu"}, "measured some-cpu, this is another-cpu"),
        ({"suite": {"version": "1", "digest": "def"}}, "suite changed.*abc then, def now"),
        ({"toolchain": {"llvm": "21.0"}}, "llvm changed.*20.1 then, 21.0 now"),
        ({"toolchain": {"llvm": "20.1", "decoder": "x"}}, "decoder changed.*absent then, x now"),
        ({"programs": {"a/b#c=1": "456"}}, "program of a/b#c=1"),
        ({"programs": {}}, "program of a/b#c=1"),
    ],
)
def test_a_run_goes_on_only_where_it_began(change: dict[str, object], words: str) -> None:
    journal.same(HEADER, msgspec.structs.replace(HEADER, run="other", seed=9))
    with pytest.raises(RunRefused, match=words) as raised:
        journal.same(HEADER, msgspec.structs.replace(HEADER, **change))
    assert "new run" in raised.value.remedy
