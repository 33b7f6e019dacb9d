"""Latencies across register files: an instruction of the other way brings the result back.

Neither of the two has a latency of its own that could be known: their sum is, and the pair says which
instruction is in it (uops.info gives an upper bound of such, the sum less one).
"""

from __future__ import annotations

from collections.abc import Collection

from reportgen.backends.cpu.x86_64.forms.beside import Constants, breaks, copy
from reportgen.backends.cpu.x86_64.forms.questions import FLAGS, accumulators, free
from reportgen.backends.cpu.x86_64.forms.spelling import general, written
from reportgen.suite.survey import GENERAL, MASK, VECTOR, Form

_BACK = {
    (VECTOR, GENERAL): ("{v}movq {g}, {x}",),
    (GENERAL, VECTOR): ("{v}movq {x}, {g}",),
    (MASK, GENERAL): ("kmovq {g}, {k}",),
    (GENERAL, MASK): ("kmovq {k}, {g}",),
    (MASK, VECTOR): ("vpmovm2q {x}, {k}",),
    (VECTOR, MASK): ("vpmovq2m {k}, {x}",),
    (FLAGS, GENERAL): ("setb {b}",),
    (GENERAL, FLAGS): ("test {g}, {g}",),
    (FLAGS, VECTOR): ("setb {b}", "{v}movq {x}, {g}"),
    (FLAGS, MASK): ("setb {b}", "kmovq {k}, {g}"),
}
"""File of the result, file of the source -> what brings the one to the other."""
_NEEDS = {"kmovq": "avx512bw", "vpmovm2q": "avx512dq", "vpmovq2m": "avx512dq"}


def across(form: Form, features: Collection[str]) -> list[str]:
    """Pairs whose source and result are of two files, on a processor with these features."""
    if form.in_memory or form.indexed or form.zeroing:
        return []
    sources = {str(n): one.file for n, one in enumerate(form.operands, 1) if free(one) and "r" in one.access}
    results = {str(n): one.file for n, one in enumerate(form.operands, 1) if free(one) and "w" in one.access}
    writes = any("w" in one.access for one in form.operands) or any(
        "w" in one.access for one in form.implicit
    )
    if form.flags == "w" and not writes:
        results[FLAGS] = FLAGS
    if form.flags == "r":
        sources[FLAGS] = FLAGS
    found = []
    for result, to in results.items():
        for source, at in sources.items():
            back = _BACK.get((to, at), ())
            needed = {_NEEDS[line.split()[0]] for line in back if line.split()[0] in _NEEDS}
            if back and needed <= set(features):
                found.append(f"{source}to{result}")
    if form.masked:
        # the registers' part stands with the form without a mask
        return [pair for pair in found if pair == "2to1"]
    return found


def crosses(form: Form, pair: str) -> bool:
    """Whether source and result of a pair are of two files."""
    at, to = _files(form, pair)
    return (to, at) in _BACK


def through(form: Form, pair: str) -> str:
    """The instructions whose latency is in that of a pair, joined by `+`; empty where none is."""
    at, to = _files(form, pair)
    return "+".join(_spelled(line, form).split()[0] for line in _BACK.get((to, at), ()))


def step(form: Form, pair: str) -> tuple[list[str], int]:
    """Lines of one step of the chain, and how many of them keep other results from being waited for."""
    have = accumulators(form)
    source, _, result = pair.partition("to")
    at, to = _files(form, pair)
    constant = Constants(form)
    own = breaks(form, "")
    registers = []
    for index, one in enumerate(form.operands, 1):
        if not free(one):
            registers.append("")
        elif str(index) == source:
            registers.append(have[one.file][0])
        elif "w" in one.access:
            registers.append(have[one.file][0 if str(index) == result else 1])
            if "r" in one.access:
                own.append(copy(form, one, registers[-1]))
        else:
            registers.append(constant.next(one.file))
    back = [_spelled(line, form) for line in _BACK[to, at]]
    instance = [*own, written(form, registers)]
    # the counter at the end of the body overwrites all flags but the carry: the chain goes on in a register
    return [*back, *instance] if at == FLAGS else [*instance, *back], len(own)


def _files(form: Form, pair: str) -> tuple[str, str]:
    source, _, result = pair.partition("to")

    def file(name: str) -> str:
        return form.operands[int(name) - 1].file if name.isdigit() else name

    return file(source), file(result)


def _spelled(line: str, form: Form) -> str:
    have = accumulators(form)
    full = have[GENERAL][0]
    return line.format(
        v="" if form.encoding == "legacy" else "v",
        g=full,
        b=general(full, "r8"),
        x=f"xmm{have[VECTOR][0][1:]}",
        k=have[MASK][0],
    )
