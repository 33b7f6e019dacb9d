"""Entries of the data dictionary about what cores share: pattern, title, unit, text, method, caveat."""

from __future__ import annotations

_MOVES = "Virtual CPUs may be other cores in the next visit; visits that fall into two groups give no number."

ROWS: tuple[tuple[str, str, str, str, str, str], ...] = (
    (
        "communication.transfer.<by>",
        "line transfer between two cores",
        "second",
        (
            "Time in which a line that one core writes reaches another that waits for it by loads: one way, "
            "slope over the number of hand-overs; of the nearest pair. `<by>` is what hands it over: a "
            "`store`, an `exchange`, a `compare_exchange`."
        ),
        "communication",
        f"Half of a round trip; the two directions of a pair are not told apart. {_MOVES}",
    ),
    (
        "communication.transfer.<by>.cycles",
        "line transfer in cycles",
        "cycle",
        "The same in cycles of the cores that wait.",
        "communication",
        "The way between cores has clocks of its own, so cycles change with the clock of the cores.",
    ),
    (
        "communication.transfer.<by>.farthest",
        "line transfer of the farthest pair",
        "second",
        "The same of the pair that takes longest; only where more than one pair was asked.",
        "communication",
        f"Beyond eight CPUs some pairs of each are asked. {_MOVES}",
    ),
    (
        "communication.false_sharing.<by>.granule",
        "granule of sharing",
        "byte",
        (
            "Interval from the largest distance at which words of two cores slow each other to the smallest "
            "from which on they do not; `<by>` is `plain_add` or `locked_add`."
        ),
        "communication",
        "Words begin at a multiple of 1 KiB, so a distance is also a place within a line.",
    ),
    (
        "communication.false_sharing.<by>.<where>",
        "addition beside another core's word",
        "cycle",
        "Cycles of an addition of two cores to words of one line (`shared`), or of lines apart (`apart`).",
        "communication",
        "A core keeps a line for some plain additions before it is taken away, so these cost less each.",
    ),
    (
        "communication.contended.<by>.rate",
        "additions to one word a second",
        "OP/second",
        (
            "Additions to one word, all cores together: their number over the time from the first that began "
            "to the last that ended."
        ),
        "communication",
        "No lost one: the word must hold their number. Cores do not get equal shares of the time.",
    ),
    (
        "communication.contended.<by>.cycles",
        "addition to one word, or reading of a line that is written",
        "cycle",
        (
            "Cycles of an addition of one core while all others add to the same word; by `read`: of a load "
            "from a line that another core keeps writing, while this core keeps writing another one's."
        ),
        "communication",
        "Includes the turns of a compare-and-exchange that failed.",
    ),
)
