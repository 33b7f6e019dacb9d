"""What was compiled and inspected before, by content: the same key always means the same bytes.

Where it lies and what it may hold: `reportgen/caches.py`.  A folder that cannot be written is no error.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reportgen import caches

folder = caches.folder_of_kernels


@contextmanager
def in_use() -> Iterator[caches.InUse]:
    """Around what reads and writes: nobody else takes anything away meanwhile."""
    held = caches.InUse(caches.CUDA, folder())
    try:
        yield held
    finally:
        held.close()


def key(*parts: str | bytes) -> str:
    """Hex digest of parts; the borders between them count."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


def get(name: str) -> bytes | None:
    """What was put under this name, or None."""
    path = _path(name)
    try:
        data = path.read_bytes()
    except OSError:
        return None
    caches.touch(path)
    return data


def has(name: str) -> bool:
    """Whether something was put under this name; it counts as used."""
    path = _path(name)
    caches.touch(path)
    return path.is_file()


def put(name: str, data: bytes) -> None:
    """Keep bytes under a name (a key, with an ending that tells what it is)."""
    path = _path(name)
    partial = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=path.parent, suffix=".partial")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(partial).replace(path)
    except OSError:  # read-only or full: the next run compiles again
        Path(partial).unlink(missing_ok=True) if partial else None


def keep(data: bytes, ending: str) -> str:
    """Keep bytes under the name of what they are, once; that name, which others may refer to."""
    name = f"{hashlib.sha256(data).hexdigest()}{ending}"
    if not has(name):
        put(name, data)
    return name


def _path(name: str) -> Path:
    return folder() / name[:2] / name
