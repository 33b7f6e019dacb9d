"""One launch of a prepared point: what is passed, what is read back, and whether it is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.backends.cuda import chase, copied, meeting
from reportgen.backends.cuda.binding import Binding, Handle, Shape
from reportgen.backends.cuda.buffers import UNWRITTEN, Passed
from reportgen.errors import LaunchError

Reads = NDArray[np.int64]

CHOSEN_APART = 37
"""Blocks, one a multiprocessor, are asked in steps of so many: neighbours share a path."""
NS_OF_MS = 1e6
WHOLE = frozenset({"stream", "kernel", "saturated", "crowd", "held", "contended"})
OWN_CLOCK = frozenset({"saturated"})
"""Those of them whose blocks work all the while: their clock reads say what clock the load leaves them."""
STILL_HERE = frozenset({"shared", "local"})
"""Paths whose kernels lay out their nodes anew in every launch, and always start at the first."""


@dataclass
class Prepared:
    """A point ready to be launched."""

    function: Handle
    kind: str
    grid: Shape
    threads: int
    shared: int
    """Dynamic shared memory, bytes."""
    repetitions: int
    """Of the work, in one row."""
    compare: bool
    """Whether every launch must leave the same results."""
    passed: Passed
    multiprocessors: int
    launches: int = 1
    """In one sample, back to back."""

    @property
    def blocks(self) -> int:
        """Of a launch."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def whole(self) -> bool:
        """Whether the launch is timed from outside, by events: its blocks run on many multiprocessors."""
        return self.kind in WHOLE

    @property
    def windows(self) -> int:
        """Empty windows that one row contains."""
        return self.passed.counted if self.kind in ("chase", "bulk") else int(not self.whole)

    @property
    def loads(self) -> int:
        """Of a chase, from one result that is kept to the next."""
        return int(self.passed.setup["unroll"]) + chase.LEAD if self.kind == "chase" else 1


@dataclass(frozen=True)
class Shot:
    """One launch."""

    ticks: tuple[int, ...]
    """Cycles, one row each: of the block in the middle, or the slowest, of all windows together, or of every
    load alone."""
    multiprocessor: int
    fastest: int
    slowest: int
    places: frozenset[int]
    """Multiprocessors that blocks of it ran on."""
    results: bytes
    milliseconds: float = 0.0
    wrong: str = ""
    """What the host knows to be wrong with the results."""


class Outside(NamedTuple):
    """What times launches from outside."""

    start: Handle
    stop: Handle
    hold_up: Callable[[int], None]
    """Keeps the device busy while so many launches are queued behind it."""
    queued: Callable[[], None]
    """Is told that they are."""


def shoot(binding: Binding, prepared: Prepared, number: int, outside: Outside | None) -> Shot:
    """Launch once, as the `number`th, and read back.

    Raises:
        LaunchError: clocks or results were not written: the kernel did not run.
        DeviceLost: it ended in a sticky error.
    """
    passed = prepared.passed
    passed.refresh()
    passed.set("number", number * CHOSEN_APART % max(1, prepared.multiprocessors))
    again = passed.setup.get("path") in STILL_HERE or passed.warm <= chase.EACH_LAUNCH
    warm = passed.warm if again or not number else min(passed.warm, prepared.loads)
    passed.set("loads", warm)
    if passed.chase is not None:
        passed.set("node", passed.chase.node)
    if outside:
        outside.hold_up(prepared.launches)
        binding.record(outside.start)
    for _ in range(prepared.launches):
        binding.launch(
            prepared.function,
            prepared.grid,
            (prepared.threads, 1, 1),
            prepared.shared,
            passed.values,
        )
    if outside:
        binding.record(outside.stop)
        outside.queued()
    binding.synchronize()
    milliseconds = binding.milliseconds(outside.start, outside.stop) if outside else 0.0
    results = b"".join(binding.read(*place) for place in (*passed.results, *passed.read))
    if results and results == UNWRITTEN.to_bytes(4, "little") * (len(results) // 4):
        raise LaunchError("the kernel did not run: it left no results")
    wrong = ""
    if passed.added:
        wrong = meeting.fault(binding.read(*passed.counters), passed.added, prepared.launches)
    if prepared.whole and number:
        # nothing else of it is used, and there are megabytes of it
        cycles = first_block(binding, prepared, passed.clocks) if prepared.kind in OWN_CLOCK else 1
        return Shot((cycles,), -1, cycles, cycles, frozenset(), results, milliseconds, wrong)
    reads = _reads(binding, prepared)
    wrong = wrong or _chase_fault(prepared, results, warm) or _contents_fault(passed.wanted, results)
    if number == 1:  # the first one that counts
        wrong = wrong or copied.fault(binding, passed)
    if passed.chase is not None and passed.setup.get("path") not in STILL_HERE:
        passed.chase.advance(warm + passed.windows * prepared.loads + _behind(prepared))
    return _shot(prepared, reads, results, milliseconds, wrong)


def _reads(binding: Binding, prepared: Prepared) -> Reads:
    """All clock words, unsigned."""
    passed = prepared.passed
    data = binding.read(passed.clocks, passed.clock_bytes)
    kind = np.uint64 if passed.clock_bits == 64 else np.uint32
    return np.frombuffer(data, dtype=kind).astype(np.int64)


def _differences(prepared: Prepared, later: Reads, earlier: Reads) -> Reads:
    """Cycles between reads of which 32 bits wrap round every two seconds or so."""
    difference = later - earlier
    if prepared.passed.clock_bits == 64:
        return difference
    half = 1 << 31
    return (difference + half) % (1 << 32) - half


def _shot(prepared: Prepared, reads: Reads, results: bytes, milliseconds: float, wrong: str) -> Shot:
    passed = prepared.passed
    untouched = -1 if passed.clock_bits == 64 else 0xFFFFFFFF
    if prepared.kind == "trace":
        spent = reads[: passed.windows]
        _written(spent, untouched, 0)
        return Shot(
            tuple(spent.tolist()), -1, int(spent.min()), int(spent.max()), frozenset(), results, 0.0, wrong
        )
    if prepared.kind in ("chase", "bulk", "l2_matrix"):
        pairs = reads[: 2 * passed.windows].reshape(-1, 2)
        _written(pairs, untouched, 0)
        spent = _differences(prepared, pairs[:, 1], pairs[:, 0])
        if prepared.kind != "l2_matrix":
            spent = spent[passed.windows - passed.counted :]
        rows = tuple(spent.tolist()) if prepared.kind == "l2_matrix" else (int(spent.sum()),)
        place = _place(prepared, results) if prepared.kind == "l2_matrix" else -1
        here = frozenset({place} - {-1})
        return Shot(rows, place, int(spent.min()), int(spent.max()), here, results, 0.0, wrong)
    each = 2 * prepared.passed.speakers
    own = reads[: prepared.blocks * each].reshape(prepared.blocks, each)
    if not prepared.whole:  # where one thread of a block speaks for all, the rest stays as it was
        idle = np.flatnonzero(np.all(own == untouched, axis=1))
        _written(own[idle[0]] if len(idle) else own[0], untouched, int(idle[0]) if len(idle) else 0)
    _written(own, untouched, 0)
    if "cluster" in passed.setup:  # only to the first block is its peer what the point says
        own = own[:1]
    spans = _spans(prepared, own).tolist()
    tail = reads[prepared.blocks * each :][: prepared.blocks]
    places = [int(place) if place != untouched else -1 for place in tail]
    # where few share a multiprocessor, the one in the middle is alone
    told = max(spans) if passed.setup.get("block") == "slowest" else sorted(spans)[len(spans) // 2]
    return Shot(
        ticks=(told,),
        multiprocessor=places[spans.index(told)],
        fastest=min(spans),
        slowest=max(spans),
        places=frozenset(places) - {-1},
        results=results,
        milliseconds=milliseconds,
        wrong=wrong,
    )


def _place(prepared: Prepared, results: bytes) -> int:
    """The multiprocessor that a kernel left as the first word of its last result."""
    return int.from_bytes(results[-prepared.passed.results[-1][1] :][:4], "little")


def _spans(prepared: Prepared, own: Reads) -> Reads:
    """Cycles of each block (row) from its first read to its last."""
    untouched = -1 if prepared.passed.clock_bits == 64 else 0xFFFFFFFF
    # where one thread of a block speaks for all, the others left nothing
    read = np.where(own == untouched, own[:, :1], own)
    # relative to the block's first read, so that a counter that wraps round does no harm
    near = _differences(prepared, read, read[:, :1])
    spans: Reads = near[:, 1::2].max(axis=1) - near[:, ::2].min(axis=1)
    return spans


def first_block(binding: Binding, prepared: Prepared, address: int) -> int:
    """Cycles of the first block, whose clock reads lie at an address.

    Raises:
        LaunchError: it left none.
    """
    words = 2 * prepared.passed.speakers
    bits = prepared.passed.clock_bits
    kind = np.uint64 if bits == 64 else np.uint32
    reads = np.frombuffer(binding.read(address, words * bits // 8), dtype=kind).astype(np.int64)
    _written(reads, -1 if bits == 64 else 0xFFFFFFFF, 0)
    return int(_spans(prepared, reads.reshape(1, words))[0])


def _behind(prepared: Prepared) -> int:
    """Loads of a chase between its last clock read and the result that is kept."""
    return int(prepared.passed.setup.get("path") == "texture" and prepared.kind == "chase")


def _written(reads: Reads, untouched: int, block: int) -> None:
    if bool(np.all(reads == untouched)):
        raise LaunchError(f"the kernel did not run: block {block} left no clock reads")


def _chase_fault(prepared: Prepared, results: bytes, warm: int) -> str:
    """Whether every window of a chase ended at the node where it had to.

    Nodes are compared by their distance, because a kernel adds a base of its own to nodes on the chip.
    """
    passed = prepared.passed
    if passed.chase is None:
        return ""
    kind = np.uint64 if passed.result_bytes == 8 else np.uint32
    found = np.frombuffer(results, dtype=kind)[: passed.windows].astype(np.int64)
    ends = prepared.loads * (1 + np.arange(passed.windows, dtype=np.int64))
    wanted = passed.chase.after(warm + _behind(prepared) + ends)
    off = np.flatnonzero(found - found[0] != wanted - wanted[0])
    return (
        f"{len(off)} of {passed.windows} windows ended at another node than they had to" if len(off) else ""
    )


def _contents_fault(wanted: bytes, results: bytes) -> str:
    """Whether results begin with what the host worked out, word by word."""
    if results.startswith(wanted):
        return ""
    words = [np.frombuffer(data[: len(wanted)], np.uint32) for data in (wanted, results)]
    off = int(np.count_nonzero(words[0] != words[1]))
    return f"{off} of {len(words[0])} words of a tile are not those that have to lie there"
