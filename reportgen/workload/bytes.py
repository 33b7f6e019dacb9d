"""Bytes that a graph moves, between two bounds.

* compulsory: every input, weight and output once, everything in between stays in a cache without
  limit.  No schedule moves less.
* unfused: each operation reads its operands from memory and writes its results to it.

The truth lies between, so intensity is an interval.  Of a table only the rows that are looked up count;
tied weights count once in the compulsory bytes, whole-number constants (shapes, axes) not at all; a
dequantised operand counts as it lies in memory; of a mixture of experts those count that are hit on average.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from reportgen.workload.dtypes import nbytes
from reportgen.workload.graph import Graph, Op, Tensor, total_bytes
from reportgen.workload.precision import stored
from reportgen.workload.rules import is_view
from reportgen.workload.rules.attention import core_of, is_fused_attention
from reportgen.workload.rules.contrib import MIXTURES, expected_experts, experts
from reportgen.workload.rules.gather import LOOKUPS

if TYPE_CHECKING:
    from reportgen.workload.count import Row

PARTIAL = LOOKUPS | {"Slice"}
"""Kinds that read of their first input as much as they put out."""

SAME_ELEMENTS = frozenset({"Identity", "Cast", "DequantizeLinear"})
"""Kinds whose output stands for their first input: who reads how much of it is asked further on."""

BLOCKS = "GatherBlockQuantized"
"""A lookup in a packed table: inputs data, indices, scales, zero points; of all but the indices rows."""

SHAPE_ONLY = frozenset({"Shape", "Size"})

PASSING = frozenset({"activation", "constant"})
"""Roles of tensors that do not come from outside, or are too small to count."""


class Traffic(msgspec.Struct, frozen=True):
    """Bytes moved by one run of a graph."""

    weights: int
    """Each storage once, rows of tables that are looked up."""
    inputs: int
    outputs: int
    cache_read: int
    """Key-value cache handed in."""
    cache_written: int
    """Its new entries."""
    unfused: int
    by_op: dict[Op, int]
    """Unfused bytes of one run of each operation."""

    @property
    def compulsory(self) -> int:
        """The least: all parts but `unfused` together."""
        return self.weights + self.inputs + self.outputs + self.cache_read + self.cache_written


def traffic(graph: Graph, rows: Iterable[Row]) -> Traffic:
    """Both bounds; the compulsory one from the operations in `rows`, bodies included."""
    by_op: dict[Op, int] = {}
    unfused = 0
    touched: dict[Tensor, int] = {}
    alias: dict[Tensor, Tensor] = {}
    whole: dict[str, bool] = {}  # kinds that read all of their operands
    alike: dict[Op | None, int] = {}  # operation that others are like -> its unfused bytes
    read: set[Tensor] = set()  # what such kinds have read
    for row in rows:
        op = row.op
        kind = op.kind
        if kind not in whole:
            whole[kind] = _reads_all(kind)
        moved = by_op[op] if op in by_op else alike.get(op.like)
        if not moved and op.outs and _empty(op.outs):  # an expert without a token, say
            by_op[op] = 0
            continue
        if whole[kind]:
            if moved is None:
                own = row.inside or graph
                moved = _operands(op, own)
                if op.like is not None and not own.dequantised:
                    alike[op.like] = moved
            by_op[op] = moved
            for tensor in op.ins:
                if tensor is not None:
                    base = alias.get(tensor, tensor) if alias else tensor
                    if base not in read and base.role not in PASSING:
                        read.add(base)
                        touched[base] = base.nbytes
        else:
            if moved is None:
                moved = by_op[op] = unfused_bytes(op, row.inside or graph)
            _touch(op, touched, alias)
        unfused += moved * row.times
    for tensor in graph.outputs:
        base = alias.get(tensor, tensor)
        touched[base] = base.nbytes
    weights = inputs = cache_read = 0
    stores: dict[str, int] = {}
    handed = set(graph.inputs)
    for tensor, amount in touched.items():
        amount = min(amount, tensor.nbytes)
        if tensor.role == "weight":
            if not tensor.storage:
                weights += amount
            else:
                stores[tensor.storage] = max(amount, stores.get(tensor.storage, 0))
        elif tensor in handed:
            if tensor.role == "cache":
                cache_read += amount
            else:
                inputs += amount
    results = {tensor: None for tensor in graph.outputs if tensor.role not in ("weight", "constant")}
    outputs = sum(tensor.nbytes for tensor in results if tensor.role != "cache" and tensor not in handed)
    weights += sum(stores.values())
    cache_written = _new_entries(graph)
    return Traffic(
        weights=weights,
        inputs=inputs,
        outputs=outputs,
        cache_read=cache_read,
        cache_written=cache_written,
        # What views alone connect is moved by nobody's operation, and still goes in and out.
        unfused=max(unfused, weights + inputs + outputs + cache_read + cache_written),
        by_op=by_op,
    )


def _touch(op: Op, touched: dict[Tensor, int], alias: dict[Tensor, Tensor]) -> None:
    """Note how much of each tensor an operation reads."""
    if op.kind in SHAPE_ONLY:
        return
    special = op.kind in SAME_ELEMENTS or op.kind in PARTIAL
    for place, tensor in enumerate(op.ins):
        if tensor is None:
            continue
        base = alias.get(tensor, tensor)
        if special and place == 0:
            if op.kind in SAME_ELEMENTS:
                alias[op.outs[0]] = base
            else:
                _raise(touched, base, rows_read(op, base), add=True)
        elif op.kind == BLOCKS and place > 1:
            _raise(touched, base, rows_read(op, base), add=True)
        elif op.kind in MIXTURES and tensor.role == "weight":
            _raise(touched, base, round(base.nbytes * _share_hit(op)))
        elif base.role not in PASSING:
            touched[base] = base.nbytes


def _reads_all(kind: str) -> bool:
    """Whether operations of a kind read and write each operand once and whole."""
    special = PARTIAL | SAME_ELEMENTS | MIXTURES | SHAPE_ONLY
    return not (kind in special or kind == BLOCKS or is_view(kind) or is_fused_attention(kind))


def rows_read(op: Op, table: Tensor) -> int:
    """Bytes of a table (or of the scales beside it) that a lookup reads: as many rows as come out."""
    if op.kind != BLOCKS:
        return min(nbytes(op.outs[0].size, table.dtype), table.nbytes)
    data = op.input(0)
    packed = 8 // int(op.attrs.get("bits", 4)) if data.dtype == "uint8" else 1
    return min(round(table.nbytes * op.outs[0].size / max(data.size * packed, 1)), table.nbytes)


def _raise(touched: dict[Tensor, int], tensor: Tensor, amount: int, *, add: bool = False) -> None:
    before = touched.get(tensor, 0)
    touched[tensor] = before + amount if add else max(before, amount)


def _new_entries(graph: Graph) -> int:
    """Bytes of the cache that this run adds.

    What the caches that come out have more than those that go in; where they are as large (a buffer of
    fixed length) the new keys and values of each fused attention.
    """
    out = sum(tensor.nbytes for tensor in graph.outputs if tensor.role == "cache")
    into = sum(tensor.nbytes for tensor in graph.inputs if tensor.role == "cache")
    if not out or out > into:
        return out - into if out else 0
    return sum(
        nbytes(core.batch * core.kv_heads * core.queries * (core.depth + core.value_depth), op.outs[0].dtype)
        for op in graph.order
        if (core := core_of(op)) is not None
    )


def unfused_bytes(op: Op, graph: Graph) -> int:
    """Operands read and results written by one run of one operation."""
    kind = op.kind
    if is_view(kind):
        return 0
    if kind in PARTIAL and op.outs and op.ins and op.ins[0] is not None:
        source = stored(op.ins[0], graph)
        others = total_bytes(op.given[1:])
        if kind == BLOCKS:
            others = op.input(1).nbytes + sum(rows_read(op, one) for one in op.given[2:])
        return rows_read(op, source) + others + op.outs[0].nbytes
    if kind == "DequantizeLinear":  # done where the operand is loaded; its scales are read
        return total_bytes(op.given[1:])
    if kind in MIXTURES:
        return _mixture_bytes(op)
    moved = _operands(op, graph)
    return moved - _appended(op) if is_fused_attention(kind) else moved


def _empty(outs: tuple[Tensor, ...]) -> bool:
    """Whether no result has an element."""
    return all([0 in tensor.shape for tensor in outs])  # noqa: C419 - most have one, a generator costs more


def _operands(op: Op, graph: Graph) -> int:
    """All operands as they lie in memory, and all results."""
    moved = 0
    lying = graph.dequantised
    for tensor in op.ins:
        if tensor is not None:
            moved += (lying.get(tensor, tensor) if lying else tensor).nbytes
    for tensor in op.outs:
        moved += tensor.nbytes
    return moved


def _mixture_bytes(op: Op) -> int:
    share = _share_hit(op)
    moved = total_bytes(op.outs)
    for tensor in op.given:
        moved += round(tensor.nbytes * share) if tensor.role == "weight" else tensor.nbytes
    return moved


def _share_hit(op: Op) -> float:
    """Share of the experts that at least one token is sent to, on average."""
    number, _, k = experts(op)
    tokens = op.input(0).size // max(op.input(0).shape[-1], 1)
    return expected_experts(number, k, tokens) / number if number else 0.0


def _appended(op: Op) -> int:
    """Bytes of the cache that a fused attention leaves where they are: it appends to it in place."""
    out = sum(tensor.nbytes for tensor in op.outs[1:3])
    into = sum(tensor.nbytes for tensor in op.given if tensor.role == "cache")
    return min(out, into)
