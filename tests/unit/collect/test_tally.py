"""What becomes of a point follows from its visits, whatever order they came in."""

from __future__ import annotations

import msgspec
import pytest

from reportgen.backends.base import Batch, Build, Order
from reportgen.collect import plan, sealing, tally
from reportgen.collect.journal import Entry
from reportgen.collect.messages import Fault, Made
from reportgen.runs.schema import Program
from reportgen.status import Status
from tests.simulated.faulty import DEVICE, Faulty, samples, suite
from tests.unit.collect.header import HEADER

CLOCK = Faulty().clock()
ASKED = plan.make(suite("fine"), DEVICE, "*trial", False, 1, 3)
(POINT,) = ASKED.entries


def made(verdict: str = "verified", status: str = "ok", code: bytes = b"x", program: bool = True) -> Made:
    recorded = Program("123", "", "", {}, verdict, f"it is {verdict}") if program else None
    return Made(
        Build(POINT.point.id, code, recorded, status, "why" if status != "ok" else ""), {"steps": 4.0}
    )


def visit(number: int, disturbed: bool = False, status: str = "ok", reason: str = "") -> Entry:
    order = Order(POINT.point.id, b"", "", {}, 0.0, 0.0, 1, number)
    batch = samples(order, disturbed) if status == "ok" else Batch(POINT.point.id, {}, [], status, reason)
    return Entry(number, number, batch, 0, 1.0 + number)


def settled(one: Made | Fault, *entries: Entry, passes: int = 3):
    verdicts = tally.judge(ASKED, entries, CLOCK)
    found = tally.count(entries, verdicts).get(POINT.point.id, tally.Tally())
    return tally.settle(POINT, one, found, passes)


def test_enough_accepted_samples_are_ok() -> None:
    point = settled(made(), visit(0), visit(1))
    assert (point.status, point.reason, point.stop) == (Status.OK, "", "precise")
    assert (point.accepted, point.total) == (10, 12)
    assert point.facts == {"bytes_actual": 64}
    assert point.work == {"steps": 4.0}
    assert point.program == "123"


def test_samples_of_one_pass_are_enough_only_where_there_is_one() -> None:
    assert settled(made(), visit(0)).status == Status.UNSTABLE
    assert settled(made(), visit(0), passes=1).status == Status.OK


def test_too_few_accepted_samples_are_unstable_with_the_count_and_the_gates() -> None:
    point = settled(made(), visit(0), visit(1, disturbed=True))
    assert point.status == Status.UNSTABLE
    assert point.reason == (
        "too few samples passed the gates (5 of 12, from 1 passes; 5 from 2 passes are needed; "
        "5 calibrations disagree, 2 first of batch)"
    )


def test_a_visit_that_failed_is_told_and_the_others_count() -> None:
    point = settled(made(), visit(0), visit(1, status="failed", reason="SIGSEGV"), visit(2))
    assert point.status == Status.OK
    assert point.reason == "1 of 3 visits failed: SIGSEGV"


@pytest.mark.parametrize("status", ["failed", "timed_out", "throttled", "not_permitted"])
def test_a_point_whose_visits_all_failed_has_their_status(status: str) -> None:
    point = settled(made(), visit(0, status=status, reason="so it was"))
    assert (point.status, point.reason) == (Status(status), "so it was")


def falling(canary: int = 1000, second: int = 1100, back: int = 1020) -> Entry:
    """A visit whose clock falls by 9 % during each sample; the canary takes as many cycles on both sides."""
    entry = visit(0)
    rows = len(entry.batch.gates)
    columns = entry.batch.columns | {
        "calibration_before": [back] * rows,
        "calibration_after": [second + 20] * rows,
        "canary_before": [canary + 20] * rows,
        "canary_after": [canary * second // 1000 + 20] * rows,
    }
    marks = ["first of batch", *["calibrations disagree"] * (rows - 1)]
    return msgspec.structs.replace(
        entry, batch=msgspec.structs.replace(entry.batch, columns=columns, gates=marks)
    )


def test_a_clock_that_fell_during_most_samples_is_throttled_and_a_neighbour_is_not() -> None:
    def ended(entry: Entry, best: float = 4.0, visits: int = 2) -> tuple[Status, str]:
        entries = [entry] * visits
        found = tally.count(entries, tally.judge(ASKED, entries, CLOCK))[POINT.point.id]
        point = tally.settle(POINT, made(), found, 3, "", CLOCK, best)
        return point.status, point.reason

    status, reason = ended(falling())
    assert status is Status.THROTTLED
    assert "fell while 10 of 10 samples ran, by 9.1 % in the median" in reason
    assert "run again" in reason
    assert ended(falling(canary=1500))[0] is Status.UNSTABLE  # somebody else took issue slots
    assert ended(falling(second=1000, back=1120))[0] is Status.UNSTABLE  # the clock rose
    assert ended(falling(), visits=1)[0] is Status.UNSTABLE  # once is no habit
    assert ended(falling(), best=0.0)[0] is Status.UNSTABLE  # nothing tells whether there was a neighbour


def test_windows_of_one_stretch_of_load_are_not_judged_by_their_brackets() -> None:
    """Under load for seconds the clock moves: that is the answer, not a fault of the sample."""
    entry = visit(0, disturbed=True)
    marks = ["accepted"] * len(entry.batch.gates)
    windows = msgspec.structs.replace(entry.batch, gates=marks, facts={"windows": len(marks)})
    held = msgspec.structs.replace(entry, batch=windows)
    assert tally.judge(ASKED, [held], CLOCK) == [marks]
    plain = msgspec.structs.replace(entry, batch=msgspec.structs.replace(windows, facts={}))
    assert "accepted" not in tally.judge(ASKED, [plain], CLOCK)[0]


def test_what_could_not_be_built_has_the_reason() -> None:
    point = settled(Fault("unsupported", "no such unit"))
    assert (point.status, point.reason, point.work) == (Status.UNSUPPORTED, "no such unit", {})
    rejected = settled(made("rejected"), visit(0), visit(1))
    assert (rejected.status, rejected.reason, rejected.program) == (Status.INVALID, "it is rejected", "123")
    assert settled(made(status="failed")).reason == "why"


def test_code_that_was_not_inspected_is_unverified() -> None:
    visits = visit(0), visit(1)
    assert settled(made("unverified"), *visits).reason == "it is unverified"
    assert settled(made(status="unverified"), *visits).reason == "why"
    assert settled(made(program=False), *visits).status == Status.UNVERIFIED
    assert settled(made(program=False, code=b""), *visits).status == Status.OK


def test_points_that_keep_failing_are_left_alone() -> None:
    failed = visit(0, status="failed").batch
    assert not tally.Tally(batches=[failed]).hopeless()
    assert tally.Tally(batches=[failed, failed]).hopeless()
    assert tally.Tally(batches=[visit(0, status="timed_out").batch]).hopeless()


def test_a_sample_of_several_threads_counts_once() -> None:
    batch = visit(0).batch
    columns = {name: values * 2 for name, values in batch.columns.items()} | {"thread": [0] * 6 + [1] * 6}
    entry = Entry(0, 0, msgspec.structs.replace(batch, columns=columns, gates=batch.gates * 2), 0, 0.0)
    found = tally.count([entry], [entry.batch.gates])[POINT.point.id]
    assert (found.accepted, found.total) == (5, 6)


def test_columns_are_those_of_the_schema_in_order_of_the_visits() -> None:
    entries = [visit(0), visit(1)]
    columns = tally.columns(entries, tally.judge(ASKED, entries, CLOCK))
    assert {len(values) for values in columns.values()} == {12}
    assert columns["order"] == [0] * 6 + [1] * 6
    assert columns["gate"][:2] == ["first of batch", "accepted"]


def test_the_drift_mark_gives_clock_and_issue_rate() -> None:
    entries = [visit(3), visit(5)]
    marks = tally.drift(ASKED, entries, tally.judge(ASKED, entries, CLOCK), CLOCK, 2e9)
    assert [mark.where for mark in marks] == ["start", "end"]
    assert marks[0].cycle_hz == pytest.approx(2e9, rel=1e-3)
    assert marks[0].canary_rate == pytest.approx(4.0, rel=1e-2)


def test_columns_of_another_shape_are_refused() -> None:
    batch = visit(0).batch
    assert tally.complaint(batch) == ""
    lacking = {name: values for name, values in batch.columns.items() if name != "cpu"}
    assert "cpu" in tally.complaint(msgspec.structs.replace(batch, columns=lacking))
    ragged = batch.columns | {"ticks": [1]}
    assert "ticks" in tally.complaint(msgspec.structs.replace(batch, columns=ragged))


def test_the_parts_of_the_time_add_up_to_the_total() -> None:
    header = msgspec.structs.replace(HEADER, seconds={"build": 2.0, "verify": 1.0})
    split = sealing.timing(header, [visit(0), visit(1)], 0.5, 5.0)
    assert tuple(split) == sealing.SPLIT
    assert split["measure"] == pytest.approx(0.002)
    assert sum(split[name] for name in sealing.SPLIT[:-1]) == pytest.approx(split["total"], abs=1e-3)
    assert split["total"] == 5.0
