"""The replay backend: a recorded bundle answers in place of a device.

`--device replay:PATH` sends the real runner through worker processes, journal and sealing, with the
samples of the bundle at PATH.  Nothing is timed.  For tests, demonstrations and bug reports.

It reads bundles, so it alone among the backends imports `runs.read`; it has no inspector (the
recorded verdict stands) and no counters (what they said was recorded).
"""

from __future__ import annotations

from pathlib import Path

from reportgen.backends.base import Candidate, ClockConstants
from reportgen.backends.recording import Recording
from reportgen.backends.replay import clock as recorded_clock
from reportgen.backends.replay import device as recorded_device
from reportgen.backends.replay.compiler import ReplayBuilder
from reportgen.backends.replay.generator import ReplayGenerator
from reportgen.backends.replay.launcher import ReplayLauncher
from reportgen.runs.read import load
from reportgen.runs.schema import Device
from reportgen.suite.definition import Operation


class ReplayBackend:
    """One device: the one that was recorded.

    Raises:
        BundleError: `path` is not a bundle, or one of a newer schema.
    """

    name = "replay"

    def __init__(self, path: str) -> None:
        self._path = path
        self._bundle = load(Path(path))

    def discover(self) -> list[Candidate]:
        """The recorded device."""
        return recorded_device.discover(self._path, self._bundle)

    def recording(self) -> Recording:
        """Questions and order of the recorded run."""
        return recorded_device.recording(self._bundle)

    def generator(self, device: Device, operations: dict[str, Operation]) -> ReplayGenerator:
        """Gives recorded sources."""
        return ReplayGenerator(self._bundle)

    def builder(self, device: Device) -> ReplayBuilder:
        """Gives recorded programs."""
        return ReplayBuilder(self._bundle)

    def launcher(self, selector: str, device: Device) -> ReplayLauncher:
        """Gives recorded samples."""
        return ReplayLauncher(self._bundle)

    def clock(self) -> ClockConstants:
        """Constants of the frame that took the recorded samples."""
        return recorded_clock.constants(self._bundle.run.sample_clock)

    def environment(self, device: Device) -> dict[str, int | float | str | bool]:
        """As recorded."""
        return self._bundle.run.environment

    def toolchain(self, device: Device) -> dict[str, str]:
        """As recorded."""
        return self._bundle.run.toolchain

    def counters(self, device: Device) -> str:
        """As recorded."""
        return self._bundle.run.counters
