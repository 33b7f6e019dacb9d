"""Attentions in a graph: fused operations, and products on both sides of a softmax.

Whatever the graph computes, the totals hold the full product: both the full and the causal number of MACs
are shown, since a kernel that knows the mask does about half.  Coverage is found / expected, where
expected are the fused operations, the softmaxes over the last of at least three axes, and operations
without a rule that have "attention" in their name.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from reportgen.workload.graph import Graph, Op, Tensor
from reportgen.workload.rules.attention import Core, core_of
from reportgen.workload.work import Work

if TYPE_CHECKING:
    from reportgen.workload.count import Count, Row

PRODUCTS = frozenset({"MatMul", "FusedMatMul", "TransposeMatMul", "Einsum", "Contraction", "MatMulInteger"})
BETWEEN = frozenset(
    "Add Sub Mul Div Where Cast CastLike Identity Reshape Dropout Clip Max Min Exp Expand Squeeze Unsqueeze "
    "Transpose Tanh IsNaN StopGradient QuantizeLinear DequantizeLinear Copy Softmax".split()
)
"""What may stand between a product and the softmax: scale, mask, casts, a cap by tanh."""

SPREAD = frozenset({"Expand", "Tile", "Repeat", "Gather"})
"""Kinds that repeat the keys of one group for all of its heads."""

FURTHEST = 24
"""Operations looked at from a softmax in either direction."""


@dataclass(frozen=True)
class Attention:
    """One attention of the graph."""

    core: Core
    scope: tuple[str, ...]
    times: int = 1

    @property
    def mac_full(self) -> int:
        """Over all pairs."""
        return self.times * self.core.mac(self.core.pairs)

    @property
    def mac_causal(self) -> int:
        """Over the pairs that a causal mask, aligned at the end, lets through."""
        return self.times * self.core.mac(self.core.causal_pairs)


@dataclass(frozen=True)
class AttentionReport:
    """All attentions that were found, and how many there should be."""

    found: tuple[Attention, ...]
    expected: int

    @property
    def mac_full(self) -> int:
        """Of all of them."""
        return sum(one.mac_full for one in self.found)

    @property
    def mac_causal(self) -> int:
        """Of all of them, if all are causal."""
        return sum(one.mac_causal for one in self.found)

    @property
    def grouped(self) -> int:
        """How many have fewer key heads than query heads."""
        return sum(one.core.kv_heads < one.core.heads for one in self.found)


def find_attention(count: Count) -> AttentionReport:
    """Fused operations and patterns, bodies of loops included."""
    consumers: dict[Graph, dict[Tensor, list[Row]]] = {}
    works: dict[Op, Work] = {}  # of all operations, once there is a softmax
    found, expected = [], 0
    for row in count.rows:
        graph = row.inside or count.graph
        core = core_of(row.op) if not row.reason else None
        if core is not None:
            expected += 1
            found.append(Attention(core, row.op.scope, row.times))
        elif row.reason and "attention" in row.op.kind.lower():
            expected += 1
        elif is_softmax(row.op, graph):
            expected += 1
            works = works or {one.op: one.work for one in count.rows}
            if graph not in consumers:
                consumers[graph] = _consumers(count, graph)
            core = _around(row.op, graph, consumers[graph], works)
            if core is not None:
                found.append(Attention(core, row.op.scope, row.times))
    return AttentionReport(tuple(found), expected)


def is_softmax(op: Op, graph: Graph) -> bool:
    """Over the last of three axes or more; also written out as exp(x) / sum(exp(x))."""
    if not op.outs or len(op.outs[0].shape) < 3 or not op.outs[0].known:
        return False
    rank = len(op.outs[0].shape)
    if op.kind == "Softmax":
        return op.attrs.get("axis", -1) in (-1, rank - 1)
    if op.kind != "Div" or len(op.given) != 2:
        return False
    top, bottom = (
        _made_by(tensor, graph, kind) for tensor, kind in zip(op.given, ("Exp", "ReduceSum"), strict=True)
    )
    if top is None or bottom is None or bottom.input(0).shape != op.outs[0].shape:
        return False
    if bottom.outs[0].size * op.outs[0].shape[-1] != op.outs[0].size:
        return False
    return _made_by(bottom.input(0), graph, "Exp") is top


def _made_by(tensor: Tensor, graph: Graph, kind: str) -> Op | None:
    """The operation of `kind` that made a tensor, looking through reshapes and broadcasts."""
    for _ in range(6):
        op = graph.producer.get(tensor)
        if op is None or op.kind == kind:
            return op
        if op.kind not in (
            "Expand",
            "Reshape",
            "Unsqueeze",
            "Squeeze",
            "Cast",
            "Identity",
            "Copy",
            "StopGradient",
        ):
            return None
        tensor = op.input(0)
    return None


def _consumers(count: Count, graph: Graph) -> dict[Tensor, list[Row]]:
    found: dict[Tensor, list[Row]] = {}
    for row in count.rows:
        if (row.inside or count.graph) is graph:
            for tensor in row.op.given:
                found.setdefault(tensor, []).append(row)
    return found


def _around(
    softmax: Op, graph: Graph, consumers: dict[Tensor, list[Row]], works: dict[Op, Work]
) -> Core | None:
    """The core whose two products stand before and behind a softmax."""
    scores = softmax.outs[0]
    before = _product_before(softmax, graph, scores.size)
    behind = _product_behind(scores, consumers)
    if before is None or behind is None:
        return None
    shape = scores.shape
    heads = shape[-3]
    return Core(
        batch=prod(shape[:-3]),
        heads=heads,
        kv_heads=heads // _repeats(before, graph),
        queries=shape[-2],
        keys=shape[-1],
        depth=works[before].mac // max(scores.size, 1),
        value_depth=works[behind].mac // max(scores.size, 1),
        fused=False,
    )


def _product_before(softmax: Op, graph: Graph, size: int) -> Op | None:
    pending, seen = list(softmax.given), 0
    while pending and seen < FURTHEST:
        op = graph.producer.get(pending.pop(0))
        seen += 1
        if op is None or not op.outs or op.outs[0].size != size:
            continue
        if op.kind in PRODUCTS:
            return op
        if op.kind in BETWEEN:
            pending.extend(op.given)
    return None


def _product_behind(scores: Tensor, consumers: dict[Tensor, list[Row]]) -> Op | None:
    pending, seen = [scores], 0
    while pending and seen < FURTHEST:
        tensor = pending.pop(0)
        for row in consumers.get(tensor, ()):
            seen += 1
            if row.op.kind in PRODUCTS:
                return row.op
            if row.op.kind in BETWEEN and row.op.outs[0].size == scores.size:
                pending.append(row.op.outs[0])
    return None


def _repeats(product: Op, graph: Graph) -> int:
    """How often the keys were repeated for the heads of a group."""
    tensor: Tensor | None = product.ins[1] if len(product.ins) > 1 else None
    for _ in range(8):
        op = graph.producer.get(tensor) if tensor is not None else None
        if op is None or not op.ins or op.ins[0] is None:
            return 1
        before, after = op.ins[0].size, op.outs[0].size
        if op.kind in SPREAD and op.kind != "Gather" and before and after > before:
            return max(after // before, 1)
        if op.kind not in BETWEEN:
            return 1
        tensor = op.ins[0]
    return 1
