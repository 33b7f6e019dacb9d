"""Cores that share lines, of known costs: in groups, with noise, moved between visits, one that is silent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.findings.metric import Kind, MetricId
from reportgen.status import Status
from reportgen.suite.expand import pair_of, pairs_of_cores
from tests.simulated.asked import Asked, ok_point, probe_info, refused
from tests.simulated.sampler import Timed
from tests.simulated.truth import CpuTruth

TRANSFER, LOCKED, SHARING, CONTENDED = (
    f"core_communication/{name}"
    for name in ("line_transfer", "line_transfer_locked", "false_sharing", "contended_atomic")
)
ROUNDS = (4, 8, 16)
DISTANCES = (8, 16, 32, 64, 128, 256, 512)
UNITS = 32
OVERHEAD = 9e-9
"""Seconds of a body that belong to no hand-over."""


def between(truth: CpuTruth, first: int, second: int) -> float:
    """Seconds one way between two cores, by a store."""
    sharing = truth.sharing
    size = sharing.group or truth.cores
    return sharing.near if first // size == second // size else sharing.far


@dataclass(frozen=True)
class Moved:
    """A virtual CPU that is elsewhere in a share of the visits: times are so much longer there."""

    share: float
    factor: float

    def __call__(self, rng: np.random.Generator) -> float:
        """Factor of one visit."""
        return self.factor if rng.random() < self.share else 1.0


def transfer_probe(truth: CpuTruth, moved: Moved | None = None, silent: str = "") -> Asked:
    """Every pair that is asked, both ways; `silent` is a pair whose second core never answers."""
    timed = []
    for pair in pairs_of_cores(truth.cores):
        for rounds in ROUNDS:
            settings: dict[str, int | float | str] = {"by": "store", "pair": pair, "rounds": rounds}
            if pair == silent:
                reason = "0 of 24 samples passed the gates (partner did not answer)"
                timed.append(refused(TRANSFER, settings, Status.UNSTABLE, reason))
                continue
            timed.append(_handed(truth, TRANSFER, settings, between(truth, *pair_of(pair)), moved))
    return probe_info(
        TRANSFER, "line_transfer", "communication.transfer", "second", "How long does a line take?",
        hypothesis="All pairs of cores take the same time.", variable="rounds", title="line transfer",
    ), timed  # fmt: skip


def locked_probe(truth: CpuTruth) -> Asked:
    """The first pair by indivisible accesses."""
    timed = []
    for by in ("exchange", "compare_exchange"):
        for rounds in ROUNDS:
            settings: dict[str, int | float | str] = {"by": by, "pair": "0-1", "rounds": rounds}
            seconds = between(truth, 0, 1) + truth.sharing.atomic
            timed.append(_handed(truth, LOCKED, settings, seconds, None))
    return probe_info(
        LOCKED, "line_transfer", "communication.transfer", "second", "How long does a line take?",
        hypothesis="An indivisible access adds a constant time to a transfer.", variable="rounds",
        title="line transfer by indivisible accesses",
    ), timed  # fmt: skip


def _handed(
    truth: CpuTruth, probe: str, settings: dict[str, int | float | str], seconds: float, moved: Moved | None
) -> Timed:
    if truth.cores < 2:
        return _alone(probe, settings)
    steps = 2.0 * int(settings["rounds"])
    cpus = " ".join(str(at) for at in pair_of(str(settings["pair"])))
    return Timed(
        ok_point(probe, settings, work={"steps": steps}, facts={"cpus": cpus}),
        seconds=OVERHEAD + steps * seconds,
        threads=2,
        draw=moved,
        visit=truth.sharing.visit,
    )


def _alone(probe: str, settings: dict[str, int | float | str]) -> Timed:
    return refused(
        probe, settings, Status.UNSUPPORTED, "this asks for 2 CPUs, of which this process may use 1"
    )


def sharing_probe(truth: CpuTruth) -> Asked:
    """Additions of two cores at every distance."""
    sharing, timed = truth.sharing, []
    for by, apart in (("plain_add", sharing.plain), ("locked_add", sharing.apart)):
        for distance in DISTANCES:
            cycles = apart
            if distance < sharing.granule:
                cycles *= sharing.shared
            elif distance < 2 * sharing.granule:
                cycles *= sharing.beside
            settings: dict[str, int | float | str] = {"by": by, "distance": distance}
            point = ok_point(SHARING, settings, work={"steps": float(UNITS)})
            one = Timed(point, cycles=UNITS * cycles, threads=2)
            timed.append(one if truth.cores > 1 else _alone(SHARING, settings))
    return probe_info(
        SHARING, "false_sharing", "communication.false_sharing", "cycle", "How far apart must words lie?",
        hypothesis="Additions take longer where the words of two cores share a line.", variable="distance",
        title="false sharing",
    ), timed  # fmt: skip


def contended_probe(truth: CpuTruth) -> Asked:
    """One word for 1, 2, 4, ... cores."""
    timed = []
    for by in ("locked_add", "compare_exchange", "read"):
        for cores in counts(truth):
            settings: dict[str, int | float | str] = {"by": by, "cores": cores}
            timed.append(
                Timed(
                    ok_point(CONTENDED, settings, work={"steps": float(UNITS)}),
                    cycles=UNITS * contended(truth, by, cores),
                    threads=cores,
                )
            )
    return probe_info(
        CONTENDED, "contended_atomic", "communication.contended", "1/second", "How many additions a second?",
        hypothesis="More cores add less often altogether than one alone.", variable="cores",
        title="contended word",
    ), timed  # fmt: skip


def counts(truth: CpuTruth) -> list[int]:
    """Numbers of cores that are asked."""
    return sorted({1, *(2**i for i in range(1, 12) if 2**i < truth.cores), truth.cores})


def contended(truth: CpuTruth, by: str, cores: int) -> float:
    """Cycles of an access of one core while `cores` have the same word."""
    sharing = truth.sharing
    if by == "read":
        return truth.caches[0].latency * (1.0 if cores == 1 else sharing.polled)
    factor = 1.3 if by == "compare_exchange" else 1.0
    return sharing.apart * factor * (1.0 if cores == 1 else cores * sharing.handed)


def true_sharing(truth: CpuTruth, name: MetricId) -> float | None:
    """What is true of a metric about what cores share."""
    sharing = truth.sharing
    ways = [between(truth, *pair_of(pair)) for pair in pairs_of_cores(truth.cores)]
    match name.kind:
        case Kind.TRANSFER if name.part == "farthest":
            return max(ways)
        case Kind.TRANSFER if name.part == "cycles":
            return None  # the core's clock is not the way's
        case Kind.TRANSFER:
            return min(ways) if name.subject == "store" else between(truth, 0, 1) + sharing.atomic
        case Kind.GRANULE:
            return sharing.granule
        case Kind.SHARING:
            apart = sharing.plain if name.subject == "plain_add" else sharing.apart
            return apart * (sharing.shared if name.part == "shared" else 1.0)
        case Kind.CONTENDED:
            return contended(truth, name.subject, truth.cores)
        case Kind.CONTENDED_RATE:
            return truth.cores * truth.cycle_hz / contended(truth, name.subject, truth.cores)
    return None
