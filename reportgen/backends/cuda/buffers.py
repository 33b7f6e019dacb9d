"""What a kernel is passed: the words of a source's `arguments`, made into device memory.

`input:T`         random values of C type T, of moderate size, the same for every visit of a seed
`output:T`        room for results of T; read back and compared
`cells:self`      words that hold their own address, one every 16 bytes
`texture:self`    a texture object whose every texel is its own index
`texture:indices` one whose texels are the nodes of a chase
`nodes:offsets`   nodes of a chase as offsets, for memory on the chip
`node:...`        the first node of a chase: its address, index or offset
`tensor map:2D`   a tile of random words, as many bytes as the set-up says, for the copy unit; with
                  `row` in the set-up its rows are so long, with `step` it can be moved through a matrix
`array:W`         random words, as many bytes as the set-up says; of W `float` random floats of moderate size
`matrix:A B`      random floats, as many as the product of these sizes of the set-up; of several the last
                  is the result
`vector:A`        the same of one size
`size:NAME`       a whole number of the set-up
`value:...`       a factor, of the kind of the elements
`count:...`       a number that the launcher chooses: words, loads, windows, lines, turns, rounds, a shift
`number:...`      the block that shall answer, one of as many as there are multiprocessors
`setting:NAME`    a whole number of the set-up
`totals:N`        words that threads add to, N or so many as the set-up says; nought before each launch
`clocks:T`        raw clock reads, and behind them the multiprocessor of each block
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from reportgen.backends.cuda import chase, meeting, nodes, tiles
from reportgen.backends.cuda.binding import MAP_BYTES, SECOND_LEVEL, Argument, Binding, TensorTile, Writer
from reportgen.backends.cuda.chase import Chase, Setup
from reportgen.backends.cuda.contents import BLOCK_BYTES, fill, own_addresses, random_values, typed
from reportgen.backends.cuda.hosted import HOST, Hosted
from reportgen.errors import LaunchError, Unsupported

SLOTS = 64
"""Values a thread has in `input` and `output`."""
THREADS = 1024
"""Distance of two slots, in elements."""
CELLS_BYTES = 1 << 18
LINE_CELLS = 528
"""Words of 8 bytes from one line of the distance matrix to the next: an odd number of lines."""
SENTINEL = 0xFFFFFFFF
"""Word that clocks hold before a launch: what still holds it was not written."""
UNWRITTEN = 0xA5F00D5A
"""The same of results, of which some are all ones in every lane."""
MOST_READ = 1 << 20
"""Bytes of a matrix that are read back and compared."""
FACTOR = 0.5
MOVED = 1 << 31
"""Bytes that a stream moves in a launch, or little less: 0.2 ms at 10 TB/s, of which the start and the end of
the launch, some microseconds, are one or two per cent."""
INSIDE = 4
"""So many times as much where every block keeps to a part of its own, which its first cache serves."""
BY_BLOCK = 1 << 26
"""Bytes that one block moves in a launch at most, but for arrays that are larger: half a millisecond."""
SHIFT = 67
"""From round to round of a stream a block takes over from the one so many numbers on.  Blocks of one
multiprocessor are neighbours, or as far apart as there are multiprocessors; on few devices that is 67, or
two, three or four times as much."""
LEAST_MAPPED = 1 << 17
"""Bytes that lie behind a tensor map: of fewer, in rows with gaps, some drivers make faulty maps on Blackwell
(NVIDIA, release notes of driver 595.71.05, known issues)."""
COPY_WINDOWS = 16
"""Bulk copies of a launch."""


@dataclass
class Passed:
    """Arguments of one visit; `close` gives their memory back."""

    binding: Binding
    setup: Setup
    threads: int
    blocks: int
    rng: np.random.Generator
    values: list[Argument] = field(default_factory=list)
    clocks: int = 0
    """Address of the clock reads."""
    clock_bits: int = 32
    clock_bytes: int = 0
    results: list[tuple[int, int]] = field(default_factory=list)
    """(address, bytes) of what is read back, and must have been written."""
    read: list[tuple[int, int]] = field(default_factory=list)
    """(address, bytes) of what is read back beside."""
    result_bytes: int = 4
    """Of one result of the last output."""
    pristine: list[tuple[int, int, int]] = field(default_factory=list)
    """(address, its copy, bytes) of what a launch may change and the next must find as it was."""
    wanted: bytes = b""
    """What the results must begin with, where the host knows it."""
    other: tuple[int, int] = (0, 0)
    """(address, bytes) of memory that is written before every launch, so that caches hold that."""
    counters: tuple[int, int] = (0, 0)
    """(address, bytes) of words that threads add to."""
    added: int = 0
    """What one launch adds to all of them together, where the host knows it."""
    chase: Chase | None = None
    windows: int = 1
    """Windows that one thread times in a launch."""
    warm: int = 0
    """Loads before the first window of a visit."""
    places: dict[str, int] = field(default_factory=dict)
    """Position in `values` of what changes from launch to launch: `node`, `loads`, `number`, `clocks`, and
    settings by their names."""
    facts: dict[str, int | float | str] = field(default_factory=dict)
    owned: list[int] = field(default_factory=list)
    hosted: list[Hosted] = field(default_factory=list)
    textures: list[int] = field(default_factory=list)

    @property
    def speakers(self) -> int:
        """Threads of a block whose clock reads have a place of their own."""
        return 1 if self.setup.get("kind") == "crowd" else self.threads

    @property
    def counted(self) -> int:
        """Windows whose time counts: of several, not the first, which fetches its code and its first data."""
        return max(1, self.windows - 1)

    def close(self) -> None:
        """Give all back, textures before the memory under them."""
        while self.textures:
            self.binding.end_texture(self.textures.pop())
        while self.owned:
            self.binding.free(self.owned.pop())
        while self.hosted:
            self.hosted.pop().free()

    def allocate(self, size: int) -> int:
        """Memory that is given back with the rest."""
        address = self.binding.allocate(size)
        self.owned.append(address)
        return address

    def room(self, size: int) -> tuple[int, Writer]:
        """Memory for what a kernel goes through, of the host where the set-up says so, and who writes it."""
        if self.setup.get("memory") != HOST:
            return self.allocate(size), self.binding
        self.hosted.append(Hosted(self.binding, size))
        return self.hosted[-1].address, self.hosted[-1]

    def set(self, what: str, value: int) -> None:
        """Change an argument from launch to launch, where the kernel takes it."""
        if what in self.places:
            at = self.places[what]
            self.values[at] = (value, self.values[at][1])

    def evict(self) -> None:
        """Have the second level hold nothing of use at a launch: twice its size is written before."""
        size = 2 * self.binding.attribute(SECOND_LEVEL) // 4 * 4
        if size <= 0:
            raise Unsupported("the driver does not say how large the second-level cache is")
        self.other = self.allocate(size), size

    def refresh(self) -> None:
        """What must be the same before every launch."""
        if self.other[1]:
            self.binding.fill(self.other[0], 0, self.other[1] // 4)
        if self.counters[1]:
            self.binding.fill(self.counters[0], 0, self.counters[1] // 4)
        self.binding.fill(self.clocks, SENTINEL, self.clock_bytes // 4)
        for address, size in self.results:
            self.binding.fill(address, UNWRITTEN, size // 4)
        for address, copy, size in self.pristine:
            self.binding.copy(address, copy, size)


def passed(
    binding: Binding,
    setup: Setup,
    threads: int,
    blocks: int,
    seed: int,
    constant: Callable[[Chase], None] = lambda _: None,
) -> Passed:
    """The arguments that `setup["arguments"]` names, in its order.

    Args:
        binding: with its context open.
        setup: of the source.
        threads: of a block.
        blocks: of the launch.
        seed: of data and layout.
        constant: puts a chase into the constant memory of the module, and sets its base.

    Raises:
        LaunchError: a word that is not known.
        Unsupported: the point asks for what cannot be launched so.
        MemoryError: the device is full.
    """
    made = Passed(binding, setup, threads, blocks, np.random.default_rng(seed))
    try:
        if setup.get("kind") in ("chase", "trace"):
            _prepare_chase(made, constant)
        if setup.get("kind") == "bulk":
            made.windows = COPY_WINDOWS
        if setup.get("kind") == "l2_matrix":
            made.windows = int(setup["count"])
        for word in str(setup.get("arguments", "")).split(";"):
            kind, _, rest = word.strip().partition(":")
            if kind:
                made.values.append(_MAKERS.get(kind, _unknown(kind))(made, rest))
    except BaseException:
        made.close()
        raise
    return made


def _unknown(kind: str) -> Callable[[Passed, str], Argument]:
    def refuse(made: Passed, rest: str) -> Argument:
        raise LaunchError(f"this launcher does not know how to pass '{kind}:{rest}'")

    return refuse


def _prepare_chase(made: Passed, constant: Callable[[Chase], None]) -> None:
    setup = made.setup
    found = made.chase = chase.lay_out(setup, made.rng)
    path = str(setup.get("path", ""))
    if setup.get("kind") == "trace":
        made.windows = int(setup["steps"])
    else:
        made.windows = 1 if path == "texture" else chase.windows(found, int(setup["unroll"]))
        made.warm = chase.warm(len(found.offsets), made.binding.attribute(SECOND_LEVEL))
    if path == "texture":
        found.unit = 4
    elif path == "constant":
        constant(found)
    elif path not in chase.ON_CHIP:
        found.base, writer = made.room(int(found.offsets.max()) + 8)
        found.write(writer, 8)
    made.facts |= {
        "bytes_requested": int(setup.get("bytes", 0)),
        "bytes_actual": len(found.offsets)
        * (chase.CHIP_LINE if path in chase.ON_CHIP else chase.GLOBAL_LINE),
        "lines": len(found.offsets),
    }


def _clocks(made: Passed, rest: str) -> Argument:
    made.clock_bits = 64 if "long long" in rest else 32
    reads = 2 * max(made.speakers * made.blocks, made.windows)
    made.clock_bytes = (reads + made.blocks) * made.clock_bits // 8
    made.clocks = made.allocate(made.clock_bytes)
    made.places["clocks"] = len(made.values)
    return made.clocks, 8


def _input(made: Passed, rest: str) -> Argument:
    dtype = typed(rest)
    address = made.allocate(SLOTS * THREADS * dtype.itemsize)
    made.binding.write(address, random_values(rest, SLOTS * THREADS, made.rng).tobytes())
    return address, 8


def _output(made: Passed, rest: str) -> Argument:
    dtype = typed(rest)
    one_thread = made.setup.get("kind") in ("chase", "trace", "l2_matrix", "bulk")
    # blocks of a crowd are many, and all write the same
    own = 0 if made.setup.get("kind") == "crowd" else made.threads * made.blocks
    count = made.windows if one_thread else max(SLOTS * THREADS, own)
    count = max(count, len(made.wanted) // dtype.itemsize)
    size = -(-count * dtype.itemsize // 4) * 4
    address = made.allocate(size)
    made.results.append((address, size))
    made.result_bytes = dtype.itemsize
    return address, 8


def _cells(made: Passed, _rest: str) -> Argument:
    lines = made.windows if made.setup.get("kind") == "l2_matrix" else 0
    size = max(CELLS_BYTES, lines * LINE_CELLS * 8)
    address = made.allocate(size)
    if lines:
        made.binding.write(address, own_addresses(address, size).tobytes())
        return address, 8
    copy = made.allocate(size)
    made.binding.write(copy, own_addresses(address, size).tobytes())
    made.pristine.append((address, copy, size))
    return address, 8


def _count(made: Passed, rest: str) -> Argument:
    setup = made.setup
    if rest == "loads":
        made.places["loads"] = len(made.values)
        return made.warm, 4
    if rest == "turns":
        # every thread moves `unroll` vectors a turn
        each = int(setup["unroll"]) * int(setup["vector_bytes"]) * made.threads * made.blocks
        turns = int(setup["bytes"]) // each
        if not turns:
            raise Unsupported(f"{setup['bytes']} bytes are less than {made.blocks} blocks move at a time")
        made.facts["turns"] = turns
        return turns, 4
    if rest == "rounds":
        moved = min(MOVED * (INSIDE if "block_bytes" in setup else 1), BY_BLOCK * made.blocks)
        rounds = int(setup.get("rounds", max(1, moved // (int(setup["bytes"]) * int(setup["arrays"])))))
        made.facts["rounds"] = rounds
        return rounds, 4
    if rest == "shift":
        return 0 if "block_bytes" in setup else SHIFT % made.blocks, 4
    if rest.startswith("cells"):
        return LINE_CELLS, 4
    if rest == "words":
        return int(made.facts["words"]), 4
    if rest in ("windows", "lines"):
        return made.windows, 4
    raise LaunchError(f"this launcher does not know what to count as '{rest}'")


def _array(made: Passed, rest: str) -> Argument:
    size = int(made.setup.get("bytes", 0))
    if size <= 0:
        raise LaunchError("the set-up of this point does not say how large its array is")
    return _random(made, "float" if rest == "float" else "unsigned", size), 8


def _tensor_map(made: Passed, _rest: str) -> Argument:
    tile = tiles.shape(made.setup, made.windows)
    address = _random(made, "unsigned", tile.matrix_bytes, LEAST_MAPPED)
    made.facts |= {"tile": f"{tile.columns} x {tile.rows} words, rows {tile.pitch} bytes apart"}
    if "row" in made.setup:
        made.wanted = tile.after(made.binding.read(address, tile.matrix_bytes), made.windows).tobytes()
    if tile.step:
        made.evict()
    map_of = TensorTile(
        address, tile.columns, tile.rows, tile.pitch, tile.width, tile.swizzle, tile.promotion
    )
    return made.binding.tensor_map(map_of), MAP_BYTES


def _random(made: Passed, kind: str, size: int, least: int = 0) -> int:
    """Memory of random words: where equal ones are compressed, that must not help."""
    address, writer = made.room(max(size, least))
    each = typed(kind).itemsize
    block = random_values(kind, min(BLOCK_BYTES, size + each - 1) // each, made.rng).tobytes()
    fill(writer, address, block, size)
    made.facts |= {"bytes_actual": int(made.facts.get("bytes_actual", 0)) + size, "data": "random"}
    return address


def _element(made: Passed) -> str:
    return "double" if made.setup.get("precision") == "fp64" else "float"


def _elements(made: Passed, rest: str) -> Argument:
    """A matrix or a vector; what the last one holds is read back, and restored before every sample."""
    kind = _element(made)
    size = typed(kind).itemsize
    for name in rest.split():
        size *= int(made.setup[name])
    address = _random(made, kind, size)
    copy = made.allocate(min(size, MOST_READ))
    made.binding.copy(copy, address, min(size, MOST_READ))
    made.results = []
    made.pristine = [(address, copy, min(size, MOST_READ))]
    made.read = [(address, min(size, MOST_READ))]
    return address, 8


def _factor(made: Passed, _rest: str) -> Argument:
    kind, size = ("<d", 8) if _element(made) == "double" else ("<f", 4)
    return int.from_bytes(struct.pack(kind, FACTOR), "little"), size


def _number(made: Passed, _rest: str) -> Argument:
    made.places["number"] = len(made.values)
    return 0, 4


def _setting(made: Passed, rest: str) -> Argument:
    made.places[rest] = len(made.values)
    return int(made.setup[rest]), 4


_MAKERS: dict[str, Callable[[Passed, str], Argument]] = {
    "input": _input,
    "output": _output,
    "cells": _cells,
    "texture": nodes.texture,
    "nodes": nodes.offsets,
    "node": nodes.first,
    "array": _array,
    "tensor map": _tensor_map,
    "matrix": _elements,
    "vector": _elements,
    "size": lambda made, rest: (int(made.setup[rest]), 4),
    "value": _factor,
    "count": _count,
    "number": _number,
    "setting": _setting,
    "totals": meeting.totals,
    "clocks": _clocks,
}
