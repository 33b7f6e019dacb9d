"""What is kept so that it need not be made again, and how much disk that may take.

Three caches, each of which may be deleted at any time: what is missing is made again.

    cuda      compiled and inspected kernels: `$XDG_CACHE_HOME/reportgen/cuda` where that variable is set,
              else `.cache/reportgen/cuda` below the folder the command runs in
    results   findings, models and downloads of runs: `results` in the cache folder of the site
    figures   drawn figures: `figures` beside it

Each may hold `REPORTGEN_CACHE_MIB` MiB (512 where it is not set).  Who uses one holds a shared lock of it; at
the end, if something was added and nobody else is at work, entries go, least recently used first, until a
fifth is free again.  What was used itself stays, be it more than that.  When an entry was used is its access
time, set by hand, for most file systems keep it loosely; the time of its last change stays as it is.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
import weakref
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from reportgen.errors import UserError

VARIABLE = "REPORTGEN_CACHE_MIB"
DEFAULT_MIB = 512
"""Some runs of all compute targets (a target takes 25 MB), or reports of 150 runs."""
KEPT_SHARE = 0.8
"""Emptied to so much of the limit, so that the next entry does not empty it again."""
LOCK = ".in-use"
CLOCK_SECONDS = 1.0
"""The clock of a file system may be behind by some of its ticks."""
HERE = Path(".cache")


@dataclass(frozen=True)
class Cache:
    """One kind of cache."""

    name: str
    """Of its folder."""
    holds: str
    folders: bool
    """Whether an entry is a folder; else it is a file, at any depth."""


CUDA = Cache("cuda", "compiled and inspected kernels", folders=False)
RESULTS = Cache("results", "findings, models and downloads of runs", folders=True)
FIGURES = Cache("figures", "drawn figures", folders=False)


@dataclass(frozen=True)
class Entry:
    """Something that may go."""

    used: float
    """When it was last used, seconds since 1970."""
    size: int
    """Bytes."""
    place: str

    @property
    def path(self) -> Path:
        """The file or the folder."""
        return Path(self.place)  # made when it is asked for: a cache has some ten thousand entries


def limit() -> int:
    """Bytes that each cache may hold.

    Raises:
        UserError: the variable is set to something that is no number of MiB.
    """
    told = os.environ.get(VARIABLE, "").strip() or str(DEFAULT_MIB)
    if not told.isascii() or not told.isdigit():
        raise UserError(
            f"{VARIABLE} is '{told}', which is no number of MiB.",
            f"Set it to a whole number, or unset it for {DEFAULT_MIB}.",
        )
    return int(told) << 20


def folder_of_kernels() -> Path:
    """Where `CUDA` lies; it need not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else HERE) / "reportgen" / CUDA.name


def touch(path: Path) -> None:
    """Note that an entry, or a file of one, was used now; nothing happens where that cannot be."""
    with suppress(OSError):
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))


def entries(cache: Cache, folder: Path) -> list[Entry]:
    """What a folder holds, in no order; files that vanish meanwhile are left out."""
    if not cache.folders:
        return [Entry(used, size, place) for place, used, size in _files(str(folder))]
    found = []
    for inner in _inside(str(folder)):
        if inner.is_dir(follow_symlinks=False):
            files = list(_files(inner.path))
            used = max((used for _, used, _ in files), default=0.0)
            found.append(Entry(used, sum(size for _, _, size in files), inner.path))
    return found


def _files(folder: str) -> Iterator[tuple[str, float, int]]:
    """Path, time of last use and size of each file below a folder, but for the lock."""
    for inner in _inside(folder):
        if inner.is_dir(follow_symlinks=False):
            yield from _files(inner.path)
        elif inner.name != LOCK:
            with suppress(OSError):
                state = inner.stat(follow_symlinks=False)
                yield inner.path, max(state.st_atime, state.st_mtime), state.st_size


def _inside(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:  # not there, or not any more
        return []


class InUse:
    """A cache that this process reads and writes: no other one takes anything from it until `close`.

    Where the folder cannot be written there is no lock, and nothing will be removed.
    """

    def __init__(self, cache: Cache, folder: Path) -> None:
        self.cache, self.folder = cache, folder
        self._since = 0.0
        self._handle = _locked(folder)
        self.close = weakref.finalize(self, _close, self._handle)
        """Others may empty it now; also done when the process ends, however it ends."""
        self.begin()

    def begin(self) -> None:
        """What is used from now on stays at the next `trim`."""
        self._since = time.time() - CLOCK_SECONDS

    def trim(self) -> int | None:
        """Remove what is too much; bytes that were removed, nothing where another process is at work.

        Raises:
            UserError: as `limit`.
        """
        most = limit()
        return self._remove(int(most * KEPT_SHARE), most, self._since)

    def empty(self) -> int | None:
        """Remove everything; bytes that were removed, nothing where it is in use or cannot be written."""
        return self._remove(0, 0, float("inf"))

    def _remove(self, target: int, most: int, since: float) -> int | None:
        """Oldest first, until no more than `target` is left, if there is more than `most`."""
        if not self._alone():
            return None
        try:
            there = sorted(entries(self.cache, self.folder), key=lambda entry: entry.used)
            left = total = sum(entry.size for entry in there)
            for entry in there:
                if total <= most or left <= target or entry.used >= since:
                    break
                if _gone(entry.path):
                    left -= entry.size
            return total - left
        finally:
            self._shared()

    def _alone(self) -> bool:
        """Lock out all others, if there are none."""
        if self._handle is None:
            return False
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._shared()  # the attempt gave up the lock that was there
            return False
        return True

    def _shared(self) -> None:
        if self._handle is not None:
            fcntl.flock(self._handle, fcntl.LOCK_SH)


def _close(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)


def _locked(folder: Path) -> int | None:
    """The lock of a folder, shared; nothing where there can be none."""
    handle = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(handle, fcntl.LOCK_SH)
    except OSError:
        if handle is not None:
            os.close(handle)
        return None
    return handle


def _gone(path: Path) -> bool:
    """Remove an entry; whether it is away now."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return not path.exists()
    with suppress(OSError):
        path.unlink(missing_ok=True)
        return True
    return False
