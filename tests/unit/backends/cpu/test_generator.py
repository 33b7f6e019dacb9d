"""A point becomes a source, or a reason that a person can act on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.backends.cpu import generator
from reportgen.backends.cpu.generator import CpuGenerator
from reportgen.backends.cpu.generator_streams import SLICE_BYTES
from reportgen.errors import Unsupported
from reportgen.runs.schema import Device
from reportgen.suite.definition import Definition, PlannedPoint, Probe
from tests.unit.backends.cpu.x86 import (
    assembles,
    decodes,
    device,
    everything,
    generate,
    judge,
    planned,
    suite,
    table,
)


def probe(**keys: Any) -> Probe:
    given: dict[str, Any] = {
        "question": "q", "hypothesis": "h", "variable": "length", "template": "chain", "analysis": "slope",
        "metric": "m", "unit": "cycle", "settings": {},
    }  # fmt: skip
    operations = keys.pop("operations", ("integer_add",))
    family = keys.pop("family", "instruction_latency")
    definition = Definition(**(given | keys))
    return Probe(f"{family}/x", family, definition, "q", "h", "t", "m", operations)


def refused(asked: Probe, settings: dict[str, int | float | str], on: Device | None = None) -> str:
    with pytest.raises(Unsupported) as caught:
        CpuGenerator(on or device(), table()).generate(asked, PlannedPoint("p", asked.id, settings))
    return str(caught.value)


# -- reasons ----------------------------------------------------------------------------------------


def test_an_operation_that_the_processor_lacks() -> None:
    reason = refused(probe(operations=("popcnt",)), {"length": 48}, device(("avx",)))
    assert reason == "this processor lacks popcnt"


def test_a_definition_that_asks_for_a_feature() -> None:
    reason = refused(probe(features=("avx512fp16", "fma")), {"length": 48}, device(("avx",)))
    assert reason == "this processor lacks avx512fp16, fma"


def test_an_operation_that_the_table_has_not() -> None:
    reason = refused(probe(operations=("fft",)), {"length": 48})
    assert reason == "the x86_64 table has no operation 'fft'"


def test_a_definition_for_other_isas() -> None:
    assert refused(probe(isas=("cuda",)), {"length": 48}) == "asked of cuda only"
    reason = refused(probe(isas=("cuda",), skip_reason="a CPU core has no warps"), {"length": 48})
    assert reason == "a CPU core has no warps"


def test_a_template_that_the_family_has_not() -> None:
    reason = refused(probe(template="occupancy"), {"length": 48})
    assert reason == "this family has no template 'occupancy' for x86_64"


def test_more_cores_than_may_be_used() -> None:
    asked = probe(family="memory_hierarchy", template="stream", operations=())
    reason = refused(asked, {"kernel": "read", "bytes": 65536, "cores": 8}, device(cores=2))
    assert reason == "8 cores wanted, 2 may be used"


def test_streams_without_avx() -> None:
    asked = probe(family="memory_hierarchy", template="stream", operations=())
    reason = refused(asked, {"kernel": "read", "bytes": 65536, "cores": 1}, device(("sse2",)))
    assert reason == "the streaming kernels need AVX"


@pytest.mark.parametrize(
    ("level", "reason"),
    [
        ("l2", "the system reports no L2 size; see the working-set sweep"),
        ("l3", "the system reports no L3 size; see the working-set sweep"),
        ("dram", "the system reports no last-level cache to be larger than; see the working-set sweep"),
    ],
)
def test_a_level_that_nobody_reports(level: str, reason: str) -> None:
    asked = probe(family="memory_hierarchy", template="chase", operations=())
    told: dict[str, int | float | str] = {"l1d_bytes": 32768}
    assert refused(asked, {"level": level}, device(reported=told)) == reason


def test_more_accumulators_than_registers() -> None:
    asked = probe(family="instruction_throughput", template="independent")
    assert "11 accumulators wanted, the register class has 10" in refused(asked, {"accumulators": 11})


def test_an_isa_without_registers_and_forms() -> None:
    with pytest.raises(Unsupported, match="no registers and forms for riscv64"):
        CpuGenerator(msgspec.structs.replace(device(), isa="riscv64"), {})


# -- sources ----------------------------------------------------------------------------------------


def test_every_point_of_the_suite_renders() -> None:
    reasons = set()
    count = 0
    for name, (asked, point) in planned().items():
        try:
            source = CpuGenerator(device(), table()).generate(asked, point)
        except Unsupported as error:
            reasons.add(str(error))
            continue
        count += 1
        assert source.point == name
        assert source.text.count("\nbody:\n") == 1
        assert float(source.setup["seconds"]) > 0
        assert source.work
        assert all(value >= 0 for value in source.work.values())
    assert count > 1500
    assert reasons == {
        definition.skip_reason for definition in suite().definitions.values() if definition.isas == ("cuda",)
    }


def test_a_chain_counts_its_steps() -> None:
    source = generate("instruction_latency/integer_mul#length=96")
    assert source.expect == {"imul": 96, "kind": "chain", "chains": 1}
    assert source.work == {"steps": 96.0, "instructions": 96.0}
    assert source.text.count("imul rbx, r14") == 96


def test_throughput_counts_work() -> None:
    source = generate("roofline/peak_compute_fp32#operation=fp32_fma_512,accumulators=12")
    assert source.expect == {"vfmadd231ps": 384, "kind": "independent", "chains": 12}
    assert source.work == {"instructions": 384.0, "flop": 384 * 32.0, "op": 0.0}


def test_a_form_of_its_own_for_throughput_need_not_be_a_chain() -> None:
    assert generate("instruction_throughput/l1_load#accumulators=4").expect["kind"] == "apart"


def test_a_pair_interleaves_and_keeps_registers_apart() -> None:
    source = generate("pipeline_interference/int_vs_fp#first=integer_add,second=fp32_add_256")
    assert source.work["first_count"] == 5
    assert source.work["second_count"] == 12
    body = source.text.partition("\nbody:\n")[2].partition("\nbody_end:")[0].split("\n")
    names = [line.split()[0] for line in body if line.strip()]
    assert names.count("add") / names.count("vaddps") == pytest.approx(5 / 12)
    assert (
        max(len(run) for run in " ".join(names).split("add ")) < 60
    )  # never all of one, then all of the other
    alone = generate("pipeline_interference/int_vs_fp#first=integer_add,second=")
    assert alone.work["second_count"] == 0


def avx2() -> Device:
    """A processor with sixteen vector registers."""
    return device(tuple(name for name in everything() if not name.startswith("avx512")))


@pytest.mark.parametrize(
    ("operation", "line"),
    [
        ("fp32_add_256", "vaddps ymm0, ymm15, ymm14"),
        ("vector_shift_256", "vpslld ymm0, ymm15, 3"),
        ("fp32_fma_256", "vxorps ymm0, ymm0, ymm0; vfmadd213ps ymm0, ymm14, ymm15"),
        ("unpack_low_256", "vpunpckldq ymm0, ymm14, ymm15"),
    ],
)
def test_of_few_registers_no_instance_of_a_pair_waits_for_another(operation: str, line: str) -> None:
    made = CpuGenerator(avx2(), table())
    bound = made.assembly.bind(made.assembly.apart(made.operation(operation), avx2().features), 0, 7)
    assert [part.strip() for part in bound.throughput(0).splitlines()] == line.split("; ")
    plain = made.assembly.apart(table()[operation], everything())
    assert plain == table()[operation]


@assembles
@decodes
@pytest.mark.parametrize("order", ["interleaved", "4to1"])
@pytest.mark.parametrize("second", ["fp64_fma_256", "store", "vector_logic_256", "shuffle_bytes_256"])
def test_pairs_of_few_registers_are_what_they_claim(second: str, order: str) -> None:
    source = generate(
        f"pipeline_interference/matrix#first=fp32_fma_256,second={second},order={order}", avx2()
    )
    found = judge(source)
    assert found.verdict == "verified", found.faults
    before, idiom, after = source.text.rpartition("vxorps ymm0, ymm0, ymm0")
    assert judge(source, f"{before}vxorps ymm0, ymm0, ymm1{after}").verdict == ("rejected" if idiom else "")


def test_interleaving_spreads_evenly() -> None:
    assert generator._interleave([["a", "b"], ["x", "y"]]) == ["a", "x", "b", "y"]
    assert generator._interleave([["a", "b", "c", "d"], ["x"]]) == ["a", "b", "x", "c", "d"]
    assert generator._interleave([["a"], []]) == ["a"]


@pytest.mark.parametrize(
    ("level", "low", "high"),
    [("l1", 1, 49152), ("l2", 49152, 2 << 20), ("l3", 2 << 20, 32 << 20), ("dram", 32 << 20, 2 << 30)],
)
def test_a_chase_lies_well_inside_its_level(level: str, low: int, high: int) -> None:
    size = int(generate(f"memory_hierarchy/pointer_chasing#level={level}").setup["bytes"])
    assert low < size < high
    assert size % 64 == 0


@given(
    size=st.integers(1, 1 << 28),
    kernel=st.sampled_from(["read", "write", "copy", "triad", "nt_write", "nt_copy"]),
    features=st.sampled_from([("avx",), ("avx", "avx512f")]),
)
def test_a_stream_is_whole_slices_of_whole_turns(size: int, kernel: str, features: tuple[str, ...]) -> None:
    asked = probe(family="memory_hierarchy", template="stream", operations=())
    made = CpuGenerator(device(features), table())
    settings: dict[str, int | float | str] = {"kernel": kernel, "bytes": size, "cores": 1}
    source = made.generate(asked, PlannedPoint("p", asked.id, settings))
    each, part = int(source.setup["array_bytes"]), int(source.setup["slice_bytes"])
    step = 8 * int(source.setup["vector_bytes"])
    assert each % part == 0
    assert part % step == 0
    assert part <= SLICE_BYTES
    arrays = int(source.setup["arrays"])
    # never larger than asked but for the smallest possible, and less by no more than a step a slice
    assert each * arrays <= max(size, step * arrays)
    assert size - each * arrays < arrays * step * (each // part + 1)
    counted = {"read": 1, "write": 1, "copy": 2, "triad": 3, "nt_write": 1, "nt_copy": 2}[kernel]
    assert source.work == {"bytes": float(part * counted)}


@pytest.mark.parametrize(
    ("point", "flop", "size", "footprint"),
    [
        ("roofline/gemm_sweep#n=64", 2 * 64**3, 3 * 4 * 64**2, 3 * 4 * 64**2),
        ("roofline/dgemm_sweep#n=64", 2 * 64**3, 3 * 8 * 64**2, 3 * 8 * 64**2),
        ("roofline/saxpy#n=1024", 2 * 1024, 3 * 4 * 1024, 2 * 4 * 1024),
        ("roofline/daxpy#n=1024", 2 * 1024, 3 * 8 * 1024, 2 * 8 * 1024),
        ("roofline/gemv#n=64", 2 * 64**2, 4 * 64**2 + 2 * 4 * 64, 4 * 64**2 + 2 * 4 * 64),
        ("roofline/softmax#rows=4", 4 * 4096, 32 * 4096, 8 * 4096),
    ],
)
def test_a_library_point_counts_flop_and_bytes(point: str, flop: int, size: int, footprint: int) -> None:
    source = generate(point)
    assert source.work == {"flop": float(flop), "bytes": float(size), "footprint": float(footprint)}
    assert source.setup["kind"] == "library"
    assert source.expect == {"kind": "frame"}


def test_without_avx_nothing_clears_upper_halves() -> None:
    point = "instruction_latency/integer_mul#length=48"
    assert "vzeroupper" in generate(point).text
    assert "vzeroupper" not in generate(point, device(())).text


def test_an_older_processor_names_sixteen_vector_registers() -> None:
    old = tuple(name for name in everything() if not name.startswith("avx512"))
    text = generate("instruction_throughput/fp32_add_256#accumulators=12", device(old)).text
    assert "ymm16" not in text
    with pytest.raises(Unsupported, match="16 accumulators wanted, the register class has 14"):
        generate("instruction_throughput/fp32_add_256#accumulators=16", device(old))


def test_a_template_of_another_suite_is_read_from_its_root(tmp_path: Path) -> None:
    (tmp_path / "instruction_latency").mkdir()
    (tmp_path / "instruction_latency" / "chain.x86_64.s.j2").write_text("{{ operands.latency(0) }}")
    made = CpuGenerator(device(), table(), tmp_path)
    asked = probe()
    assert made.generate(asked, PlannedPoint("p", asked.id, {"length": 3})).text == "  add rbx, r14"
