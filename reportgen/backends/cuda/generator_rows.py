"""A row of the instruction table, read for one target: whether it is there, and what it must become."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reportgen.errors import Unsupported
from reportgen.suite.definition import Operation

_BOUND = re.compile(r"(>=|<)sm_(\d+)")
_EXACT = re.compile(r"sm_(\d+)([af]?)")
_ENTRY = re.compile(r"(?:(?P<count>\d+|\?) )?(?P<regex>.+?)(?: on (?P<targets>[^|]+))?")


def number(isa: str) -> int:
    """90 of `sm_90`, and of `sm_90a`."""
    match = _EXACT.fullmatch(isa)
    if match is None:
        raise ValueError(f"'{isa}' is no compute target")
    return int(match[1])


def target(targets: tuple[str, ...], isa: str) -> str:
    """The name to compile for on `isa`: with its suffix where the targets give it; empty if not there.

    Raises:
        ValueError: an entry is neither a bound nor a target.
    """
    here, bounded = number(isa), True
    exact: list[str] = []
    for entry in targets:
        bound = _BOUND.fullmatch(entry)
        if bound is not None:
            bounded &= here >= int(bound[2]) if bound[1] == ">=" else here < int(bound[2])
        elif number(entry) == here:
            exact.append(entry)
    if not all(_BOUND.fullmatch(entry) for entry in targets):
        return exact[0] if exact and bounded else ""
    return isa if bounded else ""


def needs(targets: tuple[str, ...]) -> str:
    """In words: `sm_80 or newer`, `sm_90a`, `sm_100a, sm_103a or sm_110a`."""
    bounds = [_BOUND.fullmatch(entry) for entry in targets]
    words = [
        f"{'sm_' + bound[2]} or newer" if bound[1] == ">=" else f"a target before sm_{bound[2]}"
        for bound in bounds
        if bound is not None
    ]
    exact = [entry for entry in targets if not _BOUND.fullmatch(entry)]
    if exact:
        words.append(", ".join(exact[:-1]) + (" or " if exact[:-1] else "") + exact[-1])
    return " and ".join(words)


def require(title: str, targets: tuple[str, ...], isa: str) -> str:
    """As `target`.

    Raises:
        Unsupported: the target does not have it; says which do.
    """
    found = target(targets, isa)
    if not found:
        raise Unsupported(f"{title}: needs {needs(targets)}")
    return found


@dataclass(frozen=True)
class Opcodes:
    """One entry of `opcodes`: instructions of one kind in a step."""

    count: int
    """Per step; -1: any number, harmless."""
    regex: str


def opcodes(operation: Operation, isa: str) -> list[Opcodes]:
    """The entries that hold on a target."""
    found = []
    for text in operation.opcodes:
        match = _ENTRY.fullmatch(text)
        if match is None:
            raise ValueError(f"'{text}' is no entry of opcodes")
        if match["targets"] and not target(tuple(match["targets"].split()), isa):
            continue
        count = match["count"] or "1"
        found.append(Opcodes(-1 if count == "?" else int(count), match["regex"]))
    return found


def expected(parts: list[tuple[str, Operation, int]], isa: str) -> dict[str, int | str]:
    """`want`, `match`, `emulated` and `allow` of the inspector.

    Args:
        parts: (label, operation, steps) of each operation in the window; one operation may stand twice.
        isa: the target.
    """
    label_of: dict[str, str] = {}
    expect: dict[str, int | str] = {}
    allowed: list[str] = []
    for name, operation, steps in parts:
        for position, entry in enumerate(opcodes(operation, isa)):
            if entry.count < 0:
                allowed.append(entry.regex)
                continue
            label = label_of.setdefault(entry.regex, name if not position else f"{name}_{position + 1}")
            expect[f"want.{label}"] = int(expect.get(f"want.{label}", 0)) + entry.count * steps
            expect[f"match.{label}"] = entry.regex
            if operation.emulated and not position:
                expect[f"emulated.{label}"] = operation.emulated
    if allowed:
        expect["allow"] = "|".join(dict.fromkeys(allowed))
    return expect
