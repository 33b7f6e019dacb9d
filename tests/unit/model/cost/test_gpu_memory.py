"""The memory bound of a GPU: recovered from a simulated run, and refused where a number is missing."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from reportgen.model.architecture import Architecture
from reportgen.model.cost import gpu_memory
from reportgen.model.cost.bounds import Bound
from reportgen.model.cost.estimate import WITHOUT_SIZE, Estimate, estimate
from reportgen.model.cost.parse import parse
from reportgen.model.derive import derive_bundle
from reportgen.runs import read, write
from tests.simulated.gpu import make, programs
from tests.simulated.gpu_truth import MIB, GpuTruth

TRUTH = GpuTruth()
COPY = ".L1:\nLDG.E.128 R4, [R2.64] ;\nSTG.E.64 [R8.64], R4 ;\n@P0 BRA `(.L1) ;\n"
LOAD = ".L1:\nLDG.E.128 R4, [R2.64] ;\nATOMG.E.ADD.STRONG.GPU PT, R6, [R8.64], R4 ;\n@P0 BRA `(.L1) ;\n"


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Architecture:
    run, rows = make(TRUTH)
    folder: Path = tmp_path_factory.mktemp("gpu") / run.device.id / run.run
    return derive_bundle(read.load(write.seal(folder, run, rows, programs(TRUTH)))).architecture


def memory(one: Estimate) -> Bound | None:
    return next((bound for bound in one.bounds if bound.name == "memory"), None)


def cycles(warps: int, seconds_a_byte: float, moved: float) -> float:
    return TRUTH.clock_hz * warps * 4 * TRUTH.multiprocessors * moved * seconds_a_byte


def test_the_model_counts_the_multiprocessors(device: Architecture) -> None:
    assert device.multiprocessors == TRUTH.multiprocessors


@pytest.mark.parametrize(("size", "rate"), [(16 * MIB, TRUTH.l2_rate), (512 * MIB, TRUTH.memory_rate)])
@pytest.mark.parametrize("warps", [1, 8])
def test_loads_take_the_bandwidth_of_their_level(
    device: Architecture, size: float, rate: float, warps: int
) -> None:
    one = estimate(parse("load.sass", LOAD), device, size, warps)
    found = memory(one)
    assert found is not None
    assert found.cycles == pytest.approx(cycles(warps, 1 / rate, 32 * 16), rel=0.01)
    assert found.low <= found.cycles <= found.high
    assert "132 multiprocessors at once" in found.why
    assert gpu_memory.ASSUMED in one.notes
    assert one.decides == "memory"


def test_stores_take_that_of_a_copy_where_writes_were_not_measured(device: Architecture) -> None:
    found = memory(estimate(parse("copy.sass", COPY), device, 512 * MIB))
    assert found is not None
    each = cycles(1, 1 / TRUTH.memory_rate, 32 * 16) + cycles(1, 1 / (0.9 * TRUTH.memory_rate), 32 * 8)
    assert found.cycles == pytest.approx(each, rel=0.01)


def test_a_mix_moves_what_its_loads_are_wide() -> None:
    moved = gpu_memory.of_mix({"global_load_nc": 2, "global_store": 1, "fp32_fma": 8, "global_atomic_add": 4})
    assert (moved.into, moved.out) == (2 * 32 * 8, 32 * 4)


def test_the_first_level_has_no_bound_and_no_size_says_so(device: Architecture) -> None:
    body = parse("load.sass", LOAD)
    assert memory(estimate(body, device, 64 << 10)) is None
    without = estimate(body, device)
    assert memory(without) is None
    assert WITHOUT_SIZE in without.notes


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"multiprocessors": 0}, "the model holds no number of multiprocessors"),
        ({"memory": ()}, "the run measured no cache that is this large, nor memory"),
    ],
)
def test_what_is_missing_is_named(device: Architecture, changes: dict[str, object], why: str) -> None:
    bare = msgspec.structs.replace(device, **changes)
    one = estimate(parse("load.sass", LOAD), bare, 512 * MIB)
    assert memory(one) is None
    assert any(note.startswith(f"no memory bound: {why}") for note in one.notes)


def test_without_a_clock_or_a_rate_there_is_no_bound(device: Architecture) -> None:
    def bare(field: str) -> Architecture:
        keep = ("capacity",) if field == "facts" else ()
        levels = tuple(
            msgspec.structs.replace(
                level, **{field: {key: one for key, one in getattr(level, field).items() if key in keep}}
            )
            for level in device.memory
        )
        return msgspec.structs.replace(device, memory=levels)

    for field, why in (("facts", "the run has no clock"), ("bandwidth", "the run has no bandwidth of dram")):
        one = estimate(parse("load.sass", LOAD), bare(field), 512 * MIB)
        assert any(note.startswith(f"no memory bound: {why}") for note in one.notes)
