"""What people call what only a GPU has: paths to memory, what multiprocessors hold, copies, clusters."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.findings.metric import Kind, MetricId
from reportgen.units import format_bytes

PATHS = {
    "plain": "of the plain kind",
    "ca": "cached at all levels (ca)",
    "cg": "cached past L1 only (cg)",
    "nc": "by the read-only path (nc)",
    "volatile": "of the volatile kind",
    "texture": "by the texture path",
    "constant": "from constant memory",
    "shared": "from shared memory",
    "local": "from local memory",
}
"""Load path -> how a load goes that way."""

_ORDINALS = {"l1": "the first level", "l2": "the second level", "l3": "the third level"}
PEERS = {"own": "its own block", "next": "the next block", "last": "the last block"}
COPIES = {
    "load": "bulk copy from global to shared memory",
    "store": "bulk copy from shared to global memory",
    "tile_load": "bulk copy of a tile into shared memory",
}
TAKEN = {
    "register_pressure": ("registers of a thread", "registers a thread"),
    "shared_memory_pressure": ("bytes of shared memory of a block", "of shared memory a block"),
}
"""Probe of pressure -> what it counts, and the same behind a number."""
BANKS = {
    "banks": "the number of banks of shared memory",
    "conflict": "the cost of a further lane in one bank of shared memory",
    "latency": "the latency of a load from shared memory without conflict",
    **{
        f"latency_{width}": f"the latency of a load of {width} bytes a lane without conflict"
        for width in (8, 16)
    },
    **{
        f"conflict_{width}": f"the cost of a further pass over the banks for {width} bytes a lane"
        for width in (8, 16)
    },
}
BLOCKS = {
    "alone": "the number of blocks that run as fast as one alone",
    "crowded": "the time of a block in the largest launch over its time alone",
}
LAUNCH = {
    "fixed": "the time of a launch of an empty kernel, in a row of launches",
    "waited": "the time of a launch of an empty kernel, with a wait after each",
    "block": "the time that a further block adds to a launch of an empty kernel",
}


def path(name: str) -> str:
    """`cg` -> "cached past L1 only (cg)"."""
    return PATHS.get(name, f"by the path {name}")


def ordinal(level: str) -> str:
    """`l1` -> "the first level that they meet": a path may pass the first cache of the device by."""
    return f"{_ORDINALS[level]} that they meet" if level in _ORDINALS else "DRAM"


def _level(name: str) -> str:
    return _ORDINALS.get(name, "DRAM, the last level")


def launch_of(part: str) -> str:
    """`4` -> "4 chains a warp"; `1.16384` -> "1 chain a warp, 16 KiB of shared memory a block"."""
    if not part:
        return "as many chains a warp as the probe has"
    chains, _, shared = part.partition(".")
    text = f"{chains} {'chain' if chains == '1' else 'chains'} a warp"
    if shared.isdigit():
        text += f", {format_bytes(float(shared))} of shared memory a block"
    return text


def noun(name: MetricId, level: Callable[[str], str], title: Callable[[str], str]) -> str:
    """A metric of a GPU as a noun phrase; its id where it is none of these.

    Args:
        name: the metric, taken apart.
        level: what people call a level.
        title: what people call an operation, by its key.
    """
    subject, part = name.subject, name.part
    match name.kind:
        case Kind.PATH_CAPACITY:
            text = f"the capacity of {_level(subject)} that loads {path(part)} meet"
        case Kind.PATH_LATENCY:
            text = f"the latency of {_level(subject)} that loads {path(part)} meet"
        case Kind.PATH_TIME:
            text = f"the latency in seconds of {_level(subject)} that loads {path(part)} meet"
        case Kind.PATH_LINE:
            text = f"the cache line, loads {path(part)}"
        case Kind.SHARED_CAPACITY:
            text = f"the {level(subject)} capacity for all multiprocessors together"
        case Kind.DISTANCE:
            text = f"the latency of {level(subject)} lines that are {part}"
        case Kind.SECTOR:
            kind = (
                "the part of memory that one slow miss brings" if subject else "the sector that a miss brings"
            )
            text = f"{kind}, loads {path(part)}"
        case Kind.CLUSTER:
            text = f"the latency of the shared memory of {PEERS.get(part, part)} of a cluster of {subject}"
        case Kind.BULK:
            what = "the fixed time" if part == "fixed" else "the rate"
            text = f"{what} of a {COPIES.get(subject, subject)}"
        case Kind.TILE:
            size = format_bytes(float(part)) if part.isdigit() else part
            text = (
                f"the time of a tile copy with swizzled rows of {size}, over that of a plain one"
                if subject == "swizzle"
                else f"the time of a walk through tiles with an L2 promotion to {size}, over that without"
            )
        case Kind.WARPS:
            text = f"the rate of {title(subject)} over the warps of a multiprocessor ({launch_of(part)})"
        case Kind.BANKS:
            text = BANKS.get(part, part)
        case Kind.STEP:
            text = f"step {part} of the warps of a multiprocessor over {TAKEN[subject][0]}"
        case Kind.BLOCKS | Kind.CROWDED:
            text = BLOCKS.get(part, part)
        case Kind.LAUNCH:
            text = LAUNCH.get(part, part)
        case _:
            text = name.text
    return text
