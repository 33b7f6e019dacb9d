"""The devices that the calibration speaks of, drawn part by part.

Ranges are those of cores of the last ten years, and of the noise that guests on shared machines show;
`docs/method/calibration.md` states them in words.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement

from hypothesis import strategies as st

from tests.simulated.chooser import Chooser, Drawn, Seeded, logarithmic
from tests.simulated.core_population import core
from tests.simulated.instruction_points import MATRIX, NAMED_PAIRS, interference_probes
from tests.simulated.truth import KIB, MIB, CpuTruth, Limit, Noise, TrueCache, TrueOperation

ORDERS = ("interleaved", "blocked")
PROPORTIONS = ("2to1", "1to2", "4to1", "1to4")
CORE = 1
"""Part of a device with draws of its own."""
POLICIES = ("lru", "lru", "random", "kept", "lru+random", "lru+kept", "random+kept")


def devices() -> st.SearchStrategy[CpuTruth]:
    """Hypothesis strategy of the same devices."""
    return st.composite(lambda draw: device(Drawn(draw)))()


def seeded(seed: int) -> CpuTruth:
    """Device number `seed` of the population."""
    return core(Seeded(seed, CORE), device(Seeded(seed)))


def rough(seed: int) -> CpuTruth:
    """Device number `seed` of those with troubles that intervals do not allow for."""
    choose = Seeded(seed)
    return core(Seeded(seed, CORE), troubled(choose, device(choose)))


def troubled(choose: Chooser, truth: CpuTruth) -> CpuTruth:
    """The device on a machine that disturbs whole visits, gives few samples, and hides it."""
    caches = truth.caches
    if choose.chance(0.15):
        caches = (*caches[:-1], replace(caches[-1], far=choose.real(1.1, 1.8)))
    noise = replace(
        truth.noise,
        held=choose.pick((0.02, 0.06, 0.15, 0.3)),
        contaminated=choose.pick((0.2, 0.5, 0.8)),
        slips=choose.pick((0.02, 0.05, 0.1, 0.2)),
        wobble=choose.pick((0.0, 0.01, 0.05)),
        drift=choose.pick((0.0, -0.05, -0.15)),
        transients=choose.whole(1, 6),
        transient=choose.pick((0.05, 0.5)),
        memory_visit=logarithmic(choose, 2e-3, 0.05),
        bandwidth_visit=logarithmic(choose, 5e-3, 0.1),
    )
    passes, samples = choose.pick((2, 3)), choose.whole(6, 12)
    truth = replace(truth, caches=caches, noise=noise, passes=passes, samples=samples)
    return _uninspected(choose, truth) if choose.chance(0.15) else truth


WRONG_CODE = 0.5
"""Programs that are not what was meant, where nobody looks."""


def _uninspected(choose: Chooser, truth: CpuTruth) -> CpuTruth:
    """The device without a decoder: some programs are another instruction's, or were partly removed."""
    instructions = [
        f"{family}/{name}"
        for family in ("instruction_latency", "instruction_throughput")
        for name in truth.operations
    ]
    pairs = [
        timed.point.id
        for _, some in interference_probes(truth)
        for timed in some
        if timed.point.settings.get("second")
    ]
    wrong = {
        name: choose.pick((0.5, 0.75, 1.5, 2.0))
        for name in (*instructions, *pairs)
        if choose.chance(WRONG_CODE)
    }
    return replace(truth, inspected=False, wrong_code=wrong)


def device(choose: Chooser) -> CpuTruth:
    """One device."""
    truth = CpuTruth()
    operations = _operations(choose)
    caches = _caches(choose)
    l3 = caches[-1].size
    truth = replace(
        truth,
        name="Drawn core",
        operations=operations,
        caches=caches,
        dram_latency=caches[-1].latency * choose.real(2.5, 6.0),
        line=choose.pick((64, 64, 64, 128, 32)),
        dtlb1=choose.whole(32, 128),
        dtlb1_penalty=caches[1].latency * choose.real(0.3, 0.5),
        dtlb2=choose.whole(8, 40) * 64,
        dtlb2_penalty=caches[2].latency * choose.real(0.2, 0.5),
        dtlb_policy=choose.pick(("lru", "chance")),
        adjacent=choose.pick((0.0, 0.0, 0.3, 0.6)),
        huge_granted=choose.chance(0.75),
        contiguous=choose.chance(0.4),
        bandwidth=_bandwidths(choose),
        scaling={"l1": 2.0, "l2": 2.0, "l3": choose.real(1.2, 2.0), "dram": choose.real(1.0, 1.9)},
        front_end=float(choose.whole(3, 8)),
        orders=ORDERS if choose.chance(0.7) else (),
        proportions=PROPORTIONS if choose.chance(0.6) else (),
        balanced=choose.chance(0.5),
        group=choose.whole(4, 8),
        tick_hz=choose.real(1.0e9, 3.2e9),
        cycle_hz=choose.real(2.0e9, 5.2e9),
        reported_l3=l3 * choose.pick((1, 1, 2, 4)),
        noise=noise(choose),
        passes=3,
        samples=choose.whole(8, 20),
        sweep_high=l3 * choose.pick((4, 8, 16)),
        per_octave=choose.whole(6, 12),
        body_ticks=choose.pick((26_000, 60_000, 200_000)),
    )
    truth = replace(truth, operations=operations | {"l1_load": _load(choose, operations, caches[0].latency)})
    return replace(truth, limits=_limits(choose), uneven=_uneven(choose, truth))


def noise(choose: Chooser) -> Noise:
    """How a machine disturbs its samples."""
    return Noise(
        contaminated=choose.pick((0.0, 0.2, 0.4, 0.6)),
        slips=choose.pick((0.0, 0.01, 0.02, 0.04)),
        jitter=logarithmic(choose, 2e-4, 2e-3),
        visit=logarithmic(choose, 5e-5, 6e-4),
        memory_visit=logarithmic(choose, 5e-4, 8e-3),
        bandwidth_visit=logarithmic(choose, 2e-3, 2e-2),
        outside=choose.real(1.0, 3.0),
        wobble=choose.pick((0.0, 0.003, 0.01)),
        drift=choose.pick((0.0, 0.0, -0.01, 0.01)),
        granularity=choose.pick((1, 1, 10, 26)),
        transients=choose.whole(1, 3),
        transient=choose.pick((0.02, 0.1, 0.5)),
        held=choose.pick((0.0, 0.0, 0.002, 0.01)),
    )


def _ports(choose: Chooser, of: tuple[int, ...], least: int = 1, most: int = 9) -> frozenset[int]:
    """Neighbouring ports, as many as drawn."""
    count = choose.whole(min(least, len(of)), min(most, len(of)))
    first = choose.whole(0, len(of) - count)
    return frozenset(of[first : first + count])


def _operations(choose: Chooser) -> dict[str, TrueOperation]:
    """The same names as ever, on other ports with other latencies."""
    integer = tuple(range(choose.whole(2, 6)))
    unified = choose.chance(0.4)
    vector = (
        integer[: choose.whole(2, len(integer))] if unified else tuple(range(10, 10 + choose.whole(1, 4)))
    )
    base = CpuTruth().operations
    divider = _ports(choose, integer, 1, 1)
    found = {
        "integer_add": replace(base["integer_add"], ports=_ports(choose, integer, 2)),
        "integer_mul": _pipelined(choose, base["integer_mul"], _ports(choose, integer, 1, 2), 3, 5),
        "integer_div": _busy(choose, base["integer_div"], divider, 8, 40),
        "popcnt": _pipelined(choose, base["popcnt"], _ports(choose, integer), 1, 3),
        "shift": _pipelined(choose, base["shift"], _ports(choose, integer), 1, 2),
        "crc32": _pipelined(choose, base["crc32"], _ports(choose, integer, 1, 1), 3, 5),
        "fp64_mul": _pipelined(choose, base["fp64_mul"], _ports(choose, vector), 3, 6),
        "fp32_fma": _pipelined(choose, base["fp32_fma"], _ports(choose, vector), 4, 8),
        "fp32_fma_512": _pipelined(choose, base["fp32_fma_512"], _ports(choose, vector, 1, 2), 4, 8),
        "fp64_div": _busy(choose, base["fp64_div"], _ports(choose, vector, 1, 1), 10, 24),
        "permute_512": _pipelined(choose, base["permute_512"], _ports(choose, vector, 1, 2), 1, 5),
        "int_to_fp32": _pipelined(choose, base["int_to_fp32"], _ports(choose, vector, 1, 2), 3, 8),
    }
    wide = found["fp32_fma_512"]
    alike = choose.chance(0.7)
    found["fp64_fma_512"] = replace(
        base["fp64_fma_512"],
        latency=wide.latency,
        ports=wide.ports if alike else _ports(choose, vector, 1, 2),
    )
    return found


def _pipelined(
    choose: Chooser, kind: TrueOperation, ports: frozenset[int], low: int, high: int
) -> TrueOperation:
    return replace(kind, ports=ports, latency=float(choose.whole(low, high)), busy=1.0)


def _busy(choose: Chooser, kind: TrueOperation, ports: frozenset[int], low: int, high: int) -> TrueOperation:
    latency = choose.whole(low, high)
    return replace(kind, ports=ports, latency=float(latency), busy=float(choose.whole(3, latency)))


def _load(choose: Chooser, operations: dict[str, TrueOperation], latency: float) -> TrueOperation:
    ports = frozenset(range(20, 20 + choose.whole(1, 3)))
    return replace(CpuTruth().operations["l1_load"], latency=latency, ports=ports)


def _limits(choose: Chooser) -> tuple[Limit, ...]:
    """In one device of eight, two classes on ports of their own meet in something else."""
    if not choose.chance(0.125):
        return ()
    names = ("fp64_mul", "fp32_fma", "permute_512", "popcnt", "integer_mul")
    return (Limit("write-back", frozenset({choose.pick(names), "l1_load"}), 1.0),)


def _uneven(choose: Chooser, truth: CpuTruth) -> dict[tuple[str, str], tuple[str, float]]:
    """Pairs whose queues fill badly in one of the two arrangements."""
    if not truth.orders:
        return {}
    found = {}
    pairs = [*combinations_with_replacement(MATRIX, 2), *NAMED_PAIRS.values()]
    for pair in choose.pick((pairs[:0], pairs[::9], pairs[4::7])):
        found[pair] = (choose.pick(ORDERS), choose.real(1.05, 1.35))
    return found


def _caches(choose: Chooser) -> tuple[TrueCache, ...]:
    l1_ways = choose.whole(5, 16)
    l1 = TrueCache(
        "l1", l1_ways * 4 * KIB, float(choose.whole(3, 6)), ways=l1_ways, placed=True,
        policy=choose.pick(("lru", "lru", "random")),
    )  # fmt: skip
    l2_ways = choose.pick((8, 8, 16, 20))
    colours = choose.whole(8, 48)
    l2 = TrueCache(
        "l2", l2_ways * colours * 4 * KIB, float(choose.whole(10, 18)), ways=l2_ways, placed=True,
        policy=choose.pick(POLICIES),
    )  # fmt: skip
    l2 = replace(l2, latency=max(l2.latency, 2.5 * l1.latency))
    l3_ways = choose.pick((12, 16, 16))
    size = l2.size * choose.real(6.0, 24.0)
    l3_colours = max(1, round(size / l3_ways / (4 * KIB)))
    l3 = TrueCache(
        "l3", l3_ways * l3_colours * 4 * KIB, l2.latency * choose.real(2.4, 6.0), ways=l3_ways, placed=True,
        policy=choose.pick(POLICIES), hashed=choose.chance(0.4),
    )  # fmt: skip
    return l1, l2, l3


def _bandwidths(choose: Chooser) -> dict[str, dict[str, float]]:
    """Every level slower than the one inside, as far as the kernels of one core go."""
    found: dict[str, dict[str, float]] = {}
    rate = choose.real(60e9, 400e9)
    for level, low, high in (("l1", 1.0, 1.0), ("l2", 0.3, 0.7), ("l3", 0.25, 0.7), ("dram", 0.3, 0.7)):
        rate *= choose.real(low, high)
        found[level] = {
            "read": rate,
            "write": rate * choose.real(0.5, 0.9),
            "copy": rate * choose.real(0.55, 1.1),
            "triad": rate * choose.real(0.6, 1.1),
        }
    found["dram"]["nt_write"] = rate * choose.real(0.8, 1.6)
    found["dram"]["nt_copy"] = rate * choose.real(0.8, 1.4)
    return found


SMALLEST_L2 = 8 * 8 * 4 * KIB
LARGEST_L3 = 24 * 20 * 48 * 4 * KIB
"""Ends of the ranges above, for the page that states them."""
assert LARGEST_L3 < 128 * MIB
