"""What is said of our rates over the vendor's."""

from __future__ import annotations

import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.findings import lint
from reportgen.findings.metric import parse
from reportgen.findings.wording.names import noun
from reportgen.findings.wording.vendor import ratio
from reportgen.model.exports.dictionary import lookup
from reportgen.status import Status


@pytest.mark.parametrize(
    ("metric", "value", "says"),
    [
        ("vendor.gemm_tensor_fp16.ratio", 0.9, "vendor's (matrix product, tensor FP16) is 0.90"),
        ("vendor.gemm_tensor_fp16.ratio", 0.9, "so a roof that our kernel gave is too low."),
        ("vendor.copy_dram.ratio", 1.0, "Our rate over the vendor's (copy in DRAM) is 1.00"),
        ("vendor.copy_dram.ratio", 1.0, "both are about as fast."),
        ("vendor.copy_l2.ratio", 1.2, "our kernel reaches more than the vendor's code does here."),
    ],
)
def test_sentences(metric: str, value: float, says: str) -> None:
    ends = {"low": value - 0.01, "high": value + 0.01}
    one = Quantity(metric, "ratio", Status.OK, "p", "library", value=value, n=9, **ends)  # type: ignore[arg-type]
    told = ratio(parse(metric), one)
    assert says in told
    assert not lint.offences(told)
    assert lookup(metric) is not None
    assert noun(metric, str).startswith("our rate over the vendor's")
