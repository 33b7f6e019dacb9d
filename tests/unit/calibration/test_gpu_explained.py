"""What is said of pairs and of long loads on drawn GPUs is judged by their truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.counts import SURE, Seeds, count_gpus
from calibration.judge import Claimed, Concluded, Judged, Paired
from reportgen.findings.finding import Verdict
from tests.simulated.gpu_held import TrueHeld
from tests.simulated.gpu_noise import HELD_WINDOWS
from tests.simulated.gpu_pairs import (
    Kind,
    Kinds,
    held_by_reads,
    held_by_supply,
    index,
    share_pipe,
    share_port,
)

KINDS = Kinds(
    {
        "fp32_fma": Kind(8.0, 4.0, (0,)),
        "integer_add": Kind(8.0, 4.0, (0,)),
        "exp2": Kind(20.0, 8.0, (1,), port=6.0),
        "shared_load": Kind(20.0, 8.0, (2,), port=6.0),
    }
)


@pytest.mark.parametrize(
    ("first", "second", "wanted", "pipe", "port"),
    [
        ("fp32_fma", "integer_add", 1.0, True, False),
        ("fp32_fma", "exp2", 0.0, False, False),
        ("exp2", "shared_load", 0.5, False, True),
        ("exp2", "exp2", 1.0, True, True),
    ],
)
def test_an_index_follows_from_pipes_and_port(
    first: str, second: str, wanted: float, pipe: bool, port: bool
) -> None:
    assert index(KINDS, first, second) == pytest.approx(wanted)
    assert share_pipe(KINDS, first, second) is pipe
    assert share_port(KINDS, first, second) is port


@pytest.mark.parametrize(
    ("kinds", "wanted", "reads", "supply"),
    [
        (Kinds(), 0.0, False, False),
        (Kinds(waits=1.0), 1.0, True, False),
        (Kinds(supply=1.5), 2 / 3, False, True),
    ],
)
def test_what_holds_up_a_mix_before_its_pipes(kinds: Kinds, wanted: float, reads: bool, supply: bool) -> None:
    """One kind on both pipes of sixteen lanes, the other on a third; of the mix one read is too many."""
    some = replace(
        kinds,
        by_name={
            "fp32_fma": Kind(6.0, 2.0, (0, 1)),
            "integer_add": Kind(6.0, 2.0, (2,), reads=1),
        },
    )
    both = some, "fp32_fma", "integer_add"
    assert index(*both) == pytest.approx(wanted)
    assert (held_by_reads(*both), held_by_supply(*both)) == (reads, supply)
    assert not share_pipe(*both)


def test_one_of_two_pipes_serves_both() -> None:
    some = Kinds({"fp32_fma": Kind(6.0, 2.0, (0, 1)), "integer_add": Kind(6.0, 4.0, (0,))})
    assert share_pipe(some, "fp32_fma", "integer_add")
    assert index(some, "fp32_fma", "integer_add") == 0.0  # what they share has room for both


def test_a_load_falls_at_its_time_and_settles_when_the_fall_has_ended() -> None:
    step = TrueHeld(factor=0.8, after=0.5)
    assert (step.burst, step.sustained, step.settles) == (1.0, 0.8, 0.5)
    ramp = TrueHeld(factor=0.8, after=0.5, over=0.4)
    assert 0.8 < ramp.settles < 0.9
    starts, rates = step.windows(np.ones(HELD_WINDOWS), swing=0.01)
    late = rates[starts >= step.after]
    assert sorted(set(np.round(late, 4))) == [0.792, 0.808]


def test_lists_of_explanations_are_counted_and_the_sure_ones_again() -> None:
    pair = Paired("shared", True, False)
    held = Concluded("sustained", Verdict.SUPPORTED, Verdict.NOT_SUPPORTED)
    some = [
        Judged(
            pairs=[pair],
            hypotheses=[held],
            explained=[Claimed("slowing", confidence, right, {})],
        )
        for confidence, right in ((0.9, True), (0.9, False), (SURE - 0.1, True), (SURE, True))
    ]
    gpus = count_gpus(Seeds(0, 4), some, [])
    every, sure = gpus.explained
    assert (every.right.count, every.right.value) == (4, 0.75)
    assert (sure.right.count, round(sure.right.value, 2)) == (3, 0.67)
    assert gpus.sharing[0].readings["shared"] == 4
    assert gpus.hypotheses[0].verdicts["supported"] == 4
