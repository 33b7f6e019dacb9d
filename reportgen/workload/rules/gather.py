"""Looking up and scattering rows: no work but what a scatter adds; bytes are in `workload.bytes`."""

from __future__ import annotations

from reportgen.workload.graph import Op
from reportgen.workload.rules.normalisation import CENTRED, norm
from reportgen.workload.rules.reduction import in_type
from reportgen.workload.rules.registry import no_work, rule
from reportgen.workload.work import Work

LOOKUPS = frozenset({"Gather", "GatherElements", "GatherND", "GatherBlockQuantized", "ArrayFeatureExtractor"})
"""Kinds that read of their first input only what their output holds."""

no_work("Gather", "GatherElements", "GatherND")


@rule("GatherBlockQuantized")
def gather_block_quantized(op: Op) -> Work:
    """Rows of a packed table: each element that is read has its zero point taken off and is scaled."""
    return Work(flop=op.outs[0].size, integer=op.outs[0].size)


@rule("Scatter", "ScatterElements", "ScatterND")
def scatter(op: Op) -> Work:
    """Inputs data, indices, updates; attribute `reduction` add, mul, max, min works on each update."""
    reduction = op.attrs.get("reduction", "none")
    updates = op.input(2).size
    if reduction in ("add", "mul"):
        return in_type(op.outs[0].dtype, updates)
    return Work(comparison=updates) if reduction in ("max", "min") else Work()


@rule("EmbedLayerNormalization")
def embed_layer_norm(op: Op) -> Work:
    """Word, position (and segment) rows added, then layer norm."""
    out = op.outs[0]
    tables = 1 + op.has_input(4)
    return norm(out.size, out.size // max(out.shape[-1], 1), CENTRED + tables, 2)
