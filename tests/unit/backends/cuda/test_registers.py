"""Registers read and written, against nvdisasm's own life ranges, which it computes from its own tables."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from reportgen.backends.cuda import compiler, elf, registers, sass, toolkit
from tests.unit.backends.cuda.corpus import corpus

FILES = {"GPR": "R", "PRED": "P", "UGPR": "UR", "UPRED": "UP"}
MARKS = {"v": (True, False), "^": (False, True), "x": (True, True)}


@pytest.mark.parametrize(
    ("opcode", "operands", "predicate", "reads", "writes"),
    [
        ("FFMA", "R0,R4.reuse,R5,R0", "", "R0 R4 R5", "R0"),
        ("FADD", "R0,-R4,|R5|", "@!P3", "R4 R5 P3", "R0"),
        ("DFMA", "R4,R6,-R4,1", "", "R4 R5 R6 R7", "R4 R5"),
        ("IMAD.WIDE.U32", "R6,R7,0x4,R4", "", "R7 R4 R5", "R6 R7"),
        ("IADD3", "R8,P0,P1,R9,R5,R7", "", "R9 R5 R7", "R8 P0 P1"),
        ("IADD3.X", "R9,R9,R5,R7,P0,P1", "", "R9 R5 R7 P0 P1", "R9"),
        ("ISETP.GE.AND", "P0,PT,R0,R5,P3", "", "R0 R5 P3", "P0"),
        ("SEL", "R0,R4,R5,!P0", "", "R4 R5 P0", "R0"),
        ("VOTE.ANY", "R5,PT,P0", "", "P0", "R5"),
        ("SHFL.DOWN", "P0,R7,R0,R5,0x1f", "", "R0 R5", "P0 R7"),
        ("LDG.E.64", "R6,desc[UR4][R2.64+0x200]", "", "R2 R3 UR4 UR5", "R6 R7"),
        ("LDG.E.SYS", "R0,[R2]", "", "R2 R3", "R0"),
        ("STG.E.128", "desc[UR6][R6.64],R8", "", "R6 R7 R8 R9 R10 R11 UR6 UR7", ""),
        ("LDS.128", "R8,[R3]", "", "R3", "R8 R9 R10 R11"),
        ("ATOMG.E.ADD.64.STRONG.GPU", "PT,R8,desc[UR6][R4.64],R6", "", "R4 R5 R6 R7 UR6 UR7", "R8 R9"),
        ("RED.E.ADD.64.STRONG.GPU", "[R4.64],R6", "", "R4 R5 R6 R7", ""),
        ("HMMA.16816.F32", "R12,R4.reuse,R8,R12", "", "R4 R5 R6 R7 R8 R9 R12 R13 R14 R15", "R12 R13 R14 R15"),
        ("HMMA.1688.F32.TF32", "R0,R4,R8,R0", "", "R0 R1 R2 R3 R4 R5 R6 R7 R8 R9", "R0 R1 R2 R3"),
        ("DMMA.8x8x4", "R12,R2,R4,R8", "", "R2 R3 R4 R5 R8 R9 R10 R11", "R12 R13 R14 R15"),
        ("IMMA.8816.S8.S8", "R6,R4.ROW,R9.COL,R6", "", "R4 R6 R7 R9", "R6 R7"),
        ("F2F.F64.F32", "R8,R10", "", "R10", "R8 R9"),
        ("F2I.S64.F64.TRUNC", "R8,R4", "", "R4 R5", "R8 R9"),
        ("I2F.F64", "R8,R4", "", "R4", "R8 R9"),
        ("CS2R.32", "R4,SR_CLOCKLO", "", "", "R4"),
        ("CS2R", "R4,SR_CLOCKLO", "", "", "R4 R5"),
        ("FFMA2", "R12,R4.F32x2.HI_LO,R6,R8", "", "R4 R5 R6 R7 R8 R9", "R12 R13"),
        ("IADD.64", "R14,-R14,R2", "", "R2 R3 R14 R15", "R14 R15"),
        ("R2UR", "P1,UR4,R4", "@P0", "R4 P0", "P1 UR4"),
        ("HGMMA.64x64x16.F32", "R24,gdesc[UR4],R24", "", None, None),
        ("LDTM.x8", "R4,tmem[UR6]", "", "UR6", "R4 R5 R6 R7 R8 R9 R10 R11"),
        ("STTM.x2", "tmem[UR6],R4", "", "UR6 R4 R5", ""),
        (
            "UTCHMMA",
            "gdesc[UR10],gdesc[UR12],tmem[UR6],tmem[UR4],idesc[UR5],UPT",
            "",
            "UR10 UR11 UR12 UR13 UR6 UR4 UR5",
            "",
        ),
        ("UBLKCP.S.G", "[UR12],[UR6],UR8", "", "UR12 UR13 UR6 UR7 UR8", ""),
        ("P2R", "R0,PR,RZ,0x7f", "", "P0 P1 P2 P3 P4 P5 P6", "R0"),
        ("BRA", "0x1b0", "@P0", "P0", ""),
        ("EXIT", "", "", "", ""),
    ],
)
def test_one_instruction(
    opcode: str, operands: str, predicate: str, reads: str | None, writes: str | None
) -> None:
    found = registers.effects(opcode, operands, predicate)
    if reads is None or writes is None:  # a warpgroup's accumulator: 64 x 64 values on 128 lanes
        assert found.writes == {f"R{24 + n}" for n in range(32)}
        assert {"UR4", "UR5", "UR6", "UR7"} <= found.reads
        return
    assert found.reads == set(reads.split())
    assert found.writes == set(writes.split())


@pytest.mark.parametrize("target", ["sm_75", "sm_86", "sm_90a", "sm_100a", "sm_120"])
def test_as_the_disassembler_sees_it(toolchain: str, target: str, tmp_path: Path) -> None:
    number = int(target[3:].rstrip("af"))
    cubins = compiler.compile_kernels(corpus(number), target)
    refused = {name: str(cubin) for name, cubin in cubins.items() if not isinstance(cubin, bytes)}
    assert refused == {}
    unlike: dict[str, str] = {}
    seen = 0
    for index, data in enumerate({cubin for cubin in cubins.values() if isinstance(cubin, bytes)}):
        path = tmp_path / f"{index}.cubin"
        path.write_bytes(data)
        cubin, records = elf.Cubin(data), sass.disassemble(data)
        for name, marked in life_ranges(path).items():
            decoded = {one.offset: one for one in sass.decode(records[name], cubin.code(name))}
            for offset, reads, writes in marked:
                one = decoded[offset]
                seen += 1
                text = difference(one, reads, writes)
                if text:
                    unlike[one.opcode] = text
    assert unlike == {}
    assert seen > 400


def difference(one: sass.Instruction, reads: set[str], writes: set[str]) -> str:
    """Where our reading differs from the disassembler's; empty where it does not matter."""
    if one.opcode.startswith(("CALL", "RET", "BRX")):  # it adds what the called routine touches
        return ""
    found = registers.effects(one.opcode, one.operands, one.predicate)
    missing = reads - found.reads
    if ".64]" in one.operands or ".64+" in one.operands:  # sm_80 to 89 do not print the descriptor
        missing = {name for name in missing if not name.startswith("UR")}
    if one.opcode.startswith("IMAD.HI"):  # counted as a pair from sm_100 on, single before
        missing = set()
    too_many = found.reads - reads
    if missing or too_many or found.writes != writes:
        return f"{one.text}: reads {sorted(reads)}, writes {sorted(writes)}, not {found}"
    return ""


def life_ranges(path: Path) -> dict[str, list[tuple[int, set[str], set[str]]]]:
    """Kernel -> (offset, reads, writes) of each instruction, from `nvdisasm -plr`."""
    command = [str(toolkit.find().nvdisasm), "-c", "-plr", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "Cannot print life ranges" in done.stderr:
        pytest.skip("nvdisasm prints no life ranges of a cubin from so old a compiler")
    text = done.stdout
    found: dict[str, list[tuple[int, set[str], set[str]]]] = {}
    name, files, columns = "", [""], [[(0, 0, "")]]
    for line in text.splitlines():
        begins = re.match(r"\.text\.(\S+):", line)
        if begins:
            name = begins[1]
            found[name] = []
        code, _, table = line.partition("// |")
        groups = table.split("|")
        if "GPR" in table:
            files = [FILES.get(group.strip(), "") for group in groups]
        elif "#" in table:
            columns = [[(m.start(), m.end(), m[0]) for m in re.finditer(r"\d+", group)] for group in groups]
        instruction = re.search(r"/\*([0-9a-f]{4,})\*/", code)
        if instruction and name:
            reads, writes = _marked(files, columns, groups)
            found[name].append((int(instruction[1], 16), reads, writes))
    return found


def _marked(
    files: list[str], columns: list[list[tuple[int, int, str]]], groups: list[str]
) -> tuple[set[str], set[str]]:
    reads, writes = set(), set()
    for file, places, group in zip(files, columns, groups, strict=False):
        for mark in re.finditer(r"[v^x]", group) if file else ():
            number = next(n for start, end, n in places if start <= mark.start() < end)
            is_read, is_written = MARKS[mark[0]]
            reads |= {file + number} if is_read else set()
            writes |= {file + number} if is_written else set()
    return reads, writes
