"""Measurements in the data folder: which one a word means, and what it comes to."""

from __future__ import annotations

from pathlib import Path

from reportgen.runs import read, store
from reportgen.runs.read import Bundle
from reportgen.runs.schema import MEASUREMENT


def find(data: Path, name: str) -> Bundle:
    """The measurement that `name` means: a path, a run, `latest`, or a device's newest.

    Raises:
        BundleError: there is none, or it cannot be read.
    """
    return read.load(store.resolve_kind(data, name, MEASUREMENT, "'reportgen measure FILE' makes one."))
