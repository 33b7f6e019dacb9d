"""Configurations of GPU simulators, read by a strict reader of their option grammar."""

from __future__ import annotations

import re

import msgspec
import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.findings.derive import derive
from reportgen.model.architecture import Architecture
from reportgen.model.build import build
from reportgen.model.exports import accel_sim, gpgpu_sim, gpu_options
from tests.simulated.gpu import make
from tests.simulated.gpu_truth import GpuTruth
from tests.unit.model.exports.models import cpu, gpu, measured, target

PAIR, FIVE, ONE = r"\d+,\d+", r"\d+(,\d+){4}", r"\d+"
OPTIONS = {
    **{f"-trace_opcode_latency_initiation_{unit}": PAIR for unit in ("int", "sp", "dp", "sfu", "tensor")},
    **{
        f"-ptx_opcode_{what}_{kind}": FIVE
        for what in ("latency", "initiation")
        for kind in ("int", "fp", "dp")
    },
    "-ptx_opcode_latency_sfu": ONE,
    "-ptx_opcode_initiation_sfu": ONE,
    "-ptx_opcode_latency_tesnor": ONE,
    "-ptx_opcode_initiation_tensor": ONE,
    "-gpgpu_compute_capability_major": ONE,
    "-gpgpu_compute_capability_minor": ONE,
    "-gpgpu_l1_latency": ONE,
    "-gpgpu_smem_latency": ONE,
    "-gpgpu_shmem_num_banks": ONE,
    "-gpgpu_l2_rop_latency": ONE,
    "-dram_latency": ONE,
}
"""Option -> what its value looks like, as the simulators' own configurations have them."""


def settings(content: bytes) -> dict[str, str]:
    """Options of a configuration; anything else than an option, a comment or nothing is an error."""
    found: dict[str, str] = {}
    for line in content.decode().splitlines():
        text = line.partition("#")[0].split()
        if not text:
            continue
        name, value = text  # one option, one value
        assert re.fullmatch(OPTIONS[name], value), line
        assert name not in found
        found[name] = value
    return found


def comments(content: bytes) -> str:
    return "\n".join(line for line in content.decode().splitlines() if line.startswith("#"))


@pytest.mark.parametrize("architecture", [target(), measured(), gpu(()), gpu((), "sm_121")])
@pytest.mark.parametrize("encode", [accel_sim.encode, gpgpu_sim.encode])
def test_every_line_is_an_option_or_a_comment(architecture: Architecture, encode) -> None:
    settings(encode(architecture))
    assert "written by reportgen" in comments(encode(architecture))


def test_what_was_measured_comes_before_what_is_encoded() -> None:
    content = accel_sim.encode(measured())
    assert settings(content) == {
        "-trace_opcode_latency_initiation_sp": "4,2",  # not 5
        "-trace_opcode_latency_initiation_sfu": "23,8",
        "-trace_opcode_latency_initiation_tensor": "33,2",
    }
    # measured for a multiprocessor, wanted for a unit of one scheduler
    assert "issue_interval.fp32_fma = 0.51" in comments(content)
    assert "times 4 schedulers of a multiprocessor (nominal)" in comments(content)
    assert "times 4" not in comments(accel_sim.encode(target()))
    assert "latency.fp32_fma = 4.002 [3.998, 4.006] cycle, measured, confidence 0.95" in comments(content)


def test_a_gap_makes_a_comment_and_never_a_default() -> None:
    content = accel_sim.encode(target())
    assert settings(content) == {
        "-trace_opcode_latency_initiation_int": "4,2",
        "-trace_opcode_latency_initiation_sp": "4,1",
    }
    told = comments(content)
    assert "# -trace_opcode_latency_initiation_sfu ?,8" in told
    assert "# -trace_opcode_latency_initiation_tensor ?,?" in told
    assert settings(accel_sim.encode(gpu(()))) == {}


def test_a_toolchain_run_says_that_nothing_was_measured() -> None:
    for encode in (accel_sim.encode, gpgpu_sim.encode):
        assert "compiler-encoded" in comments(encode(target()))
        assert "Nothing here was measured on a device" in comments(encode(target()))
        assert "Nothing here was measured" not in comments(encode(measured()))


def test_levels_are_differences_and_geometry_a_comment() -> None:
    content = gpgpu_sim.encode(measured())
    found = settings(content)
    assert (found["-gpgpu_l1_latency"], found["-gpgpu_l2_rop_latency"], found["-dram_latency"]) == (
        "40", "230", "530",
    )  # fmt: skip
    assert (found["-gpgpu_smem_latency"], found["-gpgpu_shmem_num_banks"]) == ("23", "32")
    assert "# -gpgpu_cache:dl1 S:32:128:64,?,?,?" in comments(content)  # 256 KiB / 128 / 64
    assert "# -ptx_opcode_latency_fp ?,?,?,4,?" in comments(content)


def test_a_sector_is_not_taken_for_a_line() -> None:
    facts = tuple(
        msgspec.structs.replace(one, value=32.0) if one.metric == "memory.line" else one
        for one in measured().facts
    )
    told = comments(gpgpu_sim.encode(gpu(facts)))
    assert "# -gpgpu_cache:dl1 ?:?:?:64,?,?,?" in told
    assert "line: not known" in told


@pytest.mark.parametrize(
    ("isa", "major", "minor"), [("sm_90", "9", "0"), ("sm_103", "10", "3"), ("sm_90a", "9", "0")]
)
def test_the_capability_is_that_of_the_target(isa: str, major: str, minor: str) -> None:
    found = settings(gpgpu_sim.encode(gpu((), isa)))
    assert found == {"-gpgpu_compute_capability_major": major, "-gpgpu_compute_capability_minor": minor}


def test_a_simulated_device_is_found_again_in_the_configuration() -> None:
    truth = GpuTruth()
    run, rows = make(truth)
    found = quantities(run, pa.table(rows))
    architecture = build(run, found, derive(run, found))
    content = gpgpu_sim.encode(architecture)
    values = settings(content)
    assert int(values["-gpgpu_l1_latency"]) == truth.l1_latency
    assert int(values["-gpgpu_l2_rop_latency"]) == truth.l2_latency - truth.l1_latency
    assert int(values["-dram_latency"]) == pytest.approx(truth.memory_latency - truth.l2_latency, abs=1)
    assert int(values["-gpgpu_smem_latency"]) == truth.shared_latency
    assert int(values["-gpgpu_shmem_num_banks"]) == truth.banks
    # four warp instructions a cycle of a multiprocessor: one a cycle of each scheduler
    units = settings(accel_sim.encode(architecture))
    assert units["-trace_opcode_latency_initiation_sp"] == f"{truth.fma_latency:g},1"


def test_a_cpu_run_gives_none() -> None:
    assert "x86_64" in gpu_options.lacks(cpu())
    assert gpu_options.lacks(target()) == ""
