"""From definitions to probes and from probes to points."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.runs.schema import Device
from reportgen.suite.definition import Definition, Operation, Probe
from reportgen.suite.expand import DEFAULT_LLC, LARGEST_BUFFER, MEMORY_SHARE, info, points, probes
from reportgen.suite.load import load_suite


def device(isa: str = "x86_64", cores: int = 4, memory: int = 8 << 30, **reported: int) -> Device:
    return Device(
        id="made-up", backend="cpu", vendor="", name="", isa=isa, cores=cores, memory_bytes=memory,
        reported=dict(reported),
    )  # fmt: skip


def row(**keys: Any) -> Operation:
    return Operation(
        **({"title": "an add", "group": "integer", "registers": "r64", "form": "add {d}, {a}"} | keys)
    )


def probe(settings: dict[str, Any], operations: tuple[str, ...] = (), **keys: Any) -> Probe:
    definition = Definition(
        question="q", hypothesis="h", variable="v", template="t", analysis="slope", metric="m", unit="u",
        settings=settings, **keys,
    )  # fmt: skip
    return Probe("family/name", "family", definition, "q", "h", "t", "m", operations)


def labels(asked: Probe, on: Device | None = None, quick: bool = False) -> list[str]:
    found = points(asked, on or device(), {}, quick)
    assert all(point.probe == asked.id for point in found)
    return [point.id.partition("#")[2] for point in found]


# -- the project's suite --------------------------------------------------------------------------------


@pytest.mark.parametrize("isa", ["x86_64", "aarch64"])
def test_ids_are_unique_on_every_isa(isa: str) -> None:
    suite = load_suite()
    asked = probes(suite, isa)
    ids = [one.id for one in asked]
    assert len(set(ids)) == len(ids)
    assert all(one.id.partition("/")[0] == one.family for one in asked)
    planned = [point.id for one in asked for point in points(one, device(isa), suite.tables[isa])]
    assert len(set(planned)) == len(planned)


@pytest.mark.parametrize("isa", ["x86_64", "aarch64"])
def test_what_users_ask_for_by_name_keeps_its_name(isa: str) -> None:
    asked = {one.id: one for one in probes(load_suite(), isa)}
    for operation in ("integer_add", "integer_mul", "popcnt", "fp64_mul", "fp32_fma", "l1_load"):
        latency = asked[f"instruction_latency/{operation}"]
        assert latency.metric == f"latency.{operation}"
        assert latency.operations == (operation,)
        assert asked[f"instruction_throughput/{operation}"].metric == f"throughput.{operation}"
    assert "{" not in " ".join(one.question + one.hypothesis + one.title for one in asked.values())


def test_what_is_not_asked_of_an_operation_gives_no_probe() -> None:
    ids = {one.id for one in probes(load_suite(), "x86_64")}
    assert "instruction_latency/store" not in ids
    assert "instruction_throughput/store" in ids
    assert "instruction_throughput/store_forward" not in ids


def test_an_isa_without_a_table_still_has_its_memory_probes() -> None:
    ids = {one.id for one in probes(load_suite(), "riscv64")}
    assert "memory_hierarchy/working_set_sweep" in ids
    assert not any(name.startswith("instruction_latency/") for name in ids)


def test_a_pair_of_one_isa_names_operations_of_its_table() -> None:
    suite = load_suite()
    for isa in ("x86_64", "aarch64"):
        for one in probes(suite, isa):
            if one.family == "pipeline_interference":
                named = {name for pair in one.definition.pairs for name in pair} | set(one.definition.classes)
                assert named <= suite.tables[isa].keys(), one.id


def test_what_an_analysis_must_know_is_frozen() -> None:
    suite = load_suite()
    table = suite.tables["x86_64"]
    asked = {one.id: one for one in probes(suite, "x86_64")}
    root = info(asked["instruction_latency/fp32_sqrt_nontrivial"], table)
    assert root.operation == "fp32_sqrt_nontrivial"
    assert root.constants["companions"] == ["fp32_mul"]
    assert root.constants["trivial"] == "non-trivial"
    assert root.constants["form"] == table["fp32_sqrt_nontrivial"].latency
    peak = info(asked["roofline/peak_compute_fp32"], table)
    assert peak.operation == ""
    assert peak.constants["flop"]["fp32_fma_512"] == 32.0


# -- settings -------------------------------------------------------------------------------------------


def test_the_grid_is_the_product_of_the_settings() -> None:
    assert labels(probe({"a": [1, 2], "b": ["x"]})) == ["a=1,b=x", "a=2,b=x"]


def test_quick_settings_replace_those_they_name() -> None:
    asked = probe({"a": [1, 2], "b": [3, 4]}, quick={"a": [1]})
    assert labels(asked, quick=True) == ["a=1,b=3", "a=1,b=4"]
    assert len(labels(asked)) == 4


def test_what_is_left_out_of_the_grid_is_not_asked() -> None:
    asked = probe({"a": [1, 2], "b": [3, 4], "c": [5]}, left_out=({"a": 1, "b": 3}, {"b": 4, "a": 2}))
    assert labels(asked) == ["a=1,b=4,c=5", "a=2,b=3,c=5"]


def test_pairs_come_with_each_alone() -> None:
    assert labels(probe({}, pairs=(("a", "b"),))) == [
        "first=a,second=",
        "first=b,second=",
        "first=a,second=b",
    ]


def test_classes_give_every_pair_and_each_with_itself() -> None:
    found = labels(probe({}, classes=("a", "b", "c")))
    assert len(found) == 3 + 6
    assert "first=b,second=b" in found
    assert "first=b,second=a" not in found  # interference is symmetric


@pytest.mark.parametrize(
    ("cores", "expected"),
    [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (8, [1, 2, 4, 8]), (96, [1, 2, 4, 8, 16, 32, 64, 96])],
)
def test_cores_from_one_to_all(cores: int, expected: list[int]) -> None:
    found = points(probe({"cores": "1..all"}), device(cores=cores), {})
    assert [point.settings["cores"] for point in found] == expected


def test_accumulators_are_those_that_the_encoding_can_name() -> None:
    asked = probe({"accumulators": [1, 4, 8, 12, 16]}, ("narrow", "wide"))
    rows = {"narrow": row(most=12), "wide": row()}
    assert [p.settings["accumulators"] for p in points(asked, device(), rows)] == [1, 4, 8, 12]


@given(
    low=st.integers(6, 16), octaves=st.integers(1, 14), per_octave=st.integers(1, 16),
    step=st.sampled_from([64, 4096]),
)  # fmt: skip
def test_a_span_is_a_rising_sweep_from_low_to_high(
    low: int, octaves: int, per_octave: int, step: int
) -> None:
    first = max(step, 1 << low)
    span = {
        "low": str(first), "high": str(first << octaves), "per_octave": per_octave, "step": str(step),
    }  # fmt: skip
    sizes = [int(point.settings["bytes"]) for point in points(probe({"bytes": span}), device(), {})]
    assert sizes == sorted(set(sizes))
    assert not any(size % step for size in sizes)
    assert (sizes[0], sizes[-1]) == (first, first << octaves)
    assert len(sizes) <= octaves * per_octave + 1


def largest(on: Device) -> int:
    span = {"low": "4KiB", "high": "4*llc"}
    return max(int(point.settings["bytes"]) for point in points(probe({"bytes": span}), on, {}))


def test_the_largest_size_follows_cache_and_memory() -> None:
    assert largest(device(l3_bytes=8 << 20)) == 32 << 20
    assert largest(device(l2_bytes=1 << 20)) == 4 << 20
    assert largest(device()) == 4 * DEFAULT_LLC
    assert largest(device(memory=64 << 20, l3_bytes=32 << 20)) <= (64 << 20) * MEMORY_SHARE
    assert largest(device(memory=1 << 40, l3_bytes=512 << 20)) == LARGEST_BUFFER


@pytest.mark.parametrize(
    ("features", "expected"),
    [(("fma", "avx512f"), "wide"), (("fma",), "middle"), ((), "narrow"), (("avx512f",), "wide")],
)
def test_the_widest_is_the_last_operation_that_the_device_has(
    features: tuple[str, ...], expected: str
) -> None:
    names = ("narrow", "middle", "wide")
    table = {
        "narrow": row(features=("sse9",)),
        "middle": row(features=("fma",)),
        "wide": row(features=("avx512f",)),
    }
    asked = probe({"operation": list(names), "accumulators": [12]}, names, widest=True)
    on = msgspec.structs.replace(device(), features=features)
    assert [point.settings["operation"] for point in points(asked, on, table)] == [expected]
