"""Straight code of every size in one program: where the instruction caches of a GPU end."""

from __future__ import annotations

import itertools

from reportgen.backends.cuda import generator_rows as rows
from reportgen.backends.cuda.generator_parts import Parts, Request
from reportgen.backends.cuda.generator_windows import AGAIN, TWICE, WARP, WINDOW, bind, code
from reportgen.errors import Unsupported
from reportgen.suite.expand import spread
from reportgen.units import parse_size

OPERATION, CHAINS = "fp32_fma", 8
"""No FFMA waits for another: its result is there after four cycles, and the next on it comes after eight."""
WORD = 16
"""Bytes of an instruction from sm_70 on."""
LEAST_TURNS, MOST_TURNS = 4, 32
"""Passes that are timed together, more of smaller code: the way out is on the last one only, and what is
under way when it ends is small beside them."""
AROUND, BEHIND = 4, 2
"""Instructions of a pass that count it, and behind each segment; one more is at the head of each size."""
EARLY = 32
"""FFMA between the count of a pass and the way out that it decides."""
BLOCKS = (4096, 512, 64, 8)
"""FFMA of a name in the source, which else had hundreds of thousands of characters."""


def footprint(request: Request) -> Parts:
    """`bytes` of code, by as many segments as that takes.

    Raises:
        Unsupported: the sizes have no room for what counts them.
    """
    operation, target = request.operation(OPERATION)
    bound = bind(operation, operation.throughput or operation.form, CHAINS, request.kernel)
    sizes = every_size(request)
    counts = segments(sizes)
    expect: dict[str, int | str] = {"kind": "footprint", "chains": CHAINS}
    expect |= rows.expected([(OPERATION, operation, sum(counts) + len(sizes))], request.isa)
    expect["sizes"] = " ".join(map(str, sizes))
    totals = itertools.accumulate(counts)
    expect["segments"] = " ".join(str(number + total) for number, total in enumerate(totals, 1))
    expect["allow"] = ALLOWED
    expect["steps"] = 1  # of every size alike: one program, judged once
    lengths = [written(count) for count in (counts[0] - EARLY, *counts[1:])]
    context = {"bound": bound, "lengths": lengths, "early": written(EARLY), **code(bound), **WINDOW}
    context["file"] = [*context["file"], *macros()]
    size = request.setting("bytes")
    total = float(size // WORD)
    work = {"steps": total, "instructions": total, "bytes": float(size)}
    setup: dict[str, int | float | str] = {
        "threads": WARP * request.setting("warps"),
        **TWICE,
        "turns": passes(size, sizes[-1]),
        "segments": 1 + sizes.index(size),
    }
    parameters = [
        *bound.parameters,
        *AGAIN,
        ("unsigned turns", "setting:turns"),
        ("unsigned segments", "setting:segments"),
    ]
    return Parts(context, parameters, expect, work, setup, target, wide_clock=True)


ALLOWED = (
    r"U?IADD3?|VIADD|U?ISETP\..*|BRA(\.U)?|CALL\.REL\.NOINC|U?MOV|IMAD\.MOV\.U32|HFMA2(\.MMA)?|U?LDCU?|R2UR"
)
"""What counts passes and tells segments: how many, and where, the inspector looks at by itself."""


def every_size(request: Request) -> list[int]:
    """Bytes of all points of the probe, which share the program."""
    span = request.probe.definition.settings["bytes"]
    low, high, step = (parse_size(str(span[name])) for name in ("low", "high", "step"))
    return spread(low, high, int(span["per_octave"]), step)


def segments(sizes: list[int]) -> list[int]:
    """FFMA of each segment, so that code up to its branch has the bytes of a size.

    Raises:
        Unsupported: a segment would have none.
    """
    totals = [size // WORD - AROUND - (1 + BEHIND) * number for number, size in enumerate(sizes, 1)]
    counts = [totals[0], *(later - before for before, later in itertools.pairwise(totals))]
    if min(counts) < CHAINS:
        raise Unsupported("sizes of code that lie so near to each other have no room for what counts them")
    return counts


def passes(size: int, largest: int) -> int:
    """Passes that are timed together of code of a size."""
    return max(LEAST_TURNS, min(MOST_TURNS, largest // size))


def macros() -> list[str]:
    """Names of one FFMA on each accumulator, and of many."""
    one = [f'#define F_{n} "fma.rn.f32 %{n}, %{n}, %{CHAINS + 1}, %{CHAINS + 2};\\n"' for n in range(CHAINS)]
    found = [*one, f"#define F8 {' '.join(f'F_{n}' for n in range(CHAINS))}"]
    for more, less in itertools.pairwise(BLOCKS):
        found.insert(len(one) + 1, f"#define F{more} {' '.join([f'F{less}'] * (more // less))}")
    return found


def written(count: int) -> str:
    """So many FFMA by their names: `F64 F8 F_0 F_1`."""
    parts = []
    for block in BLOCKS:
        parts += [f"F{block}"] * (count // block)
        count %= block
    return " ".join([*parts, *(f"F_{n}" for n in range(count))])
