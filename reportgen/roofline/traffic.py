"""Bytes that must cross each memory level, from the shape of the work and the sizes of the caches.

Between a level and the next one inwards, whose S words are all that can be kept,

    matrix product m x n x k    Q >= 2 m n k / sqrt(S) - 2 S     words, and at least each operand once
    one pass over the data      Q  = each operand once           at every level: there is nothing to reuse

so the intensity of a product does not grow with N for ever: I <= sqrt(S) / w FLOP/byte with words of w
bytes, whatever the blocking.

Constant: the tight one of T. M. Smith, B. Lowery, J. Langou and R. A. van de Geijn, "A Tight I/O Lower
Bound for Matrix Multiplication" (arXiv 1702.02017, 2017/2019).  Hong and Kung (STOC 1981) gave the order;
the constant of Irony, Toledo and Tiskin (JPDC 64, 2004), 1/(2 sqrt 2), is smaller and bounds less.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from reportgen.roofline.bounds import Moved
from reportgen.roofline.ceilings import LEVELS


def intensity_limit(cache_bytes: float, word: float) -> float:
    """Most FLOP a byte of a matrix product behind a cache: sqrt(S)/w, 1 MiB of FP32 -> 128."""
    return math.sqrt(cache_bytes / word) / word


def product_bytes(m: float, n: float, k: float, word: float, cache_bytes: float | None = None) -> float:
    """Least bytes of C = A B between a cache of `cache_bytes` and what lies outside it.

    A and B are read once and C is written once at least (beta = 0).  Without a cache size, as between the
    registers and the first level, that is all that is claimed.
    """
    compulsory = (m * k + k * n + m * n) * word
    if cache_bytes is None or cache_bytes <= 0:
        return compulsory
    words = cache_bytes / word
    return max(compulsory, (2 * m * n * k / math.sqrt(words) - 2 * words) * word)


def product(
    m: float, n: float, k: float, word: float, levels: Iterable[str], ends: Mapping[str, tuple[float, float]]
) -> dict[str, Moved]:
    """Least traffic of a matrix product at each of `levels`.

    Args:
        m: rows of A and C.
        n: columns of B and C.
        k: columns of A, rows of B.
        word: bytes of an element.
        levels: that the data cross, outermost last.
        ends: by cache level: largest size that fits, smallest that does not; the latter counts, so that
            the bound stays one.
    """
    moved = {}
    for level in levels:
        inner = _inside(level, ends)
        moved[level] = Moved(product_bytes(m, n, k, word, ends[inner][1] if inner else None))
    return moved


def single_pass(size: float, levels: Iterable[str], most: float | None = None) -> dict[str, Moved]:
    """The same bytes at each of `levels`: every operand crosses all of them."""
    return {level: Moved(size, most) for level in levels}


def _inside(level: str, ends: Mapping[str, tuple[float, float]]) -> str:
    """The next cache inwards of a level, among those whose size is known."""
    inner = [name for name in LEVELS[: LEVELS.index(level)] if name in ends]
    return inner[-1] if inner else ""
