"""A server builds again for finished runs only."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from watchdog.events import DirCreatedEvent, FileCreatedEvent, FileModifiedEvent, FileMovedEvent

from reportgen.site.watching import concerns_a_report, watch


class _Observer:
    def schedule(self, handler: Any, path: str, *, recursive: bool) -> None:
        self.handler, self.path, self.recursive = handler, path, recursive


class _Server:
    def __init__(self) -> None:
        self.observer: Any = _Observer()
        self._rebuild_cond = threading.Condition()
        self._want_rebuild = False


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("data/cpu/20261130T100000Z-0/run.json", True),
        ("data/cpu/20261130T100000Z-0.partial/journal.jsonl", False),
        ("data/cpu/20261130T100000Z-0.partial/sealed/run.json", False),
        ("data/cpu/.lock", False),
    ],
)
def test_runs_in_progress_are_not_news(path: str, expected: bool) -> None:
    assert concerns_a_report(path) is expected


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (FileModifiedEvent("data/cpu/run.partial/journal.jsonl"), False),
        (FileCreatedEvent("data/cpu/run/run.json"), True),
        (FileMovedEvent("data/cpu/run.partial/sealed/run.json", "data/cpu/run/run.json"), True),
        (DirCreatedEvent("data/cpu/run"), False),
    ],
)
def test_an_event_asks_for_a_build_if_a_page_may_change(event: Any, expected: bool, tmp_path: Path) -> None:
    server = _Server()
    watch(server, tmp_path)
    assert server.observer.recursive
    assert server.observer.path == str(tmp_path)
    server.observer.handler.dispatch(event)
    assert server._want_rebuild is expected
