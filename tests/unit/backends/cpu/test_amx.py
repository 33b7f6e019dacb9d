"""AMX tiles: assembled anywhere, refused where the processor has none, never trusted without a palette."""

from __future__ import annotations

import pytest

from reportgen.backends.cpu import device as cpu_device
from reportgen.backends.cpu import processor
from reportgen.backends.cpu.isa import decoder
from reportgen.errors import LaunchError, Unsupported
from tests.unit.backends.cpu.x86 import (
    assemble,
    assembles,
    device,
    everything,
    generate,
    judge,
    planned,
    table,
)

TILES = sorted(
    name for name, (probe, _) in planned().items() if any(op.startswith("tile_") for op in probe.operations)
)


def test_what_is_asked_of_tiles() -> None:
    assert {name.partition("#")[0] for name in TILES} == {
        "tensor_operations/instruction_latency_tile_bf16",
        "tensor_operations/instruction_latency_tile_int8",
        "tensor_operations/instruction_throughput_tile_bf16",
        "tensor_operations/instruction_throughput_tile_int8",
        "roofline/peak_compute_amx_bf16",
        "roofline/peak_compute_amx_int8",
    }
    assert table()["tile_bf16"].flop == 16 * 16 * 32 * 2
    assert table()["tile_int8"].op == 16 * 16 * 64 * 2


def test_the_matrix_family_asks_dot_products_of_vectors_too() -> None:
    names = {
        probe.id.partition("/")[2] for probe, _ in planned().values() if probe.family == "tensor_operations"
    }
    assert {
        f"data_type_sweep_{kind}_dot_{bits}" for kind in ("bf16", "int8") for bits in (128, 256, 512)
    } <= names


@assembles
@pytest.mark.parametrize("point", TILES)
def test_a_tile_program_is_verified(point: str) -> None:
    result = judge(generate(point))
    assert result.verdict == "verified", result.explanation
    (opcode,) = result.opcodes
    assert opcode in ("tdpbf16ps", "tdpbssd")


@assembles
def test_tiles_are_shaped_before_the_time_stamp_and_released_after_it() -> None:
    source = generate("tensor_operations/instruction_throughput_tile_int8#accumulators=4")
    code = assemble(source)
    before = [i.text.split()[0] for i in decoder("x86_64").decode(code.code, code.entry, code.body)]
    after = [i.text.split()[0] for i in decoder("x86_64").decode(code.code, code.body_end, code.end)]
    assert before.count("ldtilecfg") == 1
    assert before.count("tileloadd") == 2
    assert before.count("tilezero") == 4
    stamp = len(before) - 1 - before[::-1].index("rdtsc")
    assert max(i for i, name in enumerate(before) if name == "tilezero") < stamp
    assert after.count("tilerelease") == 1
    assert after.index("rdtsc") < after.index("tilerelease")
    shape = code.code.rindex(bytes([1, 0]) + bytes(14) + bytes([64, 0]) * 8)
    assert shape >= code.end  # behind the code


def test_without_the_feature_the_reason_names_it() -> None:
    plain = tuple(name for name in everything() if not name.startswith("amx"))
    with pytest.raises(Unsupported, match=r"^this processor lacks amx-tile, amx-bf16$"):
        generate("roofline/peak_compute_amx_bf16#operation=tile_bf16,accumulators=4", device(plain))
    told = device(plain, reported={"amx": "advertised without a tile palette in CPUID leaf 1Dh"})
    with pytest.raises(Unsupported, match=r"lacks amx-tile, amx-int8 \(advertised without a tile palette"):
        generate("roofline/peak_compute_amx_int8#operation=tile_int8,accumulators=4", told)
    with pytest.raises(Unsupported, match=r"^this processor lacks"):
        generate("instruction_latency/fp16_fma_512#length=48", device(("avx",)))


@pytest.mark.parametrize(("palettes", "kept"), [(0, False), (1, True)])
def test_amx_without_a_palette_is_dropped_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, palettes: int, kept: bool
) -> None:
    from reportgen.backends.cpu import compiler

    monkeypatch.setattr(compiler, "host_features", lambda: ["amx-tile", "amx-bf16", "avx", "sse2"])
    monkeypatch.setattr(processor, "tile_palettes", lambda: palettes)
    features, notes = cpu_device._features()
    assert ("amx-tile" in features) == ("amx-bf16" in features) == kept
    assert {"avx", "sse2"} <= set(features)
    assert ("palette" in notes.get("amx", "")) != kept


@pytest.mark.parametrize(
    ("leaves", "palettes"),
    [
        ({0: 0x20, 0x1D: 1}, 1),
        ({0: 0x20, 0x1D: 0}, 0),
        ({0: 0x16}, 0),  # the leaf does not exist: what it returns is another leaf's data
    ],
)
def test_palettes_are_read_from_their_leaf(
    monkeypatch: pytest.MonkeyPatch, leaves: dict[int, int], palettes: int
) -> None:
    monkeypatch.setattr(processor, "cpuid", lambda leaf, subleaf=0: (leaves.get(leaf, 77), 0, 0, 0))
    assert processor.tile_palettes() == palettes


def test_no_executable_memory_means_no_palette(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(leaf: int, subleaf: int = 0) -> tuple[int, int, int, int]:
        raise LaunchError("no executable memory")

    monkeypatch.setattr(processor, "cpuid", refuse)
    assert processor.tile_palettes() == 0
