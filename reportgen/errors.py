"""The one tree of errors.

A `UserError` is something the reader of the message can put right: the command line
prints it as one line, without a traceback, and exits with `exit_code`.  Everything else
is a fault of this program and keeps its traceback.
"""

from __future__ import annotations


class ReportgenError(Exception):
    """Root of every error that reportgen raises on purpose."""


class UserError(ReportgenError):
    """A fault the user can remedy; `remedy` says how, in one sentence."""

    exit_code = 2

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class ProbeDefinitionError(UserError):
    """A probe or an instruction table is broken: names file, key and what is expected."""


class BackendUnavailable(UserError):
    """The device cannot be used here: a driver, a package or a permission is missing."""

    exit_code = 3


class BundleError(UserError):
    """A run bundle is truncated, edited, of a newer schema, or not a bundle."""

    exit_code = 4


class RunRefused(UserError):
    """A run cannot start or go on: locked device, read-only folder, other device on resume."""

    exit_code = 5


class ComparisonRefused(UserError):
    """Two runs whose metadata make their numbers incomparable; `--anyway` overrides."""

    exit_code = 6


class Unsupported(ReportgenError):
    """A probe cannot run on this device; recorded as status `unsupported` with this reason."""


class CompileError(ReportgenError):
    """The assembler or compiler refused a program; carries its log."""


class LaunchError(ReportgenError):
    """A program could not be started or did not finish; recorded as status `failed`."""


class DeviceLost(LaunchError):
    """This process can use the device no more (a sticky error); the next point needs a fresh one."""
