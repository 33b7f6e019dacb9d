"""Pairs of operations on a multiprocessor whose pipes and schedulers are known: what is read of them."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.findings import interference
from reportgen.findings.evidence import Evidence, gather
from reportgen.findings.interference import CANNOT_TELL, SEPARATE, SHARED
from tests.simulated.asked import ok_point
from tests.simulated.gpu import make
from tests.simulated.gpu_truth import EMPTY, GpuTruth, Question, Simulated, asked, source
from tests.simulated.multiprocessor import COUNTING, QUARTERS, WARP

PROBE = "pipeline_interference/matrix"
PIPES = {
    "fp32_add": ("fma", 1.0),
    "fp32_fma": ("fma", 1.0),
    "integer_mad": ("fma", 2.0),
    "integer_add": ("alu", 2.0),
    "integer_logic": ("alu", 2.0),
    "exp2": ("special", 8.0),
}
"""Pipe of a quarter of an H100's multiprocessor, and cycles that it takes for a warp."""


def pair(first: str, second: str) -> Simulated:
    settings = {"first": first, "second": second, "order": "interleaved"}
    made = source(PROBE, **settings)
    names = [name for name in (first, second) if name]
    busy: dict[str, float] = {}
    for name in names:
        pipe, cycles = PIPES[name]
        busy[pipe] = busy.get(pipe, 0.0) + cycles
    warps, turns = int(made.setup["threads"]) // WARP, int(made.setup["turns"])
    each = int(made.work["groups"]) * int(made.work["first_count"])
    slots = float(len(names)) + COUNTING / each  # an instruction a cycle, those that count turns among them
    cycles = warps / QUARTERS * turns * each * max(slots, *busy.values())
    point = ok_point(PROBE, dict(settings), work=dict(made.work))
    return Simulated(point, (cycles + EMPTY,), warps * turns)


@cache
def measured() -> Evidence:
    names = list(PIPES)
    points = [pair(name, "") for name in names]
    points += [pair(one, other) for at, one in enumerate(names) for other in names[at:]]
    question: Question = (asked(PROBE), points)
    run, rows = make(GpuTruth(), asked=[question])
    return gather(run, quantities(run, pa.table(rows)))


@pytest.mark.parametrize(
    ("first", "second", "word"),
    [
        ("integer_mad", "integer_add", SEPARATE),
        ("integer_add", "exp2", SEPARATE),  # a quarter has one of each, and the four are alike
        ("integer_add", "integer_logic", SHARED),
        ("integer_mad", "integer_mad", SHARED),
        ("fp32_fma", "integer_mad", SHARED),
        ("fp32_add", "fp32_fma", CANNOT_TELL),  # two a cycle and quarter would be needed to tell
        ("fp32_fma", "integer_add", CANNOT_TELL),
        ("fp32_fma", "exp2", CANNOT_TELL),
    ],
)
def test_a_pair_is_read_as_far_as_it_can_be(first: str, second: str, word: str) -> None:
    one = measured().by_metric[f"interference.{first}.{second}"]
    assert interference.read(measured(), one).name == word


def test_an_index_has_room_for_what_its_windows_lose() -> None:
    for (first, (one, _)), (second, (other, _)) in combinations(PIPES.items(), 2):
        true = 1.0 if one == other else 0.0
        index = measured().by_metric[f"interference.{first}.{second}"]
        assert index.low is not None
        assert index.high is not None
        assert index.low <= true <= index.high, index.metric
        assert index.high - index.low < 0.15, index.metric


def test_a_pair_at_the_rate_of_the_schedulers_says_so() -> None:
    one = measured().by_metric["interference.fp32_add.fp32_fma"]
    assert "four schedulers of a multiprocessor" in interference.read(measured(), one).why
    assert "as fast as the schedulers can issue it" in one.reason
