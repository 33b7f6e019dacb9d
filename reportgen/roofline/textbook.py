"""Kernels whose intensity follows from their definition, from the left of every ridge to the right of it."""

from __future__ import annotations

from reportgen.roofline import layers
from reportgen.roofline.batches import TYPES
from reportgen.roofline.points import Point, type_of
from reportgen.workload import templates
from reportgen.workload.count import count_graph

VECTOR = 1 << 25
SIDE = 8192
"""Of the matrix that is multiplied with a vector."""
ORDER = 4096
"""Of the matrices that are multiplied with each other."""


def kernels(level: str, precision: str) -> tuple[Point, ...]:
    """A vector update, a matrix times a vector, a product of matrices, each operand moved once.

    Args:
        level: memory level that the bytes cross.
        precision: one of `batches.TYPES`.
    """
    dtype = TYPES[type_of(precision)]
    graphs = (
        (f"axpy, n = {VECTOR}", templates.axpy(VECTOR, dtype)),
        (f"gemv, n = {SIDE}", templates.gemv(SIDE, SIDE, dtype)),
        (f"gemm, n = {ORDER}", templates.gemm(ORDER, dtype=dtype)),
    )
    return tuple(layers.whole(count_graph(graph), name, level, precision) for name, graph in graphs)
