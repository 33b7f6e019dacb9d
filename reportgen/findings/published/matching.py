"""Which published figures speak of the device of a run: of the same product, or of its architecture.

What is set by the architecture (latency of an instruction, of the first-level cache or of shared memory) may
be compared with a figure of any product of it; capacities, rates and far latencies only with a figure
of the same product.
"""

from __future__ import annotations

import re
from functools import lru_cache

from reportgen.findings.metric import Kind, parse
from reportgen.findings.published.library import Figure, library
from reportgen.runs.schema import Device, Run

MAKERS = frozenset({"nvidia", "tesla", "geforce", "quadro", "amd", "intel", "arm", "aws", "r", "tm"})
"""Words that one source prints and another leaves out."""

VARIANTS = frozenset({"ti", "super", "d", "laptop", "mobile", "max", "mig", "mps", "vgpu", "pro", "nvl"})
"""Words that make another product of a model, or a slice of it: a figure holds only with the same ones."""

UNSAID = {frozenset({"h100", "hbm3", "80gb"}): "sxm"}
"""Words of a driver -> what it leaves out and sources say: the H100 of such memory is that of the socket."""

NEAR = frozenset({"l1", "shared"})
"""Levels that belong to the core: their latency in cycles is the same in every product."""

BIG = ("", "core")
"""`core_type` of the cores that LLVM's name of a CPU is about; the others of a hybrid CPU share the name."""


def architecture_of(run: Run) -> str:
    """Key of the architecture of a run's device, as far as the figures know it; else empty.

    A GPU is known by its CUDA target, a CPU by the name under which LLVM detected it.
    """
    cores = library().cores
    isa = re.match(r"sm_\d+", run.device.isa)
    if isa is not None:
        return isa.group() if isa.group() in cores else ""
    if run.device.reported.get("core_type", "") not in BIG:
        return ""
    cpu = run.toolchain.get("cpu", "")
    named = (core for core in cores.values() if core.isa == run.device.isa and cpu in core.cpu_names.split())
    found = next(named, None)
    return found.architecture if found is not None else ""


def about(run: Run) -> tuple[Figure, ...]:
    """Figures of the architecture of a run's device, in the order of the table; empty where none is known."""
    return _of_architecture(architecture_of(run))


@lru_cache(maxsize=64)
def _of_architecture(architecture: str) -> tuple[Figure, ...]:
    if not architecture:
        return ()
    return tuple(figure for figure in library().figures if figure.architecture == architecture)


def comparable(figure: Figure, device: Device) -> bool:
    """Whether a figure of the same architecture may stand beside the device's own number."""
    by_cycle = figure.unit == "byte/cycle" and parse(figure.metric).subject in NEAR
    return by_cycle or architecture_wide(figure.metric) or same_product(figure.device, device.name)


_OF_THE_CORE = frozenset(
    {
        Kind.LATENCY,
        Kind.THROUGHPUT,
        Kind.ISSUE_INTERVAL,
        Kind.LINE,
        Kind.PEAK_PER_CYCLE,
        Kind.WINDOW,
        Kind.MISPREDICTION,
        Kind.BRANCH_INTERVAL,
        Kind.RETURN_DEPTH,
        Kind.LOOP_GROUP,
        Kind.FETCH_CAPACITY,
        Kind.FETCH_RATE,
        Kind.BANKS,
    }
)


def architecture_wide(metric: str) -> bool:
    """Whether a metric is set by the architecture and not by the product."""
    name = parse(metric)
    if name.kind in _OF_THE_CORE:
        return True
    if name.kind in (Kind.LEVEL_LATENCY, Kind.CHASE):
        return name.subject in NEAR
    if name.kind is Kind.PATH_LATENCY:
        return name.part in NEAR
    if name.kind is Kind.CAPACITY:
        return name.subject == "shared"
    return metric.startswith("tensor.latency.")


@lru_cache(maxsize=4096)
def same_product(published: str, device: str) -> bool:
    """Whether a source and a driver name one product: `NVIDIA A100-PCIE-40GB` and `NVIDIA A100 PCIe 40GB`.

    Every word of the source (but for makers, and what it puts in brackets) is among the driver's, and
    neither names a variant that the other does not.
    """
    wanted, given = _words(re.sub(r"\(.*?\)", " ", published)), _words(device)
    given |= {word for words, word in UNSAID.items() if words <= given}
    return bool(wanted) and wanted <= given and wanted & VARIANTS == given & VARIANTS


def _words(name: str) -> frozenset[str]:
    plain = re.sub(r"sxm\d", "sxm", name.lower())  # the socket's generation follows from the model
    return frozenset(re.findall(r"[a-z0-9]+", plain)) - MAKERS
