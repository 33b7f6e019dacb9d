"""Whether what kernels left in memory is what they are for: products, sums of vectors, copies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from reportgen.backends.cuda import tiles
from reportgen.backends.cuda.buffers import FACTOR
from reportgen.backends.cuda.generator_intensity import LONG, WORDS
from reportgen.backends.cuda.shots import Prepared
from tests.simulated.ptx.binding import PtxGpu
from tests.simulated.ptx.copies import Map

Array = NDArray[np.float64]
CLOSE = 1e-4
"""Relative, of sums in another order."""


def faults(gpu: PtxGpu, prepared: Prepared) -> Iterator[str]:
    """What is wrong with them."""
    setup, passed = prepared.passed.setup, prepared.passed
    words = [word.strip() for word in str(setup.get("arguments", "")).split(";")]
    given = dict(zip(words, (value for value, _ in passed.values), strict=True))
    if prepared.kind == "stream" and sum(word.startswith("array") for word in words) == 2:
        first, second = (
            value for word, (value, _) in zip(words, passed.values, strict=True) if word[:5] == "array"
        )
        size = int(setup["bytes"])
        if gpu.read(first, size) != gpu.read(second, size):
            yield "the copy differs from what was copied"
    if prepared.kind == "bulk":
        yield from _copied(gpu, prepared)
    if prepared.kind == "stream" and "setting:many" in given:
        yield from _squares(gpu, prepared, given)
    if prepared.kind != "kernel":
        return
    kind = np.dtype(np.float64 if setup.get("precision") == "fp64" else np.float32)
    arrays = [
        value
        for word, (value, _) in zip(words, passed.values, strict=True)
        if word[:6] in ("matrix", "vector")
    ]

    def of(at: int, *shape: int) -> Array:
        size = int(np.prod(shape))
        return (
            np.frombuffer(gpu.read(arrays[at], size * kind.itemsize), kind).reshape(shape).astype(np.float64)
        )

    wanted: Array | None = None
    if "matrix:m k" in given:
        m, n, k = (int(setup[name]) for name in "mnk")
        wanted, found = of(0, m, k) @ of(1, k, n), of(2, m, n)
    elif "matrix:n n" in given:
        n = int(setup["n"])
        wanted, found = of(0, n, n) @ of(1, n), of(2, n)
    elif "matrix:rows width" in words:
        shape = int(setup["rows"]), int(setup["width"])
        given_rows, found = of(0, *shape), of(1, *shape)
        if "softmax" in str(setup["kernel"]):
            powers = np.exp(given_rows - given_rows.max(axis=1, keepdims=True))
            wanted = powers / powers.sum(axis=1, keepdims=True)
        else:
            middle = given_rows - given_rows.mean(axis=1, keepdims=True)
            wanted = middle / np.sqrt((middle**2).mean(axis=1, keepdims=True) + 1e-5)
    elif "vector:n" in words:
        n = int(setup["n"])
        _, copy, size = passed.pristine[0]
        before = np.frombuffer(gpu.read(copy, min(size, n * kind.itemsize)), kind).astype(np.float64)
        wanted, found = FACTOR * of(0, n)[: len(before)] + before, of(1, n)[: len(before)]
        if prepared.launches > 1:  # each adds once more
            wanted = wanted + (prepared.launches - 1) * FACTOR * of(0, n)[: len(before)]
    if wanted is None:
        return
    off = np.abs(found - wanted) > CLOSE * np.maximum(np.abs(wanted), 1)
    if off.any():
        yield f"{int(off.sum())} of {off.size} results differ from those of the host"


def _copied(gpu: PtxGpu, prepared: Prepared) -> Iterator[str]:
    """Bulk copies whose kernels have two arrays, or a tile and an array, with the same words in the end."""
    passed = prepared.passed
    words = [word.strip() for word in str(passed.setup["arguments"]).split(";")]
    arrays = [
        value for word, (value, _) in zip(words, passed.values, strict=True) if word.startswith("array")
    ]
    if not arrays:
        return
    size = int(passed.setup["bytes"])
    held = [gpu.read(address, size) for address in arrays]
    if len(held) == 1:
        tile = tiles.shape(passed.setup, passed.windows)
        map_of = Map.of(passed.values[words.index("tensor map:2D")][0])
        held.append(tile.after(gpu.read(map_of.address, tile.matrix_bytes), passed.windows).tobytes())
    if held[0] != held[1]:
        yield "the copy differs from what was copied"


def _squares(gpu: PtxGpu, prepared: Prepared, given: dict[str, int]) -> Iterator[str]:
    """Of a stream that computes: every word that was read, squared as often as the launch asked for."""
    setup, threads = prepared.passed.setup, prepared.threads * prepared.blocks
    loaded = int(setup["unroll"]) * int(setup["vector_bytes"]) * threads * given["count:turns"]
    words = np.frombuffer(gpu.read(given["array:float"], loaded), np.float32).astype(np.float64)
    often = given["count:rounds"] * (LONG * given["setting:many"] + given["setting:few"])
    start = WORDS * threads * (threads - 1) / 2  # each accumulator begins at the number of its thread
    wanted = start + often * float((words**2).sum())
    sums = np.frombuffer(gpu.read(given["output:float"], 4 * threads), np.float32)
    found = float(sums.sum(dtype=np.float64))
    if abs(found / wanted - 1) > CLOSE:
        yield f"squares add up to {found:.6g} where {wanted:.6g} were to be"
