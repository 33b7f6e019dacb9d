"""What scatter may hide does not deny a hypothesis about a GPU, and what overlaps does not support one."""

from __future__ import annotations

import pytest

from reportgen.analysis.gpu_further import BENT
from reportgen.analysis.quantity import Quantity
from reportgen.findings.finding import Verdict
from reportgen.status import Status
from tests.unit.findings.records import quantity
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
    known = quantity(f"{stem}.conflict", 2.0, 1.95, 2.05)
    vague = quantity(f"{stem}.conflict", 0.5, 0.4, 0.6)
    assert ending("banks", known).verdict is YES
    assert ending("banks", vague).verdict is OPEN


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
