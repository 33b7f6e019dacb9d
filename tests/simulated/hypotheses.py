"""How the hypotheses of the simulated probes should end, by the truth of the device."""

from __future__ import annotations

from itertools import pairwise

from reportgen.findings.finding import Verdict
from reportgen.findings.hypotheses_intensity import HALF_WAY
from reportgen.runs.schema import ProbeInfo
from reportgen.suite.load import load_suite
from tests.simulated.access_points import SHORT
from tests.simulated.communication_points import LOCKED
from tests.simulated.instruction_points import NAMED_PAIRS
from tests.simulated.ports import share_limit, share_ports
from tests.simulated.prefetch_points import follows
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
        case "prefetch_stride":
            return _all_followed(truth, probe)
        case "prefetch_near":
            return _of(truth.prefetch.along > 0)
        case "prefetch_run":
            return _of(1 in truth.prefetch.steps)
        case "prefetch_streams":
            return Verdict.SUPPORTED if 1 in truth.prefetch.unrolled else None
        case "alias":
            return _of(truth.access.alias == 0)
        case "replacement" if str(truth.caches[0].ways) in probe.constants["sequences"]:
            return _of(truth.replacement == "LRU")
        case "bandwidth":
            return _of(_falls(truth))
        case "line_transfer" if probe.id == LOCKED:
            return _of(truth.sharing.atomic > 0)
        case "line_transfer":
            return _of(not 0 < truth.sharing.group < truth.cores) if truth.cores > 2 else None
        case "false_sharing":
            return Verdict.SUPPORTED
        case "contended_atomic":
            return _of(truth.sharing.handed > 1)
        case "interference" if "expects" in probe.constants:
            pair = NAMED_PAIRS[probe.id.rpartition("/")[2]]
            shared = share_ports(truth, *pair) or share_limit(truth, *pair)
            return _of(shared is (probe.constants["expects"] == "shared"))
        case "peak" if probe.constants.get("precision") in PEAK_OPERATIONS:
            return _of(_widest_is_fastest(truth, str(probe.constants["precision"])))
    return None


def _all_followed(truth: CpuTruth, probe: ProbeInfo) -> Verdict | None:
    """None where a step that is not followed leaves little to gain: then nothing needs to be said."""
    steps = load_suite().definitions[probe.id].settings["step"]
    missed = [step for step in steps if "_" not in step and not follows(truth, probe.id, step)]
    if missed and all(abs(int(step)) <= truth.prefetch.along for step in missed):
        return None
    return _of(not missed)


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
