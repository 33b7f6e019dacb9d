"""What makes a running server build again: a sealed, changed or removed run, not a run in progress.

MkDocs watches whole folders.  While a run is collected its journal grows every few milliseconds in
`<run>.partial/`, and a build for each growth would disturb the measurement it shows nothing of.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any, Protocol

from reportgen.runs.write import PARTIAL

LOCK = ".lock"


def concerns_a_report(path: str) -> bool:
    """Whether a change of this file can change a page."""
    parts = Path(path).parts
    return not any(part.endswith(PARTIAL) for part in parts) and parts[-1:] != (LOCK,)


class Server(Protocol):
    """What is used of MkDocs 1.6.1's server, the last of its line, so these names stay."""

    observer: Any
    _rebuild_cond: threading.Condition
    _want_rebuild: bool


class _Runs:
    """A handler as watchdog, which MkDocs brings, calls it."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def dispatch(self, event: Any) -> None:
        """Ask for a build, as MkDocs' own handler does, if a finished run is concerned."""
        paths = [os.fsdecode(path) for path in (event.src_path, event.dest_path) if path]
        if event.is_directory or not any(concerns_a_report(path) for path in paths):
            return
        with self._server._rebuild_cond:
            self._server._want_rebuild = True
            self._server._rebuild_cond.notify_all()


def watch(server: Server, data: Path) -> None:
    """Build again when a run below `data` is sealed, changed or removed."""
    server.observer.schedule(_Runs(server), str(data), recursive=True)
