"""Writing the cache tree: only what changed is written, and never half of it."""

from __future__ import annotations

import os
from pathlib import Path


def write_if_changed(path: Path, content: bytes) -> bool:
    """Write `content` unless the file holds it already; True when something was written.

    An unchanged file keeps its time stamp, by which an incremental site build skips its page.
    """
    try:
        if path.read_bytes() == content:
            return False
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    partial.write_bytes(content)
    partial.replace(path)
    return True


def remove_others(root: Path, keep: set[Path]) -> None:
    """Delete every file under `root` that is not in `keep`, and folders left empty."""
    if not root.is_dir():
        return
    for path in sorted(root.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in keep:
            path.unlink()
