"""What was compiled and inspected before, by content: the same key always means the same bytes.

`$XDG_CACHE_HOME/reportgen/cuda` where that variable is set, else `.cache/reportgen/cuda` below the folder
the command runs in.  It may be deleted at any time; a folder that cannot be written is no error.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path


def folder() -> Path:
    """Where the cache lies; it need not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path(".cache")) / "reportgen" / "cuda"


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
    try:
        return _path(name).read_bytes()
    except OSError:
        return None


def has(name: str) -> bool:
    """Whether something was put under this name."""
    return _path(name).is_file()


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


def _path(name: str) -> Path:
    return folder() / name[:2] / name
