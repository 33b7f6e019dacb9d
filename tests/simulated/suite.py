"""The whole simulated suite."""

from __future__ import annotations

from tests.simulated.asked import Asked
from tests.simulated.instruction_points import (
    disturbed_probes,
    interference_probes,
    latency_probes,
    throughput_probes,
)
from tests.simulated.memory_points import (
    bandwidth_probe,
    chase_probe,
    conflict_probe,
    line_probe,
    tlb_probe,
    working_set_probe,
)
from tests.simulated.roofline_points import library_probes, peak_probes
from tests.simulated.truth import CpuTruth


def everything(truth: CpuTruth) -> list[Asked]:
    """All probes of the simulated suite."""
    return [
        *latency_probes(truth),
        *throughput_probes(truth),
        *interference_probes(truth),
        working_set_probe(truth),
        line_probe(truth),
        conflict_probe(truth),
        tlb_probe(truth),
        chase_probe(truth),
        bandwidth_probe(truth),
        *peak_probes(truth),
        *library_probes(truth),
        *disturbed_probes(truth),
    ]
