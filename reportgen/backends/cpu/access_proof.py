"""Proof from machine code that accesses lie where they are said to lie, and wait for what they shall.

Widths and displacements are those that the decoder read; that two base registers hold addresses of one page
follows from the instructions before the body.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

from reportgen.backends.cpu.accesses import spelt
from reportgen.backends.cpu.compiler import MachineCode
from reportgen.backends.cpu.isa import Instruction, decoder

EXPECTED = frozenset({"accesses", "before", "apart"})
"""Keys of an expectation that `accesses.expectation` adds."""
KINDS = frozenset({"store_to_load", "beside"})
"""Kinds of chain that only this module can judge."""


def faults(
    kind: str, region: list[Instruction], code: MachineCode, expect: dict[str, int | str]
) -> list[str]:
    """What of an expectation `accesses` the body does not hold; empty where none is expected."""
    found = []
    if "accesses" in expect:
        found += _elsewhere(region, str(expect["accesses"]))
        found += _unknown_bases(code.isa, code.code[code.entry : code.body], str(expect["before"]))
    if kind == "store_to_load" and not _through_memory(region, int(expect["apart"])):
        found.append("not every load brings what the store before it left, for the next store")
    if kind == "beside" and not _beside(region):
        found.append("not every load finds its address by the load before it, behind a store of that address")
    return found


def _elsewhere(region: list[Instruction], wanted: str) -> list[str]:
    held = Counter(
        spelt(one.stores, one.width, one.place.base, one.place.displacement)
        for one in region
        if one.place is not None and not one.place.index
    )
    listed = "; ".join(f"{count} {name}" for name, count in sorted(held.items()))
    return [] if listed == wanted else [f"wanted accesses {wanted}, found {listed or 'none'}"]


@cache
def _unknown_bases(isa: str, frame: bytes, expected: str) -> tuple[str, ...]:
    """The expected lines must follow on each other, and nothing behind them may write what they write.

    Most programs of a probe have one such frame.
    """
    before = decoder(isa).decode(frame, 0, len(frame))
    texts, wanted = [one.text for one in before], expected.split("; ")
    for start in range(len(texts) - len(wanted), -1, -1):
        if texts[start : start + len(wanted)] == wanted:
            end = start + len(wanted)
            bases = frozenset().union(*(one.writes for one in before[start:end]))
            if any(bases & one.writes for one in before[end:]):
                return (f"'{wanted[0]}' is not the last to set its register before the body",)
            return ()
    return (f"'{expected}' does not stand before the body",)


def _pairs(region: list[Instruction]) -> list[tuple[Instruction, Instruction]]:
    """A store and the load behind it, in turn; empty where the region is anything else."""
    pairs = list(zip(region[::2], region[1::2], strict=False))
    whole = len(region) % 2 == 0 and all(
        store.stores and not store.loads and load.loads and not load.stores for store, load in pairs
    )
    return pairs if whole else []


def _through_memory(region: list[Instruction], apart: int) -> bool:
    """Whether each load overlaps the bytes of the store before it and fills that store's register.

    A load by another base finds it `apart` bytes further on (`_unknown_bases`); the body writes neither.
    """
    pairs = _pairs(region)
    if not pairs:
        return False
    written = frozenset().union(*(one.writes for one in region))
    for store, load in pairs:
        if store.place is None or load.place is None or len(load.writes) != 1:
            return False
        offset = load.place.displacement - store.place.displacement
        offset += apart if load.place.base != store.place.base else 0
        overlap = -load.width < offset < store.width
        carried = load.writes <= store.reads and load.writes == written
        if not overlap or not carried or load.place.base in written or store.place.base in written:
            return False
    return True


def _beside(region: list[Instruction]) -> bool:
    """Whether the loads are one chain of addresses, with a store of the next one before each."""
    pairs = _pairs(region)
    return bool(pairs) and all(
        store.place is not None
        and load.place is not None
        and load.writes == frozenset({load.place.base})
        and load.place.base in store.reads
        and store.place.base != load.place.base
        for store, load in pairs
    )
