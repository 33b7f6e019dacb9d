"""Sentences about what a set gives up to make room: shares of misses, and policies that fit them."""

from __future__ import annotations

import re

from reportgen.analysis.quantity import Quantity
from reportgen.analysis.replacement import Reading
from reportgen.findings.metric import Kind, MetricId
from reportgen.findings.wording.numbers import listed
from reportgen.units import format_statistic

KINDS = frozenset({Kind.MISS_SHARE})
MOST_NAMED = 6
"""So many policies are named in a sentence; the table has all."""
_TITLES = {
    "LRU": "least recently used (LRU)",
    "FIFO": "first in first out (FIFO)",
    "PLRU": "a tree of bits (tree-PLRU)",
    "LRU_PLRU4": "least recently used groups of four ways, each a tree of bits",
    "MRU": "a bit a line that visits set (bit-PLRU, MRU)",
    "NRU": "not recently used (NRU)",
    "random": "random replacement",
    "random_but_last": "random replacement that spares the line visited last",
    "PLRU_random_leaf": "a tree of bits whose last fork is left to chance",
    "NRU_random": "any line not recently used, at random",
    "LIP": "least recently used with new lines at its end (LIP)",
    "BIP": "the same with one new line in 32 at its front (BIP)",
    "BRRIP": "re-reference intervals with one new line in 32 expected sooner (BRRIP)",
    "QLRU_H00_M2_R0_U0_UMO": "re-reference intervals (SRRIP, QLRU_H00_M2_R0_U0_UMO)",
}
ALTERNATIVES = (
    "a policy that is not among those simulated",
    "a prefetcher that brings lines into these sets or moves them in their order",
    "a policy that differs from set to set",
)
"""What else shares of misses can come from."""


def policy(name: str) -> str:
    """`PLRU` -> "a tree of bits (tree-PLRU)"; members of the QLRU family keep their names."""
    return _TITLES.get(name, name)


def sequence(text: str) -> str:
    """`0 1 2 2 10` -> "A B C C K": lines as letters, beyond Z with a stroke."""
    return " ".join(_letter(int(line)) for line in text.split())


def _letter(line: int) -> str:
    return chr(ord("A") + line % 26) + "′" * (line // 26)


def number(name: MetricId) -> str:
    """`memory.l1.misses.s3` -> "3"."""
    return re.sub(r"\D", "", name.part) or name.part


def noun(name: MetricId) -> str:
    """A metric of this kind as a noun phrase."""
    return f"the share of misses of access sequence {number(name)} in {name.subject.upper()}"


def measured(name: MetricId, quantity: Quantity) -> str:
    """Measured: the share of misses of a sequence."""
    text = str(quantity.details.get("sequence", ""))
    told = f" ({sequence(text)})" if text else ""
    share = format_statistic(quantity.value or 0.0, quantity.low, quantity.high, share=True)
    return (
        f"Of the visits of access sequence {number(name)}{told} to one set of {name.subject.upper()}, "
        f"{share} miss by their time (n = {quantity.n:,})."
    )


def policies(level: str, reading: Reading) -> str:
    """Inferred: which simulated policies the shares of a level leave."""
    told = (
        f"The shares of misses of {len(reading.metrics)} access sequences to sets of {level} "
        f"({reading.ways} ways) are consistent with"
    )
    if not reading.left:
        nearest = reading.excluded[0]
        off = abs(nearest.measured - min(nearest.predicted, key=lambda end: abs(end - nearest.measured)))
        return (
            f"{told} none of the {reading.simulated} simulated replacement policies. The nearest, "
            f"{policy(nearest.policy)}, misses one share by {off:.2f}."
        )
    some = [policy(name) for name in reading.left]
    named = listed(some[:MOST_NAMED], "or") if len(some) <= MOST_NAMED else ", ".join(some[:MOST_NAMED])
    further = f" and {len(some) - MOST_NAMED} others" if len(some) > MOST_NAMED else ""
    return (
        f"{told} {named}{further}; they exclude {len(reading.excluded)} of {reading.simulated} simulated "
        "replacement policies."
    )


def other_ways(level: str, reading: Reading, seen: str) -> str:
    """Measured: why no policy is named."""
    return (
        f"Access sequences to sets of {level} were made for {reading.ways} ways, and {seen} were measured: "
        "no replacement policy is compared with their shares of misses."
    )
