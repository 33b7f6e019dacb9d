"""What is asked of a form: its throughput, and the latency of each pair of operands that can be chained.

A pair is (source, destination).  It can be chained where the result of one instance may be the source of the
next as it is: operands that may be any register of one file, or one operand (register, flags, memory) that
is both.  Pairs across files are `crossing`'s.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from reportgen.backends.cpu.x86_64.registers import GENERAL as GENERAL_NAMES
from reportgen.suite.survey import GENERAL, IMMEDIATE, MASK, MEMORY, THROUGHPUT, VECTOR, Form, Operand

LENGTHS = (16, 48)
"""Steps of the two chains of a latency."""
LINES = 16
"""Lines of the scratch page that instances use in turn: more than a store takes to be read again."""
FLAGS = "flags"
_GATHER = re.compile(r"vp?gather([dq])(ps|pd|d|q)")
"""Width of indices, and of elements."""
_ADDRESS = "lea"
"""Its memory operand is an address that is not read: the base register is the source."""

_CONSTANTS = {GENERAL: ("r14", "r12"), VECTOR: ("v14", "v15", "v13"), MASK: ("k7", "k6")}
_VECTORS = tuple(f"v{number}" for number in (*range(1, 13), *range(16, 30)))
_MASKS = ("k1", "k2", "k3", "k4", "k5")


def accumulators(form: Form) -> dict[str, tuple[str, ...]]:
    """By file, the registers that results may go to, apart from constants and those that the form names."""
    named = {one.name for one in form.implicit} | {one.register for one in form.operands}
    general = tuple(name for name in GENERAL_NAMES if name != "r12" and name not in named)
    vectors = _VECTORS if form.encoding == "evex" else _VECTORS[:12]
    return {GENERAL: general, VECTOR: vectors, MASK: _MASKS}


def constants(form: Form, file: str) -> tuple[str, ...]:
    """Registers of a file that keep their values, as many as a form can need."""
    return _CONSTANTS[file]


def free(operand: Operand) -> bool:
    """Whether an operand may be any register of its file."""
    return operand.file in _CONSTANTS and not operand.register


def pairs(form: Form) -> list[str]:
    """`1to1`, `2to1`, `raxtorax`, `flagstoflags`: source and destination of each latency that is asked."""
    found = []
    places = list(enumerate(form.operands, 1))
    if form.mnemonic == _ADDRESS:
        return ["2to1"]
    if form.indexed:
        return _gathered(form)
    if form.masked:
        return _under_mask(form)
    for (to, destination), (at, source) in itertools.product(places, places):
        if "w" not in destination.access or "r" not in source.access:
            continue
        same = to == at and destination.file != IMMEDIATE
        other = free(destination) and free(source) and destination.file == source.file
        # the registers' part of a form in memory stands with the form in registers
        if (same or other) and (destination.file == MEMORY or not form.in_memory):
            found.append(f"{at}to{to}")
    found += [f"{one.name}to{one.name}" for one in form.implicit if one.access == "rw" and not form.in_memory]
    # of `adox` the overflow flag, which the counter at the end of the body overwrites
    if form.flags == "rw" and not form.in_memory and form.mnemonic != "adox":
        found.append(f"{FLAGS}to{FLAGS}")
    return found


def _under_mask(form: Form) -> list[str]:
    """What a mask adds: its own latency, and that of what the result is merged with.

    What is overwritten with zeros where the mask leaves it out is asked too: some cores wait for it.
    """
    if form.in_memory:
        return []
    first = form.operands[0]
    if first.file == MASK:
        return ["2to1"]
    # a blend takes what the mask leaves out from a source, and so merges nothing
    return ["1to1"] if first.file == VECTOR and (form.zeroing or "r" in first.access) else []


def scatters(form: Form) -> bool:
    """Whether memory at a vector of indices is written."""
    return form.indexed is form.operands[0]


def _gathered(form: Form) -> list[str]:
    """From what the result is merged with, and from indices where elements are as wide as they."""
    found = _GATHER.match(form.mnemonic)
    if found is None or scatters(form):
        return []
    wide = found[2] in ("q", "pd")
    at = next(number for number, one in enumerate(form.operands, 1) if one is form.indexed)
    return ["1to1", f"{at}to1"] if (found[1] == "q") == wide else ["1to1"]


def instances(form: Form) -> int:
    """Instances that one turn of a throughput body has, each with registers and a line of its own."""
    if form.indexed:
        return LINES if scatters(form) else len(accumulators(form)[VECTOR])
    written: dict[str, int] = {}
    for one in form.operands:
        if free(one) and "w" in one.access:
            written[one.file] = written.get(one.file, 0) + 1
    have = accumulators(form)
    most = min((len(have[file]) // count for file, count in written.items()), default=LINES)
    return max(1, min(most, LINES) if form.in_memory else most)


def asked(form: Form, across: Sequence[str] = ()) -> tuple[str, ...]:
    """Values of the setting `of`: `throughput:12`, `2to1:16`, `2to1:48`; further pairs are those `across`."""
    most = instances(form)
    found = [f"{THROUGHPUT}:{most}"]
    updates = any(free(one) and one.access == "rw" for one in form.operands)
    if updates and form.in_memory and most > 1:
        # no latency tells whether so many are enough: half of them does
        found.insert(0, f"{THROUGHPUT}:{most // 2}")
    return (*found, *(f"{pair}:{length}" for pair in (*pairs(form), *across) for length in LENGTHS))
