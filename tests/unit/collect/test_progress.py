from __future__ import annotations

import io
from pathlib import Path

import pytest

from reportgen.collect import progress


def test_lines_say_how_far_and_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    stream = io.StringIO()
    shown = progress.for_stream(stream)
    shown.stage("measuring", 9)
    shown.more(1)
    for _ in range(10):
        now[0] += 6
        shown.step("point")
    shown.close()
    lines = stream.getvalue().splitlines()
    assert lines[0] == "measuring: 9 to do"
    assert lines[1] == "measuring: 2 of 10, about 48 s left"
    assert len(lines) == 5


def test_without_colours_a_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("NO_COLOR", "1")
    assert isinstance(progress.for_stream(Terminal()), progress.Lines)
    monkeypatch.delenv("NO_COLOR")
    shown = progress.for_stream(Terminal())
    shown.close()
    assert isinstance(shown, progress.Bar)


def test_the_bar_draws_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = progress.Bar()
    shown.stage("building", 2)
    shown.stage("measuring", 1)
    shown.more(1)
    shown.step("family/name#a=[1]")
    shown.say("a line")
    shown.close()
    written = capsys.readouterr().err
    assert "measuring" in written
    assert "a line" in written


def test_durations_are_readable() -> None:
    assert progress.duration(75.2) == "1 min 15 s"
    assert progress.duration(9) == "9 s"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("kind", ["lines", "bar"])
def test_a_log_that_takes_no_more_ends_no_run(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w", buffering=1, encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stderr", stream)
        shown = progress.Bar() if kind == "bar" else progress.Lines(stream)
        shown.stage("measuring", 9)
        shown.step("point")
        shown.say("a line")
        shown.close()
        stream.write("and what follows goes nowhere")
