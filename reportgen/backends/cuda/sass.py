"""Machine code -> instructions: what nvdisasm reads, and the control bits that it does not print.

An instruction has 16 bytes.  Bits 105 to 125 tell the hardware how to schedule it (found by Maxas for
Maxwell; for Volta and later: Jia et al., arXiv:1804.06826, and CuAssembler's `CuControlCode`): how long to
stall after issue, whether to yield, which of six barriers it sets when its result is written or its
sources are read, which it waits on, and which operands the reuse cache keeps.
"""

from __future__ import annotations

import struct
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from reportgen.backends.cuda import elf, joined, toolkit
from reportgen.errors import CompileError

WORD = struct.Struct("<QQ")
NO_BARRIER = 7
BARRIERS = 6
CLOCKS = ("SR_CLOCKLO", "SR_CLOCKHI")


@dataclass(frozen=True, slots=True)
class Control:
    """The scheduling bits of one instruction."""

    stall: int
    """Cycles until the next instruction may issue, 0 to 15."""
    yields: int
    """The bit as it stands; stalls of 12 and more need it 0."""
    write_barrier: int
    """Barrier set until the result is written; 7 none."""
    read_barrier: int
    """Barrier set until the sources are read; 7 none."""
    wait: int
    """Mask of the barriers it waits on before it issues."""
    reuse: int

    @staticmethod
    def decode(high: int) -> Control:
        """From the upper 64 bits of an instruction."""
        return _control(high >> 41 & 0x1FFFFF)

    def __str__(self) -> str:
        """Columns: barriers waited on, read barrier, write barrier, yield, stall."""
        return _columns(self)


@cache
def _columns(control: Control) -> str:
    wait = "".join(str(n) if control.wait >> n & 1 else "-" for n in range(BARRIERS))
    read, write = (
        "-" if barrier == NO_BARRIER else str(barrier)
        for barrier in (control.read_barrier, control.write_barrier)
    )
    return f"{wait} {read} {write} {'-' if control.yields else 'Y'} {control.stall:2}"


@cache
def _control(bits: int) -> Control:
    """From bits 41 to 61; of the hundred thousands of instructions of a target most have the same few."""
    return Control(bits & 15, bits >> 4 & 1, bits >> 5 & 7, bits >> 8 & 7, bits >> 11 & 63, bits >> 17 & 15)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction as the disassembler names it, with its control bits."""

    offset: int
    opcode: str
    """With its modifiers: `IMAD.WIDE.U32`."""
    operands: str
    """As printed: `R2,R9,0x4,R2`."""
    predicate: str
    """`@!P0` or empty."""
    control: Control

    @property
    def text(self) -> str:
        """`@!P0 FMUL R0, R0, R4`."""
        operands = self.operands.replace(",", ", ")
        return " ".join(part for part in (self.predicate, self.opcode, operands) if part)

    @property
    def clock(self) -> bool:
        """Whether it reads the cycle counter."""
        return self.operands.endswith(CLOCKS)

    @property
    def never(self) -> bool:
        """Whether its predicate is constant false: a filler that only takes time."""
        return self.predicate in ("@!PT", "@!UPT")


Records = dict[str, list[dict[str, Any]]]
"""Kernel -> nvdisasm's records (`opcode`, `operands`, `predicate`), called functions behind it."""


def disassemble_all(cubins: Sequence[elf.Cubin]) -> list[Records | CompileError]:
    """The records of each cubin, or why nvdisasm cannot read it; read together as far as that goes.

    Raises:
        BackendUnavailable: there is no nvdisasm.
    """
    found: list[Records | CompileError] = [{}] * len(cubins)
    for places in joined.groups(cubins):
        some = [cubins[place] for place in places]
        together = _together(some)
        for place, cubin in zip(places, some, strict=True):
            found[place] = together or _one(cubin)
    return found


def _together(cubins: Sequence[elf.Cubin]) -> Records:
    """Records of all kernels; nothing where they cannot be read as one, or not all are in it whole."""
    if len(cubins) < 2:
        return {}
    try:
        records = disassemble(joined.join(cubins))
    except CompileError:
        return {}
    whole = all(
        len(records.get(kernel, ())) * WORD.size == len(cubin.code(kernel))
        for cubin in cubins
        for kernel in cubin.kernels
    )
    return records if whole else {}


def _one(cubin: elf.Cubin) -> Records | CompileError:
    try:
        return disassemble(cubin.data)
    except CompileError as error:
        return error


def disassemble(cubin: bytes) -> Records:
    """What nvdisasm says of one cubin.

    Raises:
        CompileError: nvdisasm cannot read this cubin; holds what it says.
        BackendUnavailable: there is no nvdisasm.
    """
    program = toolkit.find().nvdisasm
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [str(program), "-json", "-c", "-ndf", file.name]
        try:
            done = subprocess.run(command, capture_output=True, timeout=300, check=False)
        except (OSError, subprocess.SubprocessError) as error:
            raise CompileError(f"nvdisasm does not run: {error}") from error
        name = Path(file.name).name
    said = (
        done.stderr.decode(errors="replace").replace(f"{tempfile.gettempdir()}/{name}", "the cubin").strip()
    )
    try:
        parts = msgspec.json.decode(done.stdout)
        functions = {part["function-name"]: part["sass-instructions"] for part in parts[1]}
    except (msgspec.DecodeError, KeyError, IndexError, TypeError) as error:
        version = toolkit.release(program)
        raise CompileError(
            f"nvdisasm {version} cannot read this cubin ({said or error}); "
            "it must be at least as new as the compiler: pip install -U nvidia-cuda-nvdisasm"
        ) from error
    return functions


def decode(records: Iterable[dict[str, Any]], code: bytes) -> list[Instruction]:
    """Put the disassembler's records and the words of the code together.

    Raises:
        CompileError: there are not as many of one as of the other.
    """
    listed = list(records)
    if len(listed) * WORD.size != len(code):
        raise CompileError(f"nvdisasm read {len(listed)} instructions from {len(code) // WORD.size} words")
    return [
        Instruction(
            WORD.size * number,
            record["opcode"],
            record.get("operands", ""),
            record.get("predicate", ""),
            Control.decode(high),
        )
        for number, (record, (_, high)) in enumerate(zip(listed, WORD.iter_unpack(code), strict=True))
    ]


def listing(instructions: Iterable[Instruction]) -> str:
    """One line an instruction: waits, read and write barrier, yield, stall, text; repetitions are folded.

    The columns are CuAssembler's, but for the yield bit as it acts (`Y` where it is 0).
    """
    lines: list[str] = []
    previous, count = "", 0
    for text in [*(f"{one.control}  {one.text}" for one in instructions), ""]:
        if text == previous:
            count += 1
            continue
        if previous:
            lines.append(previous if count == 1 else f"{previous}    ; x {count}")
        previous, count = text, 1
    return "\n".join(lines)
