"""Bytes that a graph occupies: weights, activations alive at once at most, key-value cache.

The order is that of `Graph.order`: the file's own where it is a valid one.  A tensor lives from the
operation that makes it to the last that reads it; an input from the start, an output to the end.  A view
(reshape, identity, a dequantised operand) has no memory of its own.  Another order can need less.
"""

from __future__ import annotations

import msgspec

from reportgen.workload.graph import Graph, Tensor, total_bytes, weights
from reportgen.workload.rules import is_view

ORDER = "operations in the order of the graph; inputs from the start, outputs to the end"


class Footprint(msgspec.Struct, frozen=True):
    """Bytes, each part on its own."""

    weights: int
    """Each storage once."""
    activations: int
    """At the peak, inputs and outputs included."""
    peak_at: str
    """The operation at which it is reached."""
    cache: int
    """Key-value cache after the run."""

    @property
    def total(self) -> int:
        """All three."""
        return self.weights + self.activations + self.cache


def footprint(graph: Graph) -> Footprint:
    """Of one run in the stated order."""
    peak, where = peak_activations(graph)
    out = total_bytes(tensor for tensor in graph.outputs if tensor.role == "cache")
    into = total_bytes(tensor for tensor in graph.inputs if tensor.role == "cache")
    return Footprint(
        weights=total_bytes(weights(graph)), activations=peak, peak_at=where, cache=max(out, into)
    )


def peak_activations(graph: Graph) -> tuple[int, str]:
    """Most bytes alive at once, and the operation that is running then."""
    base: dict[Tensor, Tensor] = {}  # view -> tensor with the memory
    last: dict[Tensor, int] = {}
    order = graph.order
    views: dict[str, bool] = {}  # kinds of which an operation can be a view
    for position, op in enumerate(order):
        kind = op.kind
        if kind not in views:
            views[kind] = kind == "DequantizeLinear" or is_view(kind)
        if views[kind] and op.given and not op.bodies:
            for out in op.outs:
                base[out] = base.get(op.given[0], op.given[0])
        for tensor in op.reads if op.bodies else op.ins:
            if tensor is not None:
                last[base.get(tensor, tensor) if base else tensor] = position
    end = len(order)
    cached = {base.get(tensor, tensor) for tensor in graph.outputs if tensor.role == "cache"}
    for tensor in graph.outputs:
        last[base.get(tensor, tensor)] = end
    dying = [0] * (end + 1)  # bytes that are free after the operation at a place
    live = 0
    for tensor in dict.fromkeys(graph.inputs):
        if tensor.role == "input" and tensor in last:
            live += tensor.nbytes
            dying[last[tensor]] += tensor.nbytes
    peak, where = live, "the start"
    for position, op in enumerate(order):
        for out in op.outs:
            if out not in base and out not in cached:
                size = out.nbytes
                live += size
                dying[last.get(out, position)] += size
        inner = max(peak_activations(body.graph)[0] for body in op.bodies) if op.bodies else 0
        if live + inner > peak:
            peak, where = live + inner, op.label
        live -= dying[position]
    return peak, where
