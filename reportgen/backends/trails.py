"""Where a prefetcher is tempted to go: chases in runs that it could follow, and the same lines without order.

Each layout is one cycle through its cells, as byte offsets in the order of the visit.  Layouts that are
compared visit the same lines, or go through the same pages in the same way, so that only the order within a
run differs.  No hardware is touched here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.backends.layouts import LINE, Offsets

PAGE = 4096
"""Bytes at which prefetchers that work on physical addresses stop, whatever the pages really are."""
LINES = PAGE // LINE
"""Lines of a page."""
IN_ORDER, SHUFFLED, SCATTERED = "in_order", "shuffled", "scattered"


def runs(size: int, steps: tuple[int, ...], length: int, order: str, rng: np.random.Generator) -> Offsets:
    """Every line of `size` bytes once, in runs of `length` lines: the runs in random order.

    Args:
        size: bytes; what a whole block of runs does not fill is left out.
        steps: distances from a line of a run to the next, in lines, over and over.
        length: lines of a run.
        order: `in_order`, or `shuffled` (the lines of each run in random order).
        rng: where its order comes from.

    Raises:
        ValueError: runs of these steps do not cover a block of lines without a gap.
    """
    walk = np.cumsum([0, *(steps[at % len(steps)] for at in range(length - 1))], dtype=np.int64)
    walk -= walk.min()
    starts, block = _tiled(walk)
    blocks = max(1, size // LINE // block)
    first = (np.arange(blocks, dtype=np.int64)[:, None] * block + starts).reshape(-1)
    lines = rng.permutation(first)[:, None] + walk
    if order == SHUFFLED:
        lines = rng.permuted(lines, axis=1)
    return lines.reshape(-1) * LINE


def _tiled(walk: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Starts of runs that together cover a block of lines, and how many lines it has."""
    taken: set[int] = set()
    starts: list[int] = []
    while not starts or len(taken) <= max(taken):
        start = next(line for line in range(len(taken) + 1) if line not in taken)
        own = {start + int(line) for line in walk}
        if own & taken or len(starts) > len(walk) * 64:
            raise ValueError(f"runs of lines {walk.tolist()} do not cover a block without a gap")
        taken |= own
        starts.append(start)
    return np.array(starts, dtype=np.int64), len(taken)


def streams(size: int, count: int, order: str, rng: np.random.Generator) -> Offsets:
    """`count` streams in turn, a line of each; each goes through random pages of its own, line by line.

    They are in different parts of their pages, evenly apart, so that they do not meet in the sets of a cache.

    Args:
        size: bytes; whole pages of each stream.
        count: streams.
        order: `in_order`, or `shuffled` (the lines of each page in random order).
        rng: where the order of pages comes from.
    """
    pages = rng.permutation(size // PAGE)[: size // PAGE // count * count].astype(np.int64)
    lines = np.tile(np.arange(LINES, dtype=np.int64), (len(pages), 1))
    if order == SHUFFLED:
        lines = rng.permuted(lines, axis=1)
    every = (pages[:, None] * LINES + lines).reshape(count, -1)
    apart = [np.roll(own, -(LINES * at // count)) for at, own in enumerate(every)]
    return np.stack(apart, axis=1).reshape(-1) * LINE


def behind(
    size: int, length: int, ends: str, distance: int, rng: np.random.Generator, others: tuple[int, ...] = ()
) -> Offsets:
    """Runs of `length` lines, one a page; behind each a line `distance` from the end of the run before it.

    By then another run has passed, which is time enough for a line that was asked for to come.

    Args:
        size: bytes of the lines that are visited.
        length: lines of a run, ascending.
        ends: where in its page the last line of a run lies: `even` or `odd`, else at random so that the other
            line is in the page too; `border`, its last line, and the other is in the next page.
        distance: lines from there to the other; not 0.
        rng: where the order comes from.
        others: distances for which there must be room too: layouts that are compared have the same runs.
    """
    count = max(2, size // LINE // (length + 1))
    pages = rng.permutation(count).astype(np.int64) * LINES * (2 if ends == "border" else 1)
    if ends == "border":
        last = np.full(count, LINES - 1, dtype=np.int64)
    else:
        every = (0, distance, *others)
        low, high = length - 1 - min(every), LINES - max(every)
        low += (low % 2 == 0) == (ends == "odd")
        last = low + 2 * rng.integers(-(-(high - low) // 2), size=count)
    end = pages + last
    own = end[:, None] + np.arange(1 - length, 1, dtype=np.int64)
    return np.concatenate([own, np.roll(end + distance, 1)[:, None]], axis=1).reshape(-1) * LINE


def laid_out(setup: Mapping[str, int | float | str], rng: np.random.Generator) -> Offsets:
    """The layout that a set-up names in `trail`: `runs`, `streams` or `behind`.

    Args:
        setup: `size` in bytes, `order`; of runs `step` (`4`, `-1`, `1_3`) and `length`; of streams `count`;
            of lines behind a run `case` (`even.up_1`, `border.up_8`), as `case_of` reads it, and in `turns`
            those it is compared with.
        rng: where the order comes from.

    Raises:
        ValueError: a step or a case that is none.
    """
    size, order = int(setup["size"]), str(setup.get("order", IN_ORDER))
    match setup["trail"]:
        case "runs":
            steps = tuple(int(step) for step in str(setup["step"]).split("_"))
            return runs(size, steps, int(setup["length"]), order, rng)
        case "streams":
            return streams(size, int(setup["count"]), order, rng)
    ends, length, distance = case_of(str(setup["case"]))
    others = tuple(case_of(case)[2] for case in str(setup.get("turns", "")).split())
    return behind(size, length, ends, distance, rng, others)


def in_turn(setup: Mapping[str, int | float | str], seed: int) -> list[Offsets]:
    """The layouts of `turns` (values of the setting that `in_turn` names), which one visit compares.

    They visit the same runs in the same order.  Each has a word of its own in every line, and begins as far
    behind the one before as leaves all equally far apart: taking equal steps in turn, none finds what
    another has just brought, and between two visits of a line lie as many others as if it were alone.

    Args:
        setup: as of `laid_out`, with `in_turn` and `turns`.
        seed: of the order of each.
    """
    values, loads = str(setup["turns"]).split(), int(setup["loads"])
    found = []
    for at, value in enumerate(values):
        own = laid_out({**setup, str(setup["in_turn"]): value}, np.random.default_rng(seed))
        behind_first = len(own) * at // len(values) // loads * loads  # each load keeps its lines
        found.append(np.roll(own + 8 * at, -behind_first))
    return found


def compared(name: str, value: int | float | str, values: Sequence[int | float | str]) -> list[str]:
    """Those of the values of a setting that one visit compares with `value`: of cases, those of its kind."""
    if name != "case":
        return [str(one) for one in values]
    kind = str(value).rpartition("_")[0]
    return [str(one) for one in values if str(one).rpartition("_")[0] == kind]


BEFORE = {"even": 1, "odd": 1, "run": 8, "border": 8}
"""What went before a line that is asked for -> lines of it: one line of a pair, or a run."""


def case_of(case: str) -> tuple[str, int, int]:
    """`run.up_8` -> where the lines before end, how many they are, how far the other line is from their last.

    Raises:
        ValueError: no such case.
    """
    before, _, asked = case.partition(".")
    way, _, lines = asked.partition("_")
    if before not in BEFORE or way not in ("up", "down") or not lines.isdigit():
        raise ValueError(f"'{case}' names no line behind others, such as 'even.up_1'")
    return before, BEFORE[before], int(lines) if way == "up" else -int(lines)
