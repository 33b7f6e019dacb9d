"""How the hypotheses of the simulated probes should end, by the truth of the device."""

from __future__ import annotations

from itertools import pairwise

from reportgen.findings.finding import Verdict
from reportgen.findings.hypotheses_intensity import HALF_WAY
from reportgen.runs.schema import ProbeInfo
from tests.simulated.access_points import SHORT
from tests.simulated.instruction_points import NAMED_PAIRS
from tests.simulated.ports import share_limit, share_ports
from tests.simulated.roofline_points import PEAK_ACCUMULATORS, PEAK_OPERATIONS, peak_rate
from tests.simulated.truth import CpuTruth

WIDE = "_512"


def true_verdict(truth: CpuTruth, probe: ProbeInfo) -> Verdict | None:
    """`supported` where the hypothesis is true, `not supported` where it is not; None where nothing says."""
    match probe.analysis:
        case "slope" | "plateau" if probe.operation in truth.operations:
            return Verdict.SUPPORTED  # chains are chains, and every rate has an end
        case "working_set" | "line" | "conflict" | "tlb" | "pointer_chase" | "window" | "misprediction":
            return Verdict.SUPPORTED
        case "intensity":
            return _of(all(reached > HALF_WAY for reached in truth.overlap.values()))
        case "store_to_load" if probe.id == SHORT:
            return _of(not truth.access.learns)
        case "store_to_load" | "split":
            return Verdict.SUPPORTED
        case "alias":
            return _of(truth.access.alias == 0)
        case "bandwidth":
            return _of(_falls(truth))
        case "interference" if "expects" in probe.constants:
            pair = NAMED_PAIRS[probe.id.rpartition("/")[2]]
            shared = share_ports(truth, *pair) or share_limit(truth, *pair)
            return _of(shared is (probe.constants["expects"] == "shared"))
        case "peak" if probe.constants.get("precision") in PEAK_OPERATIONS:
            return _of(_widest_is_fastest(truth, str(probe.constants["precision"])))
    return None


def _of(true: bool) -> Verdict:
    return Verdict.SUPPORTED if true else Verdict.NOT_SUPPORTED


def _widest_is_fastest(truth: CpuTruth, precision: str) -> bool:
    rates = {
        name: max(peak_rate(truth, name, count) for count in PEAK_ACCUMULATORS)
        for name in PEAK_OPERATIONS[precision]
    }
    narrow = max(rate for name, rate in rates.items() if not name.endswith(WIDE))
    wide = max(rate for name, rate in rates.items() if name.endswith(WIDE))
    return wide > narrow


def _falls(truth: CpuTruth) -> bool:
    """Whether no outer level is faster than the one inside it, kernel by kernel, on one core and on all."""
    levels = [truth.bandwidth[level] for level in ("l1", "l2", "l3", "dram")]
    scales = [(1.0,) * 4, tuple(truth.scaling[level] for level in ("l1", "l2", "l3", "dram"))]
    return all(
        inner[kernel] * scale[at] >= outer[kernel] * scale[at + 1]
        for scale in scales
        for at, (inner, outer) in enumerate(pairwise(levels))
        for kernel in inner
    )
