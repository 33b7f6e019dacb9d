"""Writing that survives a power cut, and what to say when the disk refuses.

A file is written whole beside its final name, synced, then renamed: a reader sees all of it or
none.  Sealed bundles are never opened for writing.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from reportgen.errors import RunRefused

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


def append(handle: int, data: bytes) -> None:
    """Write all of `data` to an open file and wait until it lies on the disk.

    Raises:
        OSError: the disk is full or gone; part of `data` may have been written.
    """
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
    os.fsync(handle)


def write_file(path: Path, data: bytes) -> None:
    """Create or replace `path` with `data`, synced.

    Raises:
        OSError: the disk is full, read-only or gone; an earlier `path` is untouched.
    """
    draft = path.with_name(path.name + ".tmp")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        append(handle, data)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)
    draft.replace(path)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable, not only the files' contents."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def refusal(error: OSError, folder: Path, remedy: str = "") -> RunRefused:
    """The operating system's error as a sentence with a remedy.

    Args:
        error: what a write into `folder` raised.
        folder: the folder the user named.
        remedy: what is kept and how to go on; a general remedy where it is empty.
    """
    if error.errno in FULL:
        return RunRefused(
            f"no space left while writing to '{folder}'.",
            remedy or "Free some space and start again; sealed runs are not touched.",
        )
    if error.errno in READ_ONLY:
        return RunRefused(
            f"'{folder}' cannot be written ({error.strerror}).",
            remedy or "Name a folder that you may write with --data DIR.",
        )
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return RunRefused(
            f"'{folder}' is not a folder, or a file stands in the way ({error.strerror}).",
            remedy or "Name another folder with --data DIR.",
        )
    return RunRefused(
        f"writing to '{folder}' failed ({error.strerror or error}).",
        remedy or "Check the disk, or name another folder with --data DIR.",
    )
