"""Counting of what is right, and the limits that the counts are held to, on made-up offenders."""

from __future__ import annotations

import msgspec
import pytest

from calibration import limits, page
from calibration.counts import (
    FORMAT,
    LEAST_FINDINGS,
    Calibration,
    Cores,
    Coverage,
    Seeds,
    Share,
    Tenth,
    count,
    count_gpus,
    share_of,
    tenth_of,
    wilson,
)
from calibration.gpu_kinds import UNCOUNTED, GpuKind, kind_of
from calibration.judge import Claimed, Concluded, Judged, Paired, Stated
from calibration.kinds import Kind
from reportgen.analysis.quantity import Quantity
from reportgen.findings.finding import Verdict
from reportgen.site.address import tenth_anchor
from reportgen.status import Status


def devices(right: int, wrong: int, confidence: float) -> list[Judged]:
    """One device a finding and an interval."""
    return [
        Judged(
            [Stated(Kind.LATENCY, held, 0.001)],
            [Claimed("latency", confidence, held, {})],
            [Paired("shared", held, False)],
            [Concluded("slope", Verdict.SUPPORTED, Verdict.SUPPORTED)],
        )
        for held in [True] * right + [False] * wrong
    ]


def counted(right: int, wrong: int, confidence: float = 0.95) -> Cores:
    return count(Seeds(0, right + wrong), devices(right, wrong, confidence), [])


def whole(cores: Cores) -> Calibration:
    """With GPUs of which all keeps to the limits."""
    held = [Judged([Stated(GpuKind.LEVEL, at % 20 > 0, 0.001)]) for at in range(1000)]
    return Calibration(FORMAT, cores, count_gpus(Seeds(0, 1000), held, []))


def broken(cores: Cores, *, allowing: bool = False) -> list[str]:
    return limits.broken(whole(cores), allowing=allowing)


@pytest.mark.parametrize(
    ("confidence", "tenth"), [(0.0, 0), (0.099, 0), (0.1, 1), (0.3, 3), (0.6, 6), (0.699, 6), (1.0, 9)]
)
def test_a_tenth_includes_its_lower_end(confidence: float, tenth: int) -> None:
    assert tenth_of(confidence) == tenth


def test_wilson_gives_the_interval_of_the_textbook() -> None:
    low, high = wilson(0.1, 20)  # 2 of 20: Newcombe, Statistics in Medicine 17, 1998
    assert (round(low, 3), round(high, 3)) == (0.028, 0.301)
    assert wilson(0.0, 10)[0] == 0.0
    assert wilson(1.0, 10)[1] == pytest.approx(1.0)


def test_a_share_of_independent_values_has_the_plain_interval() -> None:
    share = share_of([[True]] * 90 + [[False]] * 10)
    low, high = wilson(0.9, 100 / (100 / 99))
    assert share.low == pytest.approx(low, abs=1e-4)
    assert share.high == pytest.approx(high, abs=1e-4)


def test_values_that_hang_together_tell_less() -> None:
    loose = share_of([[True] * 9 + [False]] * 10)
    tight = share_of([[True] * 10] * 9 + [[False] * 10])
    assert (loose.count, loose.value) == (tight.count, tight.value) == (100, 0.9)
    assert tight.high - tight.low > 2 * (loose.high - loose.low)
    alike = share_of([[True] * 50, [True] * 50, []])
    assert alike.low == round(wilson(1.0, 2)[0], 4)  # two devices that agree are two, not a hundred


def test_numbers_are_counted_by_kind_tenth_truth_and_verdict() -> None:
    numbers = counted(95, 5)
    assert numbers.coverage(Kind.LATENCY).share.value == 0.95
    (tenth,) = numbers.reliability
    assert (tenth.low, tenth.high, tenth.devices, tenth.confidence) == (0.9, 1.0, 100, 0.95)
    assert {row.ports: row.readings["shared"] for row in numbers.sharing} == {True: 95, False: 5}
    assert numbers.hypotheses[0].verdicts == {"supported": 100, "not supported": 0, "undecided": 0}
    with pytest.raises(KeyError):
        numbers.coverage(Kind.RIDGE)


def test_troubled_devices_count_for_confidence_and_not_for_coverage() -> None:
    numbers = count(Seeds(0, 10), devices(10, 0, 0.95), devices(0, 10, 0.95))
    assert numbers.coverage(Kind.LATENCY).share.value == 1.0
    assert numbers.reliability[0].right.value == 0.5


@pytest.mark.parametrize(
    ("right", "wrong", "confidence", "found"),
    [
        (950, 50, 0.95, []),
        (920, 80, 0.95, ["latency of an instruction: 92.0% of 1000"]),
        (990, 10, 0.95, ["latency of an instruction: 99.0% of 1000"]),
        (950, 50, 0.84, ["confidence 0.8 to 0.9: 95.0% of 1000"]),
    ],
)
def test_a_limit_that_does_not_hold_is_a_line(
    right: int, wrong: int, confidence: float, found: list[str]
) -> None:
    lines = broken(counted(right, wrong, confidence))
    assert [line.partition(" int")[0].partition(" find")[0] for line in lines] == found


def test_a_small_sample_is_allowed_what_belongs_to_its_size() -> None:
    assert broken(counted(91, 9))
    assert not broken(counted(91, 9), allowing=True)
    assert broken(counted(70, 30), allowing=True)


def test_a_wide_interval_is_held_to_its_bound() -> None:
    share = Share(100, 0.95, 0.9, 0.98)
    wide = Coverage(Kind.LATENCY.name, share, Kind.LATENCY.value.widest * 1.01)
    (line,) = broken(msgspec.structs.replace(counted(95, 5), intervals=(wide,)))
    assert "median half width" in line
    few = msgspec.structs.replace(wide, share=msgspec.structs.replace(share, count=LEAST_FINDINGS - 1))
    assert not broken(msgspec.structs.replace(counted(95, 5), intervals=(few,)), allowing=True)


def test_a_kind_of_gpus_is_counted_or_listed_with_the_reason_why_not() -> None:
    def kind(metric: str) -> GpuKind | None:
        return kind_of(Quantity(metric, "1", Status.OK, "a/probe", "gpu", value=1.0, low=1.0, high=1.0))

    assert kind("memory.cg.l1.latency") is kind("chase.l2.latency") is GpuKind.SECOND
    assert kind("memory.l1.latency") is GpuKind.LEVEL
    assert kind("encoded.latency.fp32_fma") is None
    with pytest.raises(LookupError, match="misprediction"):
        kind("branch.misprediction")
    text = page.page(whole(counted(95, 5)), (640, 400))
    assert all(reason in text for reason in UNCOUNTED.values())


def test_gpus_are_held_to_the_same_limits_where_the_interval_of_a_share_tells() -> None:
    for held, lines in ((0.95, 0), (0.90, 1), (1.0, 1)):
        some = [Judged([Stated(GpuKind.LEVEL, at >= 1000 * (1 - held), 0.001)]) for at in range(1000)]
        numbers = Calibration(FORMAT, counted(95, 5), count_gpus(Seeds(0, 1000), some, []))
        found = limits.broken(numbers)
        assert len(found) == lines
        assert all(line.startswith("GPUs: latency of a level") for line in found)


@pytest.mark.parametrize(("wrong", "lines"), [(3, 0), (4, 1)])
def test_hypotheses_of_gpus_end_as_they_should_but_for_a_few(wrong: int, lines: int) -> None:
    yes, no = Verdict.SUPPORTED, Verdict.NOT_SUPPORTED
    ends = [no] * wrong + [yes] * (100 - wrong) + [Verdict.UNDECIDED] * 50
    some = [Judged(hypotheses=[Concluded("fence", end, yes)]) for end in ends]
    numbers = Calibration(FORMAT, counted(95, 5), count_gpus(Seeds(0, 150), some, []))
    found = [line for line in limits.broken(numbers) if "hypotheses" in line]
    assert len(found) == lines


def test_a_bracket_may_always_hold() -> None:
    every = Coverage(Kind.BRACKET.name, Share(100, 1.0, 0.97, 1.0), 0.05)
    assert not broken(msgspec.structs.replace(counted(95, 5), intervals=(every,)))


def test_few_findings_are_shown_and_not_judged() -> None:
    few = Tenth(0.5, 0.6, 9, 0.55, Share(LEAST_FINDINGS - 1, 0.9, 0.8, 0.95))
    numbers = msgspec.structs.replace(counted(95, 5), reliability=(few,))
    assert not broken(numbers)
    text = page.page(whole(numbers), (640, 400))
    shown = text.replace(page.NO_BREAK, " ")
    assert "</span>0.5 … 0.6 | 99 | 9 | 0.550 | 90.0 % (80.0 … 95.0) | too few to tell |" in shown
    assert "</span>0.6 … 0.7 | 0 | 0 |  |  | no finding |" in text


def test_a_confidence_leads_to_the_row_of_its_tenth() -> None:
    text = page.page(whole(counted(95, 5)), (640, 400))
    for thousandth in range(1001):
        at = tenth_of(thousandth / 1000)
        assert tenth_anchor(thousandth / 1000) == f"tenth-{at}"
        assert text.count(f'<span id="tenth-{at}"></span>{at / 10:.1f} …') == 1


def test_published_numbers_can_be_read_again() -> None:
    numbers = whole(counted(95, 5))
    assert page.read(page.files(numbers)["calibration.json"]) == numbers
    with pytest.raises(msgspec.ValidationError):
        page.read(b'{"format": 1, "else": 2}')
