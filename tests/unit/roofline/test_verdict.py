"""Two stages, "cannot tell", and the ranking of causes above a roof."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.roofline.bounds import Moved
from reportgen.roofline.points import Point
from reportgen.roofline.verdict import NEAR, PARTIAL, Standing, Verdict, judge
from tests.unit.roofline.cases import KIB, point, roof, roofs

# At 1 FLOP/byte memory allows 20 GFLOP/s, at 50 the FP32 peak of 100 GFLOP/s is lower.
TABLE = [
    # intensity, rate, half width, standing, roof
    (1, 19e9, 0.01, Standing.NEAR, "dram"),
    (1, 16e9, 0.0, Standing.NEAR, "dram"),
    (1, 20.2e9, 0.01, Standing.NEAR, "dram"),  # at the roof, not above it
    (1, 15.9e9, 0.02, Standing.CANNOT_TELL, ""),  # 0.78 to 0.81
    (1, 13e9, 0.01, Standing.PARTIAL, ""),
    (1, 10e9, 0.0, Standing.PARTIAL, ""),
    (1, 10.1e9, 0.03, Standing.CANNOT_TELL, ""),  # 0.49 to 0.52
    (1, 9e9, 0.01, Standing.NEITHER, ""),
    (1, 12e9, 0.5, Standing.CANNOT_TELL, ""),
    (50, 90e9, 0.01, Standing.NEAR, "fp32"),
    (50, 60e9, 0.01, Standing.PARTIAL, ""),
    (50, 20e9, 0.01, Standing.NEITHER, ""),
    (50, 200e9, 0.01, Standing.ABOVE, ""),
    (1, 60e9, 0.01, Standing.ABOVE, ""),
    (1, 20.9e9, 0.01, Standing.ABOVE, ""),  # 1.035 at least
    (50, None, 0.0, Standing.PREDICTED, "fp32"),
]


@pytest.mark.parametrize(("intensity", "rate", "half", "standing", "limiter"), TABLE)
def test_the_two_stages(
    intensity: float, rate: float | None, half: float, standing: Standing, limiter: str
) -> None:
    found = judge(point(intensity, rate, half), roofs())
    assert (found.standing, found.limiter) == (standing, limiter)
    assert "lowest roof above it" in found.under
    assert found.advice
    assert bool(found.causes) == (standing is Standing.ABOVE)


@given(st.floats(0.01, 1000), st.floats(1e6, 1e12), st.floats(0, 0.3))
def test_an_answer_holds_at_both_ends_of_its_interval(intensity: float, rate: float, half: float) -> None:
    found = judge(point(intensity, rate, half), roofs())
    assert found.low is not None
    assert found.high is not None
    assert found.low <= (found.share or 0) <= found.high
    match found.standing:
        case Standing.NEAR:
            assert found.low >= NEAR
        case Standing.PARTIAL:
            assert PARTIAL <= found.low <= found.high < NEAR
        case Standing.NEITHER:
            assert found.high < PARTIAL
        case Standing.ABOVE:
            assert found.low > 1
        case _:
            assert found.low < NEAR <= found.high or found.low < PARTIAL <= found.high


def test_at_the_ridge_it_cannot_tell_which_roof() -> None:
    some = roofs(roof("fp32", 100e9, 0.02), roof("dram", 20e9, 0.05))
    found = judge(point(5.0, 95e9, 0.01), some)
    assert (found.standing, found.limiter) == (Standing.NEAR, "")
    assert any("cannot tell which roof" in text for text in found.reasons)


def test_advice_belongs_to_the_roof() -> None:
    memory, compute = judge(point(1, 19e9), roofs()), judge(point(50, 95e9), roofs())
    assert any("fuse" in text for text in memory.advice)
    assert "roof that stands empty above it" in compute.advice[-1]
    assert compute.advice[-1].endswith("precision: BF16, up to 4 times as fast")
    assert not any("INT8" in text or "FP64" in text for text in compute.advice)  # other work; lower
    # at 10 FLOP/byte memory lets BF16 go to 200 only
    (_, reach) = judge(point(10, 95e9), roofs()).advice
    assert "2 times" in reach
    assert "access pattern" in judge(point(1, 1e9), roofs()).advice[0]
    assert "overlap" in judge(point(1, 12e9), roofs()).advice[0]


def test_partial_says_on_which_side_of_the_bound_without_overlap() -> None:
    # 1/(1/100 + 1/20) = 16.67
    below = judge(point(1, 15e9), roofs())
    assert any("below even 16.7 GFLOP/s" in text for text in below.reasons)
    above = judge(point(5, 60e9), roofs())
    assert any("above 50 GFLOP/s" in text for text in above.reasons)


def test_a_missing_roof_may_be_the_lower_one() -> None:
    slow = judge(point(1, 9e9, level="l3"), roofs())
    assert slow.standing is Standing.CANNOT_TELL
    assert "no L3 roof was measured" in slow.reasons[-1]
    assert judge(point(1, 95e9, level="l3"), roofs()).standing is Standing.NEAR  # near a roof all the same
    none = judge(point(1, 9e9, level="l3", precision="fp8"), roofs())
    assert none.standing is Standing.CANNOT_TELL
    assert none.bound is None


def between(rate: float, levels: tuple[str, ...], **some: object) -> Verdict:
    moved = {level: Moved(1e9) for level in ("l1", "l2", "dram")}
    return judge(
        Point("saxpy", 1e9, moved, "bf16", rate=rate, low=rate, high=rate, levels=levels), roofs(**some)
    )


def test_data_near_the_end_of_a_level_may_lie_in_two() -> None:
    # 400 GFLOP/s from L2, 20 from memory
    assert between(300e9, ("l2", "dram")).level == "l2"  # too fast for memory
    assert between(300e9, ("l2", "dram")).standing is Standing.PARTIAL
    torn = between(19e9, ("l2", "dram"))
    assert (torn.standing, torn.limiter) == (Standing.CANNOT_TELL, "")
    assert "neither roof if in L2; near a roof if in DRAM" in torn.reasons
    assert between(1e9, ("l2", "dram")).standing is Standing.NEITHER
    assert between(900e9, ("l2", "dram")).standing is Standing.ABOVE
    assert "any of them" in between(900e9, ("l2", "dram")).reasons[-1]
    assert "faster than the DRAM roof allows" in between(300e9, ("l2", "dram")).reasons[-1]
    assert "may lie in L2 or DRAM" in between(1e9, ("l2", "dram")).reasons[-1]


def test_a_size_is_given_to_every_level_that_it_may_lie_in() -> None:
    some = roofs()
    assert some.levels(16 * KIB) == ("l1",)
    assert some.levels(32 * KIB) == ("l1", "l2")
    assert some.levels(1000 * KIB) == ("l2", "dram")
    assert some.levels(1e9) == ("dram",)
    assert roofs(ends={}).levels(1.0) == ()
    assert some.up_to("l2") == ("l1", "l2")
    assert some.up_to("dram") == ("l1", "l2", "dram")


def leading(verdict: Verdict) -> str:
    return verdict.causes[0].name


def test_twice_the_peak_is_a_multiply_add_or_a_mask() -> None:
    some = roofs(roof("fp32", 100e9), roof("bf16", 800e9), roof("dram", 20e9))
    assert leading(judge(point(50, 197e9), some)) == "multiply-add counted twice"
    assert leading(judge(point(50, 197e9, name="causal attention"), some)) == "causal mask"
    named = [cause.name for cause in judge(point(50, 197e9), some).causes]
    assert "structured sparsity" not in named
    gpu = roofs(roof("fp32", 100e9), roof("dram", 20e9), gpu=True)
    assert "structured sparsity" in [cause.name for cause in judge(point(50, 197e9), gpu).causes]


def test_just_under_another_peak_is_a_wrong_precision() -> None:
    verdict = judge(point(50, 360e9), roofs())
    assert leading(verdict) == "wrong precision or unit"
    assert "BF16" in verdict.causes[0].what
    # half way to it, twice the own peak: the exact factor fits better
    assert leading(judge(point(50, 200e9), roofs())) == "multiply-add counted twice"


def test_just_under_an_inner_level_is_a_wrong_level() -> None:
    verdict = judge(point(0.1, 0.1 * 350e9), roofs())  # 17.5 times memory, 0.88 of L2
    assert leading(verdict) == "wrong level"
    assert "L2" in verdict.causes[0].what


def test_a_little_above_is_a_clock_or_a_mix() -> None:
    compute = judge(point(50, 115e9), roofs())
    assert leading(compute) == "another clock"
    memory = judge(point(1, 26e9), roofs())
    assert leading(memory) == "another mix of loads and stores"
    assert leading(judge(point(1, 21.5e9), roofs())) == "GB for GiB"


def test_all_cores_are_as_fast_as_there_are_cores() -> None:
    some = roofs(roof("fp32", 100e9), roof("dram", 20e9), cores=16, all_cores={"dram": 6.0})
    assert leading(judge(point(50, 1500e9), some)) == "more than one core"
    assert leading(judge(point(1, 110e9), some)) == "more than one core"


def test_what_a_user_may_have_mistaken_is_not_asked_of_the_suite() -> None:
    some = roofs(cores=16, all_cores={"dram": 6.0})
    users = {"more than one core", "wider elements counted", "GB for GiB", "a unit, or the number of calls"}
    for intensity, rate in ((50, 1500e9), (1, 110e9), (1, 21.5e9)):
        names = {cause.name for cause in judge(point(intensity, rate, metric="kernel.x.1"), some).causes}
        assert names
        assert not names & users


def test_a_very_short_time_is_suspected() -> None:
    short = Point("tiny", 1e4, {"dram": Moved(1.0)}, "fp32", rate=2e12, low=2e12, high=2e12)
    assert leading(judge(short, roofs())) == "timed too briefly"


def test_what_no_cause_predicts_is_a_unit() -> None:
    assert leading(judge(point(50, 1.02e14), roofs())) == "a unit, or the number of calls"


def test_a_rate_beyond_all_reason_still_has_a_first_cause() -> None:
    """The fit of every cause underflows; the page of such a run must not fail for it."""
    assert leading(judge(point(50, 1e40), roofs())) == "a unit, or the number of calls"


def test_causes_of_work_are_not_looked_for_under_a_bandwidth() -> None:
    names = {cause.name for cause in judge(point(1, 40e9), roofs()).causes}
    assert not names & {"multiply-add counted twice", "causal mask", "wrong precision or unit"}


@given(st.floats(1.1, 1e6), st.floats(0.0, 0.02), st.sampled_from([0.5, 50.0]))
def test_causes_are_ranked_and_the_first_fits_best(ratio: float, half: float, intensity: float) -> None:
    some = roofs()
    verdict = judge(point(intensity, ratio * min(100e9, intensity * 20e9), half), some)
    fits = [cause.fit for cause in verdict.causes]
    assert fits[0] == 1
    assert fits == sorted(fits, reverse=True)
    assert all(1 <= cause.least <= cause.most and cause.what and cause.check for cause in verdict.causes)


def test_roofs_of_one_height_share_a_clause_and_carry_the_names_that_people_write() -> None:
    some = roofs(
        roof("fp32", 100e9),
        roof("bf16", 400e9),
        roof("tensor_tf32", 800e9),
        roof("tensor_fp16", 1.6e12),
        roof("tensor_bf16", 1.6e12),
        roof("dram", 20e9),
    )
    assert (
        judge(point(500, 95e9), some)
        .advice[-1]
        .endswith(
            "BF16, up to 4 times as fast; tensor TF32, up to 8 times as fast; "
            "tensor FP16 or tensor BF16, up to 16 times as fast"
        )
    )
