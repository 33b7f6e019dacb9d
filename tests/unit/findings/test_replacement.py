"""What is said of replacement: shares measured, the policy inferred, all that fit named."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pyarrow as pa

from reportgen.analysis.derive import quantities
from reportgen.analysis.replacement import read
from reportgen.findings import lint
from reportgen.findings.derive import derive
from reportgen.findings.finding import Claim, Finding, Verdict
from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording import replacement as words
from reportgen.model.exports.dictionary import lookup
from tests.simulated.cpu import make_records
from tests.simulated.hypotheses import true_verdict
from tests.simulated.memory_points import conflict_probe
from tests.simulated.replacement_points import REPLACEMENT, replacement_probe
from tests.simulated.truth import CpuTruth

RULE, HYPOTHESIS = "replacement:l1", f"hypothesis:{REPLACEMENT}"
LATE = {"s1": 0.9, "s2": 0.2, "s3": 0.9, "s4": 0.2, "s5": 0.9}
"""Shares that no policy has."""


def device(policy: str, ways: int = 12) -> CpuTruth:
    truth = replace(CpuTruth().quiet(), replacement=policy)
    return replace(truth, caches=(replace(truth.caches[0], ways=ways), *truth.caches[1:]))


@cache
def found(policy: str, other_ways: int = 0, odd: bool = False) -> dict[str, Finding]:
    truth = device(policy)
    seen = device(policy, other_ways) if other_ways else truth
    suite = [conflict_probe(seen), replacement_probe(truth, LATE if odd else None)]
    run, columns, _ = make_records(truth, 3, lambda _: suite)
    return {one.id: one for one in derive(run, quantities(run, pa.table(columns)))}


def test_shares_are_measured_and_the_policy_is_inferred() -> None:
    findings = found("LRU")
    share = findings["memory.l1.misses.s2"]
    assert share.claim is Claim.MEASURED
    assert share.sentence.startswith("Of the visits of access sequence 2 (A B ")
    assert " to one set of L1, " in share.sentence
    rule = findings[RULE]
    assert rule.claim is Claim.INFERRED
    assert "of 10 access sequences to sets of L1 (12 ways) are consistent with" in rule.sentence
    assert "least recently used (LRU)" in rule.sentence
    assert "simulated replacement policies" in rule.sentence
    assert rule.alternatives == words.ALTERNATIVES
    for one in findings.values():
        assert not lint.offences(one.sentence), one.sentence


def test_the_hypothesis_ends_as_it_should() -> None:
    for policy in ("LRU", "PLRU", "random", "FIFO"):
        verdict = found(policy)[HYPOTHESIS].verdict
        assert verdict is true_verdict(device(policy), replacement_probe(device(policy))[0]), policy
    assert found("PLRU")[HYPOTHESIS].verdict is Verdict.NOT_SUPPORTED


def test_chance_is_told_as_chance() -> None:
    sentence = found("random")[RULE].sentence
    assert "random replacement" in sentence
    for rule in ("LRU", "FIFO", "PLRU", "MRU", "NRU", "QLRU_H00_M2_R0_U0_UMO", "LIP"):
        assert words.policy(rule) not in sentence


def test_no_policy_is_told_where_none_fits() -> None:
    sentence = found("LRU", odd=True)[RULE].sentence
    assert "are consistent with none of the 133 simulated replacement policies. The nearest, " in sentence
    assert " misses one share by 0." in sentence


def test_other_ways_than_the_sequences_were_made_for_name_no_policy() -> None:
    rule = found("LRU", other_ways=8)[RULE]
    assert rule.claim is Claim.MEASURED
    assert "made for 12 ways, and 8 were measured: no replacement policy" in rule.sentence
    assert "memory.l1.associativity" in rule.metrics


def test_many_that_fit_are_counted_not_listed() -> None:
    run, columns, _ = make_records(device("LRU"), 3, lambda one: [replacement_probe(one)])
    shares = [one for one in quantities(run, pa.table(columns)) if one.metric.endswith(".s1")]
    reading = read(shares)
    assert reading is not None
    assert len(reading.left) > words.MOST_NAMED
    assert f"and {len(reading.left) - words.MOST_NAMED} others; they exclude" in words.policies("L1", reading)


def test_the_metric_is_known() -> None:
    name = parse("memory.l1.misses.s10")
    assert (name.kind, name.subject, words.number(name)) == (Kind.MISS_SHARE, "l1", "10")
    assert words.noun(name) == "the share of misses of access sequence 10 in L1"
    assert lookup("memory.l1.misses.s10").title == "share of misses"
    assert words.sequence("0 25 26") == "A Z A′"
