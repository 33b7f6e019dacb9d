"""Sentences of our own rates over those of the vendor's code in the same run."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import central
from reportgen.findings.wording.numbers import amount

STEM = "vendor."
ALIKE = 0.03
"""Relative difference up to which two rates are called about the same."""


def subject(metric: str) -> str:
    """`vendor.gemm_tensor_fp16.ratio` -> "our rate over the vendor's, matrix product tensor FP16"."""
    what = metric.removeprefix(STEM).removesuffix(".ratio")
    kind, _, of = what.partition("_")
    words = of.replace("_", " ").upper().replace("TENSOR", "tensor")
    named = {"copy": f"copy in {words}", "gemm": f"matrix product, {words}"}.get(kind, what)
    return f"our rate over the vendor's ({named})"


def ratio(quantity: Quantity) -> str:
    """Measured: how our rate compares, and what that says of the roof."""
    value, named = central(quantity), subject(quantity.metric)
    text = f"{named[:1].upper()}{named[1:]} is {amount(quantity)}"
    if value < 1 - ALIKE:
        return f"{text}: the vendor's code is faster, so a roof that our kernel gave is too low."
    if value > 1 + ALIKE:
        return f"{text}: our kernel reaches more than the vendor's code does here."
    return f"{text}: both are about as fast."
