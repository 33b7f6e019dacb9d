"""Sentences of our own rates over those of the vendor's code in the same run."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import central
from reportgen.findings.metric import MetricId
from reportgen.findings.wording.numbers import amount

ALIKE = 0.03
"""Relative difference up to which two rates are called about the same."""


def phrase(routine: str) -> str:
    """`gemm_tensor_fp16` -> "our rate over the vendor's (matrix product, tensor FP16)"."""
    kind, _, of = routine.partition("_")
    words = of.replace("_", " ").upper().replace("TENSOR", "tensor")
    named = {"copy": f"copy in {words}", "gemm": f"matrix product, {words}"}.get(kind, routine)
    return f"our rate over the vendor's ({named})"


def ratio(name: MetricId, quantity: Quantity) -> str:
    """Measured: how our rate compares, and what that says of the roof."""
    value, named = central(quantity), phrase(name.subject)
    text = f"{named[:1].upper()}{named[1:]} is {amount(quantity)}"
    if value < 1 - ALIKE:
        return f"{text}: the vendor's code is faster, so a roof that our kernel gave is too low."
    if value > 1 + ALIKE:
        return f"{text}: our kernel reaches more than the vendor's code does here."
    return f"{text}: both are about as fast."
