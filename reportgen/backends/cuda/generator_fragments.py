"""A matrix instruction bound to fragments: a tile of each matrix lies spread over the registers of a warp.

How many registers a thread holds follows from shape and types in the PTX name (PTX ISA, "Warp Level
Matrix Multiply-Accumulate Instructions").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from reportgen.backends.cuda.generator_operands import CONSTRAINTS, slot
from reportgen.suite.definition import Operation

LANES = 32
BITS = {
    "f64": 64,
    "f32": 32,
    "s32": 32,
    "tf32": 32,
    "f16": 16,
    "bf16": 16,
    "e4m3": 8,
    "e5m2": 8,
    "e3m2": 8,
    "e2m3": 8,
    "s8": 8,
    "u8": 8,
    "e2m1": 4,
    "s4": 4,
    "b1": 1,
}
"""Element type -> bits in a fragment."""

_SHAPE = re.compile(r"\bm(\d+)n(\d+)k(\d+)\b")
_TYPES = re.compile(r"\.(" + "|".join(BITS) + r")\b")


@dataclass(frozen=True)
class Fragment:
    """One matrix instruction on `chains` accumulator tiles that share the tiles they multiply."""

    operation: Operation
    form: str
    chains: int
    kernel: str
    tag: str = ""

    turns = 1
    """Every step is the same: accumulating does not fold."""
    shared_bytes = 0
    """It keeps nothing in shared memory."""

    @cached_property
    def shape(self) -> tuple[int, int, int]:
        """(m, n, k) of the tile product."""
        found = _SHAPE.search(self.form)
        assert found is not None
        return int(found[1]), int(found[2]), int(found[3])

    @cached_property
    def counts(self) -> dict[str, int]:
        """Registers of a thread for the accumulator `d` and the factors `a` and `b`."""
        m, n, k = self.shape
        into, left, right = _TYPES.findall(self.form)[:3]
        # below eight bits only the kinds that are made for them pack their elements
        packed = "f8f6f4" not in self.form
        sparse = 2 if self.form.startswith("mma.sp") else 1

        def registers(elements: int, kind: str) -> int:
            bits = BITS[kind] if packed else max(BITS[kind], 8)
            return elements * bits // (LANES * (64 if kind == "f64" else 32))

        return {
            "d": registers(m * n, into),
            "a": registers(m * k, left) // sparse,
            "b": registers(n * k, right),
        }

    @property
    def _factor(self) -> str:
        return "double" if self.operation.ctype == "double" else "unsigned"

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """(declaration, what the launcher passes) of each kernel parameter."""
        kind, factor, tag = self.operation.ctype, self._factor, self.tag
        return [
            (f"const {kind} *in{tag}", f"input:{kind}"),
            (f"const {factor} *factors{tag}", f"input:{factor}"),
            (f"{kind} *out{tag}", f"output:{kind}"),
        ]

    @property
    def file(self) -> list[str]:
        """Nothing stands before the kernel."""
        return []

    @property
    def before(self) -> list[str]:
        """Declarations and starting values."""
        kind, factor, tag = self.operation.ctype, self._factor, self.tag
        lines = [
            f"{kind} {name} = in{tag}[{slot(number)}];" for number, name in enumerate(self._accumulators)
        ]
        names = [f"{which}{tag}{i}" for which in "ab" for i in range(self.counts[which])]
        lines += [f"{factor} {name} = factors{tag}[{slot(number)}];" for number, name in enumerate(names)]
        if "{s}" in self.form:
            lines.append(f"{factor} s{tag} = {self._beside(f'factors{tag}[{slot(len(names))}]')};")
        return lines

    def _beside(self, word: str) -> str:
        """C++ of metadata or scales from a random word.

        Metadata: two places of four in order, 4 (the lower two) or 14 (the upper two).  Scales: 1 or a little
        less as powers of two, 1 and a little more as E4M3.
        """
        if self.form.startswith("mma.sp"):
            return f"{word} % 2 * 0xAAAAAAAAu + 0x44444444u"
        if "ue4m3" in self.form:
            return f"{word} & 0x07070707u | 0x38383838u"
        return f"{word} & 0x01010101u | 0x7E7E7E7Eu"

    @property
    def after(self) -> list[str]:
        """The accumulators are stored."""
        return [f"out{self.tag}[{slot(number)}] = {name};" for number, name in enumerate(self._accumulators)]

    @property
    def _accumulators(self) -> list[str]:
        return [f"d{self.tag}{i}_{j}" for i in range(self.chains) for j in range(self.counts["d"])]

    def step(self, index: int, odd: bool = False) -> str:
        """One tile product into accumulator `index`, a statement; `odd` changes nothing."""
        tag, counts = self.tag, self.counts
        letter, factor = CONSTRAINTS[self.operation.ctype], CONSTRAINTS[self._factor]
        outputs = [f'"+{letter}"(d{tag}{index}_{j})' for j in range(counts["d"])]
        inputs = [f'"{factor}"({which}{tag}{i})' for which in "ab" for i in range(counts[which])]
        text, at = self.form, 0
        for which in "dab":
            numbers = ", ".join(f"%{at + i}" for i in range(counts[which]))
            text = text.replace(f"{{{which}}}", f"{{{numbers}}}")
            at += counts[which]
        if "{s}" in text:
            text = text.replace("{s}", f"%{at}")
            inputs.append(f'"r"(s{tag})')
        return f'asm volatile("{text}" : {", ".join(outputs)} : {", ".join(inputs)});'

    def steps(self, odd: bool = False) -> list[str]:
        """One step on each accumulator."""
        return [self.step(index, odd) for index in range(self.chains)]

    @property
    def warm(self) -> list[str]:
        """One copy of every step."""
        return self.steps()
