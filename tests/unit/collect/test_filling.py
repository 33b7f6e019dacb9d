"""What fits on a multiprocessor is noted beside what was measured, where the backend knows its limits."""

from __future__ import annotations

import msgspec

from reportgen.backends.base import Build, Source
from reportgen.backends.cuda.backend import CudaBackend
from reportgen.collect.filling import filled
from reportgen.collect.messages import Made
from reportgen.errors import UserError
from reportgen.runs.schema import Device, Program, Run
from tests.simulated import gpu_pairs
from tests.simulated.faulty import Faulty
from tests.simulated.gpu import make
from tests.simulated.gpu_execution import chain, registers
from tests.simulated.gpu_truth import GpuTruth
from tests.simulated.target import TARGET, Toolchain

TRUTH = GpuTruth()


def ran() -> Run:
    return make(TRUTH, asked=[chain(TRUTH), registers(TRUTH)])[0]


def made(run: Run, registers_taken: int = 64) -> dict[str, Made]:
    facts: dict[str, int | float | str] = {"registers": registers_taken}
    program = Program("sha", "", "", {}, "verified", "", facts=facts)
    setup: dict[str, int | float | str] = {"threads": 128}
    return {point.id: Made(Build(point.id, program=program), {}, setup) for point in run.points}


def test_points_that_fill_a_multiprocessor_say_how_many_warps_fit() -> None:
    run = ran()
    bare = [point for point in run.points if point.probe.startswith("instruction")]
    after = filled(CudaBackend(), run, made(run))
    for point in after.points:
        if point.probe == "gpu_execution/register_pressure":
            assert point.facts["blocks_fit"] == 8
            assert point.facts["limited_by"] == "registers"
    assert [point for point in after.points if point.probe.startswith("instruction")] == bare


def test_what_was_measured_stays() -> None:
    run = ran()
    before = {point.id: point.facts["warps_fit"] for point in run.points if "warps_fit" in point.facts}
    after = filled(CudaBackend(), run, made(run))
    assert {point.id: point.facts["warps_fit"] for point in after.points if point.id in before} == before


def test_a_backend_without_limits_leaves_a_run_alone() -> None:
    run = ran()
    assert filled(Faulty(TARGET), run, made(run)) is run


def test_limits_that_nobody_knows_are_no_error() -> None:
    class Unknown(Toolchain):
        def point_facts(self, device: Device, source: Source, build: Build) -> dict[str, int | float | str]:
            raise UserError("the limits of a multiprocessor of sm_999 are not known.")

    run = ran()
    assert filled(Unknown(), run, made(run)).points == run.points


def test_pairs_say_what_their_reads_of_registers_cost() -> None:
    pairs = gpu_pairs.Kinds({name: gpu_pairs.Kind(6.0, 2.0, (0,)) for name in ("fp32_fma", "integer_add")})
    run = make(TRUTH, asked=list(gpu_pairs.questions(pairs)))[0]
    bare = msgspec.structs.replace(
        run, points=tuple(msgspec.structs.replace(point, facts={}) for point in run.points)
    )
    some = made(bare)
    for one in some.values():
        assert one.build.program is not None
        one.build.program.facts["register_stalls"] = 65
    assert {point.facts["register_stalls"] for point in filled(CudaBackend(), bare, some).points} == {65}
