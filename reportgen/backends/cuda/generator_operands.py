"""An operation bound to accumulators of every thread: the CUDA C++ round its PTX.

Operands are loaded for each thread from memory, because the compiler computes on the uniform datapath
what is the same in every lane.  Every step of a chain swaps the constants, because it folds what repeats.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from reportgen.errors import Unsupported
from reportgen.suite.definition import Operation

THREADS = 1024
"""Most threads of a block: the distance of two accumulators in `in`, `out` and the cells, in elements."""
SLOTS = 64
"""Places of `THREADS` elements in an array of operands or results."""
CROWD = 128
"""Threads of a block where there are more values than slots."""
MOST_CHAINS = 8
"""Accumulators for which the cells of shared, local and constant memory have room."""

CONSTRAINTS = {
    "unsigned short": "h",
    "int": "r",
    "unsigned": "r",
    "long long": "l",
    "unsigned long long": "l",
    "float": "f",
    "double": "d",
}
"""C type -> the letter of inline PTX."""


def slot(number: int) -> str:
    """Index of a thread's value `number` in an array of `SLOTS` * `THREADS` elements.

    Values beyond the slots lie between those of the first, so blocks that have them are of `CROWD` threads.
    """
    return f"threadIdx.x + {THREADS * (number % SLOTS) + CROWD * (number // SLOTS)}"


@dataclass(frozen=True)
class Place:
    """Memory that an operation works on."""

    parameter: str = ""
    """Kernel parameter, and what the launcher passes (see `Bound.parameters`)."""
    passes: str = ""
    declare: tuple[str, ...] = ()
    """Statements that end in an address `m`."""
    start: str = ""
    """Starting value of an accumulator that is an address; empty: it comes from `in`."""
    fill: str = ""
    """Statement that lets the cell of an accumulator hold its own address."""
    settle: str = ""
    """Statement after all cells are filled."""
    letter: str = "r"
    """Constraint of `m`."""
    pitch: int = 0
    """Bytes from the cell of one accumulator to that of the next."""


_SHARED = (
    "__shared__ unsigned shared{tag}[{cells}];",
    "unsigned m{tag} = (unsigned)__cvta_generic_to_shared(&shared{tag}[threadIdx.x]);",
)
_ROWS = (
    "__shared__ alignas(16) unsigned shared{tag}[4 * {threads}];",
    "unsigned m{tag} = (unsigned)__cvta_generic_to_shared(&shared{tag}[4 * threadIdx.x]);",
)
_GLOBAL = ("unsigned long long *cells{tag}", "cells:self")
_OWN = "(unsigned long long)(cells{tag} + 2 * (threadIdx.x + {at}))"

PLACES: dict[str, Place] = {
    "one": Place(),
    "shared_pointer": Place(
        declare=_SHARED,
        start="m{tag} + 4 * {at}",
        fill="shared{tag}[threadIdx.x + {at}] = d{tag}{index};",
    ),
    "shared_cell": Place(
        declare=_SHARED, fill="shared{tag}[threadIdx.x + {at}] = d{tag}{index};", pitch=4 * THREADS
    ),
    "shared_row": Place(
        declare=(
            "__shared__ alignas(16) unsigned shared{tag}[4 * {most}];",
            "unsigned m{tag} = (unsigned)__cvta_generic_to_shared(shared{tag});",
        ),
        start="m{tag} + 16 * {index}",
        fill="shared{tag}[4 * {index} + threadIdx.x % 4] = d{tag}{index};",
        settle="__syncthreads();",
    ),
    "shared_matrix": Place(declare=_ROWS),
    "copy": Place(*_GLOBAL, declare=_ROWS, start=_OWN),
    "global_pointer": Place(*_GLOBAL, start=_OWN),
    "global_cell": Place(
        *_GLOBAL,
        declare=("unsigned long long m{tag} = (unsigned long long)(cells{tag} + threadIdx.x);",),
        letter="l",
        pitch=8 * THREADS,
    ),
    "local_pointer": Place(
        declare=(
            "unsigned local{tag}[4 * {most}];",
            "unsigned long long m{tag};",
            'asm volatile("cvta.to.local.u64 %0, %1;" : "=l"(m{tag}) : "l"(local{tag}));',
        ),
        start="(unsigned)m{tag} + 16 * {index}",
        fill='asm volatile("st.local.u32 [%0], %0;" :: "r"(d{tag}{index}));',
    ),
    "constant_pointer": Place(
        # one word for all lanes of a warp, for a load from many takes a turn for each; accumulators side by
        # side, for the first of the caches holds 2 KiB (Jia et al. 2018)
        start="(unsigned)__cvta_generic_to_constant(&{constant}[threadIdx.x / 32 + 32 * {index}])",
    ),
    "texture": Place(
        "unsigned long long texture{tag}",
        "texture:self",
        declare=("unsigned long long m{tag} = texture{tag};",),
        start="threadIdx.x + {at}",
        letter="l",
    ),
}
"""`values` of an operation -> the memory it needs."""


@dataclass(frozen=True)
class Bound:
    """One operation on `chains` accumulators; `tag` keeps two operations of one kernel apart."""

    operation: Operation
    form: str
    chains: int
    kernel: str
    tag: str = ""

    def __post_init__(self) -> None:
        if self.chains > MOST_CHAINS and self.operation.values != "one":
            raise Unsupported(f"{self.chains} accumulators wanted, there are cells for {MOST_CHAINS}")

    @property
    def place(self) -> Place:
        """The memory it works on."""
        return PLACES[self.operation.values]

    @cached_property
    def constants(self) -> tuple[str, ...]:
        """`a` and `b` where the form reads one of them: the other takes its turn."""
        return ("a", "b") if "{a}" in self.form or "{b}" in self.form else ()

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """(declaration, what the launcher passes) of each kernel parameter.

        `input:T` and `output:T` are arrays of T; `cells:self` holds its own address every 16 bytes;
        `texture:self` has its own index in every texel.
        """
        kind, found = self.operation.ctype, []
        if not self.place.start or self.constants or "{e}" in self.form:
            found.append((f"const {kind} *in{self.tag}", f"input:{kind}"))
        found.append((f"{kind} *out{self.tag}", f"output:{kind}"))
        if self.place.parameter:
            found.append((self._fill(self.place.parameter), self.place.passes))
        return found

    @property
    def shared_bytes(self) -> int:
        """Of shared memory that the kernel takes for its cells."""
        if "{cells}" in "".join(self.place.declare):
            return 4 * THREADS * self.chains
        return 16 * THREADS if _ROWS[0] in self.place.declare else 0

    @property
    def file(self) -> list[str]:
        """What stands before the kernel; the launcher lets every word hold its own address."""
        if self.operation.values != "constant_pointer":
            return []
        return [f"__constant__ unsigned {self._constant}[{THREADS * MOST_CHAINS}];"]

    @property
    def _constant(self) -> str:
        return f"cells_{self.kernel}{self.tag}"

    def _fill(self, text: str, index: int = 0) -> str:
        return text.format(
            tag=self.tag,
            index=index,
            at=THREADS * index,
            threads=THREADS,
            most=MOST_CHAINS,
            cells=THREADS * self.chains,
            constant=self._constant,
        )

    def _input(self, number: int) -> str:
        return f"in{self.tag}[{slot(number)}]"

    @property
    def before(self) -> list[str]:
        """Declarations and starting values."""
        kind, tag, place = self.operation.ctype, self.tag, self.place
        lines = [self._fill(line) for line in place.declare]
        for index in range(self.chains):
            start = self._fill(place.start, index) if place.start else self._input(index)
            lines.append(f"{kind} d{tag}{index} = {start};")
            if place.fill:
                lines.append(self._fill(place.fill, index))
            if "{e}" in self.form:
                lines.append(f"{kind} e{tag}{index} = {self._input(self.chains + index)};")
        for number, name in enumerate(self.constants):
            lines.append(f"{kind} {name}{tag} = {self._input(2 * self.chains + number)};")
        return [*lines, place.settle] if place.settle else lines

    @property
    def after(self) -> list[str]:
        """The accumulators are stored, or the compiler would drop them."""
        names = [f"{name}{self.tag}{i}" for name in self._accumulators for i in range(self.chains)]
        return [f"out{self.tag}[{slot(number)}] = {name};" for number, name in enumerate(names)]

    @property
    def _accumulators(self) -> str:
        return "de" if "{e}" in self.form else "d"

    def step(self, index: int, odd: bool = False) -> str:
        """One step on accumulator `index`, a statement; odd steps have their operands swapped."""
        letter, tag = CONSTRAINTS[self.operation.ctype], self.tag
        names = {name: f'"+{letter}"({name}{tag}{index})' for name in self._accumulators}
        written = len(names)
        used = ("b" if odd else "a", "a" if odd else "b")
        for place, name in zip("ab", used, strict=True):
            if f"{{{place}}}" in self.form:
                names[place] = f'"{letter}"({name}{tag})'
        if "{m}" in self.form:
            names["m"] = f'"{self.place.letter}"(m{tag})'
        numbers = {name: f"%{position}" for position, name in enumerate(names)}
        if odd and "e" in numbers:
            numbers["d"], numbers["e"] = numbers["e"], numbers["d"]
        if "m" in numbers and index and self.place.pitch:
            numbers["m"] += f"+{self.place.pitch * index}"
        text = self.form
        for name, number in numbers.items():
            text = text.replace(f"{{{name}}}", number)
        if ".reg " in text:
            text = f"{{ {text} }}"
        operands = list(names.values())
        tail = f" : {', '.join(operands[written:])}" if operands[written:] else ""
        return f'asm volatile("{text}" : {", ".join(operands[:written])}{tail});'

    def steps(self, odd: bool = False) -> list[str]:
        """One step on each accumulator."""
        return [self.step(index, odd) for index in range(self.chains)]

    @property
    def warm(self) -> list[str]:
        """One copy of every different step: afterwards all operands have arrived."""
        return [step for turn in range(self.turns) for step in self.steps(turn == 1)]

    @property
    def turns(self) -> int:
        """2 where every other step differs."""
        return 1 if self.step(0) == self.step(0, odd=True) else 2
