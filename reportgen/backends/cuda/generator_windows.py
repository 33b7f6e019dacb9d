"""Straight windows: one chain, independent chains, and pairs of operations side by side."""

from __future__ import annotations

from reportgen.backends.cuda import generator_rows as rows
from reportgen.backends.cuda.generator_fragments import Fragment
from reportgen.backends.cuda.generator_memory import shared_limit
from reportgen.backends.cuda.generator_operands import CONSTRAINTS, Bound
from reportgen.backends.cuda.generator_parts import Parts, Request
from reportgen.errors import Unsupported
from reportgen.suite.definition import Operation

STEPS = 64
"""Steps of a throughput window over all accumulators: a multiple of every accumulator count."""
TENSOR_STEPS = 16
"""The same of matrix instructions, some of which are followed by hundreds of fillers."""
WARP = 32
FULL_BLOCK = 256
"""Threads of a block where all of a multiprocessor shall be busy."""
PAIR_CHAINS = 4
"""Accumulators of each operation of a pair."""
PAIR_GROUPS = 8
"""Times that every accumulator of a pair takes a step."""


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
    context = {"bound": bound, "length": length, **code(bound)}
    return Parts(context, bound.parameters, expect, work, {"threads": WARP}, target)


def independent(request: Request) -> Parts:
    """`accumulators` chains, interleaved."""
    name = str(request.point.settings.get("operation") or request.probe.operations[0])
    operation, target = request.operation(name)
    count = request.setting("accumulators")
    bound = bind(operation, operation.throughput or operation.form, count, request.kernel)
    # a form of its own for throughput is one whose instances do not depend on each other
    expect: dict[str, int | str] = {"kind": "independent", "chains": 0 if operation.throughput else count}
    steps = TENSOR_STEPS if operation.registers == "fragment" else STEPS
    expect |= rows.expected([(name, operation, steps)], request.isa)
    total = float(steps * operation.repeat)
    work = {"instructions": total, "flop": total * operation.flop, "op": total * operation.op}
    context = {"bound": bound, "rounds": steps // count, **code(bound)}
    fits(request, bound)
    threads = WARP * request.setting("warps") if "warps" in request.point.settings else FULL_BLOCK
    return Parts(context, bound.parameters, expect, work, {"threads": threads}, target)


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
    }
    parameters = [one for bound in bounds for one in bound.parameters]
    wide = any(CONSTRAINTS[bound.operation.ctype] in "dl" for bound in bounds)
    return Parts(context, parameters, expect, work, {"threads": FULL_BLOCK}, target, wide_clock=wide)


def _arranged(parts: list[list[str]], request: Request) -> list[str]:
    """a0 b0 a1 b1 ..., or blocks of each; the assembler may still change the order."""
    blocked = request.point.settings.get("order") == "blocked"
    return [line for lines in (parts if blocked else zip(*parts, strict=True)) for line in lines]


def code(*bounds: Bound | Fragment) -> dict[str, list[str]]:
    """Lines round the window."""
    return {
        "file": [line for bound in bounds for line in bound.file],
        "before": [line for bound in bounds for line in bound.before],
        "after": [line for bound in bounds for line in bound.after],
    }
