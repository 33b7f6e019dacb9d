"""Every point of every target: it renders, or says in words why not."""

from __future__ import annotations

import re
from collections import Counter

import msgspec
import pytest

from reportgen.backends.cuda import expectation, targets
from reportgen.backends.cuda.generator import KINDS, CudaGenerator
from reportgen.backends.cuda.occupancy import multiprocessor
from reportgen.errors import Unsupported
from reportgen.suite.definition import Definition, PlannedPoint, Probe
from reportgen.suite.load import FAMILIES
from tests.unit.backends.cuda import suite

MACHINES = ("x86_64", "aarch64")
REASONS = re.compile(
    r"\bneeds sm_\d|\bneeds a target|\bmay have \d|\bends at \d|\bfit into\b|\bbounds no kernel\b|\bCPU\b"
    r"|\bneeds a device\b|\bin order\b|\bwait together\b|\bpredict branches\b"
    r"|\bby register\b|\bby way of\b|\bmust be a multiple\b|\bby bytes that a miss brings\b|\bshare a set\b"
)
"""Words that tell what is missing, or where a limit lies."""


def test_every_family_is_asked_of_a_gpu() -> None:
    families = Counter(point.partition("/")[0] for point in suite.generated("sm_90").sources)
    assert set(families) == set(FAMILIES) - {"out_of_order", "core_communication"}  # of CPUs
    assert sum(families.values()) > 1500


@pytest.mark.parametrize("isa", suite.PUBLISHED)
def test_every_point_renders_or_says_why_not(isa: str) -> None:
    made = suite.generated(isa)
    for point, reason in made.unsupported.items():
        assert REASONS.search(reason), (point, reason)
    for point, source in made.sources.items():
        assert not re.search(r"\{[deabmst]\}", source.text), point
        assert source.text.count("{") == source.text.count("}"), point
        assert source.text.count('extern "C" __global__ void') == 1, point
        assert f"{source.setup['kernel']}(" in source.text, point
        assert targets.parse(str(source.setup["target"])).base == isa, point
        assert len(str(source.setup["arguments"]).split("; ")) == _parameters(source.text), point


@pytest.mark.parametrize("isa", suite.PUBLISHED)
def test_no_operation_of_a_sweep_is_lost(isa: str) -> None:
    """Counts of accumulators that an operation cannot have take points away, but never all of them."""
    asked = {(probe.id, name) for probe in suite.probes(isa) for name in _operations_of(probe)}
    found = {(probe.id, str(point.settings.get("operation"))) for probe, point in suite.points(isa)}
    assert asked - found == set()


def _operations_of(probe: Probe) -> list[str]:
    if "cuda" not in (probe.definition.isas or ("cuda",)):
        return []
    return [str(name) for name in probe.definition.settings.get("operation", [])]


@pytest.mark.parametrize("isa", ["sm_75", "sm_90", "sm_100"])
def test_one_block_alone_asks_for_as_many_bytes_as_a_multiprocessor_can_wait_for(isa: str) -> None:
    """64 bytes a cycle for 700 cycles; in blocks that every multiprocessor takes."""
    alone = [
        source.setup
        for source in suite.generated(isa).sources.values()
        if source.setup["kind"] == "stream" and source.setup.get("blocks") == 1
    ]
    assert alone
    for setup in alone:
        threads = int(setup["threads"])
        assert threads * int(setup["unroll"]) * int(setup["vector_bytes"]) >= 64 * 700
        assert threads <= 1024
        assert int(setup["bytes"]) % (threads * int(setup["unroll"]) * int(setup["vector_bytes"])) == 0


@pytest.mark.parametrize("isa", suite.PUBLISHED)
def test_a_load_of_all_multiprocessors_has_no_two_blocks_on_one(isa: str) -> None:
    """As many blocks as multiprocessors: each must get one, whatever the device does by itself."""
    limits = multiprocessor(int(isa.removeprefix("sm_")))
    sources = suite.generated(isa).sources.values()
    loads = [source for source in sources if source.setup["kind"] in ("saturated", "held")]
    assert loads
    for source in loads:
        own = 16384 if "tiles[4096]" in source.text else 0
        asked = int(source.setup["dynamic_bytes"]) + own
        assert 2 * (asked + limits.reserved) > limits.shared, source.point
        assert asked <= limits.shared_block, source.point


def test_one_block_alone_asks_for_no_shared_memory_that_it_leaves_unused() -> None:
    """It would keep no other block away: there is none."""
    alone = [
        point
        for point, source in suite.generated("sm_90").sources.items()
        if source.setup["kind"] == "body" and source.setup.get("dynamic_bytes")
    ]
    assert alone == []


@pytest.mark.parametrize("isa", suite.PUBLISHED)
def test_every_expectation_can_be_read(isa: str) -> None:
    for point, source in suite.generated(isa).sources.items():
        read = expectation.read(source.expect)
        assert read.wanted, point
        assert all(one.count > 0 for one in read.wanted), point
        assert any(value > 0 for value in source.work.values()), point
        assert all(value >= 0 for value in source.work.values()), point


@pytest.mark.parametrize("isa", ["sm_75", "sm_90", "sm_120"])
def test_points_that_differ_in_their_launch_only_share_a_program(isa: str) -> None:
    texts: dict[str, str] = {}
    for source in suite.generated(isa).sources.values():
        name = f"{source.setup['kernel']} {sorted(source.expect.items())}"
        assert texts.setdefault(name, source.text) == source.text
    assert len({source.text for source in suite.generated(isa).sources.values()}) < len(
        suite.generated(isa).sources
    )


def test_a_kernel_name_belongs_to_one_text() -> None:
    names: dict[str, str] = {}
    for source in suite.generated("sm_100").sources.values():
        assert names.setdefault(str(source.setup["kernel"]), source.text) == source.text
    assert all(re.fullmatch(r"probe_\w+", name) for name in names)


@pytest.mark.parametrize(
    ("isa", "probe", "reason"),
    [
        (
            "sm_75",
            "tensor_operations/instruction_latency_mma_m16n8k32_e4m3_f32",
            "16x8x32 E4M3 matrix product into FP32: needs sm_89 or newer",
        ),
        ("sm_80", "instruction_latency/fp32x2_fma", "two FP32 fused multiply-adds: needs sm_100 or newer"),
        (
            "sm_100",
            "tensor_operations/wgmma_m64n64k16_f16_f32",
            "64x64x16 FP16 matrix product of a warp group into FP32: needs sm_90a",
        ),
        (
            "sm_120",
            "tensor_operations/tcgen05_m128n64k16_f16_f32",
            (
                "128x64x16 FP16 matrix product through tensor memory into FP32: "
                "needs sm_100a, sm_103a or sm_110a"
            ),
        ),
        ("sm_89", "memory_hierarchy/bulk_copy", "a bulk copy: needs sm_90 or newer"),
        ("sm_90", "gpu_execution/register_pressure", "the assembler bounds no kernel below 24 registers"),
    ],
)
def test_reasons_name_what_is_needed(isa: str, probe: str, reason: str) -> None:
    reasons = {
        text for point, text in suite.generated(isa).unsupported.items() if point.partition("#")[0] == probe
    }
    assert reasons == {reason}


def test_the_suffix_of_a_target_belongs_to_the_probe() -> None:
    hopper, blackwell = suite.generated("sm_90").sources, suite.generated("sm_100").sources
    assert {s.setup["target"] for s in hopper.values()} == {"sm_90", "sm_90a"}
    assert {s.setup["target"] for p, s in hopper.items() if "wgmma" in p} == {"sm_90a"}
    assert {s.setup["target"] for p, s in blackwell.items() if "tcgen05" in p} == {"sm_100a"}
    assert hopper["instruction_latency/fp32_fma#length=32"].setup["target"] == "sm_90"


def test_one_point_says_that_a_question_is_not_asked_here() -> None:
    for isa in MACHINES:
        elsewhere = [point.id for probe, point in suite.points(isa) if probe.definition.isas == ("cuda",)]
        probes = {name.partition("#")[0] for name in elsewhere}
        assert len(elsewhere) == len(probes) < 48
        assert "gpu_execution/warp_count_sweep" in probes


def test_a_question_of_cpus_ends_with_its_reason() -> None:
    definition = Definition(
        question="q", hypothesis="h", variable="n", template="chain", analysis="none", metric="m", unit="u",
        settings={"n": [1, 2]}, isas=("x86_64",), skip_reason="a GPU has no page colours",
    )  # fmt: skip
    probe = Probe("memory_hierarchy/colour", "memory_hierarchy", definition, "q", "h", "t", "m")
    generator = CudaGenerator(suite.device("sm_90"), suite.table())
    with pytest.raises(Unsupported, match="a GPU has no page colours"):
        generator.generate(probe, PlannedPoint("p", probe.id, {"n": 1}))
    unknown = msgspec.structs.replace(definition, isas=(), template="juggle")
    with pytest.raises(Unsupported, match="no template 'juggle' for a GPU"):
        generator.generate(
            msgspec.structs.replace(probe, definition=unknown), PlannedPoint("p", probe.id, {"n": 1})
        )


def test_every_template_is_used() -> None:
    root = suite.loaded().root
    files = {
        path.name.partition(".")[0] for path in root.rglob("*.cuda.cu.j2") if path.parent.name != "frames"
    }
    used = {probe.definition.template for probe in suite.probes("sm_90")}
    assert files == set(KINDS) & used == set(KINDS)


def _parameters(text: str) -> int:
    match = re.search(r"probe_\w+\(([^)]*)\) \{", text)
    assert match is not None
    return match[1].count(",") + 1
