"""One workload on several devices: what decides on each, and the ratio with its interval."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import UserError
from reportgen.roofline.across import Across, Answer, Subject, across, at_intensity
from reportgen.roofline.batches import BATCHES, limit, path
from reportgen.roofline.bounds import Moved
from reportgen.roofline.points import Point
from reportgen.roofline.roofs import Roof
from tests.unit.roofline.cases import point, roof


def device(name: str, peak: float | None, bandwidth: float | None, half: float = 0.01) -> Subject:
    compute = (roof("fp32", peak, half),) if peak else ()
    memory: tuple[Roof, ...] = (roof("dram", bandwidth, half),) if bandwidth else ()
    return Subject(name, name, f"run-{name}", compute, memory)


STEADY, STREAM = device("steady", 200e9, 10e9), device("stream", 100e9, 40e9)
"""Ridges at 20 and 2.5 FLOP/byte; their rooflines cross at 10."""


def compared(intensity: float, *devices: Subject) -> Across:
    return across(devices or (STEADY, STREAM), [at_intensity(intensity, "dram", "fp32")])


@pytest.mark.parametrize(
    ("intensity", "ratio", "decides", "answer"),
    [
        (0.25, 4.0, ("dram", "dram"), Answer.HIGHER),
        (5.0, 2.0, ("dram", "fp32"), Answer.HIGHER),
        (10.0, 1.0, ("dram", "fp32"), Answer.CANNOT_TELL),
        (100.0, 0.5, ("fp32", "fp32"), Answer.LOWER),
    ],
)
def test_bandwidths_decide_on_the_left_and_peaks_on_the_right(
    intensity: float, ratio: float, decides: tuple[str, ...], answer: Answer
) -> None:
    (row,) = compared(intensity).rows
    assert tuple(side.decides for side in row.sides) == decides
    (found,) = row.ratios
    assert found.value == pytest.approx(ratio)
    assert found.answer is answer
    assert found.low == pytest.approx(ratio * 0.99 / 1.01)
    assert found.high == pytest.approx(ratio * 1.01 / 0.99)


def test_an_interval_that_holds_one_is_not_told() -> None:
    (row,) = compared(1.0, device("a", 1e12, 10e9, 0.03), device("b", 1e12, 10.5e9, 0.03)).rows
    assert row.ratios[0].answer is Answer.CANNOT_TELL
    assert "holds 1" in row.ratios[0].reason


def test_at_a_ridge_it_is_not_told_which_roof_decides() -> None:
    (row,) = compared(2.5).rows
    assert row.sides[1].decides == ""
    assert "DRAM and FP32 overlap" in row.sides[1].reason.replace("FP32 and DRAM", "DRAM and FP32")
    assert row.ratios[0].answer is Answer.HIGHER  # the bounds themselves are far apart


def test_a_roof_that_was_not_measured_leaves_an_upper_limit_and_no_ratio() -> None:
    (row,) = compared(1.0, STEADY, device("bare", None, 40e9), device("none", None, None)).rows
    assert [side.partial for side in row.sides] == [False, True, False]
    assert "no FP32 roof" in row.sides[1].reason
    assert row.sides[2].bound is None
    assert [(one.answer, one.value) for one in row.ratios] == [(Answer.CANNOT_TELL, None)] * 2
    assert row.ratios[0].reason.startswith("bare: ")


def test_time_needs_an_amount_of_work_and_a_share_a_time() -> None:
    found = across((STEADY, STREAM), [point(1.0, 5e9), at_intensity(1.0, "dram", "fp32")])
    timed, bare = found.rows
    assert [side.at_least for side in timed.sides] == [pytest.approx(0.1), pytest.approx(0.025)]
    assert [side.share for side in timed.sides] == [pytest.approx(0.5), None]  # it was timed on the first
    assert [side.at_least for side in bare.sides] == [None, None]
    assert [row.id for row in found.rows] == ["A", "B"]


def test_roofs_of_one_core_beside_those_of_a_device_are_said_to_be_so() -> None:
    whole = Subject("gpu", "gpu", "r", STEADY.compute, STEADY.memory, gpu=True)
    assert compared(1.0, STEADY, whole).mixed
    assert not compared(1.0).mixed


@given(st.floats(0.05, 50), st.floats(1, 8), st.floats(0, 0.1))
def test_bytes_that_are_an_interval_widen_the_ratio_only_where_it_changes(
    intensity: float, most: float, half: float
) -> None:
    """The ratio at every intensity of the interval lies in the interval of the ratio."""
    devices = (device("a", 200e9, 10e9, half), device("b", 100e9, 40e9, half))
    least = 1e9 / intensity
    one = Point("k", 1e9, {"dram": Moved(least, least * most)}, "fp32")
    (found,) = across(devices, [one]).rows[0].ratios
    assert found.low is not None
    assert found.high is not None
    for step in range(11):
        between = compared(intensity / most ** (step / 10), *devices).rows[0].ratios[0].value
        assert between is not None
        assert found.low * (1 - 1e-9) <= between <= found.high * (1 + 1e-9)
    if intensity <= 2.5:  # both under their bandwidths
        assert found.low == pytest.approx(4 * (1 - half) / (1 + half))


def test_a_decoded_model_walks_right_until_its_cache_stops_it() -> None:
    points = path("llama2_7b", "dram", "fp16")
    intensities = [one.intensity() or 0 for one in points]
    assert len(points) == len(BATCHES)
    assert intensities[0] == pytest.approx(1.0, abs=0.01)
    assert intensities == sorted(intensities)
    ends = limit(points)
    assert ends is not None
    assert intensities[-1] < ends < 30
    far = path("llama2_7b", "dram", "fp16", (1 << 20,))[0].intensity()
    assert far == pytest.approx(ends, rel=0.01)
    assert limit(points[:1]) is None


def test_the_batch_decides_which_device_is_faster() -> None:
    """With few sequences the one with more bandwidth, with many the one with the higher peak."""
    fp16 = [
        Subject(one.device, one.name, one.run, (roof("fp16", peak, 0.01),), one.memory)
        for one, peak in ((STEADY, 800e9), (STREAM, 200e9))
    ]
    rows = across(fp16, path("llama2_7b", "dram", "fp16", (1, 256), past=128)).rows
    assert [row.ratios[0].answer for row in rows] == [Answer.HIGHER, Answer.LOWER]
    assert [side.decides for side in rows[0].sides] == ["dram", "dram"]
    assert [side.decides for side in rows[1].sides] == ["fp16", "fp16"]


def test_under_a_type_stands_the_fastest_unit_that_computes_in_it() -> None:
    memory = STEADY.memory
    core = Subject("core", "core", "a", (roof("fp16", 400e9),), memory)
    matrix = Subject("matrix", "matrix", "b", (roof("fp16", 100e9), roof("tensor_fp16", 1600e9)), memory)
    points = [at_intensity(1000.0, "dram", name) for name in ("fp16", "tensor_fp16")]
    either, exact = across((core, matrix), points).rows
    assert [side.decides for side in either.sides] == ["fp16", "tensor_fp16"]
    assert either.ratios[0].value == pytest.approx(4)
    assert exact.sides[0].partial
    assert exact.ratios[0].answer is Answer.CANNOT_TELL


def test_units_beside_the_ordinary_ones_have_the_types_of_their_names() -> None:
    assert at_intensity(1.0, "dram", "tensor_int8").unit == "OP"
    assert at_intensity(1.0, "dram", "amx_bf16").unit == "FLOP"
    assert (
        path("gpt2", "dram", "tensor_fp16", (1,))[0].intensity()
        == path("gpt2", "dram", "fp16", (1,))[0].intensity()
    )
    with pytest.raises(UserError, match="vector_fp16"):
        at_intensity(1.0, "dram", "vector_fp16")


def test_no_model_is_decoded_in_integers() -> None:
    with pytest.raises(UserError, match="INT8"):
        path("gpt2", "dram", "int8")
