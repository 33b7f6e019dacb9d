"""Confidence is a documented, monotone function of inputs that are stored beside it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.findings.confidence import (
    BASE,
    PER_ONE,
    SCALES,
    UNVERIFIED_CAP,
    agreement,
    confidence,
    inputs,
    precision,
    run_drift,
)
from reportgen.findings.crosschecks import ABSENT, AGREES, DISAGREES, OPERATING_SYSTEM, OTHER_PROBE
from reportgen.findings.finding import CrossCheck
from reportgen.findings.gates.record import Contradiction, Severity
from reportgen.status import Status
from tests.unit.findings.records import MIB, changed, evidence, point, quantity, run

BEST = {name: scale.good for name, scale in SCALES.items()} | {"machine_code": 1.0}


def inputs_of(one: Any, manifest: Any = None, **fields: Any) -> dict[str, float]:
    return inputs(evidence(one, run=manifest or run()), one, **fields)


def test_the_best_is_not_certainty() -> None:
    assert confidence(BEST) == BASE < 1


def test_an_undisturbed_quantity_ends_near_0_95_and_a_serious_doubt_below_0_92() -> None:
    sound = inputs_of(quantity("latency.x", 3.0))
    assert 0.94 <= confidence(sound) <= 0.97
    for doubt in (
        {"linearity": 0.04},
        {"passes": 0.0},
        {"disturbed": 0.2},
        {"slowed": 0.2},
        {"stepped": 0.2},
        {"cross_checks": 0.0},
        {"contradictions": 1.0},
    ):
        assert confidence(sound | doubt) < 0.92, doubt


def test_a_wide_interval_costs_little_since_it_is_as_often_right() -> None:
    sound = inputs_of(quantity("latency.x", 3.0))
    assert confidence(sound) > confidence(sound | {"precision": 0.6}) > 0.93


@pytest.mark.parametrize("name", SCALES)
@given(st.floats(-2, 2), st.floats(-2, 2))
def test_confidence_is_monotone_in_every_scale(name: str, first: float, second: float) -> None:
    scale = SCALES[name]
    span = scale.bad - scale.good
    worse, better = sorted((first, second), reverse=True)  # in units of the way from good to bad
    low = confidence(BEST | {name: scale.good + worse * span})
    high = confidence(BEST | {name: scale.good + better * span})
    assert 0 < low <= high <= BASE


@pytest.mark.parametrize("name", PER_ONE)
@given(st.integers(0, 8))
def test_confidence_falls_with_every_count(name: str, count: int) -> None:
    fewer, more = confidence(BEST | {name: count}), confidence(BEST | {name: count + 1})
    assert more <= fewer
    assert more < fewer or fewer < 0.01


@given(
    st.dictionaries(st.sampled_from(sorted(SCALES)), st.floats(-1e6, 1e6)),
    st.dictionaries(st.sampled_from(sorted(PER_ONE)), st.integers(0, 50)),
    st.sampled_from([0.0, 1.0]),
)
def test_confidence_is_a_share_whatever_the_inputs(
    scales: dict[str, float], counts: dict[str, int], machine_code: float
) -> None:
    value = confidence(scales | counts | {"machine_code": machine_code})
    assert 0 <= value <= (BASE if machine_code else UNVERIFIED_CAP)


def test_one_doubt_is_counted_once() -> None:
    both = confidence(BEST | {"slowed": 0.2, "contradictions": 1.0, "cross_checks": 0.0})
    assert both == min(confidence(BEST | {"slowed": 0.2}), confidence(BEST | {"contradictions": 1.0}))


def test_without_a_look_at_the_machine_code_confidence_is_capped() -> None:
    assert confidence(BEST | {"machine_code": 0.0}) == UNVERIFIED_CAP
    library = quantity("kernel.sgemm.64", 1e11, status=Status.UNVERIFIED)
    assert inputs_of(library)["machine_code"] == 0
    name = "instruction_latency/x#length=48"
    behind = quantity("latency.x", 3.0, points=(name,))
    manifest = run(points=[point(name, {"length": 48}, status=Status.UNVERIFIED)])
    assert inputs_of(behind, manifest)["machine_code"] == 0


def test_every_input_is_stated() -> None:
    one = quantity("latency.x", 3.0)
    one = changed(one, inputs=one.inputs | {"disturbed": 0.0})
    checks = (CrossCheck(OTHER_PROBE, AGREES, ""),)
    of_others = {"slowed", "stepped"}
    assert set(inputs_of(one, checks=checks)) == {*SCALES, *PER_ONE, "machine_code"} - of_others


def test_ends_of_curves_are_asked_for_steps() -> None:
    one = quantity("branch.return.depth", 32.0)
    one = changed(one, inputs=one.inputs | {"disturbed": 0.3})
    given = inputs_of(one)
    assert given["stepped"] == 0.3
    assert "disturbed" not in given
    assert confidence(given) < 0.85 * confidence(given | {"stepped": 0.0})


def test_what_nobody_gives_is_counted_as_unknown() -> None:
    bare = quantity("latency.x", 3.0, 3.0, None, inputs={}, taken=0, n=40)
    given_ = inputs_of(bare, run(drift=()))
    missing = {"precision", "linearity", "acceptance", "passes", "drift", "cross_checks"}
    assert missing.isdisjoint(given_)
    assert given_["unknown"] == len(missing)
    assert inputs_of(quantity("bandwidth.l1.read", 1e9, inputs={}, taken=0), run(drift=()))["unknown"] == 4


def test_inputs_are_computed_from_the_quantity_where_the_analysis_is_silent() -> None:
    one = quantity("latency.x", 2.0, 1.9, 2.1, inputs={}, n=30, taken=60)
    assert inputs_of(one)["precision"] == pytest.approx(0.05)
    assert inputs_of(one)["acceptance"] == 0.5
    assert inputs_of(one)["drift"] == pytest.approx(1 / 350)


def test_passes_are_a_share_of_those_planned() -> None:
    one = quantity("latency.x", 2.0, inputs={"passes": 2.0})
    assert inputs_of(one)["passes"] == pytest.approx(2 / 3)
    assert inputs_of(one, run(plan={"passes": 1}))["passes"] == 1


def test_the_precision_of_an_index_is_absolute() -> None:
    assert precision(quantity("interference.a.b", 0.0, -0.02, 0.02)) == pytest.approx(0.02)
    assert precision(quantity("latency.x", 1.0, 0.99, 1.01)) == pytest.approx(0.01)
    assert precision(quantity("memory.l1.capacity", low=1024, status=Status.CENSORED)) is None


def test_agreement_is_that_of_the_worst_channel_that_answered() -> None:
    yes, no = CrossCheck(OTHER_PROBE, AGREES, ""), CrossCheck(OTHER_PROBE, DISAGREES, "")
    system, none = CrossCheck(OPERATING_SYSTEM, DISAGREES, ""), CrossCheck("counter", ABSENT, "")
    assert agreement((none,)) is None
    assert agreement((yes, none)) == 1
    assert agreement((yes, no)) == 0
    assert agreement((yes, system)) == 0.8
    assert agreement((yes, system, no)) == 0


def test_the_system_knows_the_caches_of_one_core() -> None:
    denial = (CrossCheck(OPERATING_SYSTEM, DISAGREES, ""),)
    second, third = quantity("memory.l2.capacity", MIB), quantity("memory.l3.capacity", 8 * MIB)
    assert inputs_of(second, checks=denial)["denied"] == 1
    assert confidence(inputs_of(second, checks=denial)) < 0.1
    assert inputs_of(third, checks=denial)["denied"] == 0
    card = changed(run(), device=changed(run().device, isa="sm_90"))
    assert inputs_of(second, card, checks=denial)["denied"] == 0


def test_what_disagrees_and_what_does_not_fit_are_one_doubt() -> None:
    disagrees, broken = {"cross_checks": 0.0}, {"contradictions": 1.0}
    both = confidence(BEST | disagrees | broken)
    assert both == confidence(BEST | broken) < confidence(BEST | disagrees)


def test_a_broken_limit_weighs_more_than_a_broken_relation() -> None:
    def one(severity: Severity) -> Contradiction:
        return Contradiction("gate", severity, ("latency.x",), "It does not fit.", ("noise",))

    sound = quantity("latency.x", 3.0)
    relation = inputs_of(sound, contradictions=(one(Severity.RELATION),))
    limit = inputs_of(sound, contradictions=(one(Severity.LIMIT),))
    assert (relation["contradictions"], relation["limits"]) == (1, 0)
    assert (limit["contradictions"], limit["limits"]) == (0, 1)
    assert inputs_of(sound, contradictions=(one(Severity.RELATION),) * 3) == relation
    assert confidence(limit) < confidence(relation) < confidence(inputs_of(sound))


def test_drift_needs_two_marks() -> None:
    one = quantity("latency.x", 3.0)
    assert run_drift(evidence(one, run=run(drift=(3.5e9,)))) is None
    assert run_drift(evidence(one, run=run(drift=(3.5e9, 3.15e9)))) == pytest.approx(0.1)
