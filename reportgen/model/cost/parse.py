"""From a file to a loop body: x86-64 assembly, a SASS listing, or a list of `operation:count`.

x86-64 text is assembled and decoded by a process of its own, as the assembler ends its process at a mnemonic
that it does not know.  The body is, in this order: what stands between the marks of llvm-mca or OSACA
(`LLVM-MCA-BEGIN`, `OSACA-BEGIN` in a comment); the loop without a loop in it that has most instructions, of
those that a condition closes and nothing returns from, where there are such; everything.
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from reportgen.errors import UserError
from reportgen.model.cost import sass
from reportgen.model.cost.instruction import Body, Instruction

ASSEMBLER = "reportgen.backends.cpu.x86_64.listing"
X86_64 = ("x86_64", "AMD64")
"""Machines for which LLVM's assembler of the ISA is built and the decoder has a wheel."""
MOST = 20000
"""Instructions of a body: some quarter of a minute, and growing faster than they do."""
SECONDS = 60.0
"""An assembler that takes longer for a listing hangs."""
MARKS = {"BEGIN": "0x0f,0x0b,0x72,0x67,0x0b,0x01", "END": "0x0f,0x0b,0x72,0x67,0x0b,0x02"}
"""Bytes that the assembler's process looks for; see its module."""
_MARK = re.compile(r"(?:LLVM-MCA|OSACA)-(BEGIN|END)")
_COUNT = re.compile(r"([A-Za-z]\w*)\s*:\s*(\d+(?:\.\d+)?)")
_ITEMS = re.compile(r"^\s*(?:#|;|//)\s*items\s*[:=]\s*(\d+(?:\.\d+)?)\s*$", re.MULTILINE)
_LABEL = re.compile(r"\s*(?:[\w.$@]+:|\.\w+)\s*")
"""A line with a label, or a directive without arguments."""
_COMMENT = re.compile(r"(?:#|//).*")
_AT_AND_T = re.compile(r"%(?:[re]?[abcd]x|[re]?[sd]i|[re]?[sb]p|r\d+[dwb]?|[xyz]mm\d+|k\d|[abcd][lh])\b")
_INTEL = re.compile(r"\b(?:[re][abcd]x|[re][sd]i|[re][sb]p|r\d+[dwb]?|[xyz]mm\d+)\b", re.IGNORECASE)
_AARCH64 = re.compile(
    r"\b(?:v\d+\.\d*[bhsd]|q\d+|z\d+\.[bhsd]|[xw]zr)\b|^\s*(?:ldr|str|ldp|stp|fmadd|cbnz)\s", re.MULTILINE
)
_X86_BARE = re.compile(r"^\s*(?:jmp|nop|ret|pause|cpuid|rdtscp?|[lsm]fence|vzeroupper)\b", re.MULTILINE)
"""Instructions that name no register."""
_PTX = re.compile(
    r"^\s*\.(?:target\s+sm_|address_size|visible\s+\.entry|reg\s+\.)|%(?:rd|fd?|p)\d+\b", re.MULTILINE
)
_OTHERS = (
    (
        "RISC-V",
        re.compile(r"^\s*(?:addiw?|lui|auipc|vsetvli|fmadd\.[sd]|f[ls][wd]|bnez|vle\d+\.v)\s", re.MULTILINE),
    ),
    ("Power", re.compile(r"^\s*(?:xvmadd\w+|lxvx?|stxvx?|addic?\.?|bdnz|mtctr|lwzx?)\s", re.MULTILINE)),
    ("LLVM IR", re.compile(r"^\s*(?:%[\w.]+\s*=\s*\w+|define\s|br\s+(?:i1|label))", re.MULTILINE)),
)
_UNSUPPORTED_ISA = "What is read: x86-64 assembly, SASS listings and lists of operation:count."


class Unreadable(UserError):
    """A listing that cannot be estimated: empty, of another instruction set, or refused by the assembler."""


def read(source: str, intel: bool | None = None) -> Body:
    """The body that a file, or a word such as `fp32_fma:8,l1_load:4`, holds.

    Args:
        source: path of a file, or the list itself.
        intel: syntax of x86-64 text; found out where not given.

    Raises:
        Unreadable: no file and no list; a folder; empty; of an instruction set that is not known; refused by
            the assembler.
    """
    path = Path(source)
    try:
        there = path.exists() and not path.is_dir()  # a pipe is one too
    except PermissionError:  # a folder on the way is not ours: reading it says so
        there = True
    except OSError:  # a list that is longer than a name may be
        there = False
    if not there:
        if _COUNT.search(source) and "/" not in source:
            return _mix(source, source.replace(",", "\n"))
        found = f"'{source}' is a folder." if _is_folder(path) else f"there is no file '{source}'."
        raise Unreadable(found, "Name a file, or a list such as 'fp32_fma:8,l1_load:4'.")
    return estimable(parse(path.name, listing(path), intel))


def estimable(body: Body) -> Body:
    """The body itself.

    Raises:
        Unreadable: it is so long that an estimate would take minutes, and no loop is.
    """
    if len(body.instructions) > MOST:
        raise Unreadable(
            f"'{body.name}' is {len(body.instructions)} instructions, and at most {MOST} are estimated.",
            "Put LLVM-MCA-BEGIN and LLVM-MCA-END in comments around the loop body.",
        )
    return body


def listing(path: Path) -> str:
    """The text of a file.

    Raises:
        Unreadable: it cannot be read, or is no text.
    """
    try:
        return decoded(path.read_bytes(), str(path))
    except OSError as error:
        raise Unreadable(f"'{path}' cannot be read ({error.strerror}).", "Check the file.") from None


def decoded(data: bytes, name: str) -> str:
    """The text that bytes are: UTF-8, a mark of its byte order or none, and line ends of any system.

    Raises:
        Unreadable: they are no text.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable(
            f"'{name}' is no text.", "Give the listing, for example what 'gcc -S' writes."
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def parse(name: str, text: str, intel: bool | None = None) -> Body:
    """The body in a text; see `read`."""
    return _with_items(_parse(name, text, intel), text)


def _with_items(body: Body, text: str) -> Body:
    """The body with the results of a round that a comment of the text states."""
    items = _ITEMS.search(text)
    return msgspec.structs.replace(body, items=float(items[1])) if items else body


def _parse(name: str, text: str, intel: bool | None) -> Body:
    code = "\n".join(_COMMENT.sub("", line) for line in text.splitlines())
    if not any(line.strip() and not _LABEL.fullmatch(line) for line in code.splitlines()):
        raise Unreadable(f"'{name}' holds no instruction.", "Give a loop body.")
    if all(_COUNT.fullmatch(line.strip()) for line in code.splitlines() if line.strip()):
        return _mix(name, code)
    if sass.looks_like(text):
        return _loop(name, "cuda", sass.instructions(text), [])
    if _PTX.search(code):
        raise Unreadable(
            f"'{name}' is PTX, which is compiled once more.", "Give the SASS: 'cuobjdump -sass FILE'."
        )
    x86 = bool(_AT_AND_T.search(code)), bool(_INTEL.search(code))
    if intel is None and not any(x86) and not _X86_BARE.search(code):
        if _AARCH64.search(code):
            raise Unreadable(f"'{name}' is AArch64 code.", _UNSUPPORTED_ISA)
        for other, pattern in _OTHERS:
            if pattern.search(code):
                raise Unreadable(f"'{name}' is {other} code.", _UNSUPPORTED_ISA)
        try:  # x87 instructions and the like name no register
            return x86_bodies([(name, text, True)])[0]
        except Unreadable:
            raise Unreadable(
                f"'{name}' is of no instruction set that is known here.", _UNSUPPORTED_ISA
            ) from None
    if intel is None and _AARCH64.search(code) and not x86[0]:
        raise Unreadable(f"'{name}' is AArch64 code.", _UNSUPPORTED_ISA)
    return x86_bodies([(name, text, not x86[0] if intel is None else intel)])[0]


def _mix(name: str, code: str) -> Body:
    counts: dict[str, float] = {}
    for line in filter(None, (line.strip() for line in code.splitlines())):
        found = _COUNT.fullmatch(line)
        if found is None:
            raise Unreadable(f"'{line}' is not of the form operation:count.", "For example: fp32_fma:8.")
        counts[found[1]] = counts.get(found[1], 0.0) + float(found[2])
    counts = {operation: count for operation, count in counts.items() if count > 0}
    if not counts:
        raise Unreadable(f"'{name}' counts nothing.", "For example: fp32_fma:8.")
    return Body(name, "", counts=counts)


def x86_bodies(texts: Sequence[tuple[str, str, bool]]) -> list[Body]:
    """Bodies of several x86-64 texts: (name, text, whether it is Intel syntax).

    Raises:
        Unreadable: the assembler refuses one of them, or is not there.
    """
    if platform.machine() not in X86_64:
        raise Unreadable(
            f"'{texts[0][0]}' is x86-64 code, whose assembler and decoder are there on x86-64 machines only.",
            "Run this on such a machine: its model may be that of another one.",
        )
    asked = [{"text": _marked(text), "intel": intel} for _, text, intel in texts]
    command = [sys.executable, "-m", ASSEMBLER]
    try:
        done = subprocess.run(
            command, input=msgspec.json.encode(asked), capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise Unreadable(
            f"the assembler gave no answer within {SECONDS:g} s.", "Give a shorter text."
        ) from None
    if done.returncode != 0:
        if len(texts) > 1:
            return [body for one in texts for body in x86_bodies([one])]
        raise Unreadable(
            f"'{texts[0][0]}' {_complaint(done.stderr.decode(errors='replace'))}", "Check that line."
        )
    answers = msgspec.json.decode(done.stdout, type=list[list[list[Instruction]]])
    return [
        _with_items(_loop(name, "x86_64", max(sections, key=len, default=[]), _note(text)), text)
        for (name, text, _), sections in zip(texts, answers, strict=True)
    ]


def _marked(text: str) -> str:
    """The text with the marks as bytes that survive assembling."""
    lines = []
    for line in text.splitlines():
        lines.append(line)
        mark = _MARK.search(line)
        if mark:
            lines.append(f".byte {MARKS[mark[1]]}")
    return "\n".join(lines) + "\n"


def _note(text: str) -> list[str]:
    return ["the region between the marks"] if _MARK.search(text) else []


def _complaint(said: str) -> str:
    """LLVM's first error: what is wrong, and the line that it is about."""
    lines = said.splitlines()
    for number, line in enumerate(lines):
        _, found, what = line.partition(": error: ") if ": error: " in line else line.partition("error: ")
        if found:
            what = what.split(">:", 1)[-1].split(": ", 1)[-1] if what.startswith("<") else what
            where = lines[number + 1].strip() if number + 1 < len(lines) else ""
            return f"cannot be assembled: {what}: {where}" if where else f"cannot be assembled: {what}"
    return "cannot be assembled."


def _loop(name: str, isa: str, code: Sequence[Instruction], notes: Iterable[str]) -> Body:
    """The loop in some code; all of it where there is none, or where marks have cut it out."""
    said = list(notes)
    chosen = list(code)
    if not said:
        loops = innermost(code)
        if loops:
            first, last = max(loops, key=lambda one: (_turns(code[one[0] : one[1] + 1]), one[1] - one[0]))
            chosen = list(code[first : last + 1])
            several = f", the longest of {len(loops)}" if len(loops) > 1 else ""
            what = "instruction" if len(chosen) == 1 else "instructions"
            said.append(f"the loop of {len(chosen)} {what} that ends with {chosen[-1].mnemonic}{several}")
        else:
            said.append("the whole text, as if it were the body of a loop")
    if not chosen:
        raise Unreadable(f"'{name}' holds no instruction.", "Give a loop body.")
    if all(_counts(one) for one in chosen):
        said.append("the loop does nothing but count")
    return Body(name, isa, tuple(chosen), notes=tuple(said))


def _turns(loop: Sequence[Instruction]) -> bool:
    """Whether a jump back closes a loop, unlike one from code that a compiler put aside."""
    return loop[-1].flow == "conditional" and all(one.flow != "return" for one in loop)


def _counts(one: Instruction) -> bool:
    """Whether an instruction steers a loop, and does nothing else."""
    by_constant = one.mnemonic in ("add", "sub") and one.operands[1:] == ("imm",)
    return one.flow != "next" or (
        not one.memory and (by_constant or one.mnemonic in ("inc", "dec", "cmp", "test"))
    )


def innermost(code: Sequence[Instruction]) -> list[tuple[int, int]]:
    """First and last instruction of each loop that holds no other."""
    place = {one.at: index for index, one in enumerate(code)}
    loops = [
        (place[one.target], index)
        for index, one in enumerate(code)
        if one.flow in ("conditional", "jump") and one.target in place and place[one.target] <= index
    ]
    return [
        (first, last)
        for first, last in loops
        if not any(other != (first, last) and first <= other[0] and other[1] <= last for other in loops)
    ]
