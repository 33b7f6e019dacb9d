"""Bodies of gathers and scatters: every element in a line of its own, all of them in the first level.

They use up their mask, so each gets it anew by a move from a constant, which waits for nothing.  What is
gathered are the indices themselves, so that a result can be the next instance's indices.  Indices are 72
bytes apart: as many lines as elements, and not all of them at one place of their lines.
"""

from __future__ import annotations

from reportgen.backends.cpu.x86_64.forms.questions import accumulators, scatters
from reportgen.backends.cpu.x86_64.forms.spelling import spelled, written
from reportgen.suite.survey import INDEX_WIDTHS, MASK, VECTOR, Form

STEP = 72
ELEMENTS = 16
_SET, _ONES, _MASK, _WORKING = "v14", "v15", "v13", "k1"
"""Indices; ones in every bit; the mask that is used up, in a vector and in a mask register."""
_ALL = "k7"


def independent(form: Form, count: int) -> tuple[list[str], int]:
    """One turn of instances with registers of their own, and instructions beside each."""
    results = accumulators(form)[VECTOR]
    lines = []
    for instance in range(count):
        lines += [_restored(form), _instance(form, _SET, results[instance])]
    return lines, 1


def chained(form: Form, pair: str) -> tuple[list[str], int, int]:
    """Lines of some steps of a chain, how many steps these are, and instructions beside each."""
    if pair == "1to1":
        return [_restored(form), _instance(form, _SET, "v1")], 1, 1
    lines = []
    for source, result in (("v1", "v2"), ("v2", "v1")):
        merged = f"vmovaps {spelled(form.operands[0], result)}, {spelled(form.operands[0], _SET)}"
        lines += [_restored(form), merged, _instance(form, source, result)]
    return lines, 2, 2


def init(form: Form) -> list[str]:
    """Memory that holds the indices at the places they name; registers."""
    names = [INDEX_WIDTHS.get(one.name, one.name) for one in form.operands]
    width = max(names, key=("k", "xmm", "ymm", "zmm").index)
    held = [name for name in accumulators(form)[VECTOR] if name != _MASK]
    return [
        "xor eax, eax", "fill_lines:", "mov [r13+rax], rax", f"add eax, {STEP}",
        f"cmp eax, {STEP * ELEMENTS}", "jne fill_lines",
        *(f"vmovups {width}{name[1:]}, [rip+f_a]" for name in (_SET, *held)),
        f"vmovups {width}{_ONES[1:]}, [rip+f_d]",
        *(["mov eax, 0xffff", f"kmovw {_ALL}, eax"] if _in_mask(form) else []),
    ]  # fmt: skip


def data(form: Form) -> tuple[bytes, bytes]:
    """64 bytes each: indices, and ones in every bit."""
    size = 8 if any(one.name.startswith("vm64") for one in form.operands) else 4
    indices = b"".join((STEP * number).to_bytes(size, "little") for number in range(64 // size))
    return indices, b"\xff" * 64


def _restored(form: Form) -> str:
    if _in_mask(form):
        return f"kmovw {_WORKING}, {_ALL}"
    mask = form.operands[2]
    return f"vmovaps {spelled(mask, _MASK)}, {spelled(mask, _ONES)}"


def _instance(form: Form, indices: str, result: str) -> str:
    stored = scatters(form)
    registers = []
    for place, one in enumerate(form.operands):
        if one is form.indexed:
            registers.append(indices)
        elif one.file == MASK:
            registers.append(_WORKING)
        elif place == 2 and not stored:
            registers.append(_MASK)
        else:
            registers.append(_ONES if stored else result)
    return written(form, registers)


def _in_mask(form: Form) -> bool:
    return any(one.file == MASK for one in form.operands)
