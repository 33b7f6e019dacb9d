"""What differs from ISA to ISA, as two protocols; a folder `<isa>/` of modules fulfils them.

`<isa>/decode.py` is a `Decoder`: machine code -> `Instruction` records, from which the inspector
judges any ISA.  `<isa>/operands.py` is an `Assembly`: operations -> lines of assembly for the
templates.  The two share nothing, so that the one can catch the other's mistakes.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from reportgen.backends.cpu.accesses import Accesses, Case
from reportgen.backends.cpu.blend import Blend
from reportgen.backends.cpu.branch_body import Branches
from reportgen.backends.cpu.filler import Filler
from reportgen.backends.cpu.own_body import OwnBody
from reportgen.backends.cpu.shared_lines import Shared
from reportgen.errors import Unsupported
from reportgen.suite.definition import Operation


@dataclass(frozen=True, slots=True)
class Place:
    """A memory operand: full names of its registers, and the displacement in bytes."""

    base: str
    index: str
    displacement: int


@dataclass(frozen=True, slots=True)
class Instruction:
    """One decoded instruction, as far as the inspector must know it.

    Registers go by the full register's name whatever part is used (`eax` is `rax`, `s3` is `v3`); flags are
    left out.  An idiom that the processor knows not to read its operand (`xor eax, eax`) reads nothing.
    """

    opcode: str
    """What the histogram counts: mnemonic, and what else tells one operation from another."""
    text: str
    reads: frozenset[str]
    writes: frozenset[str]
    place: Place | None
    loads: bool
    """Whether `place` is read."""
    stores: bool
    """Whether `place` is written."""
    flow: str = ""
    """`jump`, `conditional`, `call`, `return`, `other` (indirect, a trap); empty: on to the next one."""
    target: int = -1
    """Where a direct branch leads, an offset like those that were decoded; else -1."""
    size: int = 0
    """Bytes."""
    width: int = 0
    """Bytes that are read or written at `place`; 0 where the decoder does not say."""


class Decoder(Protocol):
    """Machine code -> instructions, by a decoder that shares nothing with the assembler."""

    NAME: str
    """Distribution that does the decoding."""
    LOOP: tuple[str, str]
    """Opcodes of the counter and the branch that close the body."""
    FAR_LOOP: tuple[str, ...]
    """The same of a body that such a branch does not reach back over."""
    CALIBRATION: str
    """Text of one step of the frame's calibration chain."""
    CANARY: str
    """Text of one instruction of the frame's canary."""
    STACK: str
    """Full name of the stack pointer."""

    def decode(self, code: bytes, start: int, end: int) -> list[Instruction]:
        """The instructions in `code[start:end]`; bytes that are none have the opcode `unknown`."""


class Bound(Protocol):
    """One operation bound to registers: what templates write."""

    @property
    def operation(self) -> Operation:
        """The table's row."""

    @property
    def count(self) -> int:
        """Accumulators."""

    @property
    def init(self) -> str:
        """Code before the first time stamp of a round: registers get their values."""

    @property
    def late(self) -> str:
        """Code between the first time stamp and the body."""

    @property
    def release(self) -> str:
        """Code after the last time stamp of a round."""

    @property
    def constants(self) -> str:
        """Data behind the last instruction."""

    def latency(self, index: int) -> str:
        """One step of the dependency chain."""

    def throughput(self, index: int) -> str:
        """One instruction on accumulator `index`."""


@dataclass(frozen=True)
class Stream:
    """A streaming kernel: bytes that one turn of its loop takes of each array, and its parts."""

    step: int
    vector_bytes: int
    context: dict[str, Any]
    """What the template must know."""
    opcodes: dict[str, int]
    """Of the whole body, addresses and counters included."""


@dataclass(frozen=True)
class Window:
    """Two pointer chases whose loads miss, and what stands between their loads."""

    init: str
    """Code before the first time stamp of a round."""
    walkers: tuple[str, str]
    """Registers that hold the next node of either chase."""
    load: str
    """The load of one step, with `{walker}`."""
    carried: str
    """Once behind each load, where the filling waits for it in other registers; else empty."""
    forms: tuple[str, ...]
    """Filling, in turn: `{r}` and `{v}` are registers in turn, `{place}` a displacement, `{walker}`."""
    general: tuple[str, ...]
    vectors: tuple[str, ...]
    save: str
    """Code after the last time stamp of a round: where the chases stand."""

    def lines(self, count: int) -> tuple[str, ...]:
        """A body: load, `count` filling instructions, the other load, as many again."""
        found: list[str] = []
        for walker in self.walkers:
            found += [one.format(walker=walker) for one in (self.load, self.carried) if one]
            for number in range(count):
                found.append(
                    self.forms[number % len(self.forms)].format(
                        r=self.general[number % len(self.general)],
                        v=self.vectors[number % len(self.vectors)],
                        place=8 * (number % 8),
                        walker=walker,
                    )
                )
        return tuple(found)


@dataclass(frozen=True)
class Misses:
    """Loads that miss, and where each walk stands between rounds."""

    init: tuple[str, ...]
    """Before the first time stamp of a round: the walks are taken from the scratch page."""
    body: tuple[str, ...]
    save: tuple[str, ...]
    """After the last time stamp: they are put back."""
    loads: int
    """Of a body, those that miss."""


@dataclass(frozen=True)
class FormBody:
    """One program of an instruction form."""

    turn: tuple[str, ...]
    """Lines that stand `times` times."""
    times: int
    init: tuple[str, ...]
    """Code before the first time stamp of a round."""
    late: tuple[str, ...]
    """Code between that, which uses rax and rdx, and the body."""
    constants: tuple[str, ...]
    kind: str
    """What the inspector shall see: `chain`, `apart`, or `form` where it cannot follow what is chained."""
    chains: int
    steps: int
    """Instances of the form: the steps of a chain."""
    beside: int
    """Instructions beside each instance that make it independent of what it would wait for."""


def fillings(
    *, integer: str, vector: str, load: str, store: str, waiting_integer: str, waiting_vector: str
) -> dict[str, tuple[str, ...]]:
    """Kind of filling of a window -> its forms, in turn; the same kinds and the same mix on every ISA."""
    return {
        # So that neither register file nor the queue is full before all entries are taken.  In blocks: of
        # integer and vector instructions in turn a Zen 4 core was seen to hold a tenth more.
        "mixed": (*[integer] * 5, *[vector] * 5, *[store] * 2),
        "integer": (integer,),
        "vector": (vector,),
        "load": (load,),
        "store": (store,),
        "waiting_integer": (waiting_integer,),
        "waiting_vector": (waiting_vector,),
    }


class Assembly(Protocol):
    """Operations -> assembly."""

    CHASE: str
    """Opcode of a load in a pointer chase."""
    JUMP: str
    """Opcode of a direct jump."""
    UNTAKEN: str
    """Opcode of a branch that is taken where the last result was zero."""

    def adapt(self, operation: Operation, features: tuple[str, ...]) -> Operation:
        """The operation as a processor with these features can encode it."""

    def bind(self, operation: Operation, offset: int, count: int, tag: str = "c") -> Bound:
        """The operation on accumulators `offset .. offset + count - 1` of its register class.

        Raises:
            Unsupported: the class has fewer.
        """

    def share(self, operation: Operation, features: tuple[str, ...]) -> tuple[str, int]:
        """Register file of the operation's accumulators; how many each of two operations gets of it."""

    def apart(self, operation: Operation, features: tuple[str, ...]) -> Operation:
        """The operation as one of two kinds in a body: where accumulators are few, none waits for another."""

    def opcode(self, line: str) -> str:
        """The opcode that the decoder will give to a line of assembly."""

    def stream(self, kernel: str, features: tuple[str, ...]) -> Stream:
        """A kernel of the bandwidth probe.

        Raises:
            Unsupported: the processor lacks the vectors that it needs.
        """

    def blend(self, multiply_adds: int, features: tuple[str, ...]) -> Blend:
        """A stream of loads with so many multiply-adds between a group of them.

        Raises:
            Unsupported: the processor lacks the instructions that it needs.
        """

    def window(self, filling: str, features: tuple[str, ...]) -> Window:
        """Two loads that miss with a kind of filling between them.

        Raises:
            Unsupported: the processor lacks the vectors that it needs.
        """

    def misses(self, chains: int) -> Misses:
        """Loads that miss in as many chases side by side; 0: each of an address from a list."""

    def outcomes(self, steps: int) -> Branches:
        """`outcomes.SITES` conditional branches, before each `steps` steps of a generator of numbers.

        A branch is taken where the number is below the threshold of its site.  The generator, the thresholds
        and the count of branches that were not taken lie in the scratch page, as `outcomes.words` has it.
        """

    def jumps(self, count: int, spacing: int) -> Branches:
        """`count` jumps, each to the next, `spacing` bytes further on; what lies between traps."""

    def untaken(self, count: int) -> tuple[Branches, int]:
        """`count` branches in a row that a zero would take, which there is none; bytes of each."""

    def rounds(self, count: int) -> Branches:
        """`count` instructions of one slot each, in turn of three kinds of units, which wait for little."""

    def calls(self, depth: int) -> Branches:
        """A call of a function that calls another, `depth` calls deep; then all of them return."""

    def store_to_load(self, case: Case, steps: int, features: tuple[str, ...]) -> Accesses:
        """A chain of stores, each of what the load before it brought, and loads that read it back.

        Raises:
            Unsupported: the processor lacks the vectors that it needs.
        """

    def split(self, access: str, place: str, length: int, features: tuple[str, ...]) -> Accesses:
        """Accesses of one kind at one place about the boundary of two pages.

        Raises:
            Unsupported: the processor lacks the vectors that it needs.
        """

    def alias(self, distance: int, steps: int) -> Accesses:
        """A chain of loads, each behind a store that many bytes further on.

        Raises:
            Unsupported: the ISA's stores cannot name the distance.
        """

    def hand_over(self, by: str, features: tuple[str, ...]) -> Shared:
        """A thread waits by loads for a value of a line, and leaves the next one there.

        By a `store`, an `exchange` or a `compare_exchange`.

        Raises:
            Unsupported: the processor lacks the instruction.
        """

    def add_to(self, by: str, features: tuple[str, ...]) -> Shared:
        """A thread adds one to a word.

        By `plain_add`, by `locked_add`, or by `compare_exchange` until it succeeds.

        Raises:
            Unsupported: the processor lacks the instruction.
        """

    def read_beside(self) -> Shared:
        """A thread reads its next address from one line, again and again, and keeps writing another."""

    def form(
        self, key: str, recorded: Mapping[str, Any], question: str, features: tuple[str, ...]
    ) -> FormBody:
        """The body of one question about an instruction form, which stands in a definition's constants.

        Raises:
            Unsupported: the forms of this instruction set are not known.
        """

    def own_code(self, recorded: Mapping[str, Any], rounds: int, features: tuple[str, ...]) -> OwnBody:
        """So many rounds of the user's own code, which stands in a definition's constants.

        Raises:
            Unsupported: code of this instruction set is not taken apart, or the rounds cannot be had.
        """

    def filler(self, instruction: str) -> Filler:
        """Instructions of which straight code is made: `nop8`, `move2`, ... by kind and length in bytes.

        Raises:
            Unsupported: the ISA has none of that length.
        """

    def frame(self, features: tuple[str, ...]) -> dict[str, Any]:
        """What the frame's template must know of the processor."""


def host() -> str:
    """The ISA of this machine, in the words of the instruction tables."""
    machine = platform.machine()
    return {"AMD64": "x86_64", "arm64": "aarch64"}.get(machine, machine)


def decoder(isa: str) -> Decoder:
    """The decoder of an ISA.

    Raises:
        Unsupported: there is none.
    """
    if isa == "x86_64":
        from reportgen.backends.cpu.x86_64 import decode

        return decode
    if isa == "aarch64":
        from reportgen.backends.cpu.aarch64 import decode as aarch64_decode

        return aarch64_decode
    raise Unsupported(f"no decoder for {isa}")


def assembly(isa: str) -> Assembly:
    """The register names and forms of an ISA.

    Raises:
        Unsupported: there are none.
    """
    if isa == "x86_64":
        from reportgen.backends.cpu.x86_64 import operands

        return operands
    if isa == "aarch64":
        from reportgen.backends.cpu.aarch64 import operands as aarch64_operands

        return aarch64_operands
    raise Unsupported(f"the CPU backend has no registers and forms for {isa}")
