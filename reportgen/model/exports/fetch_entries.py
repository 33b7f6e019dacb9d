"""Entries of the data dictionary about instruction supply: pattern, title, unit, text, method, caveat."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str, str, str, str], ...] = (
    (
        "fetch.<code>.<supply>.capacity",
        "end of a level of instruction supply",
        "byte",
        (
            "Size of straight code of one kind of instruction, run over and over, from which on an "
            "instruction takes longer; levels are numbered from the core outwards, by what the code shows."
        ),
        "code-footprint",
        "The interval is the result. Which cache or buffer ends there is an inference.",
    ),
    (
        "fetch.<code>.<supply>.rate",
        "rate of instruction supply",
        "instruction/cycle",
        "Instructions of one kind a cycle in straight code whose size that level supplies.",
        "code-footprint",
        "No more than what the core can take of the kind; a core may take two no-operations as one.",
    ),
    (
        "fetch.op_cache.capacity",
        "instructions of the first supply",
        "count",
        (
            "Count of instructions at which straight code of one operation in two encoded lengths becomes "
            "slower, the same for both."
        ),
        "code-footprint",
        (
            "That a cache of decoded instructions ends there is an inference. Absent where no two lengths "
            "agree on a count."
        ),
    ),
    (
        "fetch.l1i.capacity",
        "first-level instruction cache",
        "byte",
        "Size at which straight code of two encoded lengths becomes slower, the same for both.",
        "code-footprint",
        (
            "That the first-level instruction cache ends there is an inference. Absent where no two lengths "
            "agree on a size, or where that is not well below the reported second level."
        ),
    ),
)
