"""The user's own x86-64 code as a body of the timed frame."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.backends.cpu.own_body import OwnBody
from reportgen.errors import Unsupported
from reportgen.suite.own_code import Code, Line, code_of

SLOTS = (48, 56, 64, 72, 80)
"""Places of the frame's stack that nothing else uses."""
_FP = {"fp32": struct.pack("<f", 1.0) * 16, "fp64": struct.pack("<d", 1.0) * 8}


def own_code(recorded: Mapping[str, Any], rounds: int, features: tuple[str, ...]) -> OwnBody:
    """See `Assembly.own_code`."""
    code = code_of(recorded)
    turns, rest = divmod(rounds, code.unroll)
    if rest or turns < 1:
        raise Unsupported(f"{rounds} rounds are no multiple of {code.unroll}, which stand between two jumps")
    slots = dict(zip(code.moving, SLOTS, strict=False))
    length = sum(len(line.code) // 2 for line in code.lines)
    count = f"{code.counter}d" if code.counter[1:].isdigit() else f"e{code.counter[1:]}"
    # three bytes of the counter stand before the jump
    back = f"jne {-(length * code.unroll + 3):+d}"
    return OwnBody(
        start=(
            *_start(code, features),
            *(line for each in code.init for line in encoded(each)),
            *(f"mov [rsp+{slot}], {name}" for name, slot in slots.items()),
        ),
        before=(*(f"mov {name}, [rsp+{slot}]" for name, slot in slots.items()), f"mov {count}, {turns}"),
        round=tuple(line for each in code.lines for line in encoded(each)),
        after=(f"dec {code.counter}", "jne again"),
        constants=(
            "values:", "  .byte " + ",".join(str(byte) for byte in _FP[code.numbers]),
            "ones:", "  .byte " + ",".join(["255"] * 8),
        ),
        expected=(
            *(f"mov {name},[rsp+{_number(slot)}]" for name, slot in slots.items()),
            f"mov {count},{_number(turns)}",
            *[each.text for each in code.lines] * code.unroll,
            f"dec {code.counter}",
            back,
        ),
    )  # fmt: skip


def encoded(line: Line) -> tuple[str, ...]:
    """Bytes of an instruction; the distance to named data is that to the frame's own."""
    data = bytes.fromhex(line.code)
    comment = f"  # {line.text}"
    if line.displacement < 0:
        return (f".byte {_list(data)}{comment}",)
    head, tail = data[: line.displacement], data[line.displacement + 4 :]
    distance = f".long values - . - {4 + len(tail)}"
    return (f".byte {_list(head)}{comment}", distance, *((f".byte {_list(tail)}",) if tail else ()))


def _list(data: bytes) -> str:
    return ",".join(f"0x{byte:02x}" for byte in data)


def _number(value: int) -> str:
    """As the decoder writes it."""
    if value < 10:
        return str(value)
    text = f"{value:X}h"
    return f"0{text}" if text[0].isalpha() else text


def _start(code: Code, features: Sequence[str]) -> list[str]:
    """What registers hold before the first round; rsi is the array's beginning until the last of them."""
    lines = []
    for name in code.vectors:
        lines.append(f"{_move(name, features)}, [rip+values]")
    for name in code.cleared:
        wide = name if "avx512f" in features else name.replace("zmm", "xmm")
        zero = "vpxord" if "avx512f" in features else "vpxor" if "avx" in features else "pxor"
        lines.append(f"{zero} {wide}, {wide}, {wide}" if zero != "pxor" else f"pxor {wide}, {wide}")
    wide_masks = "avx512bw" in features
    lines += [f"kmov{'q' if wide_masks else 'w'} {name}, [rip+ones]" for name in code.masks]
    lines += [f"mov {name}, {value}" for value, some in ((0, code.zeros), (1, code.ones)) for name in some]
    order = sorted(code.pointers, key=lambda name: name == "rsi")
    lines += [f"lea {name}, [rsi+{code.pointers[name]}]" for name in order]
    return lines


def _move(name: str, features: Sequence[str]) -> str:
    """Mnemonic and register that load a whole vector register."""
    if "avx512f" in features:
        return f"vmovups {name}"
    if "avx" in features:
        return f"vmovups {name.replace('zmm', 'ymm')}"
    return f"movups {name.replace('zmm', 'xmm')}"
