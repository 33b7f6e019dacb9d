"""An explanation is removed only by evidence that excludes it, and the sentence says by which."""

from __future__ import annotations

from itertools import product

import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.findings import alternatives
from reportgen.findings.alternatives import ALL, CLOCK, FRONT_END
from reportgen.findings.derive import derive
from reportgen.findings.finding import Claim, Finding
from reportgen.findings.lint import offences
from reportgen.runs.schema import Run
from tests.unit.findings.records import changed, evidence, probe, quantity, run

METRIC = "interference.integer_mul.popcnt"


def machine(agreement: float) -> Run:
    """A run whose calibrations agreed within `agreement`."""
    manifest = run([probe("", "interference", id="pipeline_interference/matrix")])
    return changed(manifest, clock=changed(manifest.clock, agreement=agreement))


def index(room: float | None, n: int = 240) -> Quantity:
    """A serialised pair whose mix takes `room` times what the front end needs; None where not recorded."""
    details = {} if room is None else {"cycles_together": room * 100.0, "front_end_cycles": 100.0}
    return quantity(METRIC, 1.0, 0.99, 1.01, probe="pipeline_interference/matrix", details=details, n=n)


def sharing(agreement: float, room: float | None) -> Finding:
    found = {finding.id: finding for finding in derive(machine(agreement), [index(room)])}
    return found[f"sharing:{METRIC}"]


@pytest.mark.parametrize(("agreement", "room"), [*product((0.004, 0.02), (None, 1.3))])
def test_every_explanation_is_either_open_or_excluded(agreement: float, room: float | None) -> None:
    finding = sharing(agreement, room)
    removed = {text.partition(" (")[0] for text in finding.excluded}
    assert removed | set(finding.alternatives) == set(ALL)
    assert not removed & set(finding.alternatives)
    assert finding.claim is Claim.INFERRED
    assert offences(finding.sentence) == ()


def test_a_log_of_the_clock_excludes_a_clock_limit_and_the_sentence_says_so() -> None:
    finding = sharing(agreement=0.004, room=None)
    assert CLOCK not in finding.alternatives
    (text,) = finding.excluded
    assert text.startswith(
        f"{CLOCK} (both calibrations beside each of the 240 accepted samples agree within 0.4 %"
    )
    assert finding.sentence.endswith(f"Ruled out as an explanation: {text}.")


def test_a_clock_that_was_not_held_excludes_nothing() -> None:
    finding = sharing(agreement=0.02, room=None)
    assert set(finding.alternatives) == set(ALL)
    assert finding.excluded == ()
    assert "Ruled out" not in finding.sentence


def test_a_mix_slower_than_the_front_end_excludes_the_front_end() -> None:
    finding = sharing(agreement=0.02, room=1.3)
    assert FRONT_END not in finding.alternatives
    assert f"Ruled out as an explanation: {FRONT_END} (the mix takes 1.30 times" in finding.sentence


def test_samples_that_are_not_there_exclude_nothing() -> None:
    one = index(None, n=0)
    left, excluded = alternatives.weigh(evidence(one, run=machine(0.004)), one)
    assert set(left) == set(ALL)
    assert excluded == ()


def test_what_only_a_counter_could_exclude_stays() -> None:
    """No counter is read, so no run removes a port, a scheduler or a register file from the list."""
    finding = sharing(agreement=0.0001, room=3.0)
    assert set(finding.alternatives) == set(ALL) - {CLOCK, FRONT_END}
