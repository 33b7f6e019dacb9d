"""What is said of a rate under load: two rates, their ratio, and what the clock excludes as a reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.findings import lint, slowing
from reportgen.findings.derive import derive
from reportgen.findings.finding import Claim, Finding, Verdict
from reportgen.model.exports.dictionary import lookup
from reportgen.status import Status
from tests.simulated.cpu import make_records
from tests.simulated.roofline_points import sustained_probe
from tests.simulated.truth import CpuTruth, Held

Columns = dict[str, np.ndarray[Any, Any]]
QUIET = CpuTruth().quiet()
RATIO = "peak.fp32.sustained_ratio"
PROBE = "hypothesis:roofline/sustained_fp32"


def found(held: Held, edit: Callable[[Columns], None] | None = None, isa: str = "") -> dict[str, Finding]:
    truth = replace(QUIET, held=held, noise=replace(QUIET.noise, wobble=0.002))
    run, columns, _ = make_records(truth, 3, lambda t: [sustained_probe(t)])
    if edit is not None:
        edit(columns)
    if isa:
        run = msgspec.structs.replace(run, device=msgspec.structs.replace(run.device, isa=isa))
    return {one.id: one for one in derive(run, quantities(run, pa.table(columns)))}


def slower_later(columns: Columns) -> None:
    """Later windows take longer, and the clock beside them does not change: somebody took time."""
    columns["ticks"] = np.where(columns["sample"] >= 20, columns["ticks"] * 5 // 4, columns["ticks"])


def test_a_clock_that_falls_with_the_rate_excludes_others_and_leaves_the_limits() -> None:
    one = found(Held(0.8))[f"slowing:{RATIO}"]
    assert one.claim is Claim.INFERRED
    assert one.alternatives == slowing.THROUGH_CLOCK
    assert len(one.excluded) == 1
    assert one.excluded[0].startswith(f"{slowing.TAKEN} (the clock beside the windows ended at 0.8")
    assert "Ruled out as an explanation: time or issue slots taken by others" in one.sentence
    assert "consistent with a limit of power" in one.sentence


def test_a_clock_that_stays_excludes_every_limit_that_acts_through_it() -> None:
    one = found(Held(), slower_later)[f"slowing:{RATIO}"]
    assert one.alternatives == (slowing.TAKEN,)
    assert [text.partition(" (")[0] for text in one.excluded] == list(slowing.THROUGH_CLOCK)
    assert "consistent with work of others" in one.sentence


def test_a_clock_that_accounts_for_a_part_excludes_nothing() -> None:
    one = found(Held(0.9), slower_later)[f"slowing:{RATIO}"]
    assert one.alternatives == slowing.ALL
    assert not one.excluded
    assert "Ruled out" not in one.sentence


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(1.0, Verdict.SUPPORTED), (0.9, Verdict.NOT_SUPPORTED), (1.1, Verdict.NOT_SUPPORTED)],
)
def test_the_hypothesis_ends_by_the_interval_of_the_ratio(factor: float, verdict: Verdict) -> None:
    assert found(Held(factor))[PROBE].verdict is verdict


def test_a_ratio_about_the_limit_leaves_it_undecided() -> None:
    one = found(Held(0.98))[PROBE]
    assert one.verdict is Verdict.UNDECIDED
    assert "reaches across" in one.sentence


def test_a_steady_rate_is_said_to_show_no_change_and_gives_no_inference() -> None:
    every = found(Held())
    assert f"slowing:{RATIO}" not in every
    assert every[RATIO].sentence.startswith("No change of the FP32 rate beyond 2.0 % was detected over 2")


def test_every_sentence_names_what_took_part_and_passes_the_lint() -> None:
    every = found(Held(0.8))
    assert "all 2 cores together did" in every["peak.fp32.burst"].sentence
    assert "last quarter" in every["peak.fp32.sustained"].sentence
    assert " ms (" in every["peak.fp32.settling_time"].sentence
    for held in (Held(0.8), Held(1.0), Held(0.5, 0.2, 1.8)):
        for one in found(held).values():
            assert not lint.offences(one.sentence)
    assert "the device did" in found(Held(0.8), isa="sm_90")["peak.fp32.burst"].sentence


def test_a_rate_that_still_falls_says_so_and_its_time_is_a_bound() -> None:
    every = found(Held(0.5, 0.2, 1.8))
    assert every["peak.fp32.sustained"].sentence.endswith("The rate had not settled then.")
    settling = every["peak.fp32.settling_time"]
    assert settling.status is Status.CENSORED
    assert "at least" in settling.sentence


@pytest.mark.parametrize("name", ["burst", "sustained", "sustained_ratio", "settling_time"])
def test_the_dictionary_defines_them(name: str) -> None:
    entry = lookup(f"peak.fp32.{name}")
    assert entry is not None
    assert entry.pattern == f"peak.<precision>.{name}"
