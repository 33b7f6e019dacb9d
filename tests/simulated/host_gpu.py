"""A binding whose device memory is host memory and whose kernels do what the source's set-up says they do.

Pointer chases are followed through what the launcher laid out; all else leaves clock reads and results.  With
a first level (`FirstLevel`) their loads take as long as the lines that a launch has brought there before say.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from reportgen.backends.cuda.binding import SECOND_LEVEL, Argument, HostMemory, Shape, TensorTile
from reportgen.backends.cuda.chase import LEAD
from reportgen.backends.cuda.clock import WAIT_CYCLES
from reportgen.backends.cuda.constants import offsets
from reportgen.backends.cuda.copied import FROM, TO
from reportgen.backends.cuda.elf import Cubin
from reportgen.backends.cuda.tiles import Tile

WINDOW = 128
"""Cycles of every window."""
ALIGNED = 256
"""Addresses of memory that is allocated are multiples of it."""
EMPTY = 2
"""Cycles of a window with nothing in it."""
LOAD = 40
"""Cycles of every traced load."""
MULTIPROCESSORS = 132
LINK_NS, LINK_RATE = 1_500, 50
"""Nanoseconds of a copy over the link beside its bytes, and bytes of a nanosecond."""
BASE = 1024
"""Where the shared and local memory of a thread begin."""


@dataclass
class FirstLevel:
    """Lines of 128 bytes that hold what sectors of 32 bytes were asked for; empty where a kernel starts."""

    lines: int
    hit: int = 33
    miss: int = 270
    held: dict[int, set[int]] = field(default_factory=dict)

    def cycles(self, address: int) -> int:
        """Of a load; the line that was not used for the longest time makes room."""
        line, sector = address // 128, address // 32
        sectors = self.held.pop(line, set())
        self.held[line] = sectors | {sector}
        if len(self.held) > self.lines:
            del self.held[next(iter(self.held))]
        return self.hit if sector in sectors else self.miss


@dataclass
class HostGpu:
    """See `reportgen.backends.cuda.binding.Binding`."""

    setup: dict[str, int | float | str] = field(default_factory=dict)
    """Of the program that is launched next."""
    broken_chase: bool = False
    first_level: FirstLevel | None = None
    lost: int = 0
    """Of what the threads of a launch add, how much does not arrive."""
    lost_bytes: int = 0
    """Of a bulk copy, how many do not arrive."""
    gaps: bool = False
    """Whether only every other number is that of a multiprocessor."""
    clocks: list[int] = field(default_factory=lambda: [198_000])
    """Cycles of the waits of 100 microseconds that are looked at one after the other; the last holds on."""
    tile: Tile = field(default_factory=lambda: Tile(0, 0, 0, 0, 0, 0, 0))
    """The latest that a tensor map was made of."""
    name: str = "host"
    memory_of: dict[int, Any] = field(default_factory=dict)
    launches: int = 0
    now: int = 0
    hosted: dict[int, HostMemory] = field(default_factory=dict)
    """Page-locked memory."""
    streams: list[list[int]] = field(default_factory=list)
    """When each has done all that it was given."""
    broken_link: bool = False
    """Whether copies to the host leave out their last bytes."""
    largest: int = 0
    events: int = 0
    """So many there are."""
    textures: list[int] = field(default_factory=list)

    def spans(self, blocks: int, each: int) -> list[int]:
        """Cycles of the windows of a launch, `each` of every block."""
        return [WINDOW] * (blocks * each)

    def open(self, number: int) -> None:
        pass

    def close(self) -> None:
        pass

    def attribute(self, which: int) -> int:
        return 50 << 20 if which == SECOND_LEVEL else MULTIPROCESSORS

    def load(self, cubin: bytes) -> Any:
        return cubin

    def function(self, module: Any, name: str) -> Any:
        return module, name

    def function_attribute(self, function: Any, which: int) -> int:
        return 16

    def set_function_attribute(self, function: Any, which: int, value: int) -> None:
        pass

    def resident(self, function: Any, threads: int, shared: int) -> int:
        return min(2048 // threads, (228 << 10) // (shared + 1024))

    def variable(self, module: Any, name: str) -> tuple[int, int]:
        if name not in self.memory_of:  # type: ignore[comparison-overlap]
            self.memory_of[name] = self.allocate(1 << 16)  # type: ignore[index]
        return self.memory_of[name], 1 << 16  # type: ignore[index]

    def allocate(self, size: int) -> int:
        block = np.zeros(size + ALIGNED + 8, dtype=np.uint8)
        address = -(-int(block.ctypes.data) // ALIGNED) * ALIGNED
        self.memory_of[address] = block
        self.largest = max(self.largest, size)
        return address

    def free(self, address: int) -> None:
        del self.memory_of[address]

    def write(self, address: int, data: bytes) -> None:
        ctypes.memmove(address, data, len(data))

    def read(self, address: int, size: int) -> bytes:
        return ctypes.string_at(address, size)

    def fill(self, address: int, word: int, words: int) -> None:
        pattern = word.to_bytes(4, "little")
        if len(set(pattern)) == 1:
            ctypes.memset(address, pattern[0], 4 * words)
        else:
            ctypes.memmove(address, pattern * words, 4 * words)

    def copy(self, target: int, source: int, size: int) -> None:
        ctypes.memmove(target, source, size)

    def host_memory(self, size: int) -> HostMemory:
        room = np.zeros(size + ALIGNED, dtype=np.uint8)
        address = -(-int(room.ctypes.data) // ALIGNED) * ALIGNED
        self.hosted[address] = HostMemory(address, size, room)
        return self.hosted[address]

    def free_host(self, memory: HostMemory) -> None:
        del self.hosted[memory.address]

    def mapped(self, memory: HostMemory) -> int:
        assert memory.address in self.hosted
        return memory.address

    def stream(self) -> Any:
        self.streams.append([self.now])
        return self.streams[-1]

    def end_stream(self, stream: Any) -> None:
        self.streams = [one for one in self.streams if one is not stream]

    def send(self, target: int, source: HostMemory, stream: Any) -> None:
        self._over_the_link(source.size, stream)
        ctypes.memmove(target, source.address, source.size)

    def fetch(self, target: HostMemory, source: int, stream: Any) -> None:
        self._over_the_link(target.size, stream)
        ctypes.memmove(target.address, source, target.size - (8 if self.broken_link else 0))

    def _over_the_link(self, size: int, stream: Any) -> None:
        stream[0] = max(stream[0], self.now) + LINK_NS + size // LINK_RATE

    def synchronize(self) -> None:
        self.now = max([self.now, *(one[0] for one in self.streams)])

    def event(self) -> Any:
        self.events += 1
        return [0]

    def end_event(self, event: Any) -> None:
        self.events -= 1

    def record(self, event: Any, stream: Any = None) -> None:
        if stream is None:
            self.synchronize()
        event[0] = self.now if stream is None else max(stream[0], self.now)

    def milliseconds(self, start: Any, stop: Any) -> float:
        return float(stop[0] - start[0]) * 1e-6

    def texture(self, address: int, size: int) -> int:
        self.textures.append(address)
        return address

    def end_texture(self, texture: int) -> None:
        assert texture in self.memory_of
        self.textures.remove(texture)

    def tensor_map(self, tile: TensorTile) -> int:
        assert max(tile.columns, tile.rows) <= 256
        assert 4 * tile.width <= tile.pitch
        assert not tile.swizzle or 4 * tile.columns <= tile.swizzle
        assert tile.promotion in (0, 64, 128, 256)
        assert len(self.memory_of[tile.address]) >= max(tile.rows * tile.pitch, 1 << 17)
        self.tile = Tile(tile.columns, tile.rows, tile.width, tile.pitch, 0, tile.swizzle, tile.promotion)
        return tile.address

    def word(self, address: int, size: int) -> int:
        return int.from_bytes(ctypes.string_at(address, size), "little")

    def launch(
        self, function: Any, grid: Shape, block: Shape, shared: int, arguments: Sequence[Argument]
    ) -> None:
        self.launches += 1
        self.now += 50_000
        code, name = function
        values = [value for value, _ in arguments]
        if name.startswith("frame_"):
            self._frame(name, values)
            return
        words = [word.strip() for word in str(self.setup["arguments"]).split(";")]
        assert len(words) == len(values)
        for word, size in zip(words, (size for _, size in arguments), strict=True):
            assert size == (
                128
                if word == "tensor map:2D"
                else 4
                if word.startswith(("count", "number", "setting", "size", "value", "node:index", "node:off"))
                else 8
            )
        _Kernel(
            self, self.setup, dict(zip(words, values, strict=True)), grid[0] * grid[1], block[0], code, name
        ).run()

    def _frame(self, name: str, values: list[int]) -> None:
        if name == "frame_wait":
            cycles = self.clocks.pop(0) if values[1] == WAIT_CYCLES and self.clocks[1:] else self.clocks[0]
            self.write(values[0], np.array([0, cycles, self.now, self.now + 100_000], np.uint64).tobytes())
        else:
            kind = np.uint32 if name.endswith("32") else np.uint64
            self.write(values[0], np.array([10, 10 + EMPTY], kind).tobytes())


@dataclass
class _Kernel:
    gpu: HostGpu
    setup: dict[str, int | float | str]
    given: dict[str, int]
    blocks: int
    threads: int
    code: bytes
    name: str

    def of(self, kind: str) -> int:
        return next(value for word, value in self.given.items() if word.startswith(kind))

    def run(self) -> None:
        kind = str(self.setup.get("kind", "body"))
        for word, value in self.given.items():
            if word.startswith("output"):
                self.gpu.fill(value, 42, 4)
            if word.startswith("totals") and "each" in self.setup:
                self._add(value)
        if kind in ("chase", "trace"):
            self._chase(traced=kind == "trace")
        elif kind in ("l2_matrix", "bulk"):
            if kind == "l2_matrix":
                place = self.of("number") * 2 if self.gpu.gaps else self.of("number")
                self.gpu.fill(list(self.given.values())[-2], place, 1)
            if "row" in self.setup:
                self._tile()
            if FROM in self.given:
                copied = self.gpu.read(self.given[FROM], int(self.setup["bytes"]))
                self.gpu.write(self.given[TO], copied[: len(copied) - self.gpu.lost_bytes])
            self._clocks([WINDOW] * self.of("count:lines" if kind == "l2_matrix" else "count:windows"))
        else:
            speakers = 1 if kind == "crowd" else self.threads
            self._clocks(self.gpu.spans(self.blocks, speakers), [5] * self.blocks)

    def _add(self, address: int) -> None:
        """All that the threads add, to the first of the words."""
        each = int(self.setup["each"]) * int(self.setup["turns"]) * int(self.setup["unroll"])
        held = self.gpu.word(address, 4) + each * self.threads * self.blocks - self.gpu.lost
        self.gpu.write(address, (held % (1 << 32)).to_bytes(4, "little"))

    def _tile(self) -> None:
        """What the last copy of a walk leaves."""
        tile = replace(self.gpu.tile, step=self.of("setting:step"))
        matrix = self.gpu.read(self.of("tensor map"), tile.matrix_bytes)
        left = tile.after(matrix, self.of("count:windows"))
        self.gpu.write(self.of("output"), left.tobytes())

    def _clocks(self, spans: list[int], tail: Sequence[int] = ()) -> None:
        word = next(word for word in self.given if word.startswith("clocks"))
        kind = np.uint64 if "long long" in word else np.uint32
        pairs = np.stack([np.full(len(spans), 7), 7 + np.array(spans)], axis=1).reshape(-1)
        self.gpu.write(self.given[word], pairs.astype(kind).tobytes() + np.array(tail, dtype=kind).tobytes())

    def _chase(self, traced: bool) -> None:
        gpu, path = self.gpu, str(self.setup.get("path", ""))
        unroll = 1 if traced else int(self.setup["unroll"])
        rounds = int(self.setup["steps"]) if traced else self.given.get("count:windows", 1)
        if path == "texture":
            node, step = self.of("node"), lambda n: gpu.word(self.of("texture") + 4 * n, 4)
        elif path == "constant":
            variable = f"nodes_{self.name}"
            start, address = offsets(Cubin(self.code), variable)[variable], gpu.variable(None, variable)[0]
            node, step = start + self.of("node"), lambda n: gpu.word(address + n - start, 4)
        elif path in ("shared", "local"):
            node, step = BASE, lambda n: BASE + gpu.word(self.of("nodes") + n - BASE, 4)
        else:
            node, step = self.of("node"), lambda n: gpu.word(n, 8)
        if gpu.first_level is not None:
            gpu.first_level.held.clear()
        ends, spans = [], []

        def follow(count: int) -> int:
            nonlocal node
            taken = 0
            for _ in range(count):
                taken += gpu.first_level.cycles(node) if gpu.first_level is not None else 0
                node = step(node)
            return taken

        follow(self.given.get("count:loads", 0))
        for number in range(rounds):
            follow(0 if traced else LEAD)
            taken = follow(unroll)
            spans.append(taken + EMPTY if taken else WINDOW)
            if path == "texture":
                follow(1)
            ends.append(node + (16 if gpu.broken_chase and number == 2 else 0))
        width = next(word for word in self.given if word.startswith("output"))
        kind = np.uint64 if "long long" in width else np.uint32
        gpu.write(self.given[width], np.array(ends, dtype=kind).tobytes())
        if traced:
            gpu.write(self.of("clocks"), np.full(rounds, LOAD, np.uint32).tobytes())
        else:
            self._clocks(spans)
