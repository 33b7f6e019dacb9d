"""A survey of instruction forms: what a form is, and the suite that asks every form of a device the same.

The curated tables (`probes/instructions`) name operations that matter, with care for each.  A survey asks
of every form that the backend's decoder knows and this processor has, with operands as they come.
"""

from __future__ import annotations

import fnmatch
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from reportgen.suite.definition import Definition
from reportgen.suite.load import Suite, load_suite

FAMILY = "instruction_survey"
ISA = "x86_64"
BASE = "x86-64"
"""Extension of the forms that all processors of the instruction set have."""

GENERAL, VECTOR, MASK, MEMORY, IMMEDIATE = "general", "vector", "mask", "memory", "immediate"
"""Files that operands are of."""
LOCK = "lock"
"""Before the mnemonic of a form that is atomic."""
ZEROING = "kz"
"""Name of a mask operand that zeroes what it leaves out; one that keeps it is `k`."""
INDEX_WIDTHS = {
    f"vm{bits}{width}": f"{width}mm" for bits in (32, 64) for width in ("x", "y", "z")
}  # fmt: skip
"""Vectors of indices by what manuals call their memory operand, with the register that holds them."""
THROUGHPUT = "throughput"
"""Value of the setting `of`, before the number of instances; of a latency it is `2to1`."""


class Operand(msgspec.Struct, frozen=True):
    """One explicit operand of a form."""

    name: str
    """`r64`, `xmm`, `k`, `m128`, `imm8`; of a fixed register its name (`cl`, `eax`)."""
    file: str
    access: str
    """`r`, `w`, `rw`; empty where it is an immediate or only an address."""
    register: str = ""
    """Full name of the one register that it can be."""
    value: int = 0
    """Of an immediate."""


class Implicit(msgspec.Struct, frozen=True):
    """A register that the instruction uses without naming it."""

    name: str
    access: str


class Form(msgspec.Struct, frozen=True):
    """An opcode with the kind of each operand."""

    key: str
    """`vaddps_xmm_xmm_m128`: mnemonic and operands, `_evex` where a vector's other encoding has the same."""
    code: str
    """The decoder's name of the opcode."""
    mnemonic: str
    text: str
    """Assembly with `{0}`, `{1}`, ... for registers and addresses."""
    operands: tuple[Operand, ...]
    implicit: tuple[Implicit, ...]
    flags: str
    """`r`, `w`, `rw` or empty: whether it reads and writes the flags."""
    extension: str
    """Instruction-set extensions that it belongs to, in LLVM's names, joined by `+`; else `BASE`."""
    encoding: str
    """`legacy`, `vex`, `evex`, `xop`."""

    @property
    def features(self) -> tuple[str, ...]:
        """Extensions that a processor must have."""
        return () if self.extension == BASE else tuple(self.extension.split("+"))

    @property
    def in_memory(self) -> bool:
        """Whether an operand is in memory, at an address without an index."""
        return any(one.file == MEMORY for one in self.operands)

    @property
    def masked(self) -> bool:
        """Whether a mask, its second operand, says which elements are written."""
        return "{{{1}}}" in self.text

    @property
    def zeroing(self) -> bool:
        """Whether elements that the mask leaves out become zero, instead of keeping their values."""
        return self.masked and self.operands[1].name == ZEROING

    @property
    def indexed(self) -> Operand | None:
        """The vector of indices of a gather or scatter."""
        return next((one for one in self.operands if one.name in INDEX_WIDTHS), None)


class LeftOut(msgspec.Struct, frozen=True):
    """What is not asked of, and why."""

    what: str
    """Key of a form, or the decoder's name of an opcode."""
    reason: str


def chosen(forms: Sequence[Form], glob: str) -> list[Form]:
    """The forms that one of the comma-separated patterns of probe ids names."""
    patterns = [part.strip() for part in glob.split(",")]
    return [one for one in forms if any(fnmatch.fnmatchcase(probe_id(one), part) for part in patterns)]


def probe_id(form: Form) -> str:
    """`instruction_survey/avx2/vpaddd_ymm_ymm_ymm`."""
    return f"{FAMILY}/{form.extension}/{form.key}"


def patterns_of(asked: str) -> str:
    """Patterns of probe ids from those that a person gives: of keys (`vpadd*`) or extensions (`avx2`)."""
    parts = [part.strip() for part in asked.split(",") if part.strip()] or ["*"]
    return ",".join(
        f"{FAMILY}/*/{part},{FAMILY}/{part}/*" if part != "*" else f"{FAMILY}/*" for part in parts
    )


class Asked(msgspec.Struct, frozen=True):
    """A form with its questions."""

    form: Form
    questions: tuple[str, ...]
    """Values of the setting `of`."""
    through: dict[str, str] = {}
    """Pair across register files -> the instructions that bring its result back."""


def suite_of(forms: Sequence[Asked]) -> Suite:
    """The suite that asks of every form."""
    base = load_suite()
    digest = hashlib.sha256(msgspec.json.encode(forms)).hexdigest()
    definitions = {probe_id(one.form): _definition(one) for one in forms}
    return Suite(base.root, definitions, base.tables, digest)


def _definition(asked: Asked) -> Definition:
    form = asked.form
    through = {"through": asked.through} if asked.through else {}
    return Definition(
        question="How long do its results take, and how many go through a cycle?",
        hypothesis="As long as those of like instructions.",
        variable="of",
        template="form",
        analysis="survey",
        metric=f"survey.{form.key}",
        unit="cycle",
        settings={"of": list(asked.questions)},
        features=form.features,
        isas=(ISA,),
        title=form.key,
        constants={**constants(form), **through},
        seconds=0.006,
    )


def constants(form: Form) -> dict[str, Any]:
    """A form as it is frozen into a run, short: a survey has thousands."""
    return {
        "code": form.code,
        "text": form.text,
        "operands": " ".join(f"{one.name}:{one.access}" for one in form.operands),
        "implicit": " ".join(f"{one.name}:{one.access}" for one in form.implicit),
        "flags": form.flags,
        "extension": form.extension,
        "encoding": form.encoding,
    }


def form_of(key: str, recorded: Mapping[str, Any]) -> Form:
    """The form back from what a run holds."""
    pairs = {
        name: [one.split(":") for one in str(recorded[name]).split()] for name in ("operands", "implicit")
    }
    text = str(recorded["text"])
    return Form(
        key=key,
        code=str(recorded["code"]),
        mnemonic=mnemonic_of(text),
        text=text,
        operands=tuple(operand(name, access) for name, access in pairs["operands"]),
        implicit=tuple(Implicit(name, access) for name, access in pairs["implicit"]),
        flags=str(recorded["flags"]),
        extension=str(recorded["extension"]),
        encoding=str(recorded["encoding"]),
    )


def mnemonic_of(text: str) -> str:
    """What an instruction is called: `vaddps`, `lock add`."""
    words = text.replace("{{evex}}", "").split()
    return " ".join(words[:2]) if words[0] == LOCK else words[0]


_FIXED = {"al": "rax", "ax": "rax", "eax": "rax", "rax": "rax", "cl": "rcx"}
_FILES = {
    **dict.fromkeys(("r8", "r16", "r32", "r64"), GENERAL), **dict.fromkeys(("xmm", "ymm", "zmm"), VECTOR),
    "k": MASK, ZEROING: MASK, **dict.fromkeys(INDEX_WIDTHS, VECTOR), **dict.fromkeys(_FIXED, GENERAL),
}  # fmt: skip
_VALUES = {
    "imm8": 3, "1": 1, "imm16": 0x1234, "imm32": 0x12345678, "imm64": 0x123456789ABCDEF0,
}  # fmt: skip
"""What an immediate is: too large for the next smaller encoding."""


def operand(name: str, access: str) -> Operand:
    """An operand by its name."""
    if name in _VALUES:
        return Operand(name, IMMEDIATE, access, value=_VALUES[name])
    file = _FILES.get(name, MEMORY)
    return Operand(name, file, access, register=_FIXED.get(name, ""))
