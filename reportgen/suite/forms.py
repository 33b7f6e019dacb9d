"""What a form may say on an ISA whose forms are lines of assembly: its placeholders, and their values.

CUDA's forms are PTX, in which braces mean something else; its own backend reads them.
"""

from __future__ import annotations

import string
from dataclasses import dataclass

from reportgen.suite.definition import Operation

VALUES = frozenset("one integer pointer indexed_pointer divide divide_by_one fraction bits".split())
_NAMES = frozenset("d a b t m m8 m16 m32".split())


@dataclass(frozen=True)
class _Assembly:
    classes: frozenset[str]
    widths: frozenset[str]
    """Attributes of a register: other widths of it."""


_ISAS = {
    "x86_64": _Assembly(frozenset("r64 xmm ymm zmm k tmm".split()), frozenset("r32 r8 x y z".split())),
    "aarch64": _Assembly(frozenset("x v s d".split()), frozenset("w b h s d q v".split())),
}


def fault(isa: str, operation: Operation) -> tuple[str, str] | None:
    """The key of an operation that is wrong on this ISA and what is expected there, or None."""
    assembly = _ISAS.get(isa)
    if assembly is None:
        return None
    if operation.registers not in assembly.classes:
        return "registers", f"one of {', '.join(sorted(assembly.classes))}"
    if operation.values not in VALUES:
        return "values", f"one of {', '.join(sorted(VALUES))}"
    for key in ("form", "latency", "throughput"):
        wrong = _wrong_placeholder(getattr(operation, key), assembly)
        if wrong:
            return key, wrong
    return None


def _wrong_placeholder(form: str, assembly: _Assembly) -> str:
    try:
        names = [name for _, name, _, _ in string.Formatter().parse(form) if name is not None]
    except ValueError as error:
        return f"placeholders in braces, literal braces doubled ({error})"
    for text in names:
        name, _, width = text.partition(".")
        if name not in _NAMES or (width and width not in assembly.widths):
            return (
                f"placeholders {', '.join(f'{{{one}}}' for one in sorted(_NAMES))} "
                f"with widths {', '.join(f'.{one}' for one in sorted(assembly.widths))}, not '{{{text}}}'"
            )
    return ""
