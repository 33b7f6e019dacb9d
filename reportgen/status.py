"""Status is data: every point, quantity and finding carries one, with a reason.

A value is present only where the status says that it may be used; there is no NaN, -1 or 0
with a meaning.
"""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """What became of a point or a quantity."""

    OK = "ok"
    UNSUPPORTED = "unsupported"
    """The device lacks the instruction, unit or level, or the backend has no template."""
    NOT_PERMITTED = "not_permitted"
    """The operating system or driver refuses; the reason says what would allow it."""
    SKIPPED = "skipped"
    """Not asked for in this run (a glob, `--quick`)."""
    FAILED = "failed"
    """The program crashed or could not be built; the reason names signal or message."""
    TIMED_OUT = "timed_out"
    THROTTLED = "throttled"
    UNSTABLE = "unstable"
    """Samples were taken, too few of them passed the gates or they disagree."""
    UNVERIFIED = "unverified"
    """Measured, but the machine code could not be inspected; confidence is capped."""
    CENSORED = "censored"
    """The probe's own range ended first: the value is a bound."""
    INVALID = "invalid"
    """The machine code is not the program that was meant, or a physical limit is broken."""


USABLE = frozenset({Status.OK, Status.UNVERIFIED, Status.CENSORED})
"""Statuses whose quantities carry a value."""
