"""What the user sees while a run is collected: a bar with the time left, or plain lines.

Nothing here wakes up by itself: the bar is drawn between two visits, so it does not disturb a
measurement, and at most four times a second.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any, Protocol, TextIO, cast

REDRAW_SECONDS = 0.25
LINE_SECONDS = 10.0
"""Interval of plain lines, where output is not a terminal."""


class Progress(Protocol):
    """Receives what the runner does; every method may be called from any thread."""

    def stage(self, name: str, total: int) -> None:
        """A new stage of `total` steps begins."""

    def more(self, steps: int) -> None:
        """The stage grew."""

    def step(self, label: str) -> None:
        """One step is done."""

    def say(self, text: str) -> None:
        """A line worth keeping."""

    def close(self) -> None:
        """The run is over, one way or another."""


class Silent:
    """Shows nothing."""

    def stage(self, name: str, total: int) -> None:
        """Nothing."""

    def more(self, steps: int) -> None:
        """Nothing."""

    def step(self, label: str) -> None:
        """Nothing."""

    def say(self, text: str) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


class Lasting:
    """A stream that ends no run.

    Once it takes no more, a log on a full disk, a pipe or a terminal that is gone, all else goes nowhere.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """As of the stream."""
        try:
            return self._stream.write(text)
        except OSError:
            self._leave()
        return len(text)

    def flush(self) -> None:
        """As of the stream."""
        try:
            self._stream.flush()
        except OSError:
            self._leave()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _leave(self) -> None:
        """What the stream still holds would fail again when the process ends, so it goes nowhere, too."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


class Lines:
    """Plain lines, for logs and pipes: one every `LINE_SECONDS`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = Lasting(stream)
        self._name, self._done, self._total = "", 0, 0
        self._begun = self._shown = time.monotonic()

    def stage(self, name: str, total: int) -> None:
        """Say that a stage begins."""
        self._name, self._done, self._total = name, 0, total
        self._begun = self._shown = time.monotonic()
        self.say(f"{name}: {total} to do")

    def more(self, steps: int) -> None:
        """The stage grew."""
        self._total += steps

    def step(self, label: str) -> None:
        """Count, and now and then say how far it is."""
        self._done += 1
        now = time.monotonic()
        if now - self._shown >= LINE_SECONDS and self._done < self._total:
            self._shown = now
            left = (now - self._begun) / self._done * (self._total - self._done)
            self.say(f"{self._name}: {self._done} of {self._total}, about {duration(left)} left")

    def say(self, text: str) -> None:
        """One line."""
        print(text, file=self._stream, flush=True)

    def close(self) -> None:
        """Nothing to clean up."""


class Bar:
    """A progress bar on a terminal."""

    def __init__(self) -> None:
        from rich import progress
        from rich.console import Console

        self._console = Console(file=cast(TextIO, Lasting(sys.stderr)))
        self._bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TimeElapsedColumn(),
            progress.TextColumn("left"),
            progress.TimeRemainingColumn(),
            progress.TextColumn("[dim]{task.fields[label]}", markup=True),
            console=self._console,
            auto_refresh=False,
            transient=True,
        )
        self._task: progress.TaskID | None = None
        self._drawn = 0.0
        self._bar.start()

    def stage(self, name: str, total: int) -> None:
        """A fresh bar."""
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(name, total=total, label="")
        self._bar.refresh()

    def more(self, steps: int) -> None:
        """Lengthen the bar."""
        if self._task is not None:
            total = self._bar.tasks[-1].total or 0
            self._bar.update(self._task, total=total + steps)

    def step(self, label: str) -> None:
        """Advance, and draw if the last drawing is long enough ago."""
        if self._task is None:
            return
        self._bar.update(self._task, advance=1, label=label.replace("[", r"\["))
        now = time.monotonic()
        if now - self._drawn >= REDRAW_SECONDS:
            self._drawn = now
            self._bar.refresh()

    def say(self, text: str) -> None:
        """A line above the bar."""
        self._console.print(text, markup=False, highlight=False)

    def close(self) -> None:
        """Take the bar away."""
        self._bar.stop()


def for_stream(stream: TextIO | None = None) -> Progress:
    """A bar where `stream` (by default stderr) is a terminal that may be drawn on, else lines.

    A bar needs escape codes, which NO_COLOR in the environment rules out.
    """
    stream = stream or sys.stderr
    return Bar() if stream.isatty() and not os.environ.get("NO_COLOR") else Lines(stream)


def duration(seconds: float) -> str:
    """`75` -> "1 min 15 s"."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
