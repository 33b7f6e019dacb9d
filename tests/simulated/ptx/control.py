"""Where threads go on: branches, ends, barriers of blocks and clusters, fences."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.simulated.ptx.faults import Wrong
from tests.simulated.ptx.launch import Jump, Launch, Leave, Meet, Outcome
from tests.simulated.ptx.program import known
from tests.simulated.ptx.records import Constant, Instruction

Step = Callable[[Launch], Outcome]


@known(r"bra(\.uni)?")
def branch(_match: re.Match[str], instruction: Instruction) -> Callable[[int], Step]:
    guard, negated = instruction.guard, instruction.negated

    def towards(target: int) -> Step:
        def always(launch: Launch) -> Outcome:
            return target

        def perhaps(launch: Launch) -> Outcome:
            assert guard is not None
            held = launch.lanes.get(guard)
            taken = ~held if negated else held
            if len(taken) == 1:
                return target if taken[0] else None
            mask = launch.lanes.mask
            taken = taken if mask is None else taken & mask
            count = int(np.count_nonzero(taken))
            if count == 0:
                return None
            if count == (launch.lanes.count if mask is None else int(np.count_nonzero(mask))):
                return target
            return Jump(target, taken)

        return always if guard is None else perhaps

    return towards


@known("ret|exit")
def leave(_match: re.Match[str], _instruction: Instruction) -> Step:
    return lambda launch: Leave()


@known(r"bar\.sync|barrier\.sync")
def meet(_match: re.Match[str], instruction: Instruction) -> Step:
    if instruction.operands != (Constant(0),):
        raise Wrong("a barrier other than 0 of all threads is not known")
    return lambda launch: Meet()


@known(r"barrier\.cluster\.arrive(\.release)?\.aligned")
def cluster_arrive(_match: re.Match[str], _instruction: Instruction) -> Step:
    return lambda launch: launch.arrive()


@known(r"barrier\.cluster\.wait(\.acquire)?\.aligned")
def cluster_wait(_match: re.Match[str], _instruction: Instruction) -> Step:
    def wait(launch: Launch) -> Outcome:
        launch.arrived()
        return Meet(cluster=True)

    return wait


@known(r"fence\.proxy\.async(\.shared::(cta|cluster)|\.global)?")
def fence_proxy(_match: re.Match[str], _instruction: Instruction) -> Step:
    return lambda launch: launch.races.clocks.fence_proxy(launch.races.acting())


@known(r"membar\.\w+|fence\.(sc|acq_rel|acquire|release)\.(cta|cluster|gpu|sys)")
def fence(_match: re.Match[str], _instruction: Instruction) -> Step:
    return lambda launch: launch.races.clocks.fence(launch.races.acting())


@known(r"wgmma\.fence\.sync\.aligned")
def fence_registers(_match: re.Match[str], _instruction: Instruction) -> Step:
    return lambda launch: launch.lanes.fence()


@known(r"tcgen05\.fence::(before|after)_thread_sync|bar\.warp\.sync")
def order(_match: re.Match[str], _instruction: Instruction) -> Any:
    """Lanes of a warp are in the order of the code here."""
    return lambda launch: None
