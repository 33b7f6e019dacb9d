"""The rule by which each hypothesis ends."""

from __future__ import annotations

from typing import Any

import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.findings import gates
from reportgen.findings.evidence import gather
from reportgen.findings.finding import Verdict
from reportgen.findings.hypotheses import RULES, Conclusion, conclude
from reportgen.findings.lint import offences
from reportgen.runs.schema import Point
from reportgen.status import Status
from tests.unit.findings.records import MIB, point, probe, quantity, run

WHOLE = "Time grows linearly; its slope is a whole number of cycles."
YES, NO, OPEN = Verdict.SUPPORTED, Verdict.NOT_SUPPORTED, Verdict.UNDECIDED


def ending(
    analysis: str,
    *quantities: Quantity,
    points: tuple[Point, ...] = (),
    others: tuple[Quantity, ...] = (),
    **fields: Any,
) -> Conclusion:
    asked = probe("", analysis, id="p", **fields)
    own = [Quantity(**{k: getattr(q, k) for k in q.__struct_fields__} | {"probe": "p"}) for q in quantities]
    found = gather(run([asked], points), (*own, *others))
    return conclude(found, gates.check(found))["p"]


def test_every_rule_is_stated() -> None:
    assert all(rule.startswith(("Supported", "Where")) for rule, _ in RULES.values())
    assert all(offences(rule) == () for rule, _ in RULES.values())


def test_a_straight_line_of_whole_cycles() -> None:
    whole, half = quantity("latency.x", 3.001), quantity("latency.x", 3.5)
    assert ending("slope", whole, hypothesis=WHOLE).verdict is YES
    assert ending("slope", half, hypothesis=WHOLE).verdict is NO
    assert ending("slope", half, hypothesis="Time grows linearly.").verdict is YES


def test_a_bent_line_does_not_support_its_hypothesis() -> None:
    """Also where the analysis gives no value on that account: its curve stays in the details."""
    bent = {"length": [48, 96, 144], "cycles": [100, 200, 400], "slope": 3.0, "intercept": -60.0}
    one = quantity("latency.x", status=Status.UNSTABLE, reason="not linear", inputs={}, details=bent)
    found = ending("slope", one)
    assert found.verdict is NO
    assert found.reason.startswith("the line misses a point by")


def test_without_a_number_a_hypothesis_is_undecided_and_says_why() -> None:
    one = quantity("latency.x", status=Status.UNSUPPORTED, reason="The device lacks avx512fp16.", inputs={})
    found = ending("slope", one)
    assert (found.verdict, found.reason) == (OPEN, "The device lacks avx512fp16.")
    assert ending("slope").verdict is OPEN
    assert ending("plateau", quantity("throughput.x", status=Status.FAILED, reason="SIGILL")).verdict is OPEN


def test_plateaus() -> None:
    assert ending("plateau", quantity("throughput.x", 2.0, details={"knee": 8})).verdict is YES
    assert ending("plateau", quantity("throughput.x", 2.0)).verdict is OPEN
    rising = quantity("throughput.x", low=2.0, status=Status.CENSORED, details={"knee": 8})
    assert ending("plateau", rising).verdict is OPEN


@pytest.mark.parametrize(
    ("expects", "value", "verdict"),
    [
        ("separate", 0.0, YES),
        ("separate", 1.0, NO),
        ("separate", 0.5, NO),
        ("shared", 1.0, YES),
        ("shared", 0.0, NO),
        ("shared", 0.5, OPEN),
    ],
)
def test_a_pair_that_expects_a_reading(expects: str, value: float, verdict: Verdict) -> None:
    one = quantity("interference.a.b", value, value - 0.02, value + 0.02)
    assert ending("interference", one, constants={"expects": expects}).verdict is verdict


def test_a_pair_that_cannot_be_told_is_undecided() -> None:
    one = quantity("interference.a.b", 0.15, 0.05, 0.25)
    assert ending("interference", one, constants={"expects": "shared"}).verdict is OPEN
    assert ending("interference", one).verdict is OPEN


def test_a_matrix_is_of_shared_and_separate_pairs() -> None:
    pairs = quantity("interference.a.b", 1.0), quantity("interference.a.c", 0.0, -0.01, 0.01)
    assert ending("interference", *pairs).verdict is YES
    assert ending("interference", *pairs, quantity("interference.a.d", 0.5)).verdict is NO
    control = quantity("interference.a.a", 0.1, 0.0, 0.2)
    assert ending("interference", *pairs, control).verdict is OPEN


def test_steps_of_a_sweep() -> None:
    edge = quantity("memory.l1.capacity", 48, 46, 50)
    levels = quantity("memory.l1.latency", 5.0), quantity("memory.l2.latency", 16.0)
    assert ending("working_set", edge, *levels).verdict is YES
    assert ending("working_set", edge, levels[0], quantity("memory.l2.latency", 5.1)).verdict is NO
    bound = quantity("memory.l1.capacity", low=64 * MIB, status=Status.CENSORED)
    assert ending("working_set", bound, levels[0]).verdict is OPEN


@pytest.mark.parametrize("analysis", ["line", "conflict", "tlb"])
def test_edges(analysis: str) -> None:
    metric = {"line": "memory.line", "conflict": "memory.l1.associativity", "tlb": "memory.dtlb1.reach"}[
        analysis
    ]
    assert ending(analysis, quantity(metric, 64, 56, 64)).verdict is YES
    assert ending(analysis, quantity(metric, low=64, status=Status.CENSORED)).verdict is OPEN


def test_levels_rise_and_bandwidth_falls() -> None:
    chase = quantity("chase.l1.latency", 5.0), quantity("chase.l2.latency", 16.0)
    assert ending("pointer_chase", *chase).verdict is YES
    assert ending("pointer_chase", chase[0]).verdict is OPEN
    assert ending("pointer_chase", chase[0], quantity("chase.l2.latency", 4.0)).verdict is NO
    slipped = quantity("memory.l1.latency", 15.5)
    found = ending("pointer_chase", *chase, others=(slipped,))
    assert (found.verdict, found.reason) == (OPEN, "its levels do not fit those of another probe")
    rates = quantity("bandwidth.l1.read", 100e9), quantity("bandwidth.l2.read", 200e9)
    assert ending("bandwidth", *rates).verdict is NO


def test_the_widest_registers() -> None:
    points = tuple(point(f"p#{name}", {"operation": name}) for name in ("fma", "fma_256", "fma_512"))
    best = quantity("peak.fp32", 1e11, details={"operation": "fma_512"})
    assert ending("peak", best, points=points).verdict is YES
    assert (
        ending("peak", quantity("peak.fp32", 1e11, details={"operation": "fma_256"}), points=points).verdict
        is NO
    )
    assert ending("peak", best, points=points[-1:]).verdict is OPEN
    equal = {"operation": "fma_512", "operations": ["fma_256", "fma_512"], "per_cycle": [15.9, 16.0]}
    found = ending("peak", quantity("peak.fp32", 1e11, details=equal), points=points)
    assert found.verdict is NO
    assert found.reason == "fma_256 is as fast as the widest registers, or faster"


def test_a_library_stays_under_its_roof() -> None:
    roof = quantity("peak.fp32", 224e9)
    assert ending("library", quantity("kernel.sgemm.64", 180e9), others=(roof,)).verdict is YES
    above = ending("library", quantity("kernel.sgemm.64", 300e9), others=(roof,))
    assert above.verdict is NO
    assert "kernel.sgemm.64 is 1.34 times the measured peak" in above.reason
    assert ending("library", quantity("kernel.sgemm.64", 180e9)).verdict is OPEN


def test_an_analysis_without_a_rule_is_undecided() -> None:
    found = ending("none", quantity("execution.x", 1.0))
    assert (found.verdict, found.reason) == (OPEN, "no rule for this analysis")
