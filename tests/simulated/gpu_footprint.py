"""Straight FFMA of many sizes on a simulated GPU whose instruction caches are known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from reportgen.backends.cuda.generator_footprint import WORD, passes
from tests.simulated.asked import ok_point
from tests.simulated.gpu_truth import EMPTY, Question, Simulated, asked, source
from tests.simulated.multiprocessor import WARP

PROBE = "front_end/code_footprint"
KIB = 1024
COUNTING = 30.0
"""Cycles of a pass that count it, by one warp alone."""
ENTRY = 7.0
"""Cycles at the place to which a pass of each size goes back; a larger one passes those of smaller ones."""


@dataclass(frozen=True)
class TrueCode:
    """Levels of instruction supply from the core outwards, the last without an end."""

    levels: tuple[tuple[float, float, float], ...] = (
        (16 * KIB, 1.0, 0.25),
        (128 * KIB, 2.0, 0.5),
        (float("inf"), 8.0, 4.0),
    )
    """Bytes, cycles of an instruction for one warp, cycles of an instruction for a full multiprocessor."""

    def cycles(self, size: float, warps: int) -> float:
        """Of an instruction in code of a size."""
        level = next(one for one in self.levels if size <= one[0])
        return level[1] if warps == 1 else level[2]


@cache
def sizes() -> tuple[int, ...]:
    """Bytes of every size of the probe, ascending."""
    return tuple(int(word) for word in str(source(PROBE, warps=1, bytes=4 * KIB).expect["sizes"]).split())


def instruction(truth: TrueCode, size: int, warps: int) -> float:
    """Cycles of an instruction of a pass of a size; of one warp with what counts the pass."""
    whole = truth.cycles(size, warps)
    if warps == 1:  # other warps hide it
        whole += (COUNTING + ENTRY * (1 + sizes().index(size))) / (size // WORD)
    return whole


def footprint(truth: TrueCode) -> Question:
    """Every size by one warp, and by as many as the probe asks for besides."""
    found = []
    for warps in (1, 16):
        for size in sizes():
            settings: dict[str, int | float | str] = {"instruction": "ffma", "warps": warps, "bytes": size}
            turns = passes(size, sizes()[-1])
            steps = float(size // WORD)
            once = steps * instruction(truth, size, warps) * warps
            point = ok_point(PROBE, settings, work={"steps": steps}, facts={"threads": WARP * warps})
            found.append(Simulated(point, (once * turns + EMPTY,), turns * warps))
    return asked(PROBE), found
