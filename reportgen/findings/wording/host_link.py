"""Sentences about the link between host and GPU: copies over it, and loads through it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import central
from reportgen.findings.metric import MetricId
from reportgen.findings.wording.numbers import amount, one

WHERE = {
    "to_device": "from host to GPU",
    "to_host": "from GPU to host",
    "both": "in both directions at once",
}
"""Direction -> the same behind "copies"."""
BOTH = "both"
PAGEABLE = "pageable_"
_LOADS = {
    "volatile": "of the volatile kind",
    "cg": "that may be cached in the second level (cg)",
}
_STREAMS = {"read": ("read", "from"), "write": ("wrote", "into")}
STAGING = (
    "the driver copies through page-locked buffers of its own, piece by piece",
    "the driver page-locks the memory for the time of each copy",
    "each of these copies is waited for, so that nothing of the next one is under way",
)
"""What a lower rate of pageable memory is consistent with."""


def noun(name: MetricId) -> str:
    """A metric of the link as a noun phrase."""
    subject, part = name.subject, name.part
    if subject == "mapped":
        what, _, path = part.partition("_time") if part.startswith("latency_time") else part.partition("_")
        if what == "latency":
            seconds = " in seconds" if part.startswith("latency_time") else ""
            way = f" by the path {path.removeprefix('_')}" if path else ""
            return f"the latency{seconds} of a load from memory of the host{way}"
        return f"the rate at which kernels {part} memory of the host"
    kind = part.removeprefix(PAGEABLE)
    of = " of pageable memory" if part.startswith(PAGEABLE) else ""
    what = {
        "bandwidth": f"the bandwidth of copies{of}",
        "start": "what a copy takes beside its bytes",
        "waited": f"the time of a short copy{of} that is waited for",
    }.get(kind, f"{kind} of copies")
    joint = ", " if kind == "start" else " "
    return f"{what}{joint}{WHERE.get(subject, subject)}"


def told(name: MetricId, quantity: Quantity) -> str:
    """Measured: a rate, a fixed time, a short copy, a load or a stream."""
    if name.subject == "mapped":
        return _mapped(name.part, quantity)
    where, details = WHERE.get(name.subject, name.subject), quantity.details
    kind = name.part.removeprefix(PAGEABLE)
    memory = "pageable" if name.part.startswith(PAGEABLE) else "page-locked"
    if kind == "start":
        return (
            f"A copy of page-locked memory {where}, in a row of copies, takes {amount(quantity)} beside its "
            "bytes: the time of all sizes lies on one straight line, within "
            f"{100 * quantity.details.get('linearity', 0.0):.1f} %."
        )
    if kind == "waited":
        return (
            f"A copy of {one(float(details.get('size', 0)), 'byte')} of {memory} memory {where} takes "
            f"{amount(quantity)} from its order until the host knows that it is there."
        )
    how = "each waited for by the host" if memory == "pageable" else "in a row without a wait"
    size = details.get("settled_from")
    least = f", from {one(float(size), 'byte')} a copy on" if size else ""
    moved = f"Copies of {memory} memory {where}, {how}, moved {amount(quantity)}{least}."
    return f"{moved}{link(name.subject, quantity)}"


def bound(name: MetricId, quantity: Quantity) -> str:
    """Censored: the rate still rose at the largest copy."""
    low = quantity.low if quantity.low is not None else central(quantity)
    noun_of = noun(name)
    return (
        f"{noun_of[:1].upper()}{noun_of[1:]} is at least {one(low, quantity.unit)} (n = {quantity.n:,}): it "
        f"still rose at the largest copy that was tried.{link(name.subject, quantity)}"
    )


def _mapped(part: str, quantity: Quantity) -> str:
    if part in _STREAMS:
        verb, way = _STREAMS[part]
        what = f"Kernels {verb} {amount(quantity)} {way} page-locked memory of the host, without a copy."
        return f"{what}{link('mapped', quantity)}"
    path = part.removeprefix("latency_time").removeprefix("latency").removeprefix("_") or "volatile"
    shared = " GPU and host share one memory here." if quantity.details.get("integrated") else ""
    return (
        f"Dependent loads {_LOADS.get(path, f'by the path {path}')} from page-locked memory of the host take "
        f"{amount(quantity)} each.{shared}"
    )


def link(subject: str, quantity: Quantity) -> str:
    """What is said of the link, and which share of that the rate is; with a leading space, or nothing."""
    details = quantity.details
    if details.get("integrated"):
        return " GPU and host share one memory here (integrated device): the copies cross no link."
    text = ""
    if named := nominal(details):
        rate, says = named
        ways = 2 if subject == BOTH else 1
        reached = central(quantity) / (rate * ways)
        each = "both directions together" if ways == 2 else "one direction"
        text = (
            f" NVML names the link {says}, which carries {one(rate * ways, 'byte/second')} in {each} behind "
            f"its line code (nominal): the rate is {reached:.2f} of that."
        )
    elif details.get("c2c_links"):
        text = " GPU and processor are joined by NVLink-C2C; what that carries is not stated here."
    if details.get("other_node"):
        text += " In some visits the process ran on another NUMA node than the device is at."
    return text


def nominal(details: Mapping[str, Any]) -> tuple[float, str] | None:
    """Bytes a second of one direction as the link worked, and what it was: "PCIe generation 5 x 16 lanes"."""
    rate = details.get("nominal")
    if not isinstance(rate, int | float):
        return None
    generation, lanes = (int(details.get(key, 0)) for key in ("pcie_generation", "pcie_width"))
    most = tuple(int(details.get(f"{key}_most", 0)) for key in ("pcie_generation", "pcie_width"))
    more = f" (at most generation {most[0]} with {most[1]} lanes)" if all(most) else ""
    said = f"PCIe generation {generation} with {lanes} lanes"
    return float(rate), said if most == (generation, lanes) else f"{said}{more}"


def staging(name: MetricId, pageable: Quantity, locked: Quantity) -> str:
    """Inferred: why pageable memory is slower."""
    share = central(pageable) / central(locked)
    return (
        f"Copies of pageable memory {WHERE.get(name.subject, name.subject)} reach {share:.2f} of the rate of "
        "page-locked memory, which is consistent with a way through page-locked buffers of the driver."
    )
