"""All runs of a data folder as pages list them: which report is a device's newest, what is broken."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.site.report import Report


@dataclass(frozen=True)
class Entry:
    """One run folder: its report, or the reason why it could not be read."""

    device: str
    run: str
    report: Report | None
    error: str = ""

    @property
    def created(self) -> str:
        """Date and time, UTC; the run's own name where the manifest is unreadable."""
        if self.report is not None:
            return self.report.run.created[:16].replace("T", " ")
        stamp = self.run
        if len(stamp) >= 13 and stamp[:8].isdigit():
            return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]} {stamp[9:11]}:{stamp[11:13]}"
        return stamp


@dataclass(frozen=True)
class Shelf:
    """All runs of one device, newest first."""

    device: str
    entries: tuple[Entry, ...]
    validation: str = ""
    """Its newest validation run, empty where there is none."""
    survey: str = ""
    """Its newest survey of instruction forms, likewise."""
    measurement: str = ""
    """Its newest measurement of code of the user's own, likewise."""

    @property
    def newest(self) -> Entry:
        """The newest run that could be read; the newest of all where none could."""
        return next((entry for entry in self.entries if entry.report is not None), self.entries[0])

    @property
    def name(self) -> str:
        """What the device calls itself; its id where no run could be read."""
        report = self.newest.report
        return report.run.title if report is not None else self.device

    @property
    def is_target(self) -> bool:
        """Whether its newest run built programs and ran none."""
        report = self.newest.report
        return report is not None and report.run.toolchain_only

    @property
    def contents(self) -> tuple[object, ...]:
        """What its pages are made of: its runs with the digest of each, or what is wrong with it."""
        runs = tuple(
            (one.run, one.report.digest if one.report is not None else one.error) for one in self.entries
        )
        return self.device, runs, self.validation, self.survey, self.measurement

    def superseded_by(self, run: str) -> Entry | None:
        """The run that says it corrects `run`."""
        for entry in self.entries:
            if entry.report is not None and entry.report.run.supersedes == run:
                return entry
        return None


def shelve(
    entries: list[Entry],
    validations: Mapping[str, str] | None = None,
    surveys: Mapping[str, str] | None = None,
    measurements: Mapping[str, str] | None = None,
) -> tuple[Shelf, ...]:
    """Entries, newest first, by device; devices in alphabetical order of their ids.

    `validations`, `surveys` and `measurements` are the newest of each of every device that has one.
    """
    known, surveyed, own = validations or {}, surveys or {}, measurements or {}
    devices: dict[str, list[Entry]] = {}
    for entry in entries:
        devices.setdefault(entry.device, []).append(entry)
    return tuple(
        Shelf(device, tuple(some), *(each.get(device, "") for each in (known, surveyed, own)))
        for device, some in sorted(devices.items())
    )


def measured(shelves: tuple[Shelf, ...]) -> tuple[Shelf, ...]:
    """Devices on which something ran, and folders whose runs cannot be read."""
    return tuple(shelf for shelf in shelves if not shelf.is_target)


def targets(shelves: tuple[Shelf, ...]) -> tuple[Shelf, ...]:
    """A compiler's targets, in the order of their numbers."""
    found = (shelf for shelf in shelves if shelf.is_target)
    return tuple(sorted(found, key=lambda shelf: [int(n) for n in re.findall(r"\d+", shelf.device)]))
