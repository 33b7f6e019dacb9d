"""Pointer chases on the device: nodes laid out for a point, and which node every window must end at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.backends import layouts
from reportgen.backends.cuda.binding import Writer
from reportgen.errors import LaunchError

GLOBAL_LINE, CHIP_LINE = 128, 64
"""Bytes from node to node of a random cycle, in global memory and on the chip."""
MOST_WARM = 1 << 19
"""Loads before the first sample where the driver does not tell its second level: a whole turn of 64 MiB."""
LIMIT_WARM = 1 << 21
"""Loads before the first sample at most: half a second on a device with a second level of 200 MiB."""
OVER = 1.25
"""So many times the lines of the second level are gone through before the first sample: what the host's copy
left there is driven out, and a cycle that fits is there as a whole."""
EACH_LAUNCH = 1 << 13
"""Cycles of so many nodes and fewer, 1 MiB of global memory, are gone through before the windows of every
launch.  The first level of a multiprocessor and its constant caches are emptied where a kernel starts, since
nothing else keeps them coherent; the second level is not."""
LEAD = 1
"""Loads before the first clock read of every window.  The closing read does not wait for the last load: with
one under way at either end a window lasts as many latencies as it has loads."""
LEAST_WINDOWS, MOST_WINDOWS = 8, 64
LEAST_LINES = 512
"""Of a chase through few pages: some lines of the second level are near and some far, and of eight lines the
share that is near is another in every visit."""
PAIR_SLOTS = 1 << 13
"""Node pairs of the line probe: 1 MiB of lines, which no first level holds, in 4 MiB."""
TRACE_TURNS = 16
"""A trace starts so many times elsewhere before it comes back to where it was."""
SPARSE_BYTES, SPARSE_NODES = 1 << 26, 1 << 13
"""A larger span with fewer nodes is written node by node."""
CHUNK = 1 << 20
"""Bytes of a large buffer that are laid out at a time, so that they stay in a cache of the host."""
ON_CHIP = frozenset({"shared", "local", "constant"})

Setup = dict[str, int | float | str]


@dataclass
class Chase:
    """A cycle of nodes.

    `offsets` are bytes from the first node's memory, in the order of the visit; a node holds the next one as
    `base + offset` divided by `unit`.
    """

    offsets: NDArray[np.int64]
    base: int = 0
    unit: int = 1
    position: int = 0
    """Where the next launch starts."""

    @property
    def node(self) -> int:
        """What a launch is passed as its first node."""
        return (self.base + int(self.offsets[self.position])) // self.unit

    def after(self, loads: NDArray[np.int64]) -> NDArray[np.int64]:
        """The nodes that so many loads after the start lead to."""
        return (self.base + self.offsets[(self.position + loads) % len(self.offsets)]) // self.unit

    def advance(self, loads: int) -> None:
        """The next launch goes on where this one ended."""
        self.position = (self.position + loads) % len(self.offsets)

    def size(self, width: int) -> int:
        """Bytes of the memory, in words of `width` bytes."""
        return (int(self.offsets.max()) + width + 7) // width * width

    def words(self, width: int) -> NDArray[np.generic]:
        """The memory as words of `width` bytes."""
        kind: type[np.generic] = np.uint64 if width == 8 else np.uint32
        words = np.zeros(self.size(width) // width, dtype=kind)
        words[self.offsets // width] = self._nexts().astype(kind)
        return words

    def _nexts(self) -> NDArray[np.int64]:
        return (self.base + np.roll(self.offsets, -1)) // self.unit

    def write(self, writer: Writer, width: int, address: int | None = None) -> None:
        """Put the nodes into memory, at `base` where no address is named."""
        at = self.base if address is None else address
        span = int(self.offsets.max())
        if span > SPARSE_BYTES and len(self.offsets) <= SPARSE_NODES:
            for offset, following in zip(self.offsets.tolist(), self._nexts().tolist(), strict=True):
                writer.write(at + offset, following.to_bytes(width, "little"))
        elif span >= CHUNK and len(self.offsets) == span // GLOBAL_LINE + 1:
            self._write_lines(writer, width, at)
        else:
            writer.write(at, self.words(width).tobytes())

    def _write_lines(self, writer: Writer, width: int, address: int) -> None:
        """A node a line, all lines in a row: a piece at a time, as the whole would be slow to touch."""
        kind: type[np.generic] = np.uint64 if width == 8 else np.uint32
        first = np.empty(len(self.offsets), dtype=kind)
        first[self.offsets // GLOBAL_LINE] = self._nexts().astype(kind)
        piece = np.zeros((CHUNK // GLOBAL_LINE, GLOBAL_LINE // width), dtype=kind)
        for start in range(0, len(first), len(piece)):
            some = first[start : start + len(piece)]
            piece[: len(some), 0] = some
            last = start + len(some) == len(first)  # of the last line only its node is there
            data = piece[: len(some)].tobytes()
            writer.write(
                address + start * GLOBAL_LINE, data[: len(data) - GLOBAL_LINE + width] if last else data
            )


def lay_out(setup: Setup, rng: np.random.Generator) -> Chase:
    """The cycle that a set-up asks for; `base` is still 0.

    `layout`: `random` (every line of `bytes` once), `pair` (`offset`), `conflict` (`count`, `stride`),
    `pages` (`count` pages `stride` bytes apart), `walk` (`stride` bytes on at every step).

    Raises:
        LaunchError: a layout that is not known.
    """
    layout = str(setup.get("layout", "walk" if setup.get("kind") == "trace" else "random"))
    path = str(setup.get("path", ""))
    if layout == "random":
        line = CHIP_LINE if path in ON_CHIP else GLOBAL_LINE
        offsets = layouts.random_cycle(int(setup["bytes"]), rng, line)
    elif layout == "pair":
        offsets = layouts.pairs(int(setup["offset"]), rng, PAIR_SLOTS)
    elif layout == "conflict":
        offsets = layouts.conflict(int(setup["count"]), int(setup["stride"]), rng)
    elif layout == "pages":
        offsets = layouts.one_a_page(int(setup["count"]), int(setup["stride"]), rng, GLOBAL_LINE, LEAST_LINES)
    elif layout == "walk":
        steps = int(setup.get("steps", 0)) * TRACE_TURNS
        offsets = np.arange(steps, dtype=np.int64) * int(setup["stride"])
    else:
        raise LaunchError(f"this launcher does not know the layout '{layout}'")
    # chases on the chip begin at their first word
    return Chase(np.roll(offsets, -int(np.argmin(offsets))))


def windows(chase: Chase, unroll: int) -> int:
    """Windows of a launch: a whole turn, where that is not too many, and the first, which does not count."""
    return 1 + max(LEAST_WINDOWS, min(MOST_WINDOWS, -(-len(chase.offsets) // unroll)))


def warm(nodes: int, second_level: int) -> int:
    """Loads before the first window of a visit.

    Args:
        nodes: of the cycle.
        second_level: its bytes, as the driver reports them; 0 where it does not.
    """
    enough = round(OVER * second_level / GLOBAL_LINE) if second_level > 0 else MOST_WARM
    return min(nodes, LIMIT_WARM, max(EACH_LAUNCH, enough))
