"""Numbers that no measurement can give, and statuses that stand in their place."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.collect.runner import Options, collect
from reportgen.findings.crosschecks import ABSENT, COUNTER
from reportgen.findings.wording.numbers import amount
from reportgen.runs import read
from reportgen.runs.schema import ACCEPTED, Run
from reportgen.site.results import Results
from reportgen.status import USABLE, Status
from tests.field_cases.told import QUIET, Columns, told
from tests.simulated.asked import Asked
from tests.simulated.cpu import make_data
from tests.simulated.faulty import Faulty, command
from tests.simulated.faulty import suite as faulty_suite
from tests.simulated.instruction_points import disturbed_probes, latency_probes, throughput_probes
from tests.simulated.memory_points import bandwidth_probe
from tests.simulated.suite import everything
from tests.simulated.truth import CpuTruth
from tests.unit.findings.records import changed, quantity


def instructions(truth: CpuTruth) -> list[Asked]:
    return [*latency_probes(truth)[:3], *throughput_probes(truth)[:3]]


def without_nonsense(exports: str) -> bool:
    """No NaN, no infinity, no sentinel in any file."""
    return not re.search(
        r"\bNaN\b|\binf\b|Infinity|(?<![\d.])-1(?:\.0)?(?![\w.])|9223372036854775808|9\.22337", exports
    )


@settings(max_examples=8)
@given(st.floats(20e9, 3e12))
def test_a_byte_counter_that_wraps(rate: float) -> None:
    """Seen: a 32-bit byte counter wraps above 69 GB/s.

    Right: 64-bit counts; property test.
    """
    seconds = 0.5
    bandwidth = {"l1": {"read": rate}, "l2": {}, "l3": {}, "dram": {}}
    truth = replace(QUIET, bandwidth=bandwidth, samples=6, body_ticks=int(seconds * QUIET.tick_hz))
    found = told(lambda truth: [bandwidth_probe(truth)], truth)
    assert rate * seconds > 2**32
    for scope, factor in (("", 1.0), (".all_cores", truth.scaling["l1"])):
        one = found.quantities[f"bandwidth.l1.read{scope}"]
        value = one.value if one.value is not None else None
        if value is not None:
            assert value == pytest.approx(rate * factor, rel=0.05)
        else:
            assert "above" in one.reason  # the widest path of a core, and not a count, is what stops it


@pytest.mark.parametrize("ticks", [-23_159_000_000, 0, 1])
def test_a_time_that_is_not_positive(ticks: int) -> None:
    """Seen: GFLOP/s of -0.04 from a time of -23159 ms; `inf` and 0.00 rows.

    Right: monotonic clock; a time <= 0 is `invalid`; no inf or NaN in any output.
    """

    def edit(columns: Columns) -> None:
        columns["ticks"] = np.full_like(columns["ticks"], ticks)

    found = told(instructions, edit=edit)
    for one in found.quantities.values():
        assert one.status is Status.INVALID
        assert one.value is None
    assert all("time of zero or less" in one.reason for one in found.quantities.values())
    assert without_nonsense(found.exports)


def test_a_spread_of_two_samples() -> None:
    """Seen: noise "inf %" from two samples.

    Right: spread absent when n < 3, n always shown.
    """
    two = quantity("latency.x", 4.0, 3.0, 5.0, n=2)
    assert amount(two) == "4 cycles (n = 2)"

    def edit(columns: Columns) -> None:
        """Two samples of each point pass."""
        points, first = np.unique(columns["point"].astype(str), return_index=True)
        kept = {int(row) + 1 for row in first} | {int(row) + 2 for row in first}
        columns["gate"] = np.array(
            [ACCEPTED if row in kept else "issue rate low" for row in range(len(columns["gate"]))],
            dtype=object,
        )
        assert len(points) > 3

    found = told(instructions, edit=edit)
    for one in found.quantities.values():
        assert one.status is Status.UNSTABLE
        assert one.n > 0
        assert "2 of 30 samples passed the gates" in one.reason
    assert without_nonsense(found.exports)


def test_a_sentinel_in_a_published_table() -> None:
    """Seen: sentinel -1 and 9223372036854775808.00 in a published table.

    Right: statuses.
    """
    found = told(everything, CpuTruth(passes=2))
    assert without_nonsense(found.exports)
    rows = list(csv.DictReader(io.StringIO(found.exports[found.exports.index("metric,value") :])))
    assert len(rows) == len(found.quantities)
    for row in rows:
        given = row["value"] or row["low"]
        assert bool(given) == (Status(row["status"]) in USABLE), row
        assert row["status"] == "ok" or row["reason"], row
        for name in ("value", "low", "high"):
            assert not row[name] or math.isfinite(float(row[name]))
    assert {"ok", "unsupported", "unstable"} <= {row["status"] for row in rows}


def test_a_row_of_which_all_samples_were_throttled() -> None:
    """Seen: all samples filtered as throttled: the row prints NaN.

    Right: status `throttled`, raw kept.
    """
    probe = "instruction_latency/integer_mul"
    why = "The clock fell below 80 % of what the run had seen, on all 30 samples."

    def change(run: Run) -> Run:
        points = tuple(
            changed(point, status=Status.THROTTLED, reason=why, accepted=0) if point.probe == probe else point
            for point in run.points
        )
        return changed(run, points=points)

    def edit(columns: Columns) -> None:
        mine = np.char.startswith(columns["point"].astype(str), probe)
        columns["gate"] = np.where(mine, "calibrations disagree", columns["gate"]).astype(object)

    found = told(lambda truth: latency_probes(truth), edit=edit, change=change)
    fact = found.facts["latency.integer_mul"]
    assert (fact.status, fact.value, fact.reason) == (Status.THROTTLED, None, why)
    assert np.char.startswith(found.columns["point"].astype(str), probe).sum() == 4 * 30
    assert found.facts["latency.integer_add"].status is Status.OK
    assert without_nonsense(found.exports)


def test_counters_that_need_a_permission() -> None:
    """Seen: counters need a permission the user lacks (ERR_NVGPUCTRPERM).

    Right: `not_permitted` with the fix; findings stand without counters.
    """
    said = "not_permitted: set kernel.perf_event_paranoid to 2 or less, or grant CAP_PERFMON"
    plain = told(instructions)
    refused = told(instructions, change=lambda run: changed(run, counters=said))
    finding = refused.findings["latency.integer_add"]
    (check,) = [check for check in finding.checks if check.channel == COUNTER]
    assert check.outcome == ABSENT
    assert "set kernel.perf_event_paranoid to 2 or less" in check.explanation
    assert finding.confidence == plain.findings["latency.integer_add"].confidence


def test_one_failing_test_and_the_suite(tmp_path: Path) -> None:
    """Seen: one failing test aborts the suite.

    Right: a row with a reason; the suite goes on.
    """
    options = Options(data=tmp_path, selector="faulty", patience=1.0, seed=1, command=command, glob="*trial")
    outcome = collect(options, None, Faulty(), faulty_suite("fine", "killed", "sound"))
    ends = {point.settings["how"]: point for point in outcome.run.points if point.probe.endswith("trial")}
    assert ends["fine"].status is Status.OK
    assert ends["sound"].status is Status.OK
    assert ends["killed"].status is Status.FAILED
    assert "SIGKILL" in ends["killed"].reason
    missing = told(lambda truth: [*latency_probes(truth)[:2], *disturbed_probes(truth)])
    assert missing.facts["latency.fp16_fma"].reason == "The device lacks avx512fp16."
    assert missing.facts["latency.integer_add"].status is Status.OK


def test_a_cache_that_gives_one_device_the_other_s_row(tmp_path: Path) -> None:
    """Seen: a result cache keyed by index gave one card the other's row.

    Right: key = identity + driver + program hash + suite version.
    """
    truth = replace(QUIET, passes=2)
    slow = dict(truth.operations) | {"integer_mul": replace(truth.operations["integer_mul"], latency=5)}
    other = replace(truth, operations=slow)
    paths = [
        make_data(one, 1, tmp_path / str(place), latency_probes) for place, one in enumerate((truth, other))
    ]
    results = Results(tmp_path / "results")
    values = [results.report(path).facts["latency.integer_mul"].value for path in paths]
    assert values[0] == pytest.approx(3, rel=0.02)
    assert values[1] == pytest.approx(5, rel=0.02)
    assert results.key(paths[0]) != results.key(paths[1])
    # What the key is made of holds identity, tools, suite and the hash of every program.
    run = read.load(paths[0]).run
    assert run.device.id
    assert run.toolchain
    assert run.suite["digest"]
    assert all(point.program for point in run.points)
