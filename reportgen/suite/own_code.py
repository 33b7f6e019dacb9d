"""Code of the user's own: what is known of it before it runs, and the suite that times rounds of it.

A body of the timed frame is so many rounds of the code one behind the other; several numbers of rounds give a
line, whose slope is the cycles of one round without what the frame adds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from reportgen.suite.definition import Definition
from reportgen.suite.load import Suite, load_suite

FAMILY = "own_code"
SECONDS = 0.15
"""Cap on the sampling time of one visit."""


class Line(msgspec.Struct, frozen=True):
    """One instruction, as its decoder has it."""

    text: str
    code: str
    """Its bytes in hexadecimal."""
    displacement: int = -1
    """Where in them the distance to data that a label named begins; -1 where it names none."""


class Code(msgspec.Struct, frozen=True):
    """What runs, what it starts with, and how often it runs."""

    name: str
    title: str
    lines: tuple[Line, ...]
    """One round, without the loop's own counter and jump."""
    init: tuple[Line, ...]
    """Before each stretch that is timed."""
    features: tuple[str, ...]
    items: float
    """Results of a round: what its comment `# items:` says, else 1."""
    unroll: int
    """Rounds between two jumps back."""
    rounds: tuple[int, ...]
    """Rounds of one body, the fewest first."""
    counter: str
    """Register that counts the jumps back."""
    pointers: dict[str, int]
    """Register -> where it points in the array, bytes from its beginning."""
    zeros: tuple[str, ...]
    ones: tuple[str, ...]
    """General registers that start with 0 and with 1."""
    vectors: tuple[str, ...]
    """Vector registers that start with numbers."""
    cleared: tuple[str, ...]
    """Vector registers that start with 0."""
    masks: tuple[str, ...]
    """Mask registers, which start with all bits set."""
    moving: tuple[str, ...]
    """Registers that get back what they started with before every body."""
    array: str
    """What the memory holds, and its bytes: `fp32 17472`."""
    each: int
    """Bytes of the array of each pointer."""
    numbers: str
    """What vector registers and named data hold: `fp32` or `fp64`."""
    unproven: str = ""
    """Why assembler and decoder cannot be compared on it."""
    notes: tuple[str, ...] = ()
    """How it was taken from the text, and what was changed in it."""


def probe_id(name: str) -> str:
    """`own_code/dot`."""
    return f"{FAMILY}/{name}"


def suite_of(codes: Sequence[Code], isa: str) -> Suite:
    """The suite that asks how long a round of each takes."""
    base = load_suite()
    digest = hashlib.sha256(msgspec.json.encode(codes)).hexdigest()
    definitions = {probe_id(code.name): _definition(code, isa) for code in codes}
    return Suite(base.root, definitions, base.tables, digest)


def _definition(code: Code, isa: str) -> Definition:
    return Definition(
        question="How many cycles does a round of this code take?",
        hypothesis="Each round takes as long as the one before.",
        variable="rounds",
        template="own_code",
        analysis="slope",
        metric=f"own_code.{code.name}",
        unit="cycle",
        settings={"rounds": list(code.rounds)},
        features=code.features,
        isas=(isa,),
        title=code.title,
        constants=msgspec.to_builtins(code),
        seconds=SECONDS,
    )


def code_of(constants: Mapping[str, Any]) -> Code:
    """The code back from what a run holds."""
    return msgspec.convert(dict(constants), Code)
