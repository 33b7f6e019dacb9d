"""Measures what a processor does, and renders what it found, worded no stronger than the evidence.

>>> import reportgen
>>> architecture = reportgen.load("data/DEVICE/RUN")
>>> architecture.instruction("fp32_fma").dependent_latency.value
4.0
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.model.architecture import Architecture

__all__ = ["__version__", "load"]

__version__ = "0.1.0"


def load(path_or_device: str | Path, data: str | Path = "data") -> Architecture:
    """The architecture model of a run: every fact with value, interval, status and confidence.

    Args:
        path_or_device: a `model.json`, a folder with one, the folder of a run bundle, or the id of
            a device (its newest readable run), of a run, or `latest`.
        data: folder in which devices and runs are looked up.

    Raises:
        UserError: nothing answers to the name, or what does cannot be read; the message says why.
    """
    # Imported here: every part of the package imports this module, most of them need no model.
    from reportgen.model.load import load_architecture

    return load_architecture(path_or_device, Path(data))
