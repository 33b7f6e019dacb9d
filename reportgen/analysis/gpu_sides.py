"""Groups of multiprocessors to which the same lines of a cache are near.

Each multiprocessor has a pattern: which lines are near to it.  Patterns are put together where they go the
same way (their correlation, the phi coefficient of two by two counts), each group by the majority of its
own; lines to which the groups are near alike form groups too.  What is kept for a figure is one row a
multiprocessor, in the order of the groups, and so many columns that each is the mean of some lines.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.robust import Array, Integers, median

ALIKE = 0.5
"""Least correlation of two patterns of one group."""
ROUNDS = 3
"""In which groups take their members anew by the majority of each."""
MOST_GROUPS = 8
"""More patterns than this have nothing in common."""
COLUMNS = 128
"""Of the figure, at most."""

Bits = NDArray[np.bool_]


def sides(level: Array, border: float | None, place: Integers, line: Integers) -> dict[str, Any]:
    """What details of a quantity hold about it; nothing where fewer than two multiprocessors were asked.

    Args:
        level: latency of every row, as if all multiprocessors were equally far from their nearest lines.
        border: what parts near from far; nothing: all are alike.
        place: multiprocessor of every row.
        line: number of the line.

    Returns:
        `map`: multiprocessors in the order of rows, their groups, how many lines each column stands for, in
        which group of lines, and cycles. `groups`: of each its multiprocessors, the share of lines that are
        near to it, and cycles of those and of the others.
    """
    names, matrix = _matrix(level, place, line)
    if len(names) < 2:
        return {}
    near: Bits = matrix < border if border is not None else np.ones(matrix.shape, dtype=bool)
    group = _grouped(near)
    if group is None:
        group = np.zeros(len(names), dtype=np.int64)
        patterns = np.zeros((1, matrix.shape[1]), dtype=bool)
    else:
        patterns = np.array([near[group == one].mean(axis=0) > 0.5 for one in range(group.max() + 1)])
    order = np.lexsort((names, group))
    columns, sizes, of_lines = _columns(patterns)
    cells = np.array([[matrix[row, some].mean() for some in columns] for row in order])
    return {
        "groups": [_told(names, matrix, near, group == one) for one in range(int(group.max()) + 1)],
        "map": {
            "multiprocessor": names[order].tolist(),
            "group": group[order].tolist(),
            "lines": sizes,
            "line_group": of_lines,
            "cycles": np.rint(cells).astype(int).tolist(),
        },
    }


def _matrix(level: Array, place: Integers, line: Integers) -> tuple[Integers, Array]:
    """Multiprocessors, and [multiprocessor, line]: the mean of what each took; only whole rows."""
    names = np.unique(place[place >= 0])
    count = int(line.max()) + 1
    rows, found = [], []
    for name in names.tolist():
        mine = place == name
        times = np.bincount(line[mine], minlength=count)
        if times.min() > 0:
            rows.append(np.bincount(line[mine], weights=level[mine], minlength=count) / times)
            found.append(name)
    return np.array(found, dtype=np.int64), np.array(rows)


def _grouped(near: Bits) -> Integers | None:
    """Group of each row, the largest first; nothing where there are too many."""
    centres: list[Array] = []
    for row in near:
        if not centres or max(_correlation(row, centre) for centre in centres) < ALIKE:
            centres.append(row.astype(float))
    member = np.zeros(len(near), dtype=np.int64)
    for _ in range(ROUNDS):
        if len(centres) > MOST_GROUPS:
            return None
        alike = np.array([[_correlation(row, centre) for centre in centres] for row in near])
        member = np.argmax(alike, axis=1)
        centres = [near[member == one].mean(axis=0) for one in np.unique(member)]
    kept = np.unique(member)
    kept = kept[np.argsort([-np.count_nonzero(member == one) for one in kept], kind="stable")]
    found: Integers = np.array([int(np.flatnonzero(kept == one)[0]) for one in member], dtype=np.int64)
    return found


def _correlation(row: Bits, centre: Array) -> float:
    """Of two patterns; those without any difference in themselves are alike where they are the same."""
    other = centre > 0.5
    left, right = row - row.mean(), other - other.mean()
    scale = float(np.sqrt((left @ left) * (right @ right)))
    return float(left @ right) / scale if scale > 0 else float(np.mean(row == other) > ALIKE)


def _columns(patterns: Bits) -> tuple[list[Integers], list[int], list[int]]:
    """Lines of each column of the figure, how many they are, and their group."""
    _, group = np.unique(patterns.T, axis=0, return_inverse=True)
    group = int(group.max()) - group.reshape(-1)  # lines near to the first group come first
    most = max(1, -(-len(group) // COLUMNS))
    columns, of_lines = [], []
    for one in range(int(group.max()) + 1):
        lines = np.flatnonzero(group == one)
        for some in np.array_split(lines, -(-len(lines) // most)):
            columns.append(some)
            of_lines.append(one)
    return columns, [len(some) for some in columns], of_lines


def _told(names: Integers, matrix: Array, near: Bits, mine: Bits) -> dict[str, Any]:
    values, bits = matrix[mine], near[mine]
    return {
        "multiprocessors": names[mine].tolist(),
        "near_share": float(bits.mean()),
        "near": median(values[bits]) if bits.any() else None,
        "far": median(values[~bits]) if not bits.all() else None,
    }
