"""The rule by which each hypothesis ends."""

from __future__ import annotations

from typing import Any

import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.findings import gates
from reportgen.findings.evidence import gather
from reportgen.findings.finding import Verdict
from reportgen.findings.hypotheses import RULES, Conclusion, conclude
from reportgen.findings.hypotheses_by_words import BY_WORDS
from reportgen.findings.lint import offences
from reportgen.runs.schema import Point
from reportgen.status import Status
from reportgen.suite.load import load_suite
from tests.unit.findings.records import MIB, point, probe, quantity, run

WHOLE = "Time grows linearly; its slope is a whole number of cycles."
YES, NO, OPEN = Verdict.SUPPORTED, Verdict.NOT_SUPPORTED, Verdict.UNDECIDED


def ending(
    analysis: str,
    *quantities: Quantity,
    points: tuple[Point, ...] = (),
    others: tuple[Quantity, ...] = (),
    **fields: Any,
) -> Conclusion:
    asked = probe("", analysis, id="p", **fields)
    own = [Quantity(**{k: getattr(q, k) for k in q.__struct_fields__} | {"probe": "p"}) for q in quantities]
    found = gather(run([asked], points), (*own, *others))
    return conclude(found, gates.check(found))["p"]


def test_every_rule_is_stated() -> None:
    assert all(rule.startswith(("Supported", "Where")) for rule, _ in RULES.values())
    assert all(offences(rule) == () for rule, _ in RULES.values())


def test_a_straight_line_of_whole_cycles() -> None:
    whole, half = quantity("latency.x", 3.001), quantity("latency.x", 3.5)
    assert ending("slope", whole, hypothesis=WHOLE).verdict is YES
    assert ending("slope", half, hypothesis=WHOLE).verdict is NO
    assert ending("slope", half, hypothesis="Time grows linearly.").verdict is YES


def test_a_bent_line_does_not_support_its_hypothesis() -> None:
    """Also where the analysis gives no value on that account: its curve stays in the details."""
    bent = {"length": [48, 96, 144], "cycles": [100, 200, 400], "slope": 3.0, "intercept": -60.0}
    one = quantity("latency.x", status=Status.UNSTABLE, reason="not linear", inputs={}, details=bent)
    found = ending("slope", one)
    assert found.verdict is NO
    assert found.reason.startswith("the line misses a point by")


def test_without_a_number_a_hypothesis_is_undecided_and_says_why() -> None:
    one = quantity("latency.x", status=Status.UNSUPPORTED, reason="The device lacks avx512fp16.", inputs={})
    found = ending("slope", one)
    assert (found.verdict, found.reason) == (OPEN, "The device lacks avx512fp16.")
    assert ending("slope").verdict is OPEN
    assert ending("plateau", quantity("throughput.x", status=Status.FAILED, reason="SIGILL")).verdict is OPEN


def test_plateaus() -> None:
    assert ending("plateau", quantity("throughput.x", 2.0, details={"knee": 8})).verdict is YES
    assert ending("plateau", quantity("throughput.x", 2.0)).verdict is OPEN
    rising = quantity("throughput.x", low=2.0, status=Status.CENSORED, details={"knee": 8})
    assert ending("plateau", rising).verdict is OPEN


@pytest.mark.parametrize(
    ("expects", "value", "verdict"),
    [
        ("separate", 0.0, YES),
        ("separate", 1.0, NO),
        ("separate", 0.5, NO),
        ("shared", 1.0, YES),
        ("shared", 0.0, NO),
        ("shared", 0.5, OPEN),
    ],
)
def test_a_pair_that_expects_a_reading(expects: str, value: float, verdict: Verdict) -> None:
    one = quantity("interference.a.b", value, value - 0.02, value + 0.02)
    assert ending("interference", one, constants={"expects": expects}).verdict is verdict


def test_a_pair_that_cannot_be_told_is_undecided() -> None:
    one = quantity("interference.a.b", 0.15, 0.05, 0.25)
    assert ending("interference", one, constants={"expects": "shared"}).verdict is OPEN
    assert ending("interference", one).verdict is OPEN


def test_a_matrix_is_of_shared_and_separate_pairs() -> None:
    pairs = quantity("interference.a.b", 1.0), quantity("interference.a.c", 0.0, -0.01, 0.01)
    assert ending("interference", *pairs).verdict is YES
    assert ending("interference", *pairs, quantity("interference.a.d", 0.5)).verdict is NO
    control = quantity("interference.a.a", 0.1, 0.0, 0.2)
    assert ending("interference", *pairs, control).verdict is OPEN


def test_steps_of_a_sweep() -> None:
    edge = quantity("memory.l1.capacity", 48, 46, 50)
    levels = quantity("memory.l1.latency", 5.0), quantity("memory.l2.latency", 16.0)
    assert ending("working_set", edge, *levels).verdict is YES
    assert ending("working_set", edge, levels[0], quantity("memory.l2.latency", 5.1)).verdict is NO
    bound = quantity("memory.l1.capacity", low=64 * MIB, status=Status.CENSORED)
    assert ending("working_set", bound, levels[0]).verdict is OPEN


@pytest.mark.parametrize("analysis", ["line", "conflict", "tlb"])
def test_edges(analysis: str) -> None:
    metric = {"line": "memory.line", "conflict": "memory.l1.associativity", "tlb": "memory.dtlb1.reach"}[
        analysis
    ]
    assert ending(analysis, quantity(metric, 64, 56, 64)).verdict is YES
    assert ending(analysis, quantity(metric, low=64, status=Status.CENSORED)).verdict is OPEN


def test_levels_rise_and_bandwidth_falls() -> None:
    chase = quantity("chase.l1.latency", 5.0), quantity("chase.l2.latency", 16.0)
    assert ending("pointer_chase", *chase).verdict is YES
    assert ending("pointer_chase", chase[0]).verdict is OPEN
    assert ending("pointer_chase", chase[0], quantity("chase.l2.latency", 4.0)).verdict is NO
    slipped = quantity("memory.l1.latency", 15.5)
    found = ending("pointer_chase", *chase, others=(slipped,))
    assert (found.verdict, found.reason) == (OPEN, "its levels do not fit those of another probe")
    rates = quantity("bandwidth.l1.read", 100e9), quantity("bandwidth.l2.read", 200e9)
    assert ending("bandwidth", *rates).verdict is NO
    assert ending("bandwidth", rates[1]).verdict is OPEN


def test_levels_whose_rates_overlap_decide_nothing() -> None:
    def rates(low: float, high: float, kernel: str = "read") -> Conclusion:
        inner = quantity(f"bandwidth.l1.{kernel}", 100e9, 98e9, 102e9)
        return ending("bandwidth", inner, quantity(f"bandwidth.l2.{kernel}", (low + high) / 2, low, high))

    assert rates(90e9, 97e9).verdict is YES
    assert rates(97e9, 99e9).verdict is OPEN
    assert "overlap" in rates(101e9, 103e9).reason
    assert rates(103e9, 105e9).verdict is NO
    assert rates(103e9, 105e9, "nt_write").verdict is OPEN


def test_a_level_without_a_rate_leaves_it_open_whether_rates_fall() -> None:
    rates = quantity("bandwidth.l1.read", 100e9), quantity("bandwidth.l2.read", 50e9)
    lacking = quantity("bandwidth.l3.read", None, status=Status.SKIPPED, reason="too near")
    assert ending("bandwidth", *rates).verdict is YES
    found = ending("bandwidth", *rates, lacking)
    assert (found.verdict, found.reason) == (OPEN, "bandwidth.l3.read has no rate")
    unasked = quantity("bandwidth.l3.read", None, status=Status.UNSUPPORTED, reason="no such level")
    assert ending("bandwidth", *rates, unasked).verdict is YES


def test_the_widest_registers() -> None:
    points = tuple(point(f"p#{name}", {"operation": name}) for name in ("fma", "fma_256", "fma_512"))
    best = quantity("peak.fp32", 1e11, details={"operation": "fma_512"})
    assert ending("peak", best, points=points).verdict is YES
    assert (
        ending("peak", quantity("peak.fp32", 1e11, details={"operation": "fma_256"}), points=points).verdict
        is NO
    )
    assert ending("peak", best, points=points[-1:]).verdict is OPEN
    equal = {"operation": "fma_512", "operations": ["fma_256", "fma_512"], "per_cycle": [15.9, 16.0]}
    found = ending("peak", quantity("peak.fp32", 1e11, details=equal), points=points)
    assert found.verdict is NO
    assert found.reason == "fma_256 is as fast as the widest registers, or faster"


def test_a_library_stays_under_its_roof() -> None:
    roof = quantity("peak.fp32", 224e9)
    assert ending("library", quantity("kernel.sgemm.64", 180e9), others=(roof,)).verdict is YES
    above = ending("library", quantity("kernel.sgemm.64", 300e9), others=(roof,))
    assert above.verdict is NO
    assert "kernel.sgemm.64 is 1.34 times the measured peak" in above.reason
    assert ending("library", quantity("kernel.sgemm.64", 180e9)).verdict is OPEN


def test_an_analysis_without_a_rule_is_undecided() -> None:
    found = ending("none", quantity("execution.x", 1.0))
    assert (found.verdict, found.reason) == (OPEN, "no rule for this analysis")


# -- hypotheses told apart by their words -----------------------------------------------------------


@pytest.mark.parametrize(
    ("accumulators", "rates", "verdict"),
    [
        ([4, 8], [100.0, 101.0], YES),
        ([4, 8, 12], [60.0, 100.0, 101.0], YES),
        ([4, 8, 12], [60.0, 90.0, 100.0], NO),
        ([4, 8], [60.0, 100.0], OPEN),
        ([8], [100.0], OPEN),
        ([4], [100.0], OPEN),
    ],
)
def test_so_many_accumulators_reach_the_peak(
    accumulators: list[int], rates: list[float], verdict: Verdict
) -> None:
    one = quantity("peak.fp32", 1e12, details={"accumulators": accumulators, "per_cycle": rates})
    found = ending("peak", one, hypothesis="Eight accumulators a thread reach the peak.")
    assert found.verdict is verdict
    assert "accumulators" in found.rule


def test_intensity_that_grows_with_the_batch() -> None:
    def batches(*intensities: float) -> list[Quantity]:
        return [
            quantity(
                f"kernel.llm_decode.{n}", 1e9,
                details={"variable": "batch", "batch": n, "intensity": intensity},
            )
            for n, intensity in zip((1, 4, 16), intensities, strict=True)
        ]  # fmt: skip

    text = "Weights are read once a step, so intensity grows with the batch."
    assert ending("library", *batches(0.5, 2.0, 8.0), hypothesis=text).verdict is YES
    assert ending("library", *batches(0.5, 2.0, 1.9), hypothesis=text).verdict is NO
    assert ending("library", batches(0.5, 2.0, 8.0)[0], hypothesis=text).verdict is OPEN
    ridge = quantity("ridge.fp32.dram", 4.0)
    compute = "All share one reading, so that the compute roof is the lower one at every batch."
    given: dict[str, Any] = {"hypothesis": compute, "constants": {"precision": "fp32"}}
    assert ending("library", *batches(5.0, 6.0, 8.0), others=(ridge,), **given).verdict is YES
    below = ending("library", *batches(3.0, 6.0, 8.0), others=(ridge,), **given)
    assert (below.verdict, below.reason) == (NO, "at a batch of 1 the memory roof is the lower one")
    assert ending("library", *batches(3.0, 6.0, 8.0), **given).verdict is OPEN


@pytest.mark.parametrize(
    ("other", "verdict"), [(2.03, YES), (1.0, NO), (None, OPEN)], ids=["one rate", "apart", "alone"]
)
def test_data_types_of_one_width_have_one_rate(other: float | None, verdict: Verdict) -> None:
    text = "Instructions of one width have one rate, so that halving the data type doubles the work done."
    asked = [
        probe(name, "plateau", id=f"sweep/{name}", hypothesis=text)
        for name in ("fma_512", "dot_512", "add_256")
    ]
    rates = [quantity("throughput.fma_512", 2.0, probe="sweep/fma_512")]
    rates.append(quantity("throughput.add_256", 3.0, probe="sweep/add_256"))
    if other is not None:
        rates.append(quantity("throughput.dot_512", other, probe="sweep/dot_512"))
    found = gather(run(asked), tuple(rates))
    assert conclude(found, gates.check(found))["sweep/fma_512"].verdict is verdict


@pytest.mark.parametrize(("own", "verdict"), [(2.1e12, YES), (1.9e12, NO)])
def test_a_kernel_copies_as_fast_as_the_driver(own: float, verdict: Verdict) -> None:
    text = "A kernel of ours moves no fewer bytes than the driver's copy."
    theirs = quantity("bandwidth.dram.vendor_copy", 2.0e12)
    ours = quantity("bandwidth.dram.copy", own)
    assert ending("bandwidth", theirs, others=(ours,), hypothesis=text).verdict is verdict
    assert ending("bandwidth", theirs, hypothesis=text).verdict is OPEN


@pytest.mark.parametrize(("inner", "verdict"), [(3.3e13, YES), (6.0e12, NO), (7.0e12, OPEN)])
def test_first_caches_beside_the_second_level(inner: float, verdict: Verdict) -> None:
    text = "Multiprocessors read their first cache faster than all of them together read the second."
    first, second = quantity("bandwidth.l1.read", inner), quantity("bandwidth.l2.read", 7.0e12)
    assert ending("bandwidth", first, others=(second,), hypothesis=text).verdict is verdict
    assert ending("bandwidth", first, hypothesis=text).verdict is OPEN


# -- what only a GPU can answer ---------------------------------------------------------------------


def unfit(metric: str) -> Quantity:
    return quantity(metric, status=Status.UNSTABLE, reason="It does not lie on one line.", inputs={})


@pytest.mark.parametrize(
    ("analysis", "given", "verdict"),
    [
        ("banks", [quantity("execution.shared_bank_strides.banks", 32.0)], YES),
        ("banks", [unfit("execution.shared_bank_strides.banks")], NO),
        ("bulk", [quantity("memory.bulk.tma.rate", 60.0)], YES),
        ("bulk", [unfit("memory.bulk.tma.rate")], NO),
        ("tile", [quantity("memory.tile.swizzle.32", 1.0), quantity("memory.tile.swizzle.64", 1.01)], YES),
        ("tile", [quantity("memory.tile.swizzle.32", 1.0), quantity("memory.tile.swizzle.64", 1.2)], NO),
        ("tile", [quantity("memory.tile.swizzle.32", 1.0, 0.9, 1.1)], OPEN),
        (
            "tile",
            [quantity("memory.tile.promotion.64", 0.8), quantity("memory.tile.promotion.128", 0.7)],
            YES,
        ),
        (
            "tile",
            [quantity("memory.tile.promotion.64", 0.8), quantity("memory.tile.promotion.128", 0.8)],
            OPEN,
        ),
        ("tile", [quantity("memory.tile.promotion.64", 0.8), quantity("memory.tile.promotion.128", 1.1)], NO),
        (
            "distance",
            [quantity("memory.l2.distance.near", 270.0, details={"quantiles": list(range(220, 322, 2))})],
            OPEN,
        ),
        ("distance", [quantity("memory.l2.distance.near", 200.0)], NO),
        (
            "distance",
            [quantity("memory.l2.distance.near", 200.0), quantity("memory.l2.distance.far", 300.0)],
            YES,
        ),
        ("sectors", [quantity("memory.sector.ca", 32.0)], OPEN),
        ("sectors", [quantity("memory.sector.ca", 32.0), quantity("memory.sector.ca.outer", 128.0)], YES),
        ("sectors", [quantity("memory.sector.ca", 32.0), quantity("memory.sector.ca.outer", 80.0)], NO),
        ("on_chip", [quantity("memory.shared.l1.capacity", 1e5, status=Status.CENSORED)], OPEN),
        ("on_chip", [quantity("memory.constant.l1.capacity", 2048.0)], YES),
        (
            "blocks",
            [quantity("execution.b.alone", 130.0, 128.0, 132.0, details={"multiprocessors": 132})],
            YES,
        ),
        ("blocks", [quantity("execution.b.alone", 3.0, 2.0, 4.0, details={"multiprocessors": 132})], NO),
        ("launch", [quantity("execution.l.fixed", 2e-6), quantity("execution.l.block", 1e-9)], YES),
        ("launch", [quantity("execution.l.fixed", 2e-6)], OPEN),
        ("pressure", [quantity("execution.r.1", 64.0, 60.0, 68.0, details={"table": "agrees"})], YES),
        ("pressure", [quantity("execution.r.1", 64.0, 60.0, 68.0, details={"table": "elsewhere"})], NO),
        ("pressure", [quantity("execution.r.1", 64.0, 60.0, 68.0, details={"table": ""})], OPEN),
        (
            "warps",
            [
                quantity(
                    "execution.w.x", 4.0, details={"warps": [1, 4, 8], "rate": [1.0, 3.9, 4.0], "knee": 8}
                )
            ],
            YES,
        ),
        (
            "warps",
            [
                quantity(
                    "execution.w.x", 4.0, details={"warps": [1, 4, 8], "rate": [1.0, 2.0, 4.0], "knee": 8}
                )
            ],
            NO,
        ),
    ],
)
def test_rules_of_a_gpu(analysis: str, given: list[Quantity], verdict: Verdict) -> None:
    found = ending(analysis, *given)
    assert found.verdict is verdict, found.reason
    if verdict is not YES:
        assert found.reason


def test_another_block_s_shared_memory_lies_between_one_s_own_and_the_cache() -> None:
    own, other = quantity("memory.cluster.2.own", 30.0), quantity("memory.cluster.2.next", 180.0)
    cache = quantity("memory.l2.latency", 270.0)
    assert ending("cluster", own, other, others=(cache,)).verdict is YES
    assert ending("cluster", own, other).verdict is OPEN
    near = quantity("memory.cluster.2.next", 29.0)
    assert ending("cluster", own, near, others=(cache,)).verdict is NO
    far = quantity("memory.cluster.2.next", 400.0)
    assert ending("cluster", own, far, others=(cache,)).verdict is NO


def test_every_analysis_of_the_suite_has_a_rule() -> None:
    asked = {definition.analysis for definition in load_suite().definitions.values()}
    assert asked <= set(RULES)


@pytest.mark.parametrize(("analysis", "words"), [(analysis, words) for analysis, words, _ in BY_WORDS])
def test_words_that_choose_a_rule_stand_in_a_hypothesis_of_the_suite(analysis: str, words: str) -> None:
    asked = load_suite().definitions.values()
    assert any(one.analysis == analysis and words in one.hypothesis for one in asked)
