"""SIGTERM, as batch systems and `timeout` send it: the run is cut short and sealed, not lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

REASON = "the run was asked to end (SIGTERM)"


@contextmanager
def heard() -> Iterator[Callable[[], bool]]:
    """Whether this process was asked to end since; a second time ends it at once, and its journal is kept."""
    asked = threading.Event()

    def hear(number: int, frame: FrameType | None) -> None:
        asked.set()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    if threading.current_thread() is not threading.main_thread():  # signals are for the main one
        yield asked.is_set
        return
    before = signal.signal(signal.SIGTERM, hear)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)
