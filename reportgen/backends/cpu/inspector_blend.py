"""What else must hold of a stream that computes: which bytes it loads, and that it computes with them.

The histogram says how many loads and multiply-adds a turn holds.  That they make up the intensity that is
claimed takes more: the loads touch every byte of a turn once, and every multiply-add reads one of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence

from reportgen.backends.cpu.isa import Instruction

EXPECTED = ("loaded", "accumulators", "multiply_adds")
"""Of a turn, what the generator says: bytes that are loaded, accumulators, multiply-adds."""


def faults(region: Sequence[Instruction], start: int, wanted: Mapping[str, int]) -> list[str]:
    """What is wrong with the loop of a stream.

    Args:
        region: the body.
        start: offset of its first instruction.
        wanted: the numbers that `EXPECTED` names.
    """
    loads = [one for one in region if one.place is not None and one.loads]
    brought = frozenset[str]().union(*(one.writes for one in loads))
    fed = [one for one in region if one.place is None and one.reads & brought]
    found = []
    if len(fed) != wanted["multiply_adds"]:
        found.append(f"{len(fed)} instructions compute with what was loaded, not {wanted['multiply_adds']}")
    kept = {name for one in fed for name in one.writes}
    if any(one.writes & brought or not one.writes <= one.reads for one in fed):
        found.append("a multiply-add does not add to an accumulator")
    elif len(kept) != wanted["accumulators"]:
        found.append(f"{len(kept)} accumulators take turns, not {wanted['accumulators']}")
    return found + _outside(region, start, {*loads, *fed}) + _gaps(loads, wanted["loaded"])


def _outside(region: Sequence[Instruction], start: int, turn: Collection[Instruction]) -> list[str]:
    """Whether all of a turn stands between the place that the one branch goes back to and the branch."""
    places = list(itertools.accumulate((one.size for one in region), initial=start))
    branches = [at for at, one in enumerate(region) if one.flow]
    if len(branches) != 1 or region[branches[0]].target not in places:
        return ["no single branch makes a loop of the loads"]
    back = region[branches[0]].target
    if any(one in turn for one in region[branches[0] :]) or any(
        one in turn and place < back for one, place in zip(region, places, strict=False)
    ):
        return ["a load or a multiply-add stands outside of the loop"]
    return []


def _gaps(loads: Sequence[Instruction], loaded: int) -> list[str]:
    """Whether the loads of a turn lie side by side over all of it."""
    places = [one.place for one in loads if one.place is not None]
    at = sorted(place.displacement for place in places)
    apart = {later - earlier for earlier, later in itertools.pairwise(at)}
    aligned = len({(place.base, place.index) for place in places}) == 1
    narrow = any(one.width and one.width not in apart for one in loads)  # of a pair the decoder does not say
    if not aligned or narrow or len(apart) != 1 or apart.pop() * len(at) != loaded:
        return [f"the loads of a turn are not side by side over its {loaded} bytes"]
    return []
