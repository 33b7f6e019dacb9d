"""What scatter may hide does not deny a hypothesis about a GPU, and what overlaps does not support one."""

from __future__ import annotations

import pytest

from reportgen.analysis.gpu_further import BENT
from reportgen.analysis.gpu_pressure import HIDDEN
from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import gather
from reportgen.findings.finding import Verdict
from reportgen.findings.hypotheses import conclude
from reportgen.status import Status
from tests.unit.findings.records import probe, quantity, run
from tests.unit.findings.test_hypotheses import ending

YES, NO, OPEN = Verdict.SUPPORTED, Verdict.NOT_SUPPORTED, Verdict.UNDECIDED
CACHE = quantity("memory.l2.latency", 270.0)
COPY = "A kernel of ours moves no fewer bytes than the driver's copy."


def refused(metric: str, bent: bool, status: Status = Status.UNSTABLE) -> Quantity:
    return quantity(
        metric, status=status, reason="No line.", details={"lanes": [1, 2], BENT: bent}, inputs={}
    )


def way(size: int, peer: str, low: float, high: float) -> Quantity:
    details = {"cluster": size, "peer": peer}
    return quantity(f"memory.cluster.{size}.{peer}", (low + high) / 2, low, high, details=details)


@pytest.mark.parametrize(
    ("bent", "status", "verdict"),
    [
        (False, Status.UNSTABLE, OPEN),
        (True, Status.UNSTABLE, NO),
        (False, Status.UNSUPPORTED, NO),
    ],
)
def test_lanes_that_meet_by_what_is_sure(bent: bool, status: Status, verdict: Verdict) -> None:
    one, other = quantity("atomic.shared.conflict", 3.0), refused("atomic.global.conflict", bent, status)
    assert ending("meeting", one, other).verdict is verdict
    assert ending("meeting", one).verdict is YES
    assert ending("divergence", refused("divergence.path", bent, status)).verdict is verdict


def test_banks_by_what_is_sure() -> None:
    stem = "execution.shared_bank_strides"
    assert ending("banks", refused(f"{stem}.banks", bent=False)).verdict is OPEN
    assert ending("banks", refused(f"{stem}.banks", bent=True)).verdict is NO
    count = quantity(f"{stem}.banks", 32.0)
    assert ending("banks", count, quantity(f"{stem}.conflict", 2.0)).verdict is YES
    assert ending("banks", count, refused(f"{stem}.conflict", bent=False)).verdict is OPEN


def test_ways_within_a_cluster_are_compared_with_those_of_as_many_blocks() -> None:
    vague, clear = way(8, "own", 1.0, 1500.0), way(16, "own", 26.0, 28.0)
    others = (way(8, "next", 181.0, 189.0), way(16, "next", 181.0, 189.0))
    assert ending("cluster", vague, clear, *others, others=(CACHE,)).verdict is OPEN
    assert ending("cluster", clear, others[1], others=(CACHE,)).verdict is YES
    near = way(16, "next", 20.0, 26.0)
    assert ending("cluster", clear, near, others=(CACHE,)).verdict is NO


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(1.94e12, 2.02e12, OPEN), (1.975e12, 1.999e12, YES), (1.8e12, 1.95e12, NO)]
)
def test_a_copy_that_may_be_slower_is_not_called_as_fast(low: float, high: float, verdict: Verdict) -> None:
    theirs = quantity("bandwidth.dram.vendor_copy", 2.0e12, 1.99e12, 2.01e12)
    ours = quantity("bandwidth.dram.copy", (low + high) / 2, low, high)
    assert ending("bandwidth", theirs, others=(ours,), hypothesis=COPY).verdict is verdict


def test_a_rate_that_is_as_high_as_any_is_not_short_of_proportion() -> None:
    """Disturbed visits of fuller settings move the knee, up to half of which proportion is asked for."""
    rates = [0.8, 3.2, 3.9, 3.7, 4.0]
    details = {"warps": [1, 4, 8, 16, 24], "rate": rates, "knee": 24}
    assert ending("warps", quantity("execution.w.x", 4.0, details=details)).verdict is YES


@pytest.mark.parametrize(("hidden", "verdict"), [([], NO), ([64.0], OPEN), ([32.0], NO)])
def test_a_step_that_scatter_may_hide_is_not_missed(hidden: list[float], verdict: Verdict) -> None:
    details = {"table": "agrees", "unseen": [64.0], HIDDEN: hidden}
    assert ending("pressure", quantity("execution.r.1", 40.0, 36.0, 44.0, details=details)).verdict is verdict


def test_rates_are_compared_with_rates_whatever_another_probe_leads() -> None:
    """Another probe leads the issue interval of one type, so that here only its rate is left."""
    text = "Instructions of one shape have one rate, so that halving the data type doubles the work done."
    types = ("f16", "s8", "tf32")
    asked = [probe(name, "plateau", id=f"sweep/{name}", hypothesis=text) for name in types]
    own = [
        quantity(f"{metric}.{name}", value, probe=f"sweep/{name}", unit=unit)
        for name in types[:2]
        for metric, value, unit in (
            ("tensor.issue_interval", 2.0, "cycle/instruction"),
            ("tensor.warps", 0.5, "instruction/cycle"),
        )
    ]
    slower = quantity("tensor.warps.tf32", 0.25, probe="sweep/tf32", unit="instruction/cycle")
    found = conclude(gather(run(asked), (*own, slower)))
    assert {one.verdict for one in found.values()} == {NO}
    assert {one.verdict for one in conclude(gather(run(asked[:2]), own)).values()} == {YES}
