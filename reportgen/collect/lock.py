"""One run a device: two at once would measure each other."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reportgen.errors import RunRefused
from reportgen.runs import disk

LOCK = ".lock"


@contextmanager
def hold(folder: Path, device: str) -> Iterator[None]:
    """Hold the device's lock, the file `.lock` in its data folder, which is made if missing.

    The kernel releases the lock when the process ends, however it ends; a file left over holds
    nothing.

    Raises:
        RunRefused: another run holds it, or the folder cannot be written.
    """
    handle = _acquire(folder, device)
    try:
        yield
    finally:
        # Still held here, so nobody else has locked this file; who opened it meanwhile looks again.
        (folder / LOCK).unlink(missing_ok=True)
        os.close(handle)


def _acquire(folder: Path, device: str) -> int:
    path = folder / LOCK
    while True:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise disk.refusal(error, folder) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(handle, 64).decode(errors="replace").strip()
            os.close(handle)
            who = f" (process {holder})" if holder else ""
            raise RunRefused(
                f"another run is measuring {device}{who}; two at once would disturb each other.",
                "Wait until it has ended, or stop it.",
            ) from None
        if _same_file(handle, path):
            try:
                os.ftruncate(handle, 0)
                os.write(handle, f"{os.getpid()}\n".encode())
            except OSError as error:
                os.close(handle)
                raise disk.refusal(error, folder) from error
            return handle
        os.close(handle)


def _same_file(handle: int, path: Path) -> bool:
    """Whether the locked file is still the one under its name: its last holder removes it."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
