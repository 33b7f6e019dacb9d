"""The identity of a run, for tests of the journal."""

from __future__ import annotations

from reportgen.collect.journal import JOURNAL_VERSION, Header
from tests.simulated.faulty import Faulty

HEADER = Header(
    version=JOURNAL_VERSION,
    run="20260101T000000Z-00000000",
    created="2026-01-01T00:00:00+00:00",
    selector="cpu",
    device="some-cpu",
    environment={},
    toolchain={"llvm": "20.1"},
    counters="",
    suite={"version": "1", "digest": "abc"},
    seed=1,
    passes=3,
    quick=False,
    probes="*",
    clock=Faulty().clock(),
    programs={"a/b#c=1": "123"},
    seconds={},
)
