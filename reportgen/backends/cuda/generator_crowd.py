"""How many blocks stay on a multiprocessor side by side: as many as there is room for.

Every block stays for the same number of cycles, whatever works beside it, and the launch has many more
than fit.  Timed from outside it takes as long as blocks must wait for room (Wong et al. 2010 tell the blocks
side by side by their start times; the time of the whole needs no clocks that agree).
"""

from __future__ import annotations

from typing import Any

from reportgen.backends.cuda import generator_rows as rows
from reportgen.backends.cuda.generator_operands import CROWD
from reportgen.backends.cuda.generator_parts import Parts, Request
from reportgen.backends.cuda.generator_windows import bind, code, fits
from reportgen.errors import Unsupported

HELD = 13
"""Registers of the pressure kernel beside its accumulators: constants, addresses, clocks, stack pointer."""
FEWEST = 24
"""Registers that the assembler leaves a kernel, whatever bound it is given."""
ROUNDS = 2
"""Steps of every accumulator."""
STAY = 40_000
"""Cycles: 20 microseconds, of which the next block's start is some per cent."""
EACH = 240
"""Blocks of a launch for each multiprocessor.  Of those that fit, 16 and fewer, no two numbers need equally
many turns for them, and most come out even."""


def crowd(request: Request) -> Parts:
    """Blocks of `CROWD` threads with accumulators that fill the wanted `registers`, or as many as asked."""
    settings = request.point.settings
    wanted = request.setting("registers") if "registers" in settings else 0
    if wanted and wanted < FEWEST:
        raise Unsupported(f"the assembler bounds no kernel below {FEWEST} registers")
    count = wanted - HELD if wanted else request.setting("accumulators")
    name = "fp32_fma"
    operation, target = request.operation(name)
    bound = bind(operation, operation.form, count, request.kernel)
    fits(request, bound)
    expect: dict[str, int | str] = {"kind": "independent", "chains": count}
    expect |= rows.expected([(name, operation, ROUNDS * count)], request.isa)
    context: dict[str, Any] = {"bound": bound, "rounds": ROUNDS, "cycles": STAY, **code(bound)}
    if wanted:  # without a bound the assembler takes all that the next step of occupancy leaves it
        context["attributes"] = f"__maxnreg__({wanted}) "
    setup: dict[str, int | float | str] = {"kind": "crowd", "threads": CROWD, "blocks_each": EACH}
    # over the cycles that a multiprocessor takes for one warp this is how many warps it holds
    work = {"warp_cycles": float(STAY)}
    return Parts(context, bound.parameters, expect, work, setup, target, wide_clock=True)
