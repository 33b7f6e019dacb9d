"""What a build process takes at a time: sources of one target, some units of compilation."""

from __future__ import annotations

from reportgen.backends.base import Source
from reportgen.backends.cuda import compiler

Batch = dict[str, Source]
"""Sources of one target by the names they are cached by."""
MOST_UNITS = 4
"""Most units of one batch: what a process holds of instructions at a time is bounded by them."""


def made(sources: Batch, jobs: int) -> list[Batch]:
    """Sources of one target together, no two kernels of one name; the longest first, several units of them.

    A process reads the code of a batch with one start of the disassembler: so the first batches are of
    many units.  The last ones are of one, so that no process is left with a long one when the others are
    done.
    """
    waiting: dict[str, list[Batch]] = {}
    for unit in _units(sources):
        waiting.setdefault(_target(unit), []).append(unit)
    left = sum(len(units) for units in waiting.values())
    found: list[Batch] = []
    while left:
        units = max(waiting.values(), key=lambda some: sum(_length(unit) for unit in some))
        share = min(MOST_UNITS, -(-left // (2 * jobs)))
        taken, later = _share(units, share)
        units[:] = later
        left -= len(taken)
        found.append({name: source for unit in taken for name, source in unit.items()})
    return sorted(found, key=_length, reverse=True)


def _share(units: list[Batch], most: int) -> tuple[list[Batch], list[Batch]]:
    """The first of some units, none with a kernel of the name of another's, and the rest."""
    taken: list[Batch] = []
    later: list[Batch] = []
    names: set[str] = set()
    for unit in units:
        mine = {str(source.setup["kernel"]) for source in unit.values()}
        if len(taken) == most or names & mine:
            later.append(unit)
            continue
        taken.append(unit)
        names |= mine
    return taken, later


def _units(sources: Batch) -> list[Batch]:
    """What is compiled at once: sources of one target, no two kernels of one name; the longest first."""
    of_target: dict[str, list[Batch]] = {}
    for name, source in sources.items():
        units = of_target.setdefault(str(source.setup["target"]), [])
        for unit in units[-2:]:
            taken = {other.setup["kernel"] for other in unit.values()}
            if len(unit) < compiler.UNIT and source.setup["kernel"] not in taken:
                unit[name] = source
                break
        else:
            units.append({name: source})
    return sorted((unit for units in of_target.values() for unit in units), key=_length, reverse=True)


def _target(unit: Batch) -> str:
    return str(next(iter(unit.values())).setup["target"])


def _length(unit: Batch) -> int:
    return sum(len(source.text) for source in unit.values())
