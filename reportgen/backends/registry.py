"""Names of backends -> backends, imported when asked for.

A new backend is a folder, a template a family, and a line here.
"""

from __future__ import annotations

from importlib import import_module

from reportgen.backends.base import Backend, Candidate
from reportgen.errors import BackendUnavailable, UserError
from reportgen.runs.schema import Device

BACKENDS = {
    "cpu": ("reportgen.backends.cpu.backend", "CpuBackend"),
    "cuda": ("reportgen.backends.cuda.backend", "CudaBackend"),
    "replay": ("reportgen.backends.replay.backend", "ReplayBackend"),
}
"""Name -> module and class."""

TARGET = "sm_"
"""Selectors that begin so name a target of the CUDA toolchain: `sm_90`, `sm_all`."""

TAKES_ARGUMENT = frozenset({"replay"})
"""Backends made from what follows the colon of the selector: `replay:PATH`."""


def get(selector: str) -> Backend:
    """The backend of a name or selector: `cpu`, `cpu:atom`, `cuda:0`, `sm_90`, `replay:PATH`.

    Raises:
        UserError: there is no backend of that name.
        BackendUnavailable: a package that it needs is missing or broken.
    """
    name, _, argument = selector.partition(":")
    if name.startswith(TARGET):
        name = "cuda"
    if name not in BACKENDS:
        target = name.replace("-", "_", 1)  # as runs of it are named
        like = f"Did you mean {target}? " if target.startswith(TARGET) else ""
        raise UserError(
            f"no device '{selector}': there is no backend '{name}', only {', '.join(BACKENDS)}.",
            f"{like}'reportgen devices' shows what is here.",
        )
    module, kind = BACKENDS[name]
    try:
        made = getattr(import_module(module), kind)
    except ImportError as error:
        raise BackendUnavailable(
            f"the {name} backend cannot be loaded ({error}).", "Install what is missing, then try again."
        ) from error
    backend: Backend = made(argument) if name in TAKES_ARGUMENT else made()
    return backend


def discover() -> list[Candidate]:
    """Every device of every backend that looks for devices; what cannot be used says why.

    A backend that cannot be loaded is listed too, as a device without an ISA.
    """
    found: list[Candidate] = []
    for name in BACKENDS:
        if name in TAKES_ARGUMENT:
            continue
        try:
            found += get(name).discover()
        except BackendUnavailable as error:
            missing = Device(id=name, backend=name, vendor="", name=f"{name} backend", isa="")
            found.append(Candidate(name, missing, str(error)))
    return found
