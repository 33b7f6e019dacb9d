"""Kernels without one of their barriers, fences or waits: whether the executor finds that out.

Each is taken out of the PTX of a kernel alone.  One that is not missed is either not needed, or needed for
what the executor does not look at (timing, memory of other launches, order within a warp).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reportgen.backends.base import Source
from tests.simulated.ptx.points import Code
from tests.simulated.ptx.visits import Seen, Visits

ORDERING = re.compile(
    r"(?:^|(?<=;)|(?<=\{))[ \t]*(?:bar\.sync|barrier\.(?:sync|cluster)|fence\.|wgmma\.(?:fence|wait_group)"
    r"|membar\.|cp\.async\.(?:bulk\.)?wait_|tcgen05\.wait)[^;]*;",
    re.MULTILINE,
)
"""An instruction that orders others."""


@dataclass(frozen=True)
class Spoilt:
    """A kernel without one of them."""

    point: str
    instruction: str
    number: int
    """Which of those of the kernel."""
    seen: Seen

    @property
    def found(self) -> bool:
        """Whether something is said to be wrong."""
        return self.seen.status not in ("ok", "unsupported", "too large")


def without_each(isa: str, sources: Iterable[Source]) -> Iterator[Spoilt]:
    """Visits of kernels, each time without another instruction that orders.

    Args:
        isa: target.
        sources: whose kernels are taken, one point for each of them.
    """
    known: set[str] = set()
    for source in sources:
        name, target = str(source.setup["kernel"]), str(source.setup["target"])
        if name in known or "__constant__" in source.text:
            continue
        known.add(name)
        code = Code()
        code.make([source])
        if (name, target) not in code.codes:
            continue
        text = code.codes[name, target].decode()
        start, stop = _body(text, name)
        places = list(ORDERING.finditer(text, start, stop))
        for number, place in enumerate(places):
            code.codes[name, target] = (text[: place.start()] + text[place.end() :]).encode()
            seen = Visits(isa, code).visit(source)
            yield Spoilt(source.point, place[0].strip(), number, seen)


def _body(text: str, name: str) -> tuple[int, int]:
    """Where the code of an entry stands."""
    start = text.index(f".entry {name}(")
    after = text.find(".entry ", start + 1)
    return start, after if after >= 0 else len(text)
