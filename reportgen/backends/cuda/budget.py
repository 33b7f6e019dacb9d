"""How long a run on a GPU may take, from its plan: what each visit may sample, and what it sets up first.

Sampling is capped by the plan.  What setting up takes is assumed, for a data-centre GPU and its host: nothing
of it is measured here, and the true time of a run stands in its own record (`timing`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reportgen.backends.base import Source
from reportgen.backends.cuda.buffers import BY_BLOCK, MOVED
from reportgen.backends.cuda.chase import GLOBAL_LINE, MOST_WARM, ON_CHIP
from reportgen.backends.cuda.hosted import HOST

ASSUMED_SETUP = 0.008
"""Seconds: memory taken and given back, random data, a first launch."""
ASSUMED_LAYOUT = 1.0e9
"""Bytes a second of nodes that the host lays out and sends."""
ASSUMED_MEMORY = 80 << 30
"""Bytes of the device."""
ASSUMED_MULTIPROCESSORS = 132
ASSUMED_FILL = 100.0e9
"""Bytes a second at which large arrays are filled on the device: copies of 1 MiB, each queued in 10 us."""
ASSUMED_LOAD = 0.7e-6
"""Seconds of a load from device memory."""
LEAST_LONG, WARM_UPS = 8, 2
"""Samples that are taken whatever they take, and launches before them."""
ASSUMED_STREAM = 2.0e12
"""Bytes a second of device memory."""
ASSUMED_RATE = 2.0e13
"""FLOP a second of a plain kernel of ours."""
ASSUMED_PRODUCT = 2.0e14
"""FLOP or OP a second of the vendor's product on the matrix units ..."""
ASSUMED_WIDE = {"fp32": 4.0e13, "fp64": 4.0e13}
"""... and of those that reach less."""
ASSUMED_LINK, ASSUMED_FAR_LOAD = 2.0e10, 1.5e-6
"""Bytes a second of one direction of the link to the host, seconds of a load over it."""
ASSUMED_HELD = 0.8e9
"""Bytes a second of the host's memory that is page-locked, filled, and compared at the end."""


def seconds(source: Source) -> float:
    """At most, of one visit."""
    setup = source.setup
    cap, size = float(setup.get("seconds", 0.0)), float(_bytes(setup))
    taken = cap + ASSUMED_SETUP
    if setup.get("kind") == "chase" and setup.get("path") not in ON_CHIP:
        taken += size / ASSUMED_LAYOUT + min(size / GLOBAL_LINE, MOST_WARM) * ASSUMED_LOAD
    if setup.get("kind") == "link" or setup.get("memory") == HOST:
        return taken + _over_the_link(setup, cap)
    if setup.get("kind") in ("stream", "vendor"):
        moved = source.work["bytes"] if setup.get("routine") == "gemm" else size * int(setup.get("arrays", 2))
        taken += moved / ASSUMED_FILL
    if setup.get("kind") == "stream" and "block_bytes" not in setup:  # those stay below the cap
        taken += max(0.0, (LEAST_LONG + WARM_UPS) * _launch(setup, source.work) - cap)
    if setup.get("kind") in ("kernel", "vendor"):
        work = source.work.get("flop", source.work.get("op", 0.0))
        taken += max(0.0, LEAST_LONG * work / _rate(setup) - cap)
    return taken


def _over_the_link(setup: Mapping[str, int | float | str], cap: float) -> float:
    """Seconds beyond the cap: buffers are page-locked, filled and looked through, the least samples taken."""
    size = float(setup["bytes"]) * (2 if setup.get("direction") == "both" else 1)
    shots = LEAST_LONG + WARM_UPS
    if setup.get("kind") == "chase":  # a turn to warm up, and about one in windows
        return max(0.0, shots * 2 * size / GLOBAL_LINE * ASSUMED_FAR_LOAD - cap)
    return size / ASSUMED_HELD + max(0.0, shots * size / ASSUMED_LINK - cap)


def _bytes(setup: Mapping[str, int | float | str]) -> int:
    """Of one array."""
    if "bytes_each" in setup:
        return _blocks(setup) * int(setup["bytes_each"])
    return int(setup.get("bytes", 0))


def _blocks(setup: Mapping[str, int | float | str]) -> int:
    if "blocks_each" in setup:
        return ASSUMED_MULTIPROCESSORS * int(setup["blocks_each"])
    return int(setup.get("blocks", 1))


def _launch(setup: Mapping[str, int | float | str], work: Mapping[str, float]) -> float:
    """Seconds of one launch of a stream: few blocks have few bytes under way; some compute beside."""
    blocks = _blocks(setup)
    under_way = blocks * int(setup["threads"]) * int(setup["unroll"]) * int(setup["vector_bytes"])
    rate = min(ASSUMED_STREAM, under_way / ASSUMED_LOAD)
    moved = max(_bytes(setup) * int(setup["arrays"]), min(MOVED, BY_BLOCK * blocks))
    return max(moved / rate, moved * work.get("flop", 0.0) / work["bytes"] / ASSUMED_RATE)


def _rate(setup: Mapping[str, int | float | str]) -> float:
    """Work a second."""
    if setup.get("kind") == "kernel":
        return ASSUMED_RATE
    return ASSUMED_WIDE.get(str(setup.get("precision")), ASSUMED_PRODUCT)


def of_probes(sources: Iterable[Source], passes: int) -> dict[str, tuple[int, float]]:
    """Probe -> (points, seconds of all their visits at most)."""
    found: dict[str, tuple[int, float]] = {}
    for source in sources:
        probe = source.point.partition("#")[0]
        points, spent = found.get(probe, (0, 0.0))
        found[probe] = points + 1, spent + passes * seconds(source)
    return found
