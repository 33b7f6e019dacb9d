"""What lies on the way of two kinds to a GPU's pipes is excluded by other windows, and by what is read."""

from __future__ import annotations

import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.findings import alternatives, gates, interference
from reportgen.findings.alternatives import FRONT_END, READ_PORT
from reportgen.findings.evidence import Evidence, gather
from reportgen.findings.finding import Verdict
from reportgen.findings.hypotheses import conclude
from reportgen.findings.lint import offences
from reportgen.findings.wording import instructions
from tests.unit.findings.records import changed, probe, quantity, run

PROBE = "pipeline_interference/int_vs_fp"
PAIR, OTHER = "interference.integer_add.fp32_add", "interference.fp32_fma.exp2"
SHORTER = 1.0


def pair(metric: str, index: float, together: float, stalls: float | None = 0.0) -> Quantity:
    """Of four instructions of each kind; `stalls`: multiprocessor cycles a group, None: nobody read them."""
    details = {
        "first_count": 4.0, "second_count": 4.0, "cycles_first": 2.0, "cycles_second": SHORTER,
        "cycles_together": together, "front_end_cycles": 2.0,
    }  # fmt: skip
    more = {} if stalls is None else {"register_cycles": stalls}
    return quantity(metric, index, index - 0.01, index + 0.01, probe=PROBE, details=details | more)


def of(*some: Quantity) -> Evidence:
    asked = probe(
        "", "interference", id=PROBE, constants={"expects": "separate"}, hypothesis="They are apart."
    )
    made = run([asked])
    return gather(changed(made, device=changed(made.device, backend="cuda", isa="sm_90")), some)


def left(*some: Quantity) -> tuple[set[str], str]:
    found, excluded = alternatives.weigh(of(*some), some[0])
    return set(found), "; ".join(excluded)


def test_only_a_quicker_pair_excludes_the_front_end() -> None:
    own = pair(PAIR, 1.0, 3.0)
    assert FRONT_END in left(own)[0]  # though schedulers could start it in two cycles
    assert FRONT_END in left(own, pair(OTHER, 0.0, 2.95))[0]
    quick, told = left(own, pair(OTHER, 0.0, 2.0))
    assert FRONT_END not in quick
    assert "another pair of this run starts 1.50 times as many" in told


@pytest.mark.parametrize(
    ("stalls", "open_"),
    [(None, True), (0.0, False), (0.5, True), (0.4, False), (2.0, True)],
)
def test_reads_are_excluded_where_they_account_for_less(stalls: float | None, open_: bool) -> None:
    assert (READ_PORT in left(pair(PAIR, 0.5, 2.5, stalls))[0]) is open_


@pytest.mark.parametrize(
    ("stalls", "verdict"), [(0.0, Verdict.NOT_SUPPORTED), (0.5, Verdict.UNDECIDED), (None, Verdict.UNDECIDED)]
)
def test_kinds_that_may_wait_for_reads_are_not_said_to_share_what_executes_them(
    stalls: float | None, verdict: Verdict
) -> None:
    evidence = of(pair(PAIR, 0.5, 2.5, stalls), pair(OTHER, 0.0, 2.0))
    found = conclude(evidence)[PROBE]
    assert found.verdict is Verdict.UNDECIDED  # the other pair of this probe is apart
    alone = of(pair(PAIR, 0.5, 2.5, stalls), changed(pair(OTHER, 0.0, 2.0), probe="elsewhere/matrix"))
    assert conclude(alone)[PROBE].verdict is verdict
    assert offences(conclude(alone)[PROBE].rule) == ()


def test_words() -> None:
    for text in (
        instructions.registers_read(0.0),
        instructions.registers_read(0.5),
        instructions.front_end_quicker(1.5),
    ):
        assert offences(text) == ()


@pytest.mark.parametrize(("stalls", "contradicts"), [(2.0, False), (0.5, True), (None, True)])
def test_more_than_one_after_the_other_is_no_contradiction_where_reads_explain_it(
    stalls: float | None, contradicts: bool
) -> None:
    evidence = of(pair(PAIR, 2.5, 4.5, stalls))
    breaches = [one for one in gates.check(evidence) if PAIR in one.metrics]
    assert bool(breaches) is contradicts
    reading = interference.read(evidence, evidence.by_metric[PAIR])
    assert reading.name == interference.CANNOT_TELL
    assert ("reads of registers" in reading.why) is not contradicts
