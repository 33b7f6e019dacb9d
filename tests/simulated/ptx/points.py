"""Points of the suite, as the executor of PTX visits them: which, in which size, with which code."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from reportgen.backends.base import Order, Source
from reportgen.backends.cuda import compiler
from reportgen.backends.cuda.compiler import Kernel
from reportgen.backends.cuda.hosted import HOST
from reportgen.errors import CompileError
from tests.simulated.ptx.source import Sources, together

Setup = dict[str, int | float | str]

MOST = {"turns": 2, "blocks_each": 4, "m": 136, "n": 136, "k": 136, "rows": 4}
"""Settings of a launch -> the most that is asked for here; the kernels are the same."""
CONTENDING = {"blocks": 2, "threads": 32, "turns": 1}
"""Of kernels whose threads add to the same words: each has its turn there."""
LONG_VECTORS = 5000
"""Elements of a vector kernel, in place of `n` of matrices."""
BLOCKS = 8
"""Of a stream through memory of the host, which is asked with many only."""
STREAM_TURNS = 3
"""Of a stream: its arrays are made that long."""
STRETCHES = 2
"""Of a stream that computes, on each of its turns."""
TOUCHED_BYTES = 1 << 26
"""Nodes of a chase may lie in so much memory, where every line of it is written."""
CUT_BYTES = 1 << 24
"""What becomes of more, where a kernel is told how much there is."""
SPAN_BYTES = 1 << 34
"""The same of a few nodes far apart."""


@dataclass(frozen=True)
class Point:
    """A source with the set-up that is run."""

    source: Source
    setup: Setup
    changed: tuple[str, ...]
    """Settings that were made smaller."""


def sized(source: Source) -> Point | str:
    """A source in a size that is soon done, or why there is none."""
    setup = dict(source.setup)
    kind = setup.get("kind", "body")
    if kind in ("chase", "trace"):
        few = "layout" in setup and setup["layout"] != "random"
        size = int(setup.get("bytes", 0)) or int(setup.get("count", 1)) * int(setup.get("stride", 1))
        if size > (SPAN_BYTES if few else TOUCHED_BYTES):
            if few or "bytes" not in setup:
                return f"{size >> 20} MiB of nodes"
            setup["bytes"] = CUT_BYTES
    if kind == "stream" and setup.get("memory") == HOST:
        setup["blocks"] = min(int(setup["blocks"]), BLOCKS)
    if kind == "stream" and "bytes" in setup:
        each = (
            int(setup["unroll"])
            * int(setup["vector_bytes"])
            * int(setup["threads"])
            * int(setup.get("blocks", 1))
        )
        setup["bytes"] = min(int(setup["bytes"]), STREAM_TURNS * each)
    if "bytes_each" in setup:
        each = int(setup["unroll"]) * int(setup["vector_bytes"]) * int(setup["threads"])
        setup["bytes_each"] = min(int(setup["bytes_each"]), STREAM_TURNS * each)
        setup |= {name: min(int(setup[name]), STRETCHES) for name in ("many", "few")}
    for name, most in MOST.items():
        if name in setup and kind in ("body", "saturated", "held", "crowd", "kernel"):
            vector = (
                name == "n"
                and "vector:n" in str(setup["arguments"])
                and "matrix" not in str(setup["arguments"])
            )
            setup[name] = min(int(setup[name]), LONG_VECTORS if vector else most)
    if kind == "contended":
        setup |= {name: min(int(setup[name]), most) for name, most in CONTENDING.items()}
    changed = tuple(name for name, value in setup.items() if source.setup.get(name) != value)
    return Point(source, setup, changed)


def family(source: Source) -> str:
    """Of the probe that a source belongs to."""
    return source.point.partition("/")[0]


def aspects(source: Source) -> frozenset[tuple[str, str]]:
    """What a point has in common with others of its kind: operations, and settings that are words."""
    probe, _, settings = source.point.partition("#")
    head = probe if family(source) == "memory_hierarchy" else family(source)
    found = {(head, str(source.setup.get("kind", "body")))}
    found |= {(head, key) for key in source.expect if key.startswith("want.")}
    for setting in settings.split(","):
        name, _, value = setting.partition("=")
        if value and not value.isdigit():
            found.add((head, f"{name}={value}"))
        elif name in ("width", "cluster", "accumulators"):
            found.add((head, setting))
    return frozenset(found)


def few(sources: Iterable[Source], known: frozenset[tuple[str, str]] = frozenset()) -> list[Source]:
    """So many that every aspect is there at least once; small ones first."""
    left, found = set(known), []
    for source in sorted(sources, key=_size):
        if not aspects(source) <= left:
            left |= aspects(source)
            found.append(source)
    return found


def _size(source: Source) -> tuple[int, str]:
    setup = source.setup
    weight = int(setup.get("bytes", 0)) + int(setup.get("threads", 0)) * int(setup.get("blocks", 1))
    weight += int(setup.get("count", 0)) * int(setup.get("stride", 0))
    return weight, source.point


@dataclass
class Code:
    """Machine code of sources, as a launcher loads it: PTX, and a cubin where the launcher looks into it."""

    sources: Sources = field(default_factory=Sources)
    codes: dict[tuple[str, str], bytes] = field(default_factory=dict)
    """(kernel, target) -> code."""
    refused: dict[tuple[str, str], str] = field(default_factory=dict)

    def make(self, sources: Iterable[Source]) -> None:
        """Compile."""
        kernels: dict[str, dict[str, Kernel]] = {}
        for source in sources:
            name, target = str(source.setup["kernel"]), str(source.setup["target"])
            if (name, target) not in self.codes:
                kernels.setdefault(target, {})[name] = Kernel(name, source.text)
        for target, some in kernels.items():
            plain = [one for one in some.values() if "__constant__" not in one.text]
            for name, text in _translated(plain, target).items():
                if isinstance(text, str):
                    self.codes[name, target] = text.encode()
                else:
                    self.refused[name, target] = str(text)
            with self.sources.remembered():
                whole = [one for one in some.values() if "__constant__" in one.text]
                for name, cubin in compiler.compile_kernels(whole, target).items():
                    if isinstance(cubin, bytes):
                        self.codes[name, target] = cubin
                    else:
                        self.refused[name, target] = str(cubin)

    def order(self, point: Point, visit: int) -> Order:
        """A visit of no longer than it must be."""
        setup = point.setup
        code = self.codes[str(setup["kernel"]), str(setup["target"])]
        unit = hashlib.sha256(code).hexdigest()
        order = Order(point.source.point, code, unit, setup, 1e-6, 0.0, 7, visit, unit)
        return msgspec.structs.replace(order, seed=7 + visit)


def _translated(kernels: list[Kernel], target: str) -> dict[str, str | CompileError]:
    try:
        found: dict[str, str | CompileError] = dict(together(kernels, target))
    except CompileError as error:
        if len(kernels) == 1:
            return {kernels[0].name: error}
        middle = len(kernels) // 2
        return _translated(kernels[:middle], target) | _translated(kernels[middle:], target)
    alone = [kernel for kernel in kernels if kernel.name not in found]
    for kernel in alone:
        try:
            found |= {
                kernel.name: compiler._translate(kernel.text, target.replace("sm_", "compute_")).decode()
            }
        except CompileError as error:
            found[kernel.name] = error
    return found


def of_family(sources: Iterable[Source], name: str) -> Iterator[Source]:
    """Those of one family of probes."""
    return (source for source in sources if family(source) == name)
