"""The whole device at work: every multiprocessor full, the same straight stretch of code turn after turn.

The launch is timed from outside: what one multiprocessor reaches is seen while all the others work too.
"""

from __future__ import annotations

from reportgen.backends.cuda import generator_rows as rows
from reportgen.backends.cuda.generator_async import GROUP, WAITING, group_parts
from reportgen.backends.cuda.generator_parts import Parts, Request
from reportgen.backends.cuda.generator_windows import WARP, bind, code, steps_of, swaps
from reportgen.backends.cuda.occupancy import multiprocessor
from reportgen.suite.definition import Operation

TURNS = 2048
"""Of a launch: half a millisecond and more, against which its start and its end are short."""
MATRIX_TURNS = 4096
GROUP_TURNS = 1024
"""The same of matrix instructions, whose turns hold few, and of a warp group's, which are long."""
LOOP = (
    "U?ISETP.*|BRA(\\..*)?|U?IADD.*|VIADD|IMAD\\.(IADD|MOV|U32|X).*|U?MOV|U?LDCU?.*|S2U?R|CS2R.*|NOP|R2UR.*|U?PLOP3.*"
    "|U?LOP3.*|UP2UR|U?SEL|HFMA2(\\.MMA)?|BSSY.*|BSYNC.*|WARPSYNC.*|DEPBAR.*"
    "|CALL\\.REL\\.NOINC"
)
"""Beside the work: turns are counted; from sm_80 to sm_89 a loop is left by a call that does not return."""


def saturated(request: Request) -> Parts:
    """`accumulators` independent chains in each of `warps` warps of a block, a block a multiprocessor.

    Of a warp group `accumulators` products follow one another into one tile, then the last is waited for.
    """
    name = str(request.point.settings.get("operation") or request.probe.operations[0])
    operation, target = request.operation(name)
    threads = WARP * request.setting("warps")
    count = request.setting("accumulators")
    group, matrix = operation.group == "warpgroup", operation.registers == "fragment"
    many = GROUP_TURNS if group else MATRIX_TURNS if matrix else TURNS
    setup: dict[str, int | float | str] = {
        "kind": "saturated",
        "threads": threads,
        "turns": many,
        "dynamic_bytes": more_than_half(request.isa),
    }
    turns = ("unsigned turns", "setting:turns")
    if group:
        return _group(request, name, operation, target, setup)
    bound = bind(operation, operation.throughput or operation.form, count, request.kernel)
    steps = steps_of(operation, request.isa)
    context = {"bound": bound, "rounds": steps // count, "swaps": swaps(bound), "group": False, **code(bound)}
    return Parts(
        context,
        [*bound.parameters, turns],
        _expect(request, name, operation, steps),
        _work(operation, steps),
        setup,
        target,
    )


def more_than_half(isa: str) -> int:
    """Bytes of shared memory that no two blocks of a multiprocessor can have.

    A launch has a block for each multiprocessor, and nothing else says that each gets one: groups of them
    differ in size, and where two blocks share one while another has none the launch takes twice as long.
    """
    found = multiprocessor(rows.number(isa))
    return found.shared // 2 + found.unit


def held(request: Request) -> Parts:
    """The same for as long as a visit lasts: the launcher chooses how many turns make a window of time."""
    parts = saturated(request)
    return parts._replace(setup=parts.setup | {"kind": "held"})


def _group(
    request: Request, name: str, operation: Operation, target: str, setup: dict[str, int | float | str]
) -> Parts:
    length = request.setting("accumulators")
    context, parameters = group_parts(operation, length)
    expect = _expect(request, name, operation, length, f"|{WAITING}")
    turns = ("unsigned turns", "setting:turns")
    return Parts(
        context | {"group": True, "swaps": False},
        [*parameters, turns],
        expect,
        _work(operation, length),
        setup | {"team": GROUP},
        target,
    )


def _expect(
    request: Request, name: str, operation: Operation, steps: int, more: str = ""
) -> dict[str, int | str]:
    expect: dict[str, int | str] = {"kind": "memory", "chains": 0}
    expect |= rows.expected([(name, operation, steps)], request.isa)
    own = str(expect.get("allow", ""))
    return expect | {"allow": f"{LOOP}{more}|{own}" if own else f"{LOOP}{more}"}


def _work(operation: Operation, steps: int) -> dict[str, float]:
    """Of one turn of one team."""
    total = float(steps * operation.repeat)
    return {"instructions": total, "flop": total * operation.flop, "op": total * operation.op}
