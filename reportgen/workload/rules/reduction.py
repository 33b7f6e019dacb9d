"""Sums, extremes, scans and sorting over axes.

A sum of n elements is n - 1 additions; a mean has a division beside them.  Sorting n elements is counted
as n log2 n comparisons, finding the k largest as n log2 (k + 1).
"""

from __future__ import annotations

from math import ceil, log2

from reportgen.workload.dtypes import is_complex, is_float
from reportgen.workload.graph import Op
from reportgen.workload.rules.registry import rule
from reportgen.workload.work import Work


def merged(op: Op) -> int:
    """Pairs that become one: input elements less output elements."""
    return max(op.input(0).size - op.outs[0].size, 0)


def in_type(dtype: str, count: int) -> Work:
    """`count` additions or products in the column of the type."""
    if not is_float(dtype):
        return Work(integer=count)
    return Work(flop=count * (2 if is_complex(dtype) else 1))


@rule("ReduceSum", "ReduceProd")
def reduce_sum(op: Op) -> Work:
    """One addition or product a merged pair."""
    return in_type(op.outs[0].dtype, merged(op))


@rule("ReduceMean")
def reduce_mean(op: Op) -> Work:
    """A sum, then a division an output."""
    return in_type(op.outs[0].dtype, merged(op) + op.outs[0].size)


@rule("ReduceMax", "ReduceMin", "ReduceAny", "ReduceAll")
def reduce_max(op: Op) -> Work:
    """Comparisons."""
    return Work(comparison=merged(op))


@rule("ArgMax", "ArgMin")
def arg_max(op: Op) -> Work:
    """Comparisons."""
    return Work(comparison=merged(op))


@rule("ReduceL1", "ReduceSumSquare")
def reduce_l1(op: Op) -> Work:
    """A magnitude or a square an input element, then a sum."""
    return in_type(op.outs[0].dtype, op.input(0).size + merged(op))


@rule("ReduceL2")
def reduce_l2(op: Op) -> Work:
    """Squares, their sum, a root an output."""
    return in_type(op.outs[0].dtype, op.input(0).size + merged(op)) + Work(transcendental=op.outs[0].size)


@rule("ReduceLogSum")
def reduce_log_sum(op: Op) -> Work:
    """A sum, a logarithm an output."""
    return Work(flop=merged(op), transcendental=op.outs[0].size)


@rule("ReduceLogSumExp")
def reduce_log_sum_exp(op: Op) -> Work:
    """Maximum, differences, exponentials, sum, logarithm."""
    size, out = op.input(0).size, op.outs[0].size
    return Work(flop=size + merged(op) + out, transcendental=size + out, comparison=merged(op))


@rule("Variance")
def variance(op: Op) -> Work:
    """Mean, differences, squares, their sum, division; `root` for the standard deviation."""
    size, out = op.input(0).size, op.outs[0].size
    return Work(flop=2 * size + 2 * (merged(op) + out), transcendental=out if op.attrs.get("root") else 0)


@rule("CumSum", "CumProd")
def cumulative(op: Op) -> Work:
    """One addition or product an element."""
    return in_type(op.outs[0].dtype, op.outs[0].size)


@rule("TopK")
def top_k(op: Op) -> Work:
    """A heap of k: log2 (k + 1) comparisons an element."""
    shape = op.outs[0].shape
    k = shape[op.attrs.get("axis", -1)] if shape else 1
    return Work(comparison=op.input(0).size * ceil(log2(k + 1)))


@rule("Sort", "Unique")
def sort(op: Op) -> Work:
    """log2 n comparisons an element of a row of n."""
    shape = op.input(0).shape
    n = int(op.attrs.get("length", shape[-1] if shape else 1))
    return Work(comparison=op.input(0).size * ceil(log2(n)) if n > 1 else 0)


@rule("NonZero")
def non_zero(op: Op) -> Work:
    """One comparison an input element."""
    return Work(comparison=op.input(0).size)


@rule("SearchSorted")
def search_sorted(op: Op) -> Work:
    """Binary search: log2 of the table for each value."""
    return Work(comparison=op.outs[0].size * ceil(log2(max(op.input(0).size, 2))))


@rule("SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss")
def loss(op: Op) -> Work:
    """Log-softmax of the scores (for the first), then one sum over the batch."""
    scores = op.input(0)
    rows = scores.size // max(scores.shape[1], 1)
    if op.kind == "NegativeLogLikelihoodLoss":
        return Work(flop=2 * rows)
    return Work(flop=3 * scores.size + 2 * rows, transcendental=scores.size + rows, comparison=scores.size)
