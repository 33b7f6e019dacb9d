"""SASS as `nvdisasm`, `cuobjdump -sass` or the pages of a run print it -> instructions."""

from __future__ import annotations

import re

from reportgen.model.cost.instruction import Address, Instruction

_LINE = re.compile(
    r"^\s*(?:/\*(?P<at>[0-9a-f]+)\*/)?\s*(?P<predicate>@!?U?P(?:\d|T))?\s*"
    r"(?P<opcode>[A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)*)\s*(?P<operands>[^;/]*);",
)
_OWN = re.compile(r"^[-\d]{6} \S \S [-Y] +\d+ +(?P<code>.*)$", re.MULTILINE)
"""A line of the pages: barriers waited for, barriers set, whether to yield, stall, instruction."""
_LABEL = re.compile(r"^\s*(\.L[\w.]*):")
_REGISTER = re.compile(r"\b(U?R\d+|U?P\d)(?:\.(64|reuse|H0_H0|H1_H1))*")
_MEMORY = re.compile(r"\[([^\]]*)\]")
_TARGET = re.compile(r"(?:`\((\.L[\w.]*)\)|(0x[0-9a-f]+))\s*$")
_STORES = ("ST", "STG", "STS", "STL", "RED", "SUST")
_LOADS = ("LD", "LDG", "LDS", "LDL", "LDC", "LDSM", "ATOM", "ATOMS", "ATOMG")
_NO_RESULT = (
    *_STORES,
    "BRA",
    "EXIT",
    "BAR",
    "DEPBAR",
    "NOP",
    "WARPSYNC",
    "BSYNC",
    "MEMBAR",
    "RET",
    "CALL",
    "YIELD",
)
_PREDICATES = ("ISETP", "FSETP", "DSETP", "HSETP2", "PLOP3", "UISETP")
_BITS = {"64": 64, "128": 128, "U16": 16, "S16": 16, "U8": 8, "S8": 8}


def looks_like(text: str) -> bool:
    """Whether most lines with something on them are SASS."""
    lines = [line for line in _plain(text).splitlines() if line.strip() and not _LABEL.match(line)]
    code = [line for line in lines if _LINE.match(line)]
    return bool(code) and 2 * len(code) >= len(
        [line for line in lines if not line.strip().startswith((".", "//"))]
    )


def _plain(text: str) -> str:
    """The text with the lines of the pages as `nvdisasm` prints them."""
    return _OWN.sub(lambda match: f"{match['code']} ;", text)


def instructions(text: str) -> list[Instruction]:
    """The instructions of a listing, in order; encodings and headers are passed over."""
    found: list[Instruction] = []
    labels: dict[str, int] = {}
    targets: list[str] = []
    for line in _plain(text).splitlines():
        label = _LABEL.match(line)
        if label:
            labels[label[1]] = len(found)
        match = _LINE.match(line)
        if match is None:
            continue
        one, target = _instruction(match, len(found))
        found.append(one)
        targets.append(target)
    places = {one.at: number for number, one in enumerate(found)}
    return [_placed(one, number, target, labels, places) for number, (one, target) in
            enumerate(zip(found, targets, strict=True))]  # fmt: skip


def _placed(
    one: Instruction, number: int, target: str, labels: dict[str, int], places: dict[int, int]
) -> Instruction:
    """The same with its place in the listing as its address, and its target's."""
    import msgspec

    to = labels.get(target)
    if to is None and target.startswith("0x"):
        to = places.get(int(target, 16))
    return msgspec.structs.replace(one, at=number, target=to)


def _instruction(match: re.Match[str], number: int) -> tuple[Instruction, str]:
    opcode, operands = match["opcode"], match["operands"].strip()
    root = opcode.split(".")[0]
    predicate = match["predicate"] or ""
    parts = [part.strip() for part in re.split(r",(?![^\[]*\])", operands) if part.strip()]
    results = 0 if root in _NO_RESULT else 2 if root in _PREDICATES else 1
    writes = [name for part in parts[:results] for name in _registers(part, opcode, result=True)]
    reads = [name for part in parts[results:] for name in _registers(part, opcode)]
    if predicate and not predicate.endswith("PT"):
        reads += [predicate.lstrip("@!"), *writes]  # what is not written keeps its value
    branch = root in ("BRA", "JMP")
    target = _TARGET.search(operands) if branch else None
    memory = _MEMORY.search(operands)
    access = ("both" if root.startswith("ATOM") else "store" if root in _STORES else "load") if memory else ""
    one = Instruction(
        text=" ".join(filter(None, (predicate, opcode, operands))),
        mnemonic=opcode,
        reads=tuple(dict.fromkeys(reads)),
        writes=tuple(dict.fromkeys(writes)),
        memory=(access,) if memory and root in (*_LOADS, *_STORES) else (),
        address=_address(memory[1], opcode) if memory else None,
        at=int(match["at"], 16) if match["at"] else number,
        flow=("conditional" if predicate else "jump") if branch else "next",
        move=root in ("MOV", "UMOV"),
    )
    return one, (target[1] or target[2]) if target else ""


def _registers(part: str, opcode: str, result: bool = False) -> list[str]:
    """Registers named in an operand; a wide one stands for the two or four that it begins."""
    found = []
    for match in _REGISTER.finditer(part):
        name = match[1]
        found.append(name)
        wide = ".64" in match[0] or (result and re.search(r"\.(64|WIDE)\b|^D[A-Z]", opcode) is not None)
        if name[0] == "R" and (wide or (result and ".128" in opcode)):
            count = 4 if result and ".128" in opcode else 2
            found += [f"R{int(name[1:]) + i}" for i in range(1, count)]
    return found


def _address(text: str, opcode: str) -> Address:
    names = [match[1] for match in _REGISTER.finditer(text)]
    offset = re.search(r"[+-]?0x[0-9a-f]+", text)
    bits = next((_BITS[part] for part in opcode.split(".") if part in _BITS), 32)
    return Address(
        base=names[0] if names else "",
        index=names[1] if len(names) > 1 else "",
        scale=1,
        displacement=int(offset[0], 16) if offset else 0,
        bits=bits,
    )
