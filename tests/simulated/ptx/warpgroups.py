"""Matrix products of a warp group: asynchronous, from shared memory by descriptors.

Source: NVIDIA, "Parallel Thread Execution ISA", "Asynchronous Warpgroup Level Matrix Multiply-Accumulate".
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from tests.simulated.ptx import descriptors
from tests.simulated.ptx.faults import Wrong
from tests.simulated.ptx.fragments import BITS, Shape, add, shape
from tests.simulated.ptx.launch import Launch
from tests.simulated.ptx.memory import Values
from tests.simulated.ptx.operands import TYPES, parts, read, write
from tests.simulated.ptx.products import Operands, put_words
from tests.simulated.ptx.program import known
from tests.simulated.ptx.records import Constant, Instruction, Register, Vector

Step = Callable[[Launch], None]
WARPS = 4
"""Of a group."""


@known(r"wgmma\.mma_async\.sync\.aligned\.m64n\d+k\d+\.\w+\.\w+\.\w+")
def product(_match: re.Match[str], instruction: Instruction) -> Step:
    into, left, right, scale, *rest = instruction.operands
    ones = [Constant(1)] * (2 if len(rest) > 1 else 0)
    if rest[: len(ones)] != ones or any(one != Constant(0) for one in rest[2:]):
        raise Wrong("a negated or a transposed factor is not known")
    whole = shape(instruction.opcode)
    one = Shape(16, whole.n, whole.k, whole.into, whole.left, whole.right, BITS[whole.left])
    registers = [part for part in parts(into) if isinstance(part, Register)]
    if len(registers) * (2 if whole.into == "f16" else 1) != whole.n // 2:
        raise Wrong(f"{len(registers)} registers for {whole.n} columns")
    puts = [write(register) for register in registers]
    keeps, second = read(scale, TYPES["pred"]), read(right, TYPES["b64"])
    words = Operands(left, whole.left) if isinstance(left, Vector) else None
    left_registers = [part for part in parts(left) if isinstance(part, Register)] if words else []
    first = None if words else read(left, TYPES["b64"])

    def run(launch: Launch) -> None:
        lanes = launch.lanes
        warps = lanes.warps(launch.what)
        if lanes.per_block % (32 * WARPS) or len(warps) % WARPS:
            raise Wrong(f"{launch.what} needs whole groups of {WARPS} warps")
        if len(keeps(launch)) > 1 or not keeps(launch)[0]:
            raise Wrong(f"{launch.what}: a product that is not added is not known")
        held = np.stack([lanes.whole(lanes.held(one)).reshape(-1, 32)[warps] for one in registers], axis=2)
        factors = _rows(launch, warps, words.words(launch)) if words else None
        lanes.fenced([*registers, *left_registers], launch.what)
        results, clocks = [], launch.races.clocks
        for group in range(0, len(warps), WARPS):
            block = int(lanes.block[32 * warps[group]])
            places = [_own(launch, get, int(warps[group])) for get in (first, second) if get]
            those = tuple(range(int(warps[group]), int(warps[group]) + WARPS))
            agent = clocks.unit(those[0])
            clocks.start(agent)
            tiles = [descriptors.of_group(place, launch.what) for place in places]
            b = descriptors.matrix(
                launch, tiles[-1], block, whole.n, whole.k, whole.right, warps=those, agent=agent
            )
            if factors is None:
                a = descriptors.matrix(
                    launch, tiles[0], block, whole.m, whole.k, whole.left, warps=those, agent=agent
                )
            else:
                a = factors[group : group + WARPS].reshape(whole.m, whole.k)
            results.append((a @ b.T).reshape(WARPS, 16, whole.n))
        total = add(one.accumulators(held), np.concatenate(results), whole.into)
        put_words(launch, puts, one.words(total, np.dtype(np.uint32)))
        lanes.computed(registers)
        for register in registers:
            lanes.busy(register)
        launch.pending.ordered |= set(registers)

    def _rows(launch: Launch, warps: Values, given: Values) -> Values:
        return one.rows(given)

    return run


def _own(launch: Launch, get: Callable[[Launch], Values], warp: int) -> int:
    """The descriptor of a group, the same in all its threads."""
    found = launch.lanes.whole(get(launch))[32 * warp : 32 * (warp + WARPS)]
    if (found != found[0]).any():
        raise Wrong(f"{launch.what}: threads of a group hold different descriptors")
    return int(found[0])


@known(r"wgmma\.commit_group\.sync\.aligned")
def commit(_match: re.Match[str], _instruction: Instruction) -> Step:
    def run(launch: Launch) -> None:
        launch.pending.committed |= launch.pending.ordered
        launch.pending.ordered = set()

    return run


@known(r"wgmma\.wait_group\.sync\.aligned")
def wait(_match: re.Match[str], instruction: Instruction) -> Step:
    if instruction.operands != (Constant(0),):
        raise Wrong("a wait for some of the groups only is not known")

    def run(launch: Launch) -> None:
        clocks, warps = launch.races.clocks, launch.lanes.warps(launch.what)
        for first in warps[::WARPS].tolist():
            agent = clocks.unit(first)
            clocks.waited(np.arange(first, first + WARPS), agent, clocks.started(agent))
        launch.lanes.done(launch.pending.committed)
        launch.pending.committed = set()

    return run
