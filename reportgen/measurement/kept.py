"""What an interrupted measurement needs to go on: the code, and what models said of it."""

from __future__ import annotations

from typing import Any

import msgspec

from reportgen.collect import interruption
from reportgen.collect.runner import Options
from reportgen.errors import ReportgenError, RunRefused
from reportgen.runs import disk
from reportgen.suite.own_code import Code

KEPT = "own_code.json"


class Kept(msgspec.Struct, frozen=True):
    """Both."""

    codes: tuple[Code, ...]
    remarks: dict[str, Any]


def keep(options: Options, verb: str, kept: Kept) -> None:
    """Put it into the folder of the run that was begun last, where one of this kind is."""
    try:
        folder = interruption.find(options.data, "latest", verb).folder
        disk.write_file(folder / KEPT, msgspec.json.encode(kept))
    except (ReportgenError, OSError):
        return  # nothing was begun, or the disk refuses it as it refused the journal


def begun(options: Options, verb: str) -> Kept:
    """Of the run that is gone on with.

    Raises:
        RunRefused: it is not there.
    """
    path = interruption.find(options.data, options.resume, verb).folder / KEPT
    try:
        return msgspec.json.decode(path.read_bytes(), type=Kept)
    except (OSError, msgspec.DecodeError):
        raise RunRefused(
            f"'{path}' is missing or damaged, so its code is not known.", "Start a new measurement."
        ) from None
