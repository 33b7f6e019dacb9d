"""Programs of five targets, compiled and inspected: each is the one that was meant."""

from __future__ import annotations

from functools import cache

import pytest

from reportgen.backends.base import Build
from reportgen.backends.cuda import compiler
from reportgen.backends.cuda.builder import CudaBuilder
from tests.unit.backends.cuda import suite

pytestmark = pytest.mark.usefixtures("toolchain")

TARGETS = ("sm_75", "sm_86", "sm_90", "sm_100", "sm_120")
"""With `sm_90a` and `sm_100a`, where a probe asks for them."""

LATENCY = (
    "integer_add integer_add_2 integer_add_64 integer_mul integer_mul_wide integer_logic integer_abs "
    "integer_min_64 integer_add_max popcnt fp32_fma fp32_add fp64_fma fp16_fma fp32x2_fma exp2 "
    "reciprocal convert_fp32_int32 convert_fp32_e4m3 vote shuffle_butterfly reduce_add int8_dot "
    "shared_load global_load_ca local_load constant_load texture_load matrix_load shared_atomic_add "
    "global_atomic_cas"
).split()
SAMPLE = (
    *(f"instruction_latency/{name}#length=32" for name in LATENCY),
    *(f"instruction_throughput/{name}#accumulators=8" for name in ("fp32_fma", "integer_mad", "shared_load")),
    "instruction_throughput/global_store#accumulators=4",
    "pipeline_interference/matrix#first=integer_add,second=fp32_fma,order=interleaved",
    "pipeline_interference/matrix#first=fp64_fma,second=fp64_fma,order=interleaved",
    *(
        f"tensor_operations/instruction_latency_{name}#length=16"
        for name in (
            "mma_m16n8k8_f16_f32",
            "mma_m16n8k16_f16_f32",
            "mma_m16n8k32_e4m3_f32",
            "mma_m16n8k256_b1_s32",
            "mma_m16n8k64_nvf4_f32",
            "mma_sparse_m16n8k32_f16_f32",
        )
    ),
    "tensor_operations/instruction_throughput_mma_m16n8k32_s8_s32#accumulators=8",
    "tensor_operations/wgmma_m64n64k16_f16_f32#length=8",
    "tensor_operations/tcgen05_m128n256k16_f16_f32#length=8",
    *(
        f"memory_hierarchy/pointer_chasing#path={path},bytes=16384"
        for path in ("plain", "ca", "cg", "nc", "volatile", "texture")
    ),
    *(f"memory_hierarchy/on_chip_sweep#path={path},bytes=4096" for path in ("shared", "constant", "local")),
    "memory_hierarchy/sector_trace#path=ca,stride=32",
    "memory_hierarchy/l2_matrix#count=1024",
    "memory_hierarchy/bandwidth_saturation#kernel=triad,width=16,blocks=512,bytes=33554432",
    "memory_hierarchy/bandwidth_saturation#kernel=read,width=32,blocks=512,bytes=33554432",
    "memory_hierarchy/distributed_shared#cluster=4,peer=next",
    "memory_hierarchy/bulk_copy#copy=load,bytes=1024",
    "memory_hierarchy/bulk_copy#copy=tile_load,bytes=1024",
    "gpu_execution/register_pressure#registers=24",
    "gpu_execution/register_pressure#registers=128",
    "gpu_execution/register_pressure#registers=255",
    "gpu_execution/shared_memory_pressure#accumulators=1,dynamic_bytes=49152",
    "gpu_execution/shared_bank_strides#width=16,stride=33",
    "roofline/gemm_sweep#n=1024",
    "roofline/gemv#n=2048",
    "roofline/softmax#rows=64",
    *(
        f"roofline/peak_tensor_fp64#operation={shape},accumulators={count},warps={warps}"
        for shape, count, warps in (
            ("mma_m8n8k4_f64_f64", 8, 16),
            ("mma_m16n8k16_f64_f64", 4, 8),
            ("mma_m16n8k16_f64_f64", 8, 16),
        )
    ),
)


@cache
def builds(isa: str) -> dict[str, Build]:
    """The sample, built for a target."""
    if int(isa.removeprefix("sm_")) not in compiler.supported():
        pytest.skip(f"{compiler.fingerprint()} does not build for {isa}")
    sources = suite.generated(isa).sources
    chosen = [sources[name] for name in SAMPLE if name in sources]
    return {build.point: build for build in CudaBuilder().build_many(chosen, jobs=1)}


def program_facts(isa: str, point: str) -> dict[str, int | float | str]:
    program = builds(isa)[point].program
    assert program is not None
    return program.facts


def test_the_sample_is_of_the_suite() -> None:
    known = set(suite.generated("sm_100").sources) | set(suite.generated("sm_100").unsupported)
    assert set(SAMPLE) <= known


@pytest.mark.parametrize("isa", TARGETS)
def test_every_program_is_verified_or_emulated(isa: str) -> None:
    unexplained = {
        point: (build.status, build.reason)
        for point, build in builds(isa).items()
        if not (build.status == "ok" and build.program is not None and build.program.verdict == "verified")
        and not (build.status == "unsupported" and build.reason.startswith("emulated: "))
    }
    assert unexplained == {}
    assert len(builds(isa)) > 50


@pytest.mark.parametrize("isa", TARGETS)
@pytest.mark.parametrize(
    "name", ["fp32_fma", "fp32_add", "integer_mul", "integer_logic", "integer_add", "int8_dot"]
)
def test_cores_take_four_cycles_everywhere(isa: str, name: str) -> None:
    found = program_facts(isa, f"instruction_latency/{name}#length=32")
    assert (found["encoded_kind"], found["encoded_distance"]) == ("fixed", 4)


@pytest.mark.parametrize("isa", TARGETS)
@pytest.mark.parametrize("name", ["exp2", "popcnt", "shuffle_butterfly", "shared_load", "global_load_ca"])
def test_what_takes_its_time_waits_on_a_barrier(isa: str, name: str) -> None:
    assert program_facts(isa, f"instruction_latency/{name}#length=32")["encoded_kind"] == "scoreboard"


def test_fp64_of_hopper_takes_eight() -> None:
    assert program_facts("sm_90", "instruction_latency/fp64_fma#length=32")["encoded_distance"] == 8


@pytest.mark.parametrize(("isa", "cycles"), [("sm_86", 24), ("sm_90", 24), ("sm_100", 20), ("sm_120", 29)])
def test_a_matrix_product_by_generation(isa: str, cycles: int) -> None:
    point = "tensor_operations/instruction_latency_mma_m16n8k16_f16_f32#length=16"
    assert program_facts(isa, point)["encoded_distance"] == cycles


def test_the_large_fp64_product_fits_with_all_warps_of_its_launch() -> None:
    """Its tiles take many registers, and a multiprocessor has 65,536; each thread has a multiple of 8."""
    for count, warps in ((4, 8), (8, 16)):
        point = f"roofline/peak_tensor_fp64#operation=mma_m16n8k16_f64_f64,accumulators={count},warps={warps}"
        registers = int(program_facts("sm_90", point)["registers"])
        assert -(-registers // 8) * 8 * 32 * warps <= 65_536


def test_a_chain_of_thirty_two_predicts_128_cycles() -> None:
    """The stall of the first clock read (3), 31 distances of 4, and the last instruction."""
    assert program_facts("sm_90", "instruction_latency/fp32_fma#length=32")["predicted_window"] == 128


@pytest.mark.parametrize("isa", TARGETS)
@pytest.mark.parametrize("wanted", [24, 128, 255])
def test_registers_are_as_many_as_asked_for(isa: str, wanted: int) -> None:
    found = int(program_facts(isa, f"gpu_execution/register_pressure#registers={wanted}")["registers"])
    assert 0 <= wanted - found < 8


@pytest.mark.parametrize(
    ("isa", "point"),
    [
        ("sm_90", "tensor_operations/instruction_latency_mma_m16n8k32_e4m3_f32#length=16"),
        ("sm_100", "tensor_operations/instruction_latency_mma_m16n8k256_b1_s32#length=16"),
        ("sm_86", "instruction_latency/integer_min_64#length=32"),
        ("sm_75", "instruction_latency/integer_add_max#length=32"),
        ("sm_120", "instruction_latency/fp32x2_fma#length=32"),
    ],
)
def test_emulated_instructions_are_told(isa: str, point: str) -> None:
    build = builds(isa)[point]
    assert build.status == "unsupported"
    assert build.reason.startswith("emulated: this target has no ")


@pytest.mark.parametrize("isa", TARGETS)
def test_a_turn_is_counted_by_few_instructions(isa: str) -> None:
    facts = program_facts(isa, "instruction_throughput/fp32_fma#accumulators=8")
    assert int(facts["window_instructions"]) - 256 == int(facts["counting_instructions"]) <= 8
