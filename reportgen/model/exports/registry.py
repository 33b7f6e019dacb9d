"""The formats in which a model leaves: name, file, who reads it, and when a run gives none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reportgen.errors import UserError
from reportgen.model.architecture import Architecture
from reportgen.model.exports import (
    accel_sim,
    bibtex,
    cff,
    facts_csv,
    gpgpu_sim,
    gpu_options,
    json,
    llvm,
    osaca,
    parquet,
)


def _always(architecture: Architecture) -> str:
    """No run lacks what the format needs."""
    return ""


@dataclass(frozen=True)
class Export:
    """One format."""

    file: str
    """What the file is called beside a report."""
    what: str
    encode: Callable[[Architecture], bytes]
    lacks: Callable[[Architecture], str] = _always
    """Why a run gives no such file; empty where it does."""


EXPORTS: dict[str, Export] = {
    "json": Export(json.MODEL, "architecture model: every fact of the run", json.encode_model),
    "csv": Export("facts.csv", "every fact as a row with its definition", facts_csv.encode),
    "parquet": Export("facts.parquet", "every fact with typed columns and their meanings", parquet.encode),
    "osaca": Export("osaca.yml", "machine model for OSACA", osaca.encode, osaca.lacks),
    "accel-sim": Export("trace.config", "unit latencies for Accel-Sim", accel_sim.encode, gpu_options.lacks),
    "gpgpu-sim": Export(
        "gpgpusim.config", "latencies and geometry for GPGPU-Sim", gpgpu_sim.encode, gpu_options.lacks
    ),
    "llvm": Export("sched.td", "scheduling numbers for LLVM, TableGen", llvm.encode, llvm.lacks),
    "bibtex": Export("cite.bib", "bibliography entry, BibTeX", bibtex.encode),
    "cff": Export("CITATION.cff", "bibliography entry, Citation File Format", cff.encode),
}
"""Name on the command line -> the format."""


def export(architecture: Architecture, name: str) -> bytes:
    """The bytes of one format.

    Args:
        architecture: of a run.
        name: a key of `EXPORTS`.

    Raises:
        UserError: the run does not hold what the format needs.
    """
    one = EXPORTS[name]
    missing = one.lacks(architecture)
    if missing:
        fit = ", ".join(other for other, its in EXPORTS.items() if not its.lacks(architecture))
        raise UserError(
            f"{architecture.device}, run {architecture.run}, gives no {name} file: {missing}.",
            f"It gives: {fit}.",
        )
    return one.encode(architecture)


def files(architecture: Architecture) -> dict[str, bytes]:
    """File name -> content, of every format that the run gives."""
    return {one.file: one.encode(architecture) for one in EXPORTS.values() if not one.lacks(architecture)}
