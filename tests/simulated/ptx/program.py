"""A kernel made ready to run: its instructions as functions, its variables at their addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tests.simulated.ptx.faults import Wrong
from tests.simulated.ptx.races import Traits, traits
from tests.simulated.ptx.records import Instruction, Kernel

Maker = Callable[["re.Match[str]", Instruction], Any]
"""Of an opcode and its instruction: what the instruction does to a launch."""
_KNOWN: list[tuple[re.Pattern[str], Maker]] = []
_LOOKS = re.compile(r"(mov|setp|add|sub|or|and|not|selp)\.[\w.]+|bra(\.uni)?")
"""Instructions of a loop that does nothing but look at a clock."""


def known(pattern: str) -> Callable[[Maker], Maker]:
    """Registers what makes the instructions whose opcode this pattern matches as a whole."""

    def keep(maker: Maker) -> Maker:
        _KNOWN.append((re.compile(pattern), maker))
        return maker

    return keep


@dataclass
class Program:
    """What a launch runs."""

    kernel: Kernel
    traits: Traits
    steps: list[Any] = field(default_factory=list)
    addresses: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Variable or parameter -> (space, offset)."""
    shared_bytes: int = 0
    """Declared; what a launch adds lies behind."""
    local_bytes: int = 0
    polls: frozenset[int] = frozenset()
    """Branches back of loops that only look at a clock."""


def make(kernel: Kernel, constants: Mapping[str, int]) -> Program:
    """A program of a kernel.

    Args:
        kernel: as it was read.
        constants: variable of constant memory -> offset in the bank.

    Raises:
        Wrong: an instruction is not known.
    """
    program = Program(kernel, traits(kernel))
    _lay_out(program, constants)
    program.steps = [_step(instruction, program) for instruction in kernel.instructions]
    program.polls = frozenset(_polls(kernel))
    return program


@cache
def _maker(opcode: str) -> tuple[Maker, re.Match[str]] | None:
    """What makes an instruction of an opcode, once all modules have made theirs known."""
    for pattern, maker in _KNOWN:
        match = pattern.fullmatch(opcode)
        if match:
            return maker, match
    return None


def _step(instruction: Instruction, program: Program) -> Any:
    opcode = instruction.opcode
    found = _maker(opcode)
    if found is None:
        raise Wrong(f"the instruction '{instruction.text}' of {program.kernel.name} is not known")
    maker, match = found
    try:
        step = maker(match, instruction)
    except (Wrong, KeyError, ValueError, AttributeError) as error:
        raise Wrong(f"'{instruction.text}' of {program.kernel.name} is not understood: {error}") from error
    if opcode in ("bra", "bra.uni"):
        return step(program.kernel.labels[instruction.target])
    return step if instruction.guard is None else _guarded(instruction, step)


def _guarded(instruction: Instruction, step: Any) -> Any:
    """Carried out by the threads in which a predicate holds."""
    guard, negated = instruction.guard, instruction.negated

    def run(launch: Any) -> Any:
        lanes = launch.lanes
        held = lanes.whole(lanes.get(guard))
        chosen = ~held if negated else held
        before = lanes.mask
        chosen = chosen if before is None else chosen & before
        if not chosen.any():
            return None
        lanes.mask = chosen
        try:
            outcome = step(launch)
            if outcome is not None:
                raise Wrong(f"{launch.what} under a predicate is not known")
        finally:
            lanes.mask = before
        return None

    return run


def _lay_out(program: Program, constants: Mapping[str, int]) -> None:
    kernel = program.kernel
    offset = 0
    for parameter in kernel.parameters:
        offset = -(-offset // parameter.align) * parameter.align
        program.addresses[parameter.name] = ("param", offset)
        offset += parameter.size
    used = " ".join(instruction.text for instruction in kernel.instructions)
    behind = []
    for variable in kernel.variables:
        if variable.space == "const":
            program.addresses[variable.name] = ("const", constants.get(variable.name, 0))
        elif variable.space == "shared" and not variable.size:
            behind.append(variable)
        elif variable.space == "shared":
            at = -(-program.shared_bytes // variable.align) * variable.align
            program.addresses[variable.name] = ("shared", at)
            program.shared_bytes = at + variable.size
        elif variable.space == "local":
            at = -(-program.local_bytes // variable.align) * variable.align
            program.addresses[variable.name] = ("local", at)
            program.local_bytes = at + variable.size
        else:
            raise Wrong(f"a variable in {variable.space} memory is not known")
    for variable in behind:
        if variable.name in used:
            program.shared_bytes = -(-program.shared_bytes // variable.align) * variable.align
        program.addresses[variable.name] = ("shared", program.shared_bytes)


def _polls(kernel: Kernel) -> list[int]:
    """Places of branches back, over nothing but looks at a clock."""
    found = []
    for place, instruction in enumerate(kernel.instructions):
        if instruction.opcode not in ("bra", "bra.uni"):
            continue
        start = kernel.labels[instruction.target]
        inside = kernel.instructions[start : place + 1]
        looks = any("%clock" in one.text or "%globaltimer" in one.text for one in inside)
        if start <= place and looks and all(_LOOKS.fullmatch(one.opcode) for one in inside):
            found.append(place)
    return found
