"""Stores and loads by where they lie, on a core whose forwarding, boundaries and aliases are known."""

from __future__ import annotations

from functools import cache

from reportgen.backends.cpu.accesses import case_of
from reportgen.suite.load import Suite, load_suite
from tests.simulated.asked import Asked, ok_point, probe_info
from tests.simulated.sampler import Timed
from tests.simulated.truth import CpuTruth

STORED = "memory_hierarchy/store_to_load"
SHORT = "memory_hierarchy/store_to_load_short_loop"
SPLIT = "memory_hierarchy/split_access"
ALIAS = "memory_hierarchy/address_alias"
LOAD, INTERVAL = 4.0, 0.5
"""Cycles of a dependent load, and from one independent aligned access to the next."""


@cache
def _suite() -> Suite:
    """The suite is read once: many devices are asked."""
    return load_suite()


def store_to_load_probe(truth: CpuTruth, probe: str = STORED) -> Asked:
    """Every case of the suite."""
    definition = _suite().definitions[probe]
    timed = []
    for case in definition.settings["case"]:
        asked = case_of(case)
        for length in definition.settings["length"]:
            work = {
                "steps": float(length),
                "store_bytes": float(asked.store.size),
                "load_bytes": float(asked.load.size),
                "offset": float(asked.offset),
            }
            point = ok_point(probe, {"case": case, "length": length}, work=work)
            timed.append(Timed(point, cycles=length * pair_latency(truth, case)))
    return probe_info(
        probe, "store_to_load", "store_to_load", "cycle", definition.question, variable="case",
        hypothesis=definition.hypothesis, title=definition.title,
    ), timed  # fmt: skip


def short_loop_probe(truth: CpuTruth) -> Asked:
    """The cases of a short loop."""
    return store_to_load_probe(truth, SHORT)


def split_probe(truth: CpuTruth) -> Asked:
    """Every access at every place."""
    definition = _suite().definitions[SPLIT]
    timed = [
        Timed(
            ok_point(
                SPLIT, {"access": access, "place": place, "length": length}, work={"steps": float(length)}
            ),
            cycles=length * split_time(truth, access, place),
        )
        for access in definition.settings["access"]
        for place in definition.settings["place"]
        for length in definition.settings["length"]
    ]
    return probe_info(
        SPLIT, "split", "access.split", "cycle", definition.question, variable="place",
        hypothesis=definition.hypothesis, title=definition.title,
    ), timed  # fmt: skip


def alias_probe(truth: CpuTruth) -> Asked:
    """Every distance."""
    definition = _suite().definitions[ALIAS]
    timed = [
        Timed(
            ok_point(ALIAS, {"distance": distance, "length": length}, work={"steps": float(length)}),
            cycles=length * alias_time(truth, distance),
        )
        for distance in definition.settings["distance"]
        for length in definition.settings["length"]
    ]
    return probe_info(
        ALIAS, "alias", "access.alias", "cycle", definition.question, variable="distance",
        hypothesis=definition.hypothesis, title=definition.title, constants=dict(definition.constants),
    ), timed  # fmt: skip


def pair_latency(truth: CpuTruth, case: str) -> float:
    """Cycles from one store to the next."""
    asked, access = case_of(case), truth.access
    fits = asked.offset + asked.load.size <= asked.store.size
    known = asked.same_register or (case.endswith(".short_loop") and access.learns)
    whole = not asked.offset and asked.load.size >= 4 and not asked.store.vector
    if fits and known and whole:
        return access.renamed
    return (access.forwarded if fits else access.waits) + (access.vector if asked.store.vector else 0.0)


def split_time(truth: CpuTruth, access: str, place: str) -> float:
    """Cycles of an access at a place."""
    kind, width, asked = access.split("_")
    across = place in ("line", "page")
    if asked == "latency":
        moved = LOAD if int(width) > 64 else 0.0  # a vector's first word goes to a general register
        return LOAD + moved + (truth.access.split_latency if across else 0.0)
    if kind == "store" and place == "page":
        return truth.access.page_store
    return INTERVAL * (truth.access.split_factor if across else 1.0)


def alias_time(truth: CpuTruth, distance: int) -> float:
    """Cycles of a load behind a store so far away: 8 bytes of each may look alike in their low bits."""
    alike = distance >= 4096 and min(distance % 4096, -distance % 4096) < 8
    return LOAD + (truth.access.alias if alike else 0.0)
