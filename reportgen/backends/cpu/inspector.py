"""Machine code -> verdict, by iced-x86, a decoder that shares nothing with the assembler.

Three questions, answered from the bytes that will run:

1. Histogram: does the timed region hold the wanted instructions, as many as wanted, nothing else
   but the loop's own counter and branch?
2. Dataflow: do the instructions form the wanted number of dependency chains?  (Walk of register
   reads and writes; an instruction belongs to the chain whose last writer it reads.)
3. Frame: are the calibration chains the dependent additions they claim to be?
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from functools import cache

from iced_x86 import (
    Decoder,
    Formatter,
    FormatterSyntax,
    Instruction,
    InstructionInfoFactory,
    Mnemonic,
    OpAccess,
    OpKind,
    Register,
    RegisterExt,
)

from reportgen.backends.cpu.clock import CANARY_BLOCK, CHAIN_BLOCK, SHORT_CHAIN
from reportgen.backends.cpu.compiler import MachineCode
from reportgen.runs.schema import Program

_MNEMONICS = {value: name.lower() for name, value in vars(Mnemonic).items() if isinstance(value, int)}
# a conditional write keeps the old value otherwise, so it reads it
_READS = {
    OpAccess.READ,
    OpAccess.COND_READ,
    OpAccess.READ_WRITE,
    OpAccess.READ_COND_WRITE,
    OpAccess.COND_WRITE,
}
_WRITES = {OpAccess.WRITE, OpAccess.COND_WRITE, OpAccess.READ_WRITE, OpAccess.READ_COND_WRITE}
STREAM_LOOP = Counter({"lea": 3, "add": 5, "mov": 2, "neg": 1, "jne": 1, "cmp": 1, "cmovae": 1})
"""Addresses, counters and the turn to the next slice: once a slice, but for one add and branch."""
_LOOP = ("dec", "jne")
_SPARE = frozenset({Register.R13, Register.R14, Register.R15, Register.RSP})


def inspect(code: MachineCode, source: str, expect: dict[str, int | str]) -> Program:
    """Decode the program and judge its timed region against what the generator expects."""
    region = _decode(code.code, code.body, code.body_end)
    loop = _decode(code.code, code.body_end, code.end)[:2]
    opcodes = Counter(_name(instruction) for instruction in region)
    faults = []
    if tuple(_name(i) for i in loop) != _LOOP:
        faults.append("the body is not closed by one counter and one branch")
    faults += _frame_faults(code)
    wanted = Counter({k: int(v) for k, v in expect.items() if k not in ("kind", "chains", "loads", "stores")})
    kind = str(expect["kind"])
    if kind == "stream":
        wanted += STREAM_LOOP
        wanted += Counter({"sfence": 1}) if "vmovntps" in wanted else Counter()
    elif kind == "frame":
        wanted = Counter()
    if opcodes != wanted:
        faults.append(f"wanted {_spell(wanted)}, found {_spell(opcodes)}")
    chains = _chains(region) if kind in ("chain", "independent") else 0
    if kind == "chain" and (chains != 1 or not _unbroken(region)):
        faults.append(f"wanted one dependency chain through all steps, found {chains}")
    if kind == "independent" and chains > 1 and chains < int(expect["chains"]):
        faults.append(f"wanted {expect['chains']} independent chains, found {chains}")
    stray = _stack(region)
    if stray:
        faults.append(f"{stray} accesses to the stack: a spill")
    facts: dict[str, int | float | str] = {"instructions": len(region), "stack_accesses": stray}
    if chains:
        facts["chains"] = chains
    explanation = "; ".join(faults) if faults else _praise(kind, opcodes, chains)
    return Program(
        sha256=hashlib.sha256(code.code).hexdigest(),
        source=source,
        listing=listing(region + loop),
        opcodes=dict(opcodes),
        verdict="rejected" if faults else "verified",
        explanation=explanation,
        size=len(code.code),
        facts=facts,
    )


def _praise(kind: str, opcodes: Counter[str], chains: int) -> str:
    text = f"the timed region holds {_spell(opcodes)}, nothing foreign, no stack access"
    if kind == "chain":
        return f"{text}; every step reads what the step before wrote"
    if kind == "independent":
        return f"{text}; {chains or 'no'} dependency chain{'s' if chains != 1 else ''}"
    if kind == "frame":
        return "the frame's two calibration chains are as meant; the timed work is library code"
    return text


def _spell(histogram: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(histogram.items())) or "nothing"


def _decode(code: bytes, start: int, end: int) -> list[Instruction]:
    return list(Decoder(64, code[start:end], ip=start))


def _name(instruction: Instruction) -> str:
    return _MNEMONICS.get(instruction.mnemonic, "unknown")


def listing(instructions: Iterable[Instruction]) -> str:
    """Disassembly, one line an instruction; an endless repetition is folded to its count."""
    formatter = Formatter(FormatterSyntax.INTEL)
    lines: list[str] = []
    previous, count = "", 0
    for instruction in [*instructions, None]:
        text = "" if instruction is None else formatter.format(instruction)
        if text == previous:
            count += 1
            continue
        if previous:
            lines.append(previous if count == 1 else f"{previous}    ; x {count}")
        previous, count = text, 1
    return "\n".join(lines)


def _used(info: InstructionInfoFactory, instruction: Instruction) -> tuple[set[int], set[int]]:
    """Full registers read and written; a zeroing idiom or a merge counts as iced knows it."""
    read: set[int] = set()
    written: set[int] = set()
    for used in info.info(instruction).used_registers():
        full = RegisterExt.full_register(used.register)
        if full in _SPARE:
            continue
        if used.access in _READS:
            read.add(full)
        if used.access in _WRITES:
            written.add(full)
    return read, written


def _memory(instruction: Instruction) -> tuple[int, int, int] | None:
    """(base, index, displacement) of a memory operand, or None."""
    for operand in range(instruction.op_count):
        if instruction.op_kind(operand) == OpKind.MEMORY:
            base = RegisterExt.full_register(instruction.memory_base)
            return base, instruction.memory_index, instruction.memory_displacement
    return None


def _edges(region: list[Instruction]) -> list[set[int]]:
    """For each instruction, the earlier ones whose register or scratch-line result it reads."""
    info = InstructionInfoFactory()
    register_writer: dict[int, int] = {}
    memory_writer: dict[tuple[int, int, int], int] = {}
    edges: list[set[int]] = []
    for index, instruction in enumerate(region):
        read, written = _used(info, instruction)
        sources = {register_writer[r] for r in read if r in register_writer}
        place = _memory(instruction)
        if place is not None:
            if place in memory_writer:
                sources.add(memory_writer[place])
            if instruction.op_kind(0) == OpKind.MEMORY:
                memory_writer[place] = index
        edges.append(sources)
        for register in written:
            register_writer[register] = index
    return edges


def _chains(region: list[Instruction]) -> int:
    """Number of dependency chains: groups of instructions joined by a register or scratch line.

    Instructions that neither read nor feed another (a load from a fixed line) are no chain.
    """
    parent = list(range(len(region)))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    joined = set()
    for index, sources in enumerate(_edges(region)):
        for source in sources:
            parent[root(index)] = root(source)
            joined |= {index, source}
    return len({root(node) for node in joined})


def _unbroken(region: list[Instruction]) -> bool:
    """Whether the longest dependency path runs through the region from its first step to its last.

    The path must gain at least one node per repetition of the wanted pattern: the deepest node
    lies no further than one step from the end and depth equals the number of steps or more.
    """
    edges = _edges(region)
    depth: list[int] = []
    for sources in edges:
        depth.append(1 + max((depth[s] for s in sources), default=0))
    if not depth:
        return False
    period = _period(region)
    return max(depth) >= len(region) // period


def _period(region: list[Instruction]) -> int:
    """Shortest repeating pattern of mnemonics: the instructions of one step."""
    names = [_name(i) for i in region]
    for length in range(1, len(names) + 1):
        if len(names) % length == 0 and names == names[:length] * (len(names) // length):
            return length
    return len(names)


def _stack(region: list[Instruction]) -> int:
    return sum(1 for i in region if (place := _memory(i)) is not None and place[0] == Register.RSP)


def _frame_faults(code: MachineCode) -> list[str]:
    """Check the frame before and after the body once per distinct frame."""
    return list(_check_frame(code.code[code.entry : code.body], code.code[code.body_end : code.end]))


@cache
def _check_frame(before: bytes, after: bytes) -> tuple[str, ...]:
    faults = []
    for where, part, adds in (("before", before, SHORT_CHAIN + CHAIN_BLOCK), ("after", after, CHAIN_BLOCK)):
        instructions = list(Decoder(64, part))
        found = Counter(
            (i.mnemonic, i.op_register(0), i.op_register(1))
            for i in instructions
            if i.op_count == 2 and i.op_kind(1) == OpKind.REGISTER
        )
        chain = found[Mnemonic.ADD, Register.R8, Register.R9]
        canary = found[Mnemonic.XOR, Register.R10D, Register.R10D]
        if chain != adds:
            faults.append(f"the calibration {where} the body holds {chain} additions, not {adds}")
        if canary != CANARY_BLOCK:
            faults.append(f"the canary {where} the body holds {canary} zeroing idioms, not {CANARY_BLOCK}")
    return tuple(faults)
