"""Rows of facts: what the device lacks is one line, and each name in it stays the address of its metric."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from reportgen.findings.finding import Claim
from reportgen.model.architecture import Fact
from reportgen.site.sections import rows
from reportgen.site.view import View
from reportgen.status import Status

VIEW = cast(View, SimpleNamespace(report=SimpleNamespace(title=str)))


def fact(metric: str, status: Status, reason: str = "") -> Fact:
    return Fact(
        metric=metric,
        value=None,
        low=None,
        high=None,
        unit="FLOP/second",
        n=0,
        status=status,
        reason=reason,
        claim=Claim.MEASURED,
        confidence=0.0,
        probe="roofline/peak",
    )


def test_what_is_lacking_is_told_by_reason_and_keeps_its_address() -> None:
    html = rows.lacking(
        VIEW,
        [
            fact("peak.tensor_fp8", Status.UNSUPPORTED, "no tensor units"),
            fact("peak.tensor_fp4", Status.UNSUPPORTED, "no tensor units"),
            fact("peak.fp16", Status.UNSUPPORTED, "this processor lacks avx512fp16"),
            fact("peak.fp64", Status.UNSTABLE, "noisy"),
        ],
    )
    assert html.count("no tensor units") == 1
    assert 'id="peak.tensor_fp4"' in html
    assert "FP16 peak</span> (this processor lacks avx512fp16)." in html
    assert "fp64" not in html


def test_where_nothing_is_lacking_nothing_is_said() -> None:
    assert rows.lacking(VIEW, [fact("peak.fp64", Status.UNSTABLE, "noisy")]) == ""
