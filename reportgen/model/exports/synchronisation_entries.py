"""Entries of the data dictionary about waiting and sharing: pattern, title, unit, text, method, caveat."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str, str, str, str], ...] = (
    (
        "barrier.<scope>.<count>",
        "barrier",
        "cycle",
        (
            "Cycles of one barrier at which so many warps (of a cluster: blocks) meet; the slope over how "
            "many barriers follow on each other."
        ),
        "synchronisation",
        "All arrive at once. Scope is block, memory (mbarrier) or cluster, whose barrier includes a fence.",
    ),
    (
        "barrier.<scope>.further",
        "cost of a further participant of a barrier",
        "cycle",
        "Cycles that each further warp (of a cluster: block) adds to a barrier: the slope over their number.",
        "synchronisation",
        "Stated only where the times lie on one line to 5 %.",
    ),
    (
        "fence.<scope>.<case>",
        "memory fence",
        "cycle",
        "Cycles of a fence of one warp, alone or behind a store of its own; the slope over how many follow.",
        "synchronisation",
        "Behind a store its own time is included. Beyond the block a fence also empties the first cache.",
    ),
    (
        "atomic.<space>.conflict",
        "cost of a further lane at one address",
        "cycle",
        "Cycles that each further lane of a warp at the same address adds to an atomic add.",
        "synchronisation",
        "Of one warp alone; the latency of an add at an own address is latency.<operation>.",
    ),
    (
        "atomic.<space>.together",
        "all lanes at one address over each at its own",
        "ratio",
        "Time of an atomic add of a warp whose lanes all meet, over that of one whose lanes do not.",
        "synchronisation",
        "Words of one line or of 32 banks side by side.",
    ),
    (
        "atomic.device.<place>",
        "rate of atomic adds of the device",
        "OP/second",
        (
            "Atomic adds a second of all blocks of the best launch, at one address, one of each block, one "
            "line, or an own word of each thread."
        ),
        "synchronisation",
        "Without results (red); adds of a warp to one word may be joined before they reach the memory.",
    ),
    (
        "divergence.path",
        "cost of a further path of a warp",
        "cycle",
        "Cycles that each further path among the lanes of a warp adds: the slope over the number of paths.",
        "synchronisation",
        "Of a chain of 128 multiply-adds, with the way there and back.",
    ),
    (
        "divergence.factor",
        "further path over one alone",
        "ratio",
        "The same over the time of one path: 1 where paths are gone through one after the other.",
        "synchronisation",
        "Of paths of equal length.",
    ),
)
