"""Which registers an instruction reads and writes, from its opcode and operands as nvdisasm prints them.

Four files: general `R`, uniform `UR`, predicate `P`, uniform predicate `UP`.  `RZ`, `URZ`, `PT` and
`UPT` are constants.  An operand may stand for two, four or more registers; how many follows from the
opcode's modifiers, as below.  The rules are tested against nvdisasm's own life ranges (`-plr`) on every
instruction of a corpus for every target.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

_REGISTER = re.compile(r"(?<![A-Za-z_0-9])(UR|UP|R|P)(\d+)(\.64)?")
_PREDICATE = re.compile(r"U?P(\d|T)")
_PLAIN = re.compile(r"(U?R|U?P)(\d+|Z|T)(\.\w+)*")
_BRACKET = re.compile(r"(\w*)\[([^\]]*)\]")
_ALL_PREDICATES = frozenset(f"P{number}" for number in range(7))

_NO_RESULT = re.compile(
    r"BRA|BRXU?|JMP|JMXU?|CALL|RET|EXIT|BAR|BSYNC|BSSY|BREAK|WARPSYNC|NANOSLEEP|DEPBAR|BPT|KILL|R2P|PREEXIT"
    r"|USETMAXREG|ACQBULK|ARRIVES|WARPGROUP\w*|MEMBAR|U?CCTL\w*|UTC(?!ATOM)\w+|UTMA\w+|UBLK\w+|ST\w*|REDG?|REDAS"
)
"""Opcodes whose first operand is a source even if it is a register."""
_BEHIND_PREDICATE = re.compile(r"SHFL|MATCH|ATOM\w*|U?LOP3|R2UR|ELECT|QSPC|U?IMNMX|SUATOM|UTCATOM\w*")
"""Opcodes that write a register behind the predicate that comes first."""
_MEMORY = re.compile(r"LD\w*|U?LDC\w*|ULD\w*|ST\w*|ATOM\w*|RED\w*|SULD|SUST|SUATOM")
_MATRIX = re.compile(r"[HIDBQO]MMA")
_TEXTURE = re.compile(r"TLD4?|TEX|TXD|TXQ|TMML")
_CONVERSION = re.compile(r"U?(F2I|I2F|F2F|FRND|I2I)")
_DOUBLE = re.compile(r"DFMA|DADD|DMUL|DSETP|DMNMX|F(FMA|ADD|MUL)2")
_ACCUMULATOR_LANES = 128
"""Threads that share the result of a warpgroup's matrix instruction."""


@dataclass(frozen=True, slots=True)
class Effects:
    """Registers of one instruction, by name: `R4`, `UR5`, `P0`."""

    reads: frozenset[str]
    writes: frozenset[str]


@lru_cache(maxsize=65536)
def effects(opcode: str, operands: str, predicate: str) -> Effects:
    """Registers read and written.

    Args:
        opcode: with modifiers: `IMAD.WIDE.U32`.
        operands: as in nvdisasm's JSON: `R6,R7,0x4,R4`.
        predicate: `@!P0` or empty; the guard is read.
    """
    split = _split(operands)
    results = _results(opcode, split)
    reads, writes = set(_named(predicate, 1)), set[str]()
    position = 0
    for number, operand in enumerate(split):
        if number in results:
            writes |= _named(operand, 1 if _PREDICATE.fullmatch(operand) else _result_width(opcode))
        elif "[" in operand:
            reads |= _address(opcode, operand, number)
            position += 1
        elif _PREDICATE.fullmatch(operand.lstrip("!")):
            reads |= _named(operand, 1)
        else:
            reads |= _named(operand, _source_width(opcode, position))
            position += 1
    if opcode == "R2P":
        writes |= _ALL_PREDICATES
    if opcode == "P2R":
        reads |= _ALL_PREDICATES
    return Effects(frozenset(reads), frozenset(writes))


@lru_cache(maxsize=65536)
def sources(opcode: str, operands: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Each operand that is read and is no predicate, with the general registers that it stands for."""
    split = _split(operands)
    results = _results(opcode, split)
    found: list[tuple[str, tuple[str, ...]]] = []
    for number, operand in enumerate(split):
        if number in results or _PREDICATE.fullmatch(operand.lstrip("!")):
            continue
        width = _source_width(opcode, len(found))
        named = _address(opcode, operand, number) if "[" in operand else _named(operand, width)
        found.append((operand, tuple(sorted(name for name in named if name[0] == "R"))))
    return tuple(found)


def _split(operands: str) -> list[str]:
    """At the commas outside brackets."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(operands):
        depth += (letter in "[{(") - (letter in "]})")
        if letter == "," and depth == 0:
            parts.append(operands[start:place].strip())
            start = place + 1
    rest = operands[start:].strip()
    return [*parts, rest] if rest else parts


def _results(opcode: str, operands: list[str]) -> set[int]:
    """Positions of the operands that are written: the first, and predicates beside it."""
    name = opcode.partition(".")[0]
    if not operands or _NO_RESULT.fullmatch(name) or not _PLAIN.fullmatch(operands[0]):
        return set()
    if name in ("VOTE", "VOTEU"):  # the last operand is the vote, a predicate too
        return set(range(min(2, len(operands) - 1)))
    leading = 0
    while leading < min(2, len(operands)) and _PREDICATE.fullmatch(operands[leading]):
        leading += 1
    if leading:
        plain = leading < len(operands) and _PLAIN.fullmatch(operands[leading])
        behind = bool(plain and _BEHIND_PREDICATE.fullmatch(name))
        return set(range(leading + behind))
    results = {0}
    for number in (1, 2):
        if number + 1 >= len(operands) or not _PREDICATE.fullmatch(operands[number]):
            break
        results.add(number)
    if _TEXTURE.fullmatch(name):
        results.add(1)
    return results


def _named(operand: str, width: int) -> set[str]:
    """Registers that an operand names; `width` from each general or uniform one, two where it says `.64`."""
    found = set()
    for file, number, pair in _REGISTER.findall(operand):
        count = 1 if file in ("P", "UP") else max(width, 2 if pair else 1)
        found |= {f"{file}{int(number) + step}" for step in range(count)}
    return found


def _address(opcode: str, operand: str, number: int) -> set[str]:
    """Registers of `[R2.64+0x8]`, `desc[UR4][R2.64]`, `c[0x0][R3]`, `gdesc[UR8]`."""
    name, *modifiers = opcode.split(".")
    shared_side = name == "LDGSTS" and number == 0
    extended = "E" in modifiers and "desc[" not in operand and not shared_side
    found = set()
    for kind, inside in _BRACKET.findall(operand):
        if kind in ("desc", "cx"):
            found |= _named(inside, 2)
        elif kind == "gdesc":
            found |= _named(inside, 2 if name.startswith("UTC") else 4)
        elif name.startswith("UBLK"):
            found |= _named(inside, 2)
        elif kind == "" and extended:
            general, _, uniform = inside.partition("UR")
            found |= _named(general, 2) | _named(f"UR{uniform}", 1 if _named(general, 1) else 2)
        else:
            found |= _named(inside, 1)
    return found


def _result_width(opcode: str) -> int:
    """Registers that a result takes."""
    name, *modifiers = opcode.split(".")
    if _MATRIX.fullmatch(name):
        return _matrix(opcode)[2]
    if name.endswith("GMMA"):
        return _warpgroup(opcode)
    if name == "LDTM":
        return _tensor_lanes(modifiers)
    if name == "LEPC":
        return 2
    if name in ("LDSM", "MOVM"):
        return 2 if "M832" in modifiers else _last_number(modifiers)
    if _MEMORY.fullmatch(name):
        return _data(modifiers)
    if _CONVERSION.fullmatch(name):
        return _converted(name, modifiers)[0]
    if name in ("CS2R", "CS2UR"):
        return 1 if "32" in modifiers else 2
    return 2 if "WIDE" in modifiers or _paired(name, modifiers) else 1


def _source_width(opcode: str, position: int) -> int:
    """Registers that the source at this position takes; predicates are not counted."""
    name, *modifiers = opcode.split(".")
    if _MATRIX.fullmatch(name):
        return _matrix(opcode)[position] if position < 3 else 1
    if name.endswith("GMMA"):
        return 4 if position == 0 else _warpgroup(opcode)
    if name == "STTM":
        return _tensor_lanes(modifiers)
    if name in ("STSM", "MOVM"):
        return _last_number(modifiers) if name == "STSM" else 1
    if _MEMORY.fullmatch(name):
        return _data(modifiers)
    if _CONVERSION.fullmatch(name):
        return _converted(name, modifiers)[1]
    if "WIDE" in modifiers:
        return 2 if position == 2 else 1
    return 2 if _paired(name, modifiers) else 1


def _paired(name: str, modifiers: list[str]) -> bool:
    """Whether its general operands are 64 bits wide; a funnel shift takes both halves apart."""
    wide = any(modifier in ("64", "S64", "U64") for modifier in modifiers)
    return bool(_DOUBLE.fullmatch(name)) or (wide and name not in ("SHF", "USHF"))


def _data(modifiers: list[str]) -> int:
    for modifier in modifiers:
        if modifier in ("128", "256"):
            return int(modifier) // 32
        if modifier in ("64", "F64", "S64", "U64"):
            return 2
    return 1


def _last_number(modifiers: list[str]) -> int:
    """Matrices that `LDSM.16.M88.4` moves."""
    return int(modifiers[-1]) if modifiers[-1] in ("2", "4") else 1


def _tensor_lanes(modifiers: list[str]) -> int:
    """Registers of `LDTM.x8`, `LDTM.16dp256bit.x2`: 32 bits a lane, twice or four times that where wider."""
    count = next((int(modifier[1:]) for modifier in modifiers if re.fullmatch(r"x\d+", modifier)), 1)
    wide = next((modifier for modifier in modifiers if modifier.endswith("bit")), "")
    return count * (4 if "256" in wide else 2 if "128" in wide else 1)


def _converted(name: str, modifiers: list[str]) -> tuple[int, int]:
    """Registers of result and source of `F2I.S64.F64`, `I2F.F64`, `F2F.F32.F64`, `FRND.F64`."""
    kind = name.removeprefix("U")
    integer, real = _any(modifiers, ("S64", "U64")), _any(modifiers, ("F64",))
    if kind == "F2I":
        return integer, real
    if kind == "I2F":
        return real, integer
    types = [modifier for modifier in modifiers if re.fullmatch(r"B?F\d+", modifier)]
    if kind == "F2F" and len(types) == 2:
        return _any(types[:1], ("F64",)), _any(types[1:], ("F64",))
    return real, real


def _any(modifiers: Iterable[str], wanted: tuple[str, ...]) -> int:
    return 2 if any(modifier in wanted for modifier in modifiers) else 1


@cache
def _matrix(opcode: str) -> tuple[int, int, int]:
    """Registers a thread of A, B and the accumulator: the elements shared out over 32 lanes."""
    name, *modifiers = opcode.split(".")
    m, n, k = _shape(modifiers)
    bits, result = 16, 32
    if name == "HMMA":
        bits = 32 if "TF32" in modifiers else 16
    elif name == "DMMA":
        bits = result = 64
    elif name == "IMMA":
        bits = 4 if "S4" in modifiers or "U4" in modifiers else 8
    elif name == "BMMA":
        bits = 1
    else:
        bits = 8 if name == "QMMA" else 4
    if name in ("HMMA", "QMMA", "OMMA") and "F32" not in modifiers:
        result = 16
    share = 2 if "SP" in modifiers else 1
    a, b, d = m * k * bits // share, k * n * bits, m * n * result
    return max(1, a // 1024), max(1, b // 1024), max(1, d // 1024)


def _shape(modifiers: list[str]) -> tuple[int, int, int]:
    """(m, n, k) of `16816`, `1688`, `884`, `16x8x4`."""
    for modifier in modifiers:
        if re.fullmatch(r"\d+x\d+x\d+", modifier):
            m, n, k = (int(number) for number in modifier.split("x"))
            return m, n, k
        match = re.fullmatch(r"(16|8)(8)(\d+)", modifier)
        if match:
            return int(match[1]), int(match[2]), int(match[3])
    return 16, 8, 16


def _warpgroup(opcode: str) -> int:
    """Accumulator registers of `HGMMA.64x128x16.F32`."""
    modifiers = opcode.split(".")[1:]
    m, n, _ = _shape(modifiers)
    bits = 16 if "F16" in modifiers and "F32" not in modifiers else 32
    return max(1, m * n * bits // 32 // _ACCUMULATOR_LANES)
