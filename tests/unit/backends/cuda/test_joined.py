"""Cubins that the disassembler reads as one."""

from __future__ import annotations

import pytest

from reportgen.backends.cuda import compiler, elf, joined, sass
from reportgen.errors import CompileError
from tests.unit.backends.cuda.corpus import corpus

CALLING = """
__device__ __noinline__ float far_{0}(float v, int n) {{ return n ? far_{0}(v * v, n - 1) : v; }}
__constant__ float kept_{0}[64];
extern "C" __global__ void {0}(float* o, int n) {{ o[0] = far_{0}(kept_{0}[threadIdx.x], n); }}
"""
EMULATED = """
extern "C" __global__ void {0}(double* o) {{ o[threadIdx.x] = o[threadIdx.x + 1] / o[threadIdx.x + 2]; }}
"""
"""A division, for which the compiler puts a function of a name of its own behind the kernel."""


def cubin(name: str, text: str, target: str) -> elf.Cubin:
    """One kernel, compiled alone."""
    return elf.Cubin(compiler.compile_kernel(compiler.Kernel(name, text.format(name)), target))


@pytest.mark.parametrize("target", ["sm_75", "sm_90", "sm_120"])
def test_each_is_read_as_it_is_alone(toolchain: str, target: str) -> None:
    corpse = compiler.compile_kernels(corpus(75)[:3], target)["corpus_0"]
    assert isinstance(corpse, bytes)
    cubins = [
        elf.Cubin(corpse),
        cubin("calls", CALLING, target),
        cubin("also", CALLING, target),
        cubin("divides", EMULATED, target),
    ]
    assert joined.groups(cubins) == [[0, 1, 2, 3]]
    alone = [sass.disassemble(one.data) for one in cubins]
    together = sass.disassemble(joined.join(cubins))
    assert any("CALL" in record["opcode"] for record in together["calls"])
    for records in alone:
        assert {kernel: together[kernel] for kernel in records} == records
    assert list(together) == [kernel for records in alone for kernel in records]


def test_those_with_a_name_in_common_stay_apart(toolchain: str) -> None:
    same = [cubin(name, EMULATED, "sm_90") for name in ("first", "second")]
    other = [cubin("calls", CALLING, "sm_90"), cubin("older", CALLING, "sm_75")]
    assert joined.groups([*same, *other]) == [[0, 2], [1], [3]]
    read = sass.disassemble_all([*same, *other])
    assert read[1] == sass.disassemble(same[1].data)
    assert read[3] == sass.disassemble(other[1].data)


def test_one_that_cannot_be_read_does_not_cost_the_others(
    toolchain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cubins = [cubin(name, CALLING, "sm_90") for name in ("right", "wrong")]
    real, asked = sass.disassemble, []

    def reads_one_only(data: bytes) -> sass.Records:
        asked.append(data)
        if data != cubins[0].data:
            raise CompileError("no")
        return real(data)

    monkeypatch.setattr(sass, "disassemble", reads_one_only)
    right, wrong = sass.disassemble_all(cubins)
    assert right == real(cubins[0].data)
    assert isinstance(wrong, CompileError)
    assert asked == [joined.join(cubins), cubins[0].data, cubins[1].data]


def test_a_joined_image_that_lacks_code_is_not_believed(
    toolchain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cubins = [cubin(name, CALLING, "sm_90") for name in ("right", "lacking")]
    real = sass.disassemble

    def loses_one(data: bytes) -> sass.Records:
        records = real(data)
        return records | {"lacking": records["lacking"][:-1]} if len(records) > 1 else records

    monkeypatch.setattr(sass, "disassemble", loses_one)
    assert sass.disassemble_all(cubins) == [real(one.data) for one in cubins]
