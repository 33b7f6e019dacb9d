"""The link between a simulated GPU and its host: copies over it, loads and streams through it."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from reportgen.status import Status
from tests.simulated.asked import ok_point
from tests.simulated.gpu_truth import EMPTY, KIB, MIB, GpuTruth, Question, Simulated, asked

COPY, LOADS, STREAMS = "host_link/copy", "host_link/mapped_read", "host_link/mapped_stream"
Facts = dict[str, int | float | str]
FACTS: Facts = {
    "pcie_generation": 5, "pcie_width": 16, "pcie_generation_most": 5, "pcie_width_most": 16, "c2c_links": 0,
    "host_cpu": 3, "host_node": 0, "device_node": 0,
}  # fmt: skip
QUEUED = (4 * KIB, 64 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB)
BOTH = (MIB, 16 * MIB, 64 * MIB)
PAGEABLE = (4 * KIB, 64 * KIB, MIB, 16 * MIB, 64 * MIB)
CALLS = 16
"""Copies of a sample."""


@dataclass(frozen=True)
class LinkTruth:
    """Bytes a second, seconds."""

    to_device: float = 5.5e10
    to_host: float = 5.3e10
    both: float = 10.1e10
    start: float = 1.7e-6
    """Of a copy beside its bytes, in a row of copies."""
    wait: float = 7.5e-6
    """Of one that is waited for."""
    pageable: float = 9.0e9
    latency: float = 1.2e-6
    """Of a load from memory of the host ..."""
    cached: float = 1.2e-6
    """... and of one that a cache of the device may answer."""
    read: float = 5.2e10
    write: float = 4.4e10
    bend: float = 1.0
    """Times that copies of 1 MiB take longer than a straight line says."""


LINK = LinkTruth()


def copies(truth: GpuTruth, link: LinkTruth = LINK, facts: Facts = FACTS) -> Question:
    """Rows of copies in every way."""
    found = []
    for direction, sizes in (("to_device", QUEUED), ("to_host", QUEUED), ("both", BOTH)):
        for size in sizes:
            moved = size * (2 if direction == "both" else 1)
            bent = link.bend if size == MIB else 1.0
            seconds = (link.start + moved / getattr(link, direction)) * bent
            found.append(_copy(truth, "queued", direction, size, seconds, facts))
    for direction in ("to_device", "to_host"):
        seconds = link.wait + 4 * KIB / getattr(link, direction)
        found.append(_copy(truth, "waited", direction, 4 * KIB, seconds, facts))
        for size in PAGEABLE:
            found.append(_copy(truth, "pageable", direction, size, link.wait + size / link.pageable, facts))
    return asked(COPY), found


def _copy(
    truth: GpuTruth,
    way: str,
    direction: str,
    size: int,
    seconds: float,
    facts: Facts,
) -> Simulated:
    settings = {"way": way, "direction": direction, "bytes": size}
    work = {"bytes": float(size * (2 if direction == "both" else 1))}
    point = ok_point(COPY, settings, work=work, facts={"bytes_actual": size, "launches": CALLS} | facts)
    reason = "library code: its machine code was not inspected"
    point = msgspec.structs.replace(point, status=Status.UNVERIFIED, reason=reason)
    return Simulated(point, (CALLS * seconds * truth.clock_hz,), CALLS)


def loads(truth: GpuTruth, link: LinkTruth = LINK, facts: Facts = FACTS) -> Question:
    """Dependent loads by two paths."""
    found = []
    for path, each in (("volatile", link.latency), ("cg", link.cached)):
        for size in (64 * KIB, 256 * KIB):
            point = ok_point(LOADS, {"path": path, "bytes": size}, work={"steps": 64.0}, facts=dict(facts))
            found.append(Simulated(point, (64 * each * truth.clock_hz + EMPTY,)))
    return asked(LOADS), found


def streams(truth: GpuTruth, link: LinkTruth = LINK, facts: Facts = FACTS) -> Question:
    """Kernels that read and write."""
    found = []
    size = 128 * MIB
    for kernel, rate in (("read", link.read), ("write", link.write)):
        settings = {"kernel": kernel, "width": 16, "blocks": 1024, "bytes": size}
        point = ok_point(STREAMS, settings, work={"bytes": 64.0}, facts={"bytes_actual": size} | facts)
        found.append(Simulated(point, (size / rate * truth.clock_hz + EMPTY,), size // 64))
    return asked(STREAMS), found


QUESTIONS = (copies, loads, streams)
