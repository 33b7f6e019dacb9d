"""A question about a form -> the lines of its body, and the code that sets registers and memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.backends.cpu.isa import FormBody
from reportgen.backends.cpu.x86_64.forms import crossing, gathering
from reportgen.backends.cpu.x86_64.forms.beside import Constants, breaks, copy
from reportgen.backends.cpu.x86_64.forms.questions import (
    _ADDRESS,
    FLAGS,
    LINES,
    accumulators,
    constants,
    free,
    scatters,
)
from reportgen.backends.cpu.x86_64.forms.spelling import written
from reportgen.backends.cpu.x86_64.forms.values import general, vector
from reportgen.suite.survey import GENERAL, MASK, MEMORY, THROUGHPUT, VECTOR, Form, Operand, form_of

INSTRUCTIONS = 192
"""About so many instances has the body of a throughput."""


def form(key: str, recorded: Mapping[str, Any], question: str, features: tuple[str, ...]) -> FormBody:
    """See `Assembly.form`; the question is a value of the setting `of`."""
    return _body(form_of(key, recorded), question, features)


def _body(form: Form, question: str, features: Sequence[str]) -> FormBody:
    what, _, number = question.partition(":")
    if what == THROUGHPUT:
        lines, beside = (gathering.independent if form.indexed else _independent)(form, int(number))
        turn, times = lines, -(-INSTRUCTIONS // int(number))
        updated = any(free(one) and one.access == "rw" for one in form.operands) and not scatters(form)
        kind, chains, steps = "apart", int(number) if updated else 1, times * int(number)
    elif crossing.crosses(form, what):
        lines, beside = crossing.step(form, what)
        turn, times = lines, int(number)
        steps = times
        # the inspector follows no flags
        kind, chains = ("form", 0) if FLAGS in what else ("chain", 1)
    else:
        source, _, destination = what.partition("to")
        lines, period, beside = (
            gathering.chained(form, what) if form.indexed else _chained(form, source, destination)
        )
        turn, times = lines, int(number) // period
        steps = times * period
        # the inspector follows no flags, and tells the steps of a chain by their opcodes
        unread = form.zeroing and source == destination
        unseen = source == FLAGS or unread or (form.mnemonic == "mov" and beside)
        kind, chains = ("form", 0) if unseen else ("chain", 1)
    return FormBody(
        turn=tuple(turn),
        times=times,
        init=tuple(_init(form, features)),
        late=("mov rax, r12", "xor edx, edx"),
        constants=tuple(_data(form)),
        kind=kind,
        chains=chains,
        steps=steps,
        beside=beside,
    )


def _line(index: int) -> str:
    return f"r13+{64 * (index % LINES)}"


def _independent(form: Form, count: int) -> tuple[list[str], int]:
    """One turn of `count` instances that do not wait for each other, and instructions beside each."""
    have = accumulators(form)
    lines: list[str] = []
    before = breaks(form, "")
    for instance in range(count):
        taken, constant = dict.fromkeys(have, 0), Constants(form)
        registers = []
        for one in form.operands:
            if not free(one):
                registers.append(_address(form, one, instance))
            elif "w" in one.access:
                # the first written operands of all instances, then the second ones
                registers.append(have[one.file][taken[one.file] * count + instance])
                taken[one.file] += 1
            else:
                registers.append(constant.next(one.file))
        lines += [*before, written(form, registers)]
    return lines, len(before)


def _chained(form: Form, source: str, destination: str) -> tuple[list[str], int, int]:
    """Lines of some steps of a chain, how many steps these are, and instructions beside each."""
    have = accumulators(form)
    explicit = source.isdigit()
    at, to = (int(source) - 1, int(destination) - 1) if explicit else (-1, -1)
    period = 2 if at != to else 1
    if source == FLAGS or (explicit and form.operands[to].file == MEMORY and len(form.operands) > 1):
        period = 4  # what else is written comes in turn, so that nothing waits for it
    others = [
        n for n, one in enumerate(form.operands) if free(one) and "w" in one.access and n not in (at, to)
    ]
    lines: list[str] = []
    beside = 0
    for step in range(period):
        constant = Constants(form)
        own = breaks(form, source)
        registers = []
        for index, one in enumerate(form.operands):
            if not free(one):
                base = have[GENERAL][step % 2] if form.mnemonic == _ADDRESS else ""
                registers.append(base or _address(form, one, 0 if explicit and index == to else step))
                continue
            file = have[one.file]
            if index == at:
                registers.append(file[step % 2 if at != to else 0])
            elif index == to:
                registers.append(file[1 - step % 2])
                if "r" in one.access:
                    own.append(copy(form, one, registers[-1]))
            elif index in others:
                registers.append(file[2 + others.index(index) * period + (step if source == FLAGS else 0)])
                if "r" in one.access and source != FLAGS:
                    own.append(copy(form, one, registers[-1]))
            else:
                registers.append(constant.next(one.file))
        beside = len(own)
        lines += [*own, written(form, registers)]
    return lines, period, beside


def _address(form: Form, operand: Operand, line: int) -> str:
    """A line for each instance that writes; all read one, as loads of several may meet in a bank."""
    if form.mnemonic == _ADDRESS and operand.file == MEMORY:
        return "r14"
    if operand.file != MEMORY:
        return ""
    return _line(line if "w" in operand.access else 0)


def _widest(form: Form) -> str:
    names = [one.name for one in form.operands if one.file == VECTOR]
    return max(names, key=("xmm", "ymm", "zmm").index, default="xmm")


def _init(form: Form, features: Sequence[str]) -> list[str]:
    """Code before the first time stamp of a round."""
    a, b = general(form)
    lines = ["mov rdi, [rsp]", "mov r13, [rdi+80]"]
    if form.indexed:
        return lines + gathering.init(form)
    move = "vmovups" if "avx" in features else "movups"
    if form.in_memory:
        lines += [
            f"{move} xmm0, [rip+f_m]", f"mov eax, {LINES * 4}", "mov rbx, r13", "fill_lines:",
            f"{move} [rbx], xmm0", "add rbx, 16", "dec eax", "jnz fill_lines",
        ]  # fmt: skip
    lines += [f"mov r14, {a}", f"mov r12, {b}"]
    have = accumulators(form)
    lines += [f"mov {name}, 3" for name in have[GENERAL]]
    lines += [
        f"mov {one.name}, r14" for one in form.implicit if one.name in ("rbx", "rcx")
    ] + ["mov rcx, 3" for one in form.operands if one.register == "rcx"]  # fmt: skip
    if any(one.file == VECTOR for one in form.operands) or any(one.name == "zmm0" for one in form.implicit):
        width = _widest(form)
        held = [*constants(form, VECTOR), "v0"]
        lines += [f"{move} {width}{name[1:]}, [rip+f_a]" for name in held]
        lines += [f"{move} {width}{name[1:]}, [rip+f_d]" for name in have[VECTOR]]
    if any(one.file == MASK for one in form.operands):
        lines += [
            "mov eax, 0x5555",
            *(f"kmovw {name}, eax" for name in (*have[MASK], *constants(form, MASK))),
        ]
    return lines


def _data(form: Form) -> list[str]:
    """Constants behind the last instruction."""
    a, d = gathering.data(form) if form.indexed else (part * 4 for part in vector(form))
    m = general(form)[0].to_bytes(8, "little") * 2
    if any(one.file in (VECTOR, MASK) for one in form.operands):
        m = a[:16]
    lines = [".p2align 6"]
    for name, held in (("f_a", a), ("f_d", d), ("f_m", m)):
        lines += [f"{name}:", f".byte {', '.join(str(byte) for byte in held)}"]
    return lines
