"""Measures what a processor does, and renders what it found, worded no stronger than the evidence.

>>> import reportgen
>>> architecture = reportgen.load("data/DEVICE/RUN")
>>> architecture.instruction("fp32_fma").latency.value
4.0
"""

from __future__ import annotations

TYPE_CHECKING = False  # what typing has under this name: Ctrl-C is caught once this module is imported
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from reportgen.model.architecture import Architecture
    from reportgen.workload.count import count
    from reportgen.workload.jax_trace import from_jax
    from reportgen.workload.torch_export import from_torch
    from reportgen.workload.tracer import count_flops

__all__ = ["__version__", "count", "count_flops", "from_jax", "from_torch", "load"]

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
    from pathlib import Path

    from reportgen.model.load import load_architecture

    return load_architecture(path_or_device, Path(data))


_WORKLOAD = {
    "count": "count",
    "count_flops": "tracer",
    "from_jax": "jax_trace",
    "from_torch": "torch_export",
}
"""Name -> module of `reportgen.workload` that has it, imported when the name is first asked for."""


def __getattr__(name: str) -> Any:
    """Counting work is imported only where it is used."""
    if name not in _WORKLOAD:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from importlib import import_module

    found = getattr(import_module(f"{__name__}.workload.{_WORKLOAD[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
