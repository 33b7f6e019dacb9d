"""What the generator says the inspector shall find in the window.

Keys of `Source.expect`:

`kind`            `chain`, `independent`, `pair`, `memory`, `tensor`, `footprint` or `resource` (no window)
`chains`          dependency chains that the wanted instructions shall form
`want.L`          how many instructions of class L; `match.L` what its opcodes look like (regex, whole)
`emulated.L`      what tells that class L is emulated (regex, whole)
`allow`           harmless others (regex, whole)
`steps`           steps of the chain, where one has several instructions
`sizes`           of a footprint: bytes of code of each size; `segments` wanted instructions of its pass
`loops`           what every loop of the window holds, each as `4 load, 144 fma`, with `; ` between them
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

WINDOWLESS = "resource"
_EXACT = ("chain", "independent", "pair")
"""Kinds whose windows hold nothing but what was asked for, between two clock reads of one kind."""


@dataclass(frozen=True)
class Wanted:
    """One class of wanted instructions."""

    label: str
    count: int
    match: re.Pattern[str]
    emulated: re.Pattern[str] | None


@dataclass(frozen=True)
class Expectation:
    """`Source.expect`, read."""

    kind: str
    chains: int
    """0: any number."""
    wanted: tuple[Wanted, ...]
    allow: re.Pattern[str] | None
    steps: int
    loops: tuple[str, ...]
    """What each loop of the window holds of the wanted classes; empty: whatever it is."""
    _labels: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Of opcodes that were asked of before: a window has thousands of instructions, and few opcodes."""

    @property
    def exact(self) -> bool:
        """Whether the two clock reads must be the same instruction."""
        return self.kind in _EXACT

    def label(self, opcode: str) -> str:
        """Class of an opcode, empty if it is not wanted."""
        if opcode not in self._labels:
            found = next((one.label for one in self.wanted if one.match.fullmatch(opcode)), "")
            self._labels[opcode] = found
        return self._labels[opcode]

    def allows(self, opcode: str) -> bool:
        """Whether an opcode that is not wanted may be there."""
        return self.allow is not None and self.allow.fullmatch(opcode) is not None

    def mentions(self, opcode: str) -> bool:
        """Whether an opcode is wanted or allowed."""
        return bool(self.label(opcode)) or self.allows(opcode)


def read(expect: Mapping[str, int | str]) -> Expectation:
    """From the generator's dictionary.

    Raises:
        ValueError: a class has no `match`, or a pattern is no regular expression.
    """
    wanted = []
    for key, count in expect.items():
        if not key.startswith("want."):
            continue
        label = key.removeprefix("want.")
        if f"match.{label}" not in expect:
            raise ValueError(f"'want.{label}' has no 'match.{label}'")
        emulated = expect.get(f"emulated.{label}")
        wanted.append(
            Wanted(
                label,
                int(count),
                _pattern(str(expect[f"match.{label}"])),
                _pattern(str(emulated)) if emulated else None,
            )
        )
    allow = expect.get("allow")
    total = [one.count for one in wanted]
    return Expectation(
        kind=str(expect["kind"]),
        chains=int(expect.get("chains", 0)),
        wanted=tuple(wanted),
        allow=_pattern(str(allow)) if allow else None,
        steps=int(expect.get("steps", 0)) or math.gcd(*total),
        loops=tuple(str(expect["loops"]).split("; ")) if "loops" in expect else (),
    )


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(f"'{text}' is no regular expression ({error})") from error
