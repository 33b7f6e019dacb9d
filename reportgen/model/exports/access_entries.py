"""Entries of the data dictionary about single accesses: pattern, title, unit, text, method, caveat."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str, str, str, str], ...] = (
    (
        "memory.<level>.misses.<sequence>",
        "share of misses",
        "ratio",
        (
            "Share of the visits of a periodic access sequence to one set of the level that miss: by the "
            "time of a load, between that of lines that fit and that of three times as many lines as fit."
        ),
        "replacement",
        "Relative to the sequence that misses most. Which replacement policy it fits is an inference.",
    ),
    (
        "store_to_load.<store>_<load>.<offset>",
        "store to load",
        "cycle",
        (
            "Cycles from one store to the next in a chain of stores, each of what the load before it "
            "brought: bits of the store, bits of the load (v: of vector registers), bytes from the first "
            "byte of the store to that of the load."
        ),
        "access",
        (
            "Store and load name their place by two registers, in a loop of 48 pairs and more, and are of "
            "one register file."
        ),
    ),
    (
        "store_to_load.<store>_<load>.<offset>.<how>",
        "store to load, of a place that may be known before its address",
        "cycle",
        (
            "The same with one base register for both (same_register), or in a loop of a dozen pairs at most "
            "(short_loop)."
        ),
        "access",
        (
            "Below the latency of a load where the core renames memory or has learnt which store a load "
            "belongs to."
        ),
    ),
    (
        "access.split.<place>.<access>",
        "split access",
        "cycle",
        (
            "Cycles of an access aligned to a line, across its middle (inside), across a 64-byte boundary "
            "(line) or a 4 KiB boundary (page): of a step in a chain of loads (latency), or from one to the "
            "next of accesses that do not wait for each other (interval)."
        ),
        "access",
        (
            "All accesses go to one place, which stays in the first level. The latency of a vector load "
            "includes a move to a general register."
        ),
    ),
    (
        "access.alias.<distance>",
        "load behind a store elsewhere",
        "cycle",
        "Cycles of a load that finds its own next address, behind a store so many bytes further on.",
        "access",
        "What a distance adds is the difference to 2048 bytes; both addresses are known long before.",
    ),
)
