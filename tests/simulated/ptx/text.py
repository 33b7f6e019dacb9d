"""Reading PTX text.

Blocks of inline assembly have names of their own: what is declared between braces is gone behind them.
Source: NVIDIA, "Parallel Thread Execution ISA", chapters "Syntax" and "State Spaces, Types, and Variables".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.simulated.ptx.records import (
    Address,
    Constant,
    Instruction,
    Kernel,
    Not,
    Operand,
    Pair,
    Parameter,
    Register,
    Sink,
    Symbol,
    Variable,
    Vector,
)

_SIZES = {"8": 1, "16": 2, "32": 4, "64": 8}
_ENTRY = re.compile(r"\.visible\s+\.entry\s+(\w+)\s*\(")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_VARIABLE = re.compile(
    r"(?:\.visible\s+|\.extern\s+)*\.(shared|local|const|global)\s+(?:\.align\s+(\d+)\s+)?\.[bsuf](\d+)\s+"
    r"([\w$]+)\s*(\[(\d*)\])?\s*$"
)
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+(\d+)\s+)?\.[bsuf](\d+)\s+(?:\.ptr\s+(?:\.\w+\s+)*?\.align\s+\d+\s+)?(\w+)\s*(?:\[(\d+)\])?$"
)
_LABEL = re.compile(r"([\w$]+)\s*:(?!:)")
_CONSTANT = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)U?$")
_GUARD = re.compile(r"@(!?)([%\w$]+)\s+")
_BETWEEN = re.compile(r"[ \t\r\n;]*")


class NotRead(Exception):
    """PTX that this reader does not know."""


def kernels(text: str) -> Iterator[str]:
    """Names of the kernels of a module."""
    return (match[1] for match in _ENTRY.finditer(text))


class Module:
    """One PTX file; a kernel is read when it is asked for."""

    def __init__(self, text: str) -> None:
        self.text = _COMMENT.sub("", text)
        starts = [(match[1], match.start()) for match in _ENTRY.finditer(self.text)]
        ends = [start for _, start in starts[1:]] + [len(self.text)]
        self._places = {name: (start, end) for (name, start), end in zip(starts, ends, strict=True)}
        between = [self.text[: starts[0][1]] if starts else self.text]
        between += [_behind(self.text[start:end]) for start, end in self._places.values()]
        self.variables = [found for part in between for found in _variables(part)]

    def kernel(self, name: str) -> Kernel:
        """One kernel.

        Raises:
            KeyError: there is none of this name.
            NotRead: something in it is not known.
        """
        start, end = self._places[name]
        return _Reader(self.text[start:end], name, self.variables).kernel


def _behind(text: str) -> str:
    """What follows a kernel."""
    return text[_closing(text, text.index("{")) + 1 :]


def _closing(text: str, start: int) -> int:
    depth = 0
    for match in re.compile("[{}]").finditer(text, start):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    raise NotRead("a brace is not closed")


def _variables(text: str) -> Iterator[Variable]:
    for statement in text.split(";"):
        line = statement.strip().splitlines()[-1].strip() if statement.strip() else ""
        if re.match(r"\.(version|target|address_size)", line) or not line:
            continue
        yield _variable(line)


def _variable(line: str) -> Variable:
    match = _VARIABLE.match(line)
    if match is None:
        raise NotRead(f"no variable that is known: '{line}'")
    space, align, bits, name, array, count = match.groups()
    each = _SIZES[bits]
    size = each * (int(count) if count else 0) if array else each
    return Variable(name, space, int(align or each), size)


class _Reader:
    """One kernel's text."""

    def __init__(self, text: str, name: str, shared: list[Variable]) -> None:
        self.kernel = Kernel(name, variables=list(shared))
        self._scopes: list[dict[str, Register]] = [{}]
        self._labels: list[dict[str, str]] = [{}]
        opened = text.index("{")
        head = text[:opened]
        self._head(head[head.index("(") : head.rindex(")") + 1], head[head.rindex(")") + 1 :])
        self._body(text[opened + 1 : _closing(text, opened)])

    def _head(self, parameters: str, directives: str) -> None:
        for text in filter(None, (text.strip() for text in parameters.strip("()\n ").split(","))):
            match = _PARAMETER.match(text)
            if match is None:
                raise NotRead(f"no parameter that is known: '{text}'")
            align, bits, name, count = match.groups()
            size = _SIZES[bits] * int(count or 1)
            self.kernel.parameters.append(Parameter(name, size, int(align or _SIZES[bits])))
        for line in filter(None, (line.strip() for line in directives.splitlines())):
            word, _, rest = line.partition(" ")
            if word == ".reqnctapercluster":
                self.kernel.cluster = _product(rest)
            elif word == ".maxntid":
                self.kernel.most_threads = _product(rest)
            elif word not in (".explicitcluster", ".maxnreg", ".minnctapersm"):
                raise NotRead(f"no directive that is known: '{line}'")

    def _body(self, text: str) -> None:
        at = 0
        while True:
            between = _BETWEEN.match(text, at)
            assert between is not None
            at = between.end()
            if at >= len(text):
                return
            if text[at] == "{":
                self._scopes.append({})
                self._labels.append(self._labels_of(text, at))
                at += 1
                continue
            if text[at] == "}":
                self._scopes.pop()
                self._labels.pop()
                at += 1
                continue
            label = _LABEL.match(text, at)
            if label:
                self.kernel.labels[self._label(label[1])] = len(self.kernel.instructions)
                at = label.end()
                continue
            end = text.index(";", at)
            self._statement(" ".join(text[at:end].split()))
            at = end + 1

    def _labels_of(self, text: str, at: int) -> dict[str, str]:
        """Labels within braces, by names that no other braces have."""
        inside = text[at + 1 : _closing(text, at)]
        found = re.findall(r"(?:^|;)\s*([A-Za-z_$][\w$]*)\s*:(?!:)", inside)
        return {name: f"{name}@{len(self.kernel.instructions)}" for name in found}

    def _label(self, name: str) -> str:
        return next((scope[name] for scope in reversed(self._labels) if name in scope), name)

    def _statement(self, line: str) -> None:
        if line.startswith(".reg"):
            self._declare(line)
        elif line.startswith((".shared", ".local", ".extern")):
            self.kernel.variables.append(_variable(line))
        elif not line.startswith((".pragma", ".loc")):
            self.kernel.instructions.append(self._instruction(line))

    def _declare(self, line: str) -> None:
        match = re.match(r"\.reg\s+\.(\w+)\s+(.*)", line)
        if match is None:
            raise NotRead(line)
        kind, names = match.groups()
        predicate = kind == "pred"
        size = 1 if predicate else _SIZES[kind[1:]]
        for name in names.split(","):
            many = re.match(r"([%\w$]+)<(\d+)>", name.strip())
            each = [f"{many[1]}{number}" for number in range(int(many[2]))] if many else [name.strip()]
            for one in each:
                register = Register(len(self.kernel.registers), size, predicate, one)
                self.kernel.registers.append(register)
                self._scopes[-1][one] = register

    def _instruction(self, line: str) -> Instruction:
        guard, negated, text = None, False, line
        match = _GUARD.match(line)
        if match:
            guard, negated, text = self._register(match[2]), bool(match[1]), line[match.end() :]
        opcode, _, rest = text.partition(" ")
        if opcode in ("bra", "bra.uni"):
            return Instruction(opcode, (), guard, negated, line, self._label(rest.strip()))
        operands = tuple(self._operand(part) for part in _split(rest))
        return Instruction(opcode, operands, guard, negated, line)

    def _register(self, name: str) -> Register:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        raise NotRead(f"no register '{name}' is declared")

    def _operand(self, text: str) -> Operand:
        for scope in reversed(self._scopes):
            if text in scope:
                return scope[text]
        if text == "_":
            return Sink()
        if text.startswith("{"):
            return Vector(tuple(self._operand(part) for part in _split(text[1:-1])))
        if text.startswith("["):
            return self._address(text[1:-1])
        if text.startswith("!"):
            return Not(self._register(text[1:]))
        if "|" in text:
            first, second = text.split("|")
            return Pair(self._operand(first), self._operand(second))
        if re.match(r"0[fd][0-9A-Fa-f]+$", text):
            return Constant(int(text[2:], 16))
        if _CONSTANT.match(text):
            return Constant(int(text.rstrip("U"), 0))
        return Symbol(text)

    def _address(self, text: str) -> Address:
        head, *more = _split(text)
        coordinates = self._operand(more[0]) if more else None
        base, _, offset = head.partition("+")
        found = self._operand(base.strip())
        if not isinstance(found, Register | Symbol | Constant):
            raise NotRead(f"no address that is known: [{text}]")
        parts = coordinates.parts if isinstance(coordinates, Vector) else ()
        return Address(found, int(offset or "0", 0), parts)


def _product(text: str) -> int:
    found = 1
    for part in text.split(","):
        found *= int(part)
    return found


def _split(text: str) -> list[str]:
    """At commas that do not stand in braces or brackets."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        if letter in "{[":
            depth += 1
        elif letter in "}]":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts
