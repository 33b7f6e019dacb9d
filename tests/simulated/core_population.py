"""What a core of the calibration keeps in flight, predicts, fetches and forwards, drawn part by part.

Ranges are those of cores of the last ten years; `docs/method/calibration.md` states them in words.
"""

from __future__ import annotations

from dataclasses import replace

from tests.simulated.chooser import Chooser, logarithmic
from tests.simulated.truth import KIB, CpuTruth, TrueAccess, TrueSupply
from tests.simulated.truth_lines import TruePrefetch, TrueSharing

LEVELS = ("l1", "l2", "l3", "dram")
FASTER = 1.2
"""A level of instruction supply over the next one at least."""


def core(choose: Chooser, truth: CpuTruth) -> CpuTruth:
    """The device with the rest of its core.

    Groups of a loop follow from what is drawn for another purpose, so that all other draws stay as they were.
    """
    first_level = choose.pick((32, 32, 48, 64, 64, 128)) * KIB
    return replace(
        truth,
        in_flight=_in_flight(choose),
        parallel_misses=choose.real(6.0, 40.0),
        misprediction=choose.real(9.0, 25.0),
        alternating=choose.pick((0.0, 0.0, 1.0)),
        taken_interval=choose.pick((1.0, 1.0, 2.0)),
        branch_targets=_branch_targets(choose),
        code_levels=((first_level, choose.real(1.5, 4.0)),) if choose.chance(0.6) else (),
        return_stack=(depth := choose.whole(8, 64)),
        loop_group=(0, 8, 6, 9, 0, 12, 8)[depth % 7],
        loop_width=(4.0, 5.0, 6.0)[depth % 3],
        call=choose.real(2.0, 6.0),
        supply=_supply(choose, truth, first_level),
        overlap={level: choose.real(0.55, 0.98) for level in LEVELS},
        access=_access(choose),
        sharing=_sharing(choose),
        prefetch=_prefetch(choose, truth),
    )


def _in_flight(choose: Chooser) -> dict[str, int]:
    """Every instruction takes an entry of the window, most take something there is less of."""
    window = round(logarithmic(choose, 128, 640))
    return {
        "mixed": window,
        "integer": round(window * choose.real(0.4, 0.9)),
        "vector": round(window * choose.real(0.4, 0.9)),
        "load": round(window * choose.real(0.3, 0.6)),
        "store": round(window * choose.real(0.25, 0.5)),
        "waiting_integer": round(window * choose.real(0.25, 0.5)),
        "waiting_vector": round(window * choose.real(0.25, 0.5)),
    }


def _branch_targets(choose: Chooser) -> tuple[tuple[int, float], ...]:
    """One buffer, or a small one before a large one; some hold more than the probe asks for."""
    large = (choose.pick((2, 3, 4, 5, 6, 7, 8, 12, 24)) * 1024, choose.real(5.0, 15.0))
    small = (choose.pick((64, 96, 128, 256, 512)), choose.real(1.0, 3.0))
    return (small, large) if choose.chance(0.5) else (large,)


def _supply(choose: Chooser, truth: CpuTruth, first_level: int) -> tuple[TrueSupply, ...]:
    """Decoded instructions (in two devices of three), and code in each level of cache."""
    best = truth.front_end
    decoded = choose.chance(2 / 3)
    decoders = best / choose.real(FASTER, 2.0) if decoded else best
    outer = decoders / choose.real(FASTER, 2.0)
    levels = (
        TrueSupply(decoders, choose.pick((16, 24, 32)), size=first_level),
        TrueSupply(outer, choose.real(8.0, 14.0), size=truth.caches[1].size),
        TrueSupply(outer / choose.real(FASTER, 2.0), choose.real(3.0, 6.0)),
    )
    held = TrueSupply(best, instructions=choose.whole(3, 16) * 512)
    return (held, *levels) if decoded else levels


def _access(choose: Chooser) -> TrueAccess:
    forwarded = float(choose.whole(4, 7))
    renames = choose.chance(0.5)
    return TrueAccess(
        renamed=1.0 if renames else forwarded,
        learns=choose.chance(0.5),
        forwarded=forwarded,
        waits=forwarded + choose.real(6.0, 12.0),
        vector=choose.real(0.0, 3.0),
        split_latency=choose.pick((0.0, 1.0, choose.real(4.0, 12.0))),
        split_factor=choose.pick((1.0, 2.0, choose.real(2.0, 4.0))),
        page_store=choose.real(2.0, 40.0),
        alias=choose.pick((0.0, choose.real(2.0, 8.0))),
    )


def _sharing(choose: Chooser) -> TrueSharing:
    """Between cores of one package; additions that cores keep for some turns, or hand on each time."""
    return TrueSharing(
        near=logarithmic(choose, 15e-9, 120e-9),
        atomic=choose.pick((choose.real(2e-9, 8e-9), -choose.real(2e-9, 8e-9))),
        visit=choose.real(0.003, 0.03),
        granule=choose.pick((64, 64, 128)),
        plain=choose.real(1.0, 6.0),
        apart=choose.real(5.0, 20.0),
        shared=choose.real(2.0, 20.0),
        beside=choose.pick((1.0, 1.0, choose.real(1.05, 1.2))),
        handed=choose.real(1.2, 12.0),
        polled=choose.real(1.5, 15.0),
    )


def _prefetch(choose: Chooser, truth: CpuTruth) -> TruePrefetch:
    """Cores that follow steps of an instruction, of any, or none; that bring neighbours, pairs, neither."""
    near, far = truth.caches[1].latency, truth.caches[2].latency
    any_instruction = frozenset({1, -1}) if choose.chance(0.8) else frozenset()
    longest = choose.pick((4, 8, 16, 32, 64))
    steps = frozenset(step for step in (1, 2, 3, 4, 8, 16, 32, 64, -1, -4) if abs(step) <= longest)
    along = choose.pick((0, 0, 1, 2, 4))
    return TruePrefetch(
        near=near,
        far=max(far, near + 20.0),
        steps=any_instruction | (steps if choose.chance(0.7) else frozenset()),
        unrolled=any_instruction,
        patterns=choose.chance(0.2),
        training=choose.whole(2, 4),
        along=along,
        pairs=not along and choose.chance(0.5),
        ahead=choose.whole(2, 36),
        crosses=choose.chance(0.5),
        streams=choose.whole(4, 60),
    )
