"""Entries of the data dictionary about prefetching: pattern, title, unit, text, method, caveat."""

from __future__ import annotations

_ORDER = "Shuffled lines of small steps come along as well, so a gain of one there says little."

ROWS: tuple[tuple[str, str, str, str, str, str], ...] = (
    (
        "prefetch.stride.<step>",
        "load in runs of a step",
        "cycle",
        (
            "Cycles of a dependent load in runs of 16 lines at a step (lines up or down, or two steps in "
            "turn), asked for by one load instruction, over three times the second level; with the same "
            "lines in random order beside it."
        ),
        "prefetch",
        _ORDER,
    ),
    (
        "prefetch.stride_unrolled.<step>",
        "load in runs of a step, of many instructions",
        "cycle",
        "The same, where 64 load instructions take turns.",
        "prefetch",
        _ORDER,
    ),
    (
        "prefetch.stride_dram.<step>",
        "load in runs of a step, from memory",
        "cycle",
        "The same over a working set beyond all caches, of one load instruction.",
        "prefetch",
        _ORDER,
    ),
    (
        "prefetch.run.<places>",
        "line of a run by its place",
        "cycle",
        "Cycles of each of these lines of a run: what longer runs take more than shorter ones.",
        "prefetch",
        "Runs begin at multiples of their length, so lines that come in aligned groups show as steps.",
    ),
    (
        "prefetch.near.<before>.<distance>",
        "line behind others",
        "cycle",
        (
            "Cycles of one line of an aligned pair (even, odd), of a run of eight (run) or of one that ends "
            "with its 4 KiB page (border), together with a line so far from its last, asked for when another "
            "run has passed."
        ),
        "prefetch",
        "What counts is the difference to the farthest line of the same case.",
    ),
    (
        "prefetch.streams",
        "streams followed at once",
        "count",
        (
            "Number of streams in turn, each through pages of its own and of its own load instruction, up to "
            "which order saves three quarters of what it saves at its best."
        ),
        "prefetch",
        "Where lines that were brought are pushed out by other streams ends it too.",
    ),
)
