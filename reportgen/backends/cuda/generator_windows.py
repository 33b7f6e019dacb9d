"""Straight windows: one chain, independent chains, and pairs of operations side by side."""

from __future__ import annotations

from typing import Any

from reportgen.backends.cuda import generator_rows as rows
from reportgen.backends.cuda.generator_fragments import Fragment
from reportgen.backends.cuda.generator_memory import shared_limit
from reportgen.backends.cuda.generator_operands import Bound
from reportgen.backends.cuda.generator_parts import Parts, Request
from reportgen.errors import Unsupported
from reportgen.suite.definition import Operation

STEPS = 256
"""Instructions of one turn of a throughput window over all accumulators: counting the turn takes three more
issue slots, one in a hundred; 4 KiB of code lie in the nearest instruction cache (12 KiB a quarter of a
multiprocessor, Jia et al. 2018)."""
LEAST_STEPS = 64
"""Steps of a turn where a step is several instructions: a multiple of every accumulator count."""
TENSOR_STEPS = 16
"""Steps of matrix instructions, some of which are followed by hundreds of fillers."""
TURNS = 8
"""Of a window: what is under way when it ends, and the cycles by which warps start apart, are one in a
thousand of it."""
TENSOR_TURNS = 32
CROWDED_TURNS = 64
"""Of blocks that may share a multiprocessor: they start one after the other, and must work side by side."""
WARP = 32
FULL_BLOCK = 256
"""Threads of a block where all of a multiprocessor shall be busy."""
PAIR_CHAINS = 4
"""Accumulators of each operation of a pair."""
PAIR_GROUPS = 32
"""Times that every accumulator of a pair takes a step in one turn."""
WINDOW = {"again": True, "turned": True, "together": True}
"""Of the frame, where many warps share a window of many turns."""
ONCE = dict.fromkeys(WINDOW, False)
AGAIN = [("unsigned times", "setting:times"), ("unsigned nought", "setting:nought")]
"""The count goes on from the second clock read, or it would be worked out inside the window."""
TWICE = {"times": 2, "nought": 0}
"""The first time round brings the code near."""
TURNED = ("unsigned turns", "setting:turns")


def bind(operation: Operation, form: str, chains: int, kernel: str, tag: str = "") -> Bound | Fragment:
    """An operation on accumulators of its kind."""
    kind = Fragment if operation.registers == "fragment" else Bound
    return kind(operation, form, chains, kernel, tag)


def chain(request: Request) -> Parts:
    """One chain of `length` steps."""
    name = request.probe.operations[0]
    operation, target = request.operation(name)
    length = request.setting("length")
    bound = bind(operation, operation.latency or operation.form, 1, request.kernel)
    expect: dict[str, int | str] = {"kind": "chain", "chains": 1}
    expect |= rows.expected([(name, operation, length)], request.isa)
    work = {"steps": float(length), "instructions": float(length * operation.repeat)}
    context = {"bound": bound, "length": length, **code(bound), "again": True}
    setup: dict[str, int | float | str] = {"threads": WARP, **TWICE}
    wide = operation.registers == "fragment" and operation.ctype == "double"
    return Parts(context, [*bound.parameters, *AGAIN], expect, work, setup, target, wide_clock=wide)


def independent(request: Request) -> Parts:
    """`accumulators` chains, interleaved; work is that of one turn."""
    name = str(request.point.settings.get("operation") or request.probe.operations[0])
    operation, target = request.operation(name)
    count = request.setting("accumulators")
    bound = bind(operation, operation.throughput or operation.form, count, request.kernel)
    # a form of its own for throughput is one whose instances do not depend on each other; 16-bit accumulators
    # share registers from turn to turn
    free = operation.throughput or operation.registers == "r16"
    expect: dict[str, int | str] = {"kind": "independent", "chains": 0 if free else count}
    steps = steps_of(operation, request.isa)
    expect |= rows.expected([(name, operation, steps)], request.isa)
    total = float(steps * operation.repeat)
    work = {"instructions": total, "flop": total * operation.flop, "op": total * operation.op}
    context = {"bound": bound, "rounds": steps // count, "swaps": swaps(bound), **code(bound), **WINDOW}
    fits(request, bound)
    threads = WARP * request.setting("warps") if "warps" in request.point.settings else FULL_BLOCK
    turns = TENSOR_TURNS if operation.registers == "fragment" else TURNS
    setup: dict[str, int | float | str] = {"threads": threads, **TWICE, "turns": turns}
    if "blocks" in request.point.settings:
        setup |= {"turns": CROWDED_TURNS, "block": "slowest"}
    return Parts(context, [*bound.parameters, *AGAIN, TURNED], expect, work, setup, target, wide_clock=True)


def steps_of(operation: Operation, isa: str) -> int:
    """Steps of one turn of a throughput window: about `STEPS` instructions."""
    if operation.registers == "fragment":
        return TENSOR_STEPS
    each = sum(max(one.count, 0) for one in rows.opcodes(operation, isa))
    return STEPS if each < 2 else max(LEAST_STEPS, STEPS // each // LEAST_STEPS * LEAST_STEPS)


def swaps(bound: Bound | Fragment) -> bool:
    """Whether constants change places from step to step.

    Floating point is not folded, and constants that keep their places stay in the reuse cache: one register
    a step is read from the banks.
    """
    return bound.turns == 2 and not bound.operation.flop


def fits(request: Request, bound: Bound | Fragment) -> None:
    """More dynamic shared memory than a block may have is nothing to launch.

    Raises:
        Unsupported: so much is wanted.
    """
    dynamic = int(request.point.settings.get("dynamic_bytes", 0))
    limit = shared_limit(request.isa)
    if dynamic + bound.shared_bytes > limit:
        raise Unsupported(
            f"{dynamic} bytes of shared memory wanted beside {bound.shared_bytes} of the kernel, "
            f"a block on {request.isa} may have {limit}"
        )


def pair(request: Request) -> Parts:
    """Operation `first`, with `second` beside it where there is one."""
    names = [name for name in (request.chosen("first"), request.chosen("second")) if name]
    bounds: list[Bound | Fragment] = []
    target = ""
    for index, name in enumerate(names):
        operation, wanted = request.operation(name)
        # where one of the two asks for a target with a suffix, both are compiled for it
        target = max(target, wanted, key=len)
        form = operation.throughput or operation.form
        bounds.append(bind(operation, form, PAIR_CHAINS, request.kernel, tag="xy"[index]))
    tied = [bound for bound in bounds if not bound.operation.throughput]
    expect: dict[str, int | str] = {"kind": "pair", "chains": PAIR_CHAINS * len(tied)}
    each = PAIR_GROUPS * PAIR_CHAINS
    named = zip(names, bounds, strict=True)
    expect |= rows.expected([(name, bound.operation, each) for name, bound in named], request.isa)
    counts = [float(PAIR_CHAINS * bound.operation.repeat) for bound in bounds]
    work = {
        "groups": float(PAIR_GROUPS),
        "first_count": counts[0],
        "second_count": counts[1] if len(counts) > 1 else 0.0,
        "instructions": float(sum(int(n) for key, n in expect.items() if key.startswith("want."))),
    }
    context = {
        "groups": PAIR_GROUPS,
        "turns": max(bound.turns for bound in bounds),
        "warm": [step for bound in bounds for step in bound.warm],
        "even": _arranged([bound.steps() for bound in bounds], request),
        "odd": _arranged([bound.steps(odd=True) for bound in bounds], request),
        **code(*bounds),
        **WINDOW,
    }
    parameters = [*(one for bound in bounds for one in bound.parameters), *AGAIN, TURNED]
    setup: dict[str, int | float | str] = {"threads": FULL_BLOCK, **TWICE, "turns": TURNS}
    return Parts(context, parameters, expect, work, setup, target, wide_clock=True)


def _arranged(parts: list[list[str]], request: Request) -> list[str]:
    """a0 b0 a1 b1 ..., or blocks of each; the assembler may still change the order."""
    blocked = request.point.settings.get("order") == "blocked"
    return [line for lines in (parts if blocked else zip(*parts, strict=True)) for line in lines]


def code(*bounds: Bound | Fragment) -> dict[str, Any]:
    """Lines round the window, which is gone through once."""
    return {
        **ONCE,
        "file": [line for bound in bounds for line in bound.file],
        "before": [line for bound in bounds for line in bound.before],
        "after": [line for bound in bounds for line in bound.after],
    }
