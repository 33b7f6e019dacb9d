"""The occupancy table, against known cases and against NVIDIA's own header compiled here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen.backends.cuda.occupancy import MULTIPROCESSORS, WITHOUT_ASKING, multiprocessor, occupancy
from reportgen.backends.cuda.targets import PUBLISHED
from reportgen.errors import UserError

THREADS = (1, 32, 33, 64, 96, 128, 256, 384, 512, 768, 1024)
REGISTERS = (1, 16, 24, 32, 33, 40, 64, 72, 96, 128, 168, 255)
SHARED = (0, 1, 1024, 8192, 16384, 33000, 49152, 50000, 65536, 101376, 102400, 163840, 200000, 232448, 233000)

PROGRAM = r"""
#include <cstddef>
#include <climits>
#include "cuda_occupancy.h"
#include <cstdio>
int main() {
  int cc, warps, threads, regs; size_t most, reserved, shared;
  while (scanf("%d %d %zu %zu %d %d %zu", &cc, &warps, &most, &reserved, &threads, &regs, &shared) == 7) {
    cudaOccDeviceProp device;
    device.computeMajor = cc / 10; device.computeMinor = cc % 10;
    device.maxThreadsPerBlock = 1024; device.maxThreadsPerMultiprocessor = warps * 32;
    device.regsPerBlock = device.regsPerMultiprocessor = 65536; device.warpSize = 32; device.numSms = 1;
    device.sharedMemPerBlock = 49152; device.sharedMemPerMultiprocessor = most;
    device.sharedMemPerBlockOptin = most - reserved; device.reservedSharedMemPerBlock = reserved;
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = INT_MAX; kernel.numRegs = regs; kernel.sharedSizeBytes = 0;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN; kernel.maxDynamicSharedSizeBytes = most - reserved;
    kernel.numBlockBarriers = 1;
    cudaOccDeviceState state; cudaOccResult result;
    int code = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, shared);
    printf("%d\n", code ? 0 : result.activeBlocksPerMultiprocessor);
  }
}
"""


@pytest.mark.parametrize(
    ("number", "threads", "registers", "shared", "blocks"),
    [(90, 256, 64, 0, 4), (90, 256, 64, 100 << 10, 2), (86, 1024, 32, 0, 1), (120, 256, 40, 0, 6)],
)
def test_known_cases(number: int, threads: int, registers: int, shared: int, blocks: int) -> None:
    found = occupancy(number, threads, registers, shared)
    assert found.blocks == blocks
    assert found.warps == blocks * threads // 32
    assert found.share == found.warps / multiprocessor(number).warps


def test_what_limits_is_named() -> None:
    assert occupancy(90, 256, 64).limits == ("registers",)
    assert occupancy(90, 256, 64, 100 << 10).limits == ("shared memory",)
    assert occupancy(90, 32, 16).limits == ("blocks",)
    assert occupancy(86, 1024, 16).limits == ("warps",)
    assert occupancy(90, 1024, 255).blocks == 0
    assert occupancy(90, 32, 256).limits == ("registers",)
    assert occupancy(90, 32, 32, 228 << 10).limits == ("shared memory",)


def test_a_small_carve_out_keeps_blocks_out() -> None:
    assert (
        occupancy(90, 128, 32, 16 << 10).blocks > occupancy(90, 128, 32, 16 << 10, carve_out=32 << 10).blocks
    )
    assert occupancy(90, 128, 32, 16 << 10, carve_out=0).blocks == 1


def test_every_published_target_is_there() -> None:
    assert set(PUBLISHED) <= set(MULTIPROCESSORS)
    with pytest.raises(UserError, match="of sm_70 are not known"):
        multiprocessor(70)


@pytest.mark.parametrize("wrong", [(0, 32, 0), (32, -1, 0), (32, 32, -1)])
def test_no_such_kernel(wrong: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="no kernel has"):
        occupancy(90, *wrong)


def header() -> Path:
    """Folder of NVIDIA's `cuda_occupancy.h`, of the wheel nvidia-cuda-runtime or of a system toolkit."""
    folders = [
        Path(entry, "nvidia", tree, "include") for entry in sys.path for tree in ("cu13", "cuda_runtime")
    ]
    for folder in (*folders, Path("/usr/local/cuda/include")):
        if (folder / "cuda_occupancy.h").is_file():
            return folder
    pytest.skip("cuda_occupancy.h is not here: it comes with nvidia-cuda-runtime or a CUDA toolkit")


def test_agrees_with_nvidias_header(tmp_path: Path) -> None:
    folder, compiler = header(), shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ is not here to compile cuda_occupancy.h")
    source, program = tmp_path / "occupancy.cpp", tmp_path / "occupancy"
    source.write_text(PROGRAM)
    subprocess.run([compiler, "-w", f"-I{folder}", "-o", program, source], check=True, capture_output=True)
    asked = [
        (number, threads, registers, shared)
        for number in MULTIPROCESSORS
        for threads in THREADS
        for registers in REGISTERS
        for shared in SHARED
    ]
    lines = [
        f"{n} {sm.warps} {sm.shared} {sm.reserved} {threads} {registers} {shared}"
        for n, threads, registers, shared in asked
        for sm in (multiprocessor(n),)
    ]
    done = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True)
    theirs = [int(line) for line in done.stdout.split()]
    ours = [occupancy(*question).blocks for question in asked]
    assert len(theirs) == len(asked)
    assert [(q, o, t) for q, o, t in zip(asked, ours, theirs, strict=True) if o != t] == []


def test_without_asking_is_less_than_every_block_may_have() -> None:
    assert all(sm.shared_block > WITHOUT_ASKING for sm in MULTIPROCESSORS.values())
