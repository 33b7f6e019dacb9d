"""Instructions of all lanes of a warp: votes, shuffles, reductions, matrices from and to shared memory."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tests.simulated.ptx.faults import Wrong
from tests.simulated.ptx.launch import Launch
from tests.simulated.ptx.memory import Values
from tests.simulated.ptx.movement import keep, load, store
from tests.simulated.ptx.operands import TYPES, address, parts, read, write
from tests.simulated.ptx.program import known
from tests.simulated.ptx.records import Constant, Instruction, Operand, Pair

Step = Callable[[Launch], None]
LANES = np.arange(32, dtype=np.int64)


ALL = 0xFFFFFFFF


def _all(operand: Operand) -> None:
    if operand != Constant(ALL):
        raise Wrong("other lanes than all are not known")


def _grouped(launch: Launch, values: Values) -> Values:
    """Values of the warps that act: [warp, lane]."""
    warps = launch.lanes.warps(launch.what)
    return launch.lanes.whole(values).reshape(-1, 32)[warps]


def _spread(launch: Launch, values: Values) -> Values:
    """[warp, lane] of the warps that act, as an array of all threads."""
    if launch.lanes.mask is None:
        return np.ascontiguousarray(values).reshape(-1)
    found = np.zeros((launch.lanes.count // 32, 32), dtype=values.dtype)
    found[launch.lanes.warps(launch.what)] = values
    return found.reshape(-1)


def _lanewise(into: Operand, source: Operand, kind: str, function: Callable[[Values], Values]) -> Step:
    put, get = write(into), read(source, TYPES[kind])
    return lambda launch: put(launch, _spread(launch, function(_grouped(launch, get(launch)))))


@known(r"vote\.sync\.ballot\.b32")
def ballot(_match: re.Match[str], instruction: Instruction) -> Step:
    into, source, members = instruction.operands
    _all(members)
    return _lanewise(into, source, "pred", lambda held: _bits(held)[:, None].repeat(32, axis=1))


def _bits(held: Values) -> Values:
    found: Values = (held.astype(np.uint64) << LANES.astype(np.uint64)).sum(axis=1).astype(np.uint32)
    return found


@known(r"match\.any\.sync\.b32")
def match_any(_match: re.Match[str], instruction: Instruction) -> Step:
    into, source, members = instruction.operands
    _all(members)

    def function(values: Values) -> Values:
        same = values[:, :, None] == values[:, None, :]
        found: Values = (same.astype(np.uint64) << LANES.astype(np.uint64)).sum(axis=2).astype(np.uint32)
        return found

    return _lanewise(into, source, "b32", function)


@known(r"match\.all\.sync\.b32")
def match_all(_match: re.Match[str], instruction: Instruction) -> Step:
    into, source, members = instruction.operands
    _all(members)
    if not isinstance(into, Pair):
        raise Wrong("no predicate beside the result")
    put, told, get = write(into.first), write(into.second), read(source, TYPES["b32"])

    def run(launch: Launch) -> None:
        values = _grouped(launch, get(launch))
        same = (values == values[:, :1]).all(axis=1)[:, None].repeat(32, axis=1)
        told(launch, _spread(launch, same))
        put(launch, _spread(launch, np.where(same, np.uint32(0xFFFFFFFF), np.uint32(0))))

    return run


@known(r"shfl\.sync\.(idx|up|down|bfly)\.b32")
def shuffle(match: re.Match[str], instruction: Instruction) -> Step:
    into, source, other, *rest = instruction.operands
    result = into.first if isinstance(into, Pair) else into
    put, get, which = write(result), read(source, TYPES["b32"]), read(other, TYPES["b32"])
    bounds, members = (read(one, TYPES["b32"]) for one in rest)
    whole = 0 if match[1] == "up" else 0x1F

    def run(launch: Launch) -> None:
        if (bounds(launch) != whole).any() or (members(launch) != ALL).any():
            raise Wrong(f"{launch.what}: other lanes than all of a warp are not known")
        values = _grouped(launch, get(launch))
        by = _grouped(launch, which(launch)).astype(np.int64) & 31
        lanes = {"idx": by, "up": LANES - by, "down": LANES + by, "bfly": LANES ^ by}[match[1]]
        lanes = np.where((lanes >= 0) & (lanes < 32), lanes, LANES)
        put(launch, _spread(launch, np.take_along_axis(values, lanes, axis=1)))

    return run


@known(r"redux\.sync\.(add|min|max|and|or|xor)\.(u32|s32|b32|f32)")
def reduce(match: re.Match[str], instruction: Instruction) -> Step:
    into, source, members = instruction.operands
    _all(members)
    functions: dict[str, Callable[[Values], Values]] = {
        "add": lambda v: v.sum(axis=1, dtype=v.dtype),
        "min": lambda v: np.fmin.reduce(v, axis=1),
        "max": lambda v: np.fmax.reduce(v, axis=1),
        "and": lambda v: np.bitwise_and.reduce(v, axis=1),
        "or": lambda v: np.bitwise_or.reduce(v, axis=1),
        "xor": lambda v: np.bitwise_xor.reduce(v, axis=1),
    }
    function = functions[match[1]]
    return _lanewise(into, source, match[2], lambda v: function(v)[:, None].repeat(32, axis=1))


@known(r"elect\.sync")
def elect(_match: re.Match[str], instruction: Instruction) -> Step:
    into, members = instruction.operands
    _all(members)
    if not isinstance(into, Pair):
        raise Wrong("no predicate beside the result")
    put, told = write(into.first), write(into.second)

    def run(launch: Launch) -> None:
        launch.lanes.warps(launch.what)
        told(launch, launch.lanes.thread % 32 == 0)
        put(launch, np.zeros(1, dtype=np.uint32))

    return run


# ---- 8 x 8 matrices of 16-bit elements: lane l holds elements 2 (l % 4), and the next one, of row l / 4


def _rows(launch: Launch, addresses: NDArray[np.int64], matrices: int) -> NDArray[np.int64]:
    """[warp, matrix, row]: where rows begin; lanes 8 m to 8 m + 7 tell those of matrix m.

    Raises:
        Wrong: one is not aligned to the 16 bytes of a row.
    """
    found = _grouped(launch, addresses)[:, : 8 * matrices]
    if (found & 15).any():
        raise Wrong(f"{launch.what}: a row of a matrix is not aligned to its 16 bytes")
    return found.reshape(-1, matrices, 8)


@known(r"ldmatrix\.sync\.aligned\.m8n8\.x([124])\.shared\.b16")
def matrix_load(match: re.Match[str], instruction: Instruction) -> Step:
    into, source = instruction.operands
    puts, find = [keep(part, TYPES["b32"]) for part in parts(into)], address(source)
    if len(puts) != int(match[1]):
        raise Wrong("registers and matrices are of different numbers")

    def run(launch: Launch) -> None:
        rows = _rows(launch, find(launch), len(puts))
        for number, put in enumerate(puts):
            at = rows[:, number, LANES // 4] + 4 * (LANES % 4)
            put(launch, load(launch, _spread(launch, at), "shared", 4))

    return run


@known(r"stmatrix\.sync\.aligned\.m8n8\.x1\.shared\.b16")
def matrix_store(_match: re.Match[str], instruction: Instruction) -> Step:
    target, source = instruction.operands
    (get,), find = [read(part, TYPES["b32"]) for part in parts(source)], address(target)

    def run(launch: Launch) -> None:
        at = _rows(launch, find(launch), 1)[:, 0, LANES // 4] + 4 * (LANES % 4)
        store(launch, _spread(launch, at), "shared", 4, get(launch))

    return run


@known(r"movmatrix\.sync\.aligned\.m8n8\.trans\.b16")
def transpose(_match: re.Match[str], instruction: Instruction) -> Step:
    into, source = instruction.operands

    def function(values: Values) -> Values:
        elements = np.ascontiguousarray(values).view(np.uint16).reshape(-1, 8, 8)
        return np.ascontiguousarray(elements.transpose(0, 2, 1)).view(np.uint32).reshape(-1, 32)

    return _lanewise(into, source, "b32", function)
