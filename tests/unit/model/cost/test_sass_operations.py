"""Opcodes of SASS -> operations, held against what the suite's own programs were compiled to."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.model.cost import sass
from reportgen.model.cost.sass_operations import operation
from reportgen.runs import read, store

DATA = Path(__file__).resolve().parents[4] / "data"
FAMILIES = ("instruction_latency", "instruction_throughput", "tensor_operations")


@pytest.mark.parametrize(
    ("opcode", "name"),
    [
        ("SHFL.BFLY", "shuffle_butterfly"),
        ("SHF.L.U32", "integer_shift"),
        ("IDP.4A.S8.S8", "int8_dot"),
        ("F2FP.BF16.F32.PACK_AB", "convert_fp32_bf16"),
        ("ATOMG.E.ADD.STRONG.GPU", "global_atomic_add"),
        ("HMMA.16816.F32", "mma_m16n8k16_f16_f32"),
        ("HMMA.1688.F32.TF32", "mma_m16n8k8_tf32_f32"),
        ("HMMA.SP.16832.F32.BF16", "mma_sparse_m16n8k32_bf16_f32"),
        ("IMMA.8816.U8.S8", "mma_m8n8k16_s8_s32"),
        ("BMMA.168256.AND.POPC", "mma_m16n8k256_b1_and_s32"),
        ("DMMA.884", "mma_m8n8k4_f64_f64"),
        ("DMMA.16x8x16", "mma_m16n8k16_f64_f64"),
        ("QMMA.SF.16832.F32.E3M2.E3M2.E8", "mma_m16n8k32_mxf6_f32"),
        ("OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X", "mma_m16n8k64_nvf4_f32"),
        ("HGMMA.64x128x16.F32.BF16", "wgmma_m64n128k16_bf16_f32"),
        ("QGMMA.64x128x32.F32.E4M3.E4M3", "wgmma_m64n128k32_e4m3_f32"),
        ("UIADD3", ""),
        ("UTCHMMA", None),
        ("HMMA.77.F32", None),
    ],
)
def test_an_opcode_stands_for(opcode: str, name: str | None) -> None:
    assert operation(opcode) == name


@pytest.mark.parametrize("target", ["sm-75", "sm-90", "sm-120"])
def test_what_the_suite_was_compiled_to_is_known(target: str) -> None:
    """The most frequent opcode of every verified program, but for `tcgen05`, which does not say its shape."""
    bundle = read.load(store.resolve(DATA, target))
    asked = {probe.id: probe for probe in bundle.run.probes if probe.family in FAMILIES and probe.operation}
    strange = set()
    for point in bundle.run.points:
        program = bundle.programs.get(point.program)
        if point.probe not in asked or program is None or program.verdict != "verified":
            continue
        opcode = max(program.opcodes, key=lambda name: program.opcodes[name])
        if operation(opcode) is None:
            strange.add(opcode)
    assert strange == set()


def test_a_listing_of_the_pages_is_read() -> None:
    text = "------ - - Y  7  CS2R.32 R3, SR_CLOCKLO\n--2--- 0 - -  8  @P0 FFMA R36, R4.reuse, R8, R36\n"
    assert sass.looks_like(text)
    clock, fma = sass.instructions(text)
    assert clock.mnemonic == "CS2R.32"
    assert (fma.mnemonic, fma.writes) == ("FFMA", ("R36",))
    assert set(fma.reads) == {"R4", "R8", "R36", "P0"}
