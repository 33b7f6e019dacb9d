"""The whole simulated suite."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from reportgen.status import Status
from tests.simulated import prefetch_points
from tests.simulated.access_points import alias_probe, short_loop_probe, split_probe, store_to_load_probe
from tests.simulated.asked import Asked
from tests.simulated.branch_points import calls_probe, misprediction_probe, rounds_probe, taken_probe
from tests.simulated.communication_points import (
    contended_probe,
    locked_probe,
    sharing_probe,
    transfer_probe,
)
from tests.simulated.footprint_points import footprint_probe
from tests.simulated.instruction_points import (
    disturbed_probes,
    interference_probes,
    latency_probes,
    throughput_probes,
)
from tests.simulated.intensity_points import sweep_probe
from tests.simulated.memory_points import (
    bandwidth_probe,
    chase_probe,
    conflict_probe,
    line_probe,
    tlb_probe,
    working_set_probe,
)
from tests.simulated.replacement_points import replacement_probe
from tests.simulated.roofline_points import library_probes, peak_probes, sustained_probe
from tests.simulated.sampler import Timed
from tests.simulated.truth import CpuTruth
from tests.simulated.window_points import misses_probe, window_probe

NOT_INSPECTED = "No decoder for this ISA is installed, so nobody looked at the machine code."


def everything(truth: CpuTruth) -> list[Asked]:
    """All probes of the simulated suite."""
    return [
        *_as_inspected(truth, latency_probes(truth)),
        *_as_inspected(truth, throughput_probes(truth)),
        *_as_inspected(truth, interference_probes(truth)),
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


def with_core(truth: CpuTruth) -> list[Asked]:
    """The same, and what else is asked of a core: what is in flight, branches, supply, places, overlap,
    what cores share.

    Not in `everything` for the same reason as `with_load`.
    """
    return [
        *everything(truth),
        window_probe(truth),
        misses_probe(truth),
        misprediction_probe(truth),
        taken_probe(truth),
        calls_probe(truth),
        footprint_probe(truth),
        sweep_probe(truth),
        store_to_load_probe(truth),
        short_loop_probe(truth),
        split_probe(truth),
        replacement_probe(truth),
        alias_probe(truth),
        transfer_probe(truth),
        locked_probe(truth),
        sharing_probe(truth),
        contended_probe(truth),
        *prefetch_points.probes(truth),
        rounds_probe(truth),
    ]


def with_load(truth: CpuTruth) -> list[Asked]:
    """The same, and all cores under load for seconds.

    Not in `everything`: another probe would draw other noise for all of them.
    """
    return [*everything(truth), sustained_probe(truth)]


def _as_inspected(truth: CpuTruth, asked: list[Asked]) -> list[Asked]:
    """Probes as they are, or as nobody inspected them: some do not run what was meant."""
    if truth.inspected:
        return asked
    return [(info, [_unverified(truth, one) for one in some]) for info, some in asked]


def _unverified(truth: CpuTruth, one: Timed) -> Timed:
    point = one.point
    factor = truth.wrong_code.get(point.probe, truth.wrong_code.get(point.id, 1.0))
    status = msgspec.structs.replace(point, status=Status.UNVERIFIED, reason=NOT_INSPECTED)
    return replace(one, point=status, cycles=one.cycles * factor)
