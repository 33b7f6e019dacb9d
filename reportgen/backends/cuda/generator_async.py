"""Matrix instructions beside their warps: of a warp group (sm_90a), through tensor memory (from sm_100a on).

Both read their factors from shared memory by a descriptor: tiles without swizzle, rows of 32 bytes as two
core matrices of 8 x 16 bytes (PTX ISA, "Matrix descriptor").
"""

from __future__ import annotations

import re
from typing import Any

from reportgen.backends.cuda import generator_rows as rows
from reportgen.backends.cuda.generator_operands import CONSTRAINTS, slot
from reportgen.backends.cuda.generator_parts import Parts, Request
from reportgen.backends.cuda.generator_windows import AGAIN, ONCE, TWICE
from reportgen.suite.definition import Operation

GROUP = 128
"""Threads of a warp group; also of a block that works through tensor memory."""
LEADING, STRIDE = 128, 256
"""Bytes from one core matrix to the next along k, and along m or n."""
VERSION = 1 << 46
"""Set in descriptors from sm_100 on."""
WAITING = "WARPGROUP\\..*|NOP|S2R|R2UR|UMOV|MOV"
"""Beside the matrix instructions of a warp group: its fence, the wait for its end, and fillers."""
ISSUING = (
    "NOP|R2UR(\\..*)?|U?MOV|IMAD\\.(U32|MOV.*)|U?PLOP3\\.LUT|LDCU.*|U?ISETP\\..*|UIADD3.*|ELECT|BRA(\\..*)?|UTCBAR"
    "|LEA|S2R|U?SHF\\..*|SYNCS\\..*|S2UR|BSSY.*|BSYNC.*|UP2UR|ULEA.*|ULOP3.*|UTCATOMSWS.*|WARPSYNC.*|CS2R.*|LOP3.*|NANOSLEEP.*"
)
"""Beside those through tensor memory: one thread is elected, the end is signalled and waited for."""


def descriptor(base: str, version: int = 0) -> str:
    """C++ of the descriptor of a tile at a shared address."""
    fixed = (LEADING >> 4) << 16 | (STRIDE >> 4) << 32 | version
    return f"{fixed:#x}ull | ({base} >> 4 & 0x3fff)"


def _expect(request: Request, length: int, allow: str) -> tuple[dict[str, int | str], dict[str, float], str]:
    name = request.probe.operations[0]
    operation, target = request.operation(name)
    expect: dict[str, int | str] = {"kind": "tensor", "chains": 0, "allow": allow}
    expect |= rows.expected([(name, operation, length)], request.isa)
    work = {"steps": float(length), "instructions": float(length)}
    work |= {"flop": length * operation.flop, "op": length * operation.op}
    return expect, work, target


def warpgroup(request: Request) -> Parts:
    """`length` products into one tile of accumulators, then a wait for the last."""
    length = request.setting("length")
    expect, work, target = _expect(request, length, WAITING)
    operation, _ = request.operation(request.probe.operations[0])
    context, parameters = group_parts(operation, length)
    setup: dict[str, int | float | str] = {"threads": GROUP, "team": GROUP, **TWICE}
    return Parts(context | {"again": True}, [*parameters, *AGAIN], expect, work, setup, target)


def accumulators_of(operation: Operation) -> int:
    """Registers of a thread that hold its part of a warp group's product."""
    shape = re.search(r"\bm64n(\d+)k\d+\.(\w+)", operation.form)
    assert shape is not None
    return int(shape[1]) // (4 if shape[2] == "f16" else 2)


def group_parts(operation: Operation, length: int) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """What a template needs for products of a warp group, and the parameters of its kernel."""
    count = accumulators_of(operation)
    letter = CONSTRAINTS[operation.ctype]
    held = 4 if operation.values == "registers" else 0
    outputs = ", ".join(f'"+{letter}"(d{i})' for i in range(count))
    factors = [f'"r"(a{i})' for i in range(held)] or ['"l"(left)']
    first = ", ".join(f"%{count + i}" for i in range(len(factors)))
    text = operation.form.replace("{d}", "{" + ", ".join(f"%{i}" for i in range(count)) + "}")
    text = text.replace("{a}", "{" + first + "}" if held else first)
    text = text.replace("{b}", f"%{count + len(factors)}")
    inputs = ", ".join([*factors, '"l"(right)'])
    kind = operation.ctype
    context = {
        **ONCE,
        "length": length,
        "step": f'asm volatile("{{ .reg .pred p; setp.ne.b32 p, 1, 0; {text} }}" : {outputs} : {inputs});',
        "left": descriptor("base"),
        "right": descriptor("(base + 8192)"),
        "before": [f"{kind} d{i} = in[{slot(i)}];" for i in range(count)]
        + [f"unsigned a{i} = factors[{slot(i)}];" for i in range(held)],
        "after": [f"out[{slot(i)}] = d{i};" for i in range(count)],
    }
    parameters = [
        (f"const {kind} *in", f"input:{kind}"),
        ("const unsigned *factors", "input:unsigned"),
        (f"{kind} *out", f"output:{kind}"),
    ]
    return context, parameters


def tensor_memory(request: Request) -> Parts:
    """`length` products in flight into one tile of tensor memory, then a wait for the last."""
    length = request.setting("length")
    expect, work, target = _expect(request, length, ISSUING)
    operation, _ = request.operation(request.probe.operations[0])
    operands = {"d": '"r"(tile)', "a": '"l"(left)', "b": '"l"(right)'}
    if "{s}" in operation.form:
        operands |= {"s": '"r"(tile + 256)', "t": '"r"(tile + 384)'}
    text = operation.form
    for number, place in enumerate(operands):
        text = text.replace(f"{{{place}}}", f"%{number}")
    context = {
        "length": length,
        "step": f'asm volatile("{{ .reg .pred p; setp.ne.b32 p, 1, 0; {text} }}" :: '
        f'{", ".join(operands.values())} : "memory");',
        "left": descriptor("base", VERSION),
        "right": descriptor("(base + 8192)", VERSION),
    }
    parameters = [("const unsigned *factors", "input:unsigned"), ("unsigned *out", "output:unsigned")]
    return Parts(context, parameters, expect, work, {"threads": GROUP, "team": GROUP}, target)
