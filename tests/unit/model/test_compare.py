"""Same, faster, slower, or not to be told: the rule on made-up runs."""

from __future__ import annotations

import json
import math
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, gather
from reportgen.findings.lint import offences
from reportgen.findings.metric import Kind
from reportgen.model import compare as comparing
from reportgen.model import schemas
from reportgen.model.comparable import conditions, obstacles
from reportgen.model.compare import Code, Comparison, Difference, Verdict, compare
from reportgen.runs.schema import Run
from reportgen.status import Status
from tests.unit.findings.records import changed, healthy, point, quantity, run


def side(*quantities: Quantity, manifest: Run | None = None) -> Evidence:
    return gather(manifest or run(), quantities)


def one(first: Quantity, second: Quantity) -> Difference:
    (row,) = compare(side(first), side(second)).rows
    return row


def verdict(metric: str, first: tuple[float, ...], second: tuple[float, ...]) -> Verdict:
    return one(quantity(metric, *first), quantity(metric, *second)).verdict


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((4.0, 3.99, 4.01), (4.0, 3.99, 4.01), Verdict.SAME),
        ((4.0, 3.99, 4.01), (4.04, 4.03, 4.05), Verdict.SAME),
        ((4.0, 3.99, 4.01), (5.0, 4.99, 5.01), Verdict.SLOWER),
        ((5.0, 4.99, 5.01), (4.0, 3.99, 4.01), Verdict.FASTER),
        ((4.0, 3.5, 4.5), (4.4, 3.9, 4.9), Verdict.CANNOT_TELL),
        ((4.0, 3.5, 4.5), (4.0, 3.5, 4.5), Verdict.CANNOT_TELL),
        ((4.0, 3.99, 4.01), (4.07, 4.02, 4.12), Verdict.CANNOT_TELL),
    ],
)
def test_a_latency(first: tuple[float, ...], second: tuple[float, ...], expected: Verdict) -> None:
    assert verdict("latency.integer_mul", first, second) is expected


def test_more_of_a_rate_is_faster() -> None:
    assert verdict("throughput.x", (2.0,), (1.0,)) is Verdict.SLOWER
    assert verdict("bandwidth.l1.read", (1e11,), (2e11,)) is Verdict.FASTER
    assert verdict("peak.fp32", (1e11,), (2e11,)) is Verdict.FASTER
    assert verdict("encoded.latency.x", (4.0, 4.0, 4.0), (5.0, 5.0, 5.0)) is Verdict.SLOWER


def test_what_is_neither_fast_nor_slow_is_larger_or_smaller() -> None:
    assert verdict("memory.l1.capacity", (32e3, 31e3, 33e3), (48e3, 47e3, 49e3)) is Verdict.LARGER
    assert verdict("ridge.fp32.dram", (2.0,), (1.0,)) is Verdict.SMALLER
    assert verdict("interference.a.b", (0.0, -0.01, 0.01), (1.0, 0.99, 1.01)) is Verdict.LARGER
    assert verdict("interference.a.b", (0.0, -0.01, 0.01), (0.05, 0.04, 0.06)) is Verdict.SAME


def test_rates_under_load_are_faster_and_a_settling_time_is_larger() -> None:
    assert (
        verdict("peak.fp32.sustained", (1e11, 0.99e11, 1.01e11), (2e11, 1.99e11, 2.01e11)) is Verdict.FASTER
    )
    assert verdict("peak.fp32.settling_time", (0.5, 0.49, 0.51), (1.0, 0.99, 1.01)) is Verdict.LARGER
    assert verdict("peak.fp32.sustained_ratio", (0.8, 0.79, 0.81), (0.7, 0.69, 0.71)) is Verdict.SMALLER


def test_boundaries_are_compared_at_the_resolution_of_their_sweep() -> None:
    ways = (8.0, 8.0, 9.0)
    assert verdict("memory.l1.associativity", ways, ways) is Verdict.SAME
    wide = (1e6, 0.5e6, 1.6e6)
    assert verdict("memory.l2.capacity", wide, wide) is Verdict.CANNOT_TELL
    assert verdict("memory.l1.associativity", ways, (12.0, 12.0, 13.0)) is Verdict.LARGER


def test_a_bound_has_an_open_end() -> None:
    bound = quantity("memory.l3.capacity", low=64e6, status=Status.CENSORED)
    row = one(bound, quantity("memory.l3.capacity", 80e6, 78e6, 82e6))
    assert row.verdict is Verdict.CANNOT_TELL
    assert row.ratio_low is None
    row = one(bound, quantity("memory.l3.capacity", 32e6, 31e6, 33e6))
    assert row.verdict is Verdict.SMALLER


def test_what_one_run_lacks_says_which_and_why() -> None:
    here = quantity("latency.x", 4.0)
    (row,) = compare(side(here), side()).rows
    assert (row.verdict, row.reason, row.second) == (Verdict.CANNOT_TELL, "not asked in the second run", None)
    silent = quantity("latency.x", status=Status.NOT_PERMITTED, reason="ask the administrator")
    (row,) = compare(side(silent), side(here)).rows
    assert row.reason == "not permitted in the first run: ask the administrator"
    assert compare(side(silent), side(silent)).rows == ()


def test_units_and_cores_must_be_the_same() -> None:
    row = one(quantity("peak.int8", 1e11), quantity("peak.int8", 1e11, unit="OP/second"))
    assert "in FLOP/second in the first run, in OP/second" in row.reason
    metric = "bandwidth.dram.read.all_cores"
    four = changed(run(), device=changed(run().device, cores=4))
    (row,) = compare(side(quantity(metric, 1e10)), side(quantity(metric, 2e10), manifest=four)).rows
    assert row.reason == "2 cores took part in the first run, 4 in the second"
    other = changed(four, device=changed(four.device, id="another"))
    (row,) = compare(side(quantity(metric, 1e10)), side(quantity(metric, 2e10), manifest=other)).rows
    assert row.verdict is Verdict.FASTER


def test_an_interval_that_reaches_zero_has_no_ratio() -> None:
    row = one(quantity("latency.x", 0.1, -0.1, 0.3), quantity("latency.x", 4.0))
    assert row.verdict is Verdict.CANNOT_TELL
    assert "reaches zero" in row.reason


# A number that moved with its machine code


def coded(value: float, program: str, device: str = "hand-made") -> Evidence:
    manifest = run(points=[point("p#length=48", {"length": 48}, program=program)])
    manifest = changed(manifest, device=changed(manifest.device, id=device))
    return side(quantity("latency.x", value, points=("p#length=48",)), manifest=manifest)


def test_a_number_that_jumps_with_its_machine_code_is_a_change_of_code() -> None:
    (row,) = compare(coded(4.0, "aa"), coded(8.0, "bb")).rows
    assert (row.verdict, row.code) == (Verdict.SLOWER, Code.CHANGED)
    assert row.reason.endswith("the difference is one of code, and says nothing of the device")
    (row,) = compare(coded(4.0, "aa"), coded(8.0, "aa")).rows
    assert (row.verdict, row.code, row.reason) == (Verdict.SLOWER, Code.SAME, "")


def test_other_code_for_another_device_is_only_said() -> None:
    (row,) = compare(coded(4.0, "aa"), coded(8.0, "bb", "another")).rows
    assert (row.code, row.reason) == (Code.CHANGED, "")


def test_code_that_was_not_recorded_is_unknown() -> None:
    (row,) = compare(coded(4.0, ""), coded(4.0, "bb")).rows
    assert row.code is Code.UNKNOWN


# Whether they may be compared


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"suite": {"version": "2", "digest": "0"}}, "the suite has another version (1 and 2)"),
        ({"plan": {"seed": 1, "passes": 2, "quick": True}}, "the second run is a quick one"),
        (
            {"plan": {"seed": 1, "passes": 3, "kind": "toolchain"}},
            "one is of kind measured, the other of kind",
        ),
        ({"device": {"backend": "cuda"}}, "they come from different backends (simulated and cuda)"),
    ],
)
def test_what_makes_runs_incomparable(fields: dict[str, Any], told: str) -> None:
    second = run()
    if "device" in fields:
        fields = {"device": changed(second.device, **fields["device"])}
    second = changed(second, **fields)
    (found,) = obstacles(run(), second)
    assert found.startswith(told)
    assert obstacles(second, second) == ()


def test_conditions_that_differ_are_said() -> None:
    second = run(
        drift=(3.0e9, 3.0e9),
        environment={"kernel": "6.9.0", "governor": "performance"},
        toolchain={"llvm": "21", "features": "many"},
        suite={"version": "1", "digest": "f00"},
    )
    found = {one.name: (one.first, one.second) for one in conditions(run(), second)}
    assert found == {
        "digest of the suite": ("0", "f00"),
        "kernel": ("6.8.0", "6.9.0"),
        "governor": ("not recorded", "performance"),
        "llvm": ("not recorded", "21"),
        "clock seen": ("3.50 GHz", "3.00 GHz"),
    }
    assert conditions(run(), run()) == ()


# The whole


def both() -> Comparison:
    manifest, quantities = healthy()
    moved = tuple(
        changed(one, value=one.value * 1.5, low=one.low * 1.5, high=one.high * 1.5)
        if one.metric == "latency.popcnt" and one.value and one.low and one.high
        else one
        for one in quantities
    )
    return compare(gather(manifest, quantities), gather(manifest, moved))


def test_a_run_against_itself_is_the_same_or_too_wide_to_tell() -> None:
    manifest, quantities = healthy()
    found = compare(gather(manifest, quantities), gather(manifest, quantities))
    assert found.different == ()
    assert found.one_device
    assert {row.metric for row in found.rows if row.verdict is Verdict.CANNOT_TELL} <= {
        "memory.l2.capacity", "memory.l3.capacity",
    }  # fmt: skip


def test_one_change_is_found_among_all() -> None:
    found = both()
    assert [row.metric for row in found.different] == ["latency.popcnt"]
    assert found.counts[Verdict.SLOWER] == 1
    assert sum(found.counts.values()) == len(found.rows)


def test_the_json_obeys_its_schema_and_holds_nothing_infinite() -> None:
    text = msgspec.json.encode(both())
    jsonschema.validate(json.loads(text), schemas.schema("comparison.schema.json"))
    assert b"Infinity" not in text
    assert b"NaN" not in text


def test_no_sentence_says_too_much() -> None:
    found = both()
    assert offences(" ".join(row.reason for row in found.rows)) == ()


def test_every_kind_has_a_least_difference() -> None:
    for kind in Kind:
        assert 0 < comparing.RELEVANT.get(kind, comparing.RELEVANT[Kind.OTHER]) <= 0.1


positive = st.floats(0.5, 1e6)
share = st.floats(0.0, 0.5)


@given(positive, share, positive, share)
def test_the_second_against_the_first_is_the_mirror_of_the_first_against_the_second(
    value: float, width: float, other: float, other_width: float
) -> None:
    here = quantity("latency.x", value, value * (1 - width), value * (1 + width))
    there = quantity("latency.x", other, other * (1 - other_width), other * (1 + other_width))
    mirror = {
        Verdict.FASTER: Verdict.SLOWER, Verdict.SLOWER: Verdict.FASTER, Verdict.SAME: Verdict.SAME,
        Verdict.CANNOT_TELL: Verdict.CANNOT_TELL,
    }  # fmt: skip
    forth, back = one(here, there), one(there, here)
    assert back.verdict is mirror[forth.verdict]
    if forth.verdict is Verdict.SAME:
        assert math.isclose(value, other, rel_tol=0.0201)
