"""Entries of the data dictionary about branches: pattern, title, unit, text, method, caveat."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str, str, str, str], ...] = (
    (
        "branch.misprediction",
        "branch misprediction",
        "cycle",
        (
            "Cycles that a conditional branch costs more where it is predicted wrongly: slope of time over "
            "the number of wrong predictions, of outcomes that are random in known shares."
        ),
        "branches",
        (
            "Includes the time from the branch's own operands to its end. Of random outcomes half are taken "
            "to be predicted wrongly; target known and code near."
        ),
    ),
    (
        "branch.taken.interval",
        "interval of taken branches",
        "cycle",
        (
            "Cycles of a taken branch among many that follow on each other, as long as the core knows where "
            "all of them lead."
        ),
        "branches",
        "Of direct jumps, each to the next, 16 to 64 bytes further on.",
    ),
    (
        "branch.not_taken.interval",
        "interval of branches not taken",
        "cycle",
        "Cycles of a conditional branch that is not taken: slope of time over their number.",
        "slope",
        "One right behind another, on one condition that is never met.",
    ),
    (
        "branch.taken.<distance>b.<which>",
        "end of the rate of taken branches",
        "count",
        (
            "Interval from the largest number of branches, so many bytes apart, before a rise of their time "
            "to the smallest on it; the first, second and third rise."
        ),
        "branches",
        (
            "Of how many branches a buffer holds, or of how many bytes of code a level does: several "
            "distances tell, and what they tell is an inference."
        ),
    ),
    (
        "branch.loop.group",
        "instructions in front of a taken branch",
        "count",
        (
            "Instructions that come in at once in front of a branch that is taken: a round of a short loop "
            "takes a cycle for each group of so many, its counter and branch among them."
        ),
        "branches",
        "Of instructions of one slot each, of three kinds in turn, within one line of code.",
    ),
    (
        "branch.return.depth",
        "depth of nested calls",
        "count",
        (
            "Interval from the deepest nest of calls whose levels all cost the same to the shallowest that "
            "costs more."
        ),
        "branches",
        (
            "Each return goes where it went the last time, so a core that predicts returns from elsewhere "
            "too may show no end."
        ),
    ),
)
