"""Clusters that no part of a device holds."""

from __future__ import annotations

import pytest

from tests.simulated.ptx.binding import PtxGpu
from tests.simulated.ptx.points import Code
from tests.simulated.ptx.visits import Visits
from tests.unit.backends.cuda import suite


def test_a_driver_that_refuses_a_cluster_is_told_apart_from_a_failure(
    toolchain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PtxGpu, "largest_cluster", 14)
    sources = suite.generated("sm_90").sources
    those = [sources[f"memory_hierarchy/distributed_shared#cluster={size},peer=last"] for size in (8, 16)]
    code = Code()
    code.make(those)
    visits = Visits("sm_90", code)
    seen = [visits.visit(source) for source in those]
    assert [one.status for one in seen] == ["ok", "unsupported"]
    assert "no part of this device holds a cluster" in seen[1].reason
