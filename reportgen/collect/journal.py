"""The journal of a run being collected: one line a visit, on the disk before the next but one.

`data/<device>/<run>.partial/journal.jsonl` begins with a `Header`, the identity of the run; then one
`Entry` a visit.  A killed run loses at most the visits whose lines were not yet synced.  It goes on
only where it began: same device, toolchain, suite and programs, or the samples would not belong
together.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from reportgen.backends.base import Batch, ClockConstants
from reportgen.errors import RunRefused
from reportgen.runs import disk

JOURNAL = "journal.jsonl"
JOURNAL_VERSION = 1


class Header(msgspec.Struct, frozen=True, tag="header"):
    """What must be the same for a run to go on."""

    version: int
    run: str
    created: str
    selector: str
    device: str
    """Id of the device."""
    environment: dict[str, int | float | str | bool]
    toolchain: dict[str, str]
    counters: str
    suite: dict[str, str]
    seed: int
    passes: int
    quick: bool
    probes: str
    """The glob that was asked for."""
    clock: ClockConstants
    programs: dict[str, str]
    """Point -> sha256 of its machine code, or `status: reason` where there is none."""
    seconds: dict[str, float]
    """`build` and `verify`, spent before the first visit."""
    supersedes: str = ""


class Entry(msgspec.Struct, frozen=True, tag="visit"):
    """One visit of one point."""

    order: int
    number: int
    """The pass; column `pass` of the samples."""
    batch: Batch
    session: int
    """0 for the first sitting, one more after every resume: ticks and the monotonic clock may have
    started anew between two."""
    elapsed: float
    """Seconds that the run has taken so far, all sittings."""


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Header | Entry)


def read(path: Path) -> tuple[Header, list[Entry], int]:
    """The journal at `path`: header, entries, and the length in bytes of what is whole.

    A torn last line (power cut, full disk) is left out.

    Raises:
        RunRefused: no header, or a damaged line before the last.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RunRefused(
            f"'{path}' cannot be read ({error.strerror}).", "Nothing was measured; start a new run."
        ) from error
    whole = data[: data.rfind(b"\n") + 1]
    lines = whole.splitlines()
    records: list[Header | Entry] = []
    for number, line in enumerate(lines, 1):
        try:
            records.append(_decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if number == len(lines) and number > 1:
                whole = whole[: len(whole) - len(line) - 1]
                break
            raise RunRefused(
                f"'{path}' is damaged at line {number} ({error}).",
                "It cannot be resumed; the lines before are readable JSON. Start a new run.",
            ) from None
    if not records or not isinstance(records[0], Header):
        raise RunRefused(f"'{path}' has no header.", "Nothing was measured; start a new run.")
    return records[0], [record for record in records if isinstance(record, Entry)], len(whole)


def same(header: Header, other: Header) -> None:
    """Check that a run begun under `header` may go on under `other`.

    Raises:
        RunRefused: names what differs, then and now.
    """
    again = "Resume where it began, or start a new run."
    if header.device != other.device:
        raise RunRefused(f"run {header.run} measured {header.device}, this is {other.device}.", again)
    if header.suite != other.suite:
        raise RunRefused(
            f"the probe suite changed since run {header.run} began "
            f"({header.suite.get('digest', '')[:12]} then, {other.suite.get('digest', '')[:12]} now).",
            "Check out the suite it began with, or start a new run.",
        )
    for name in sorted(header.toolchain.keys() | other.toolchain.keys()):
        then, now = header.toolchain.get(name, "absent"), other.toolchain.get(name, "absent")
        if then != now:
            raise RunRefused(f"{name} changed since run {header.run} began ({then} then, {now} now).", again)
    if header.programs != other.programs:
        point = _difference(header.programs, other.programs)
        raise RunRefused(f"the program of {point} is not the one that run {header.run} began with.", again)


def _difference(then: Mapping[str, str], now: Mapping[str, str]) -> str:
    return next(key for key in sorted(then.keys() | now.keys()) if then.get(key) != now.get(key))


class Journal:
    """Appends entries from a thread of its own, so that the disk works while the device does.

    At most two entries wait; then `append` waits, so a slow disk slows the run and loses nothing.
    """

    def __init__(self, path: Path, header: Header | None, length: int = 0) -> None:
        """Begin a journal with `header`, or go on with one of `length` whole bytes.

        Raises:
            OSError: the folder cannot be written.
        """
        self._path = path
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
        self._length = length
        self._error: OSError | None = None
        self.waited = 0.0
        """Seconds that the run waited for the disk."""
        try:
            os.ftruncate(self._handle, length)
            os.lseek(self._handle, 0, os.SEEK_END)
            if header is not None:
                self._put(_encoder.encode(header) + b"\n")
                disk.sync_folder(path.parent)
        except OSError:
            os.close(self._handle)
            raise
        self._queue: queue.Queue[bytes | None] = queue.Queue(maxsize=2)
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    def append(self, entry: Entry) -> None:
        """Hand over one visit.

        Raises:
            OSError: an earlier one could not be written; what is on the disk is whole.
        """
        self._complain()
        begun = time.monotonic()
        self._queue.put(_encoder.encode(entry) + b"\n")
        self.waited += time.monotonic() - begun

    def close(self) -> None:
        """Wait until everything handed over is on the disk.

        Raises:
            OSError: it could not be written; what is on the disk is whole.
        """
        begun = time.monotonic()
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()
            os.close(self._handle)
        self.waited += time.monotonic() - begun
        self._complain()

    def _complain(self) -> None:
        if self._error is not None:
            raise self._error

    def _work(self) -> None:
        while (line := self._queue.get()) is not None:
            if self._error is None:
                try:
                    self._put(line)
                except OSError as error:
                    self._error = error

    def _put(self, line: bytes) -> None:
        try:
            disk.append(self._handle, line)
        except OSError:
            # Cut the torn line off: shortening a file works on a full disk too.
            os.ftruncate(self._handle, self._length)
            raise
        self._length += len(line)


def carry_on(path: Path, target: Path, run: str) -> None:
    """Begin the journal of `run`, which supersedes the one at `path`, with all that it holds.

    Raises:
        OSError: it cannot be written.
    """
    header, entries, _ = read(path)
    following = msgspec.structs.replace(header, run=run, supersedes=header.run)
    target.parent.mkdir(parents=True, exist_ok=True)
    lines = [_encoder.encode(record) + b"\n" for record in (following, *entries)]
    disk.write_file(target, b"".join(lines))
