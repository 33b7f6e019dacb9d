"""Which pipeline of a GPU an operation goes through, by the vendor's description.

Source: NVIDIA, Nsight Compute documentation, Profiling Guide, "Pipelines": FMA does FP32 arithmetic, integer
multiplication and integer dot products; ALU does other integer and logic instructions, and fast conversions
to FP16; XU does special functions and conversions between integers and floating point; LSU does memory.  ALU
is said to be in part "of physical pipe FMAHeavy", and so is FP16 on some devices: whether instructions of
these three compete differs from device to device.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from reportgen.model.cost.latency import NOTHING, Span

_ROWS: tuple[tuple[str, str], ...] = (
    (r"(sparse_)?w?g?mma_\w*", "tensor"),
    (r"fp64_\w+", "FP64"),
    (r"fp32_(add|mul|fma)|fp32x2_(add|mul|fma)|integer_(mul|mad)\w*|int(8|16)_dot", "FMA"),
    (r"(fp16|bf16)_(add|mul|fma)\w*", "FP16"),
    (r"exp2|log2|sin|cos|tanh|sqrt|reciprocal\w*|\w+_(tanh|exp2|round)|fp\d+_reciprocal\w*", "XU"),
    (r"popcnt|find_leading_one|bit_reverse", "XU"),
    (r"convert_fp32_(fp16|bf16|tf32)|convert_fp16_fp32|convert_int32_int8|convert_e\w+", "ALU"),
    (r"convert_\w+", "XU"),
    (r"\w*(load|store|atomic|reduction|copy)\w*|shuffle\w*|vote\w*", "LSU"),
)
TOGETHER = frozenset({"FMA", "ALU", "FP16"})
"""They may be parts of one pipeline."""
SLOWEST: Mapping[str, float] = {"FP64": 64.0, "XU": 8.0, "LSU": 8.0}
"""Cycles of a scheduler that an instruction of a warp keeps the pipeline on the slowest devices: 2, 16 and 16
results a clock of a multiprocessor (CUDA C++ Programming Guide, "Arithmetic Instructions", compute capability
7.0 to 12.0).  It is the upper end where only a least distance is known."""
SLOWEST_64_BIT = 64.0
"""The same of conversions from and to types of 64 bits: 2 a clock."""


def pipeline(operation: str) -> str:
    """`FMA`, `ALU`, `FP16`, `FP64`, `XU`, `LSU` or `tensor`; what is left is integer and logic: `ALU`."""
    return next((name for pattern, name in _ROWS if re.fullmatch(pattern, operation)), "ALU")


def slowest(operation: str, least: float) -> float:
    """Cycles at the upper end of an operation of which only a least distance of two is known."""
    if operation.startswith("convert_") and "64" in operation:
        return max(least, SLOWEST_64_BIT)
    return max(least, SLOWEST.get(pipeline(operation), least))


def busy(work: Mapping[str, Span]) -> tuple[Span, str]:
    """Cycles of the pipeline with most to do, and its name.

    Args:
        work: operation -> cycles of a round that its instructions keep a pipeline.

    Returns:
        At the lower end, every operation has a pipeline of its own; at the upper end, those of `TOGETHER` are
        one.
    """
    sums: dict[str, Span] = {}
    for name, span in work.items():
        which = pipeline(name)
        sums[which] = sums.get(which, NOTHING) + span
    if not sums:
        return NOTHING, ""
    chosen = max(sums, key=lambda which: sums[which].value)
    low = max(span.low for span in work.values())
    together = sum(span.high for which, span in sums.items() if which in TOGETHER)
    high = max(together, *(span.high for span in sums.values()))
    return Span(low, sums[chosen].value, high), chosen
