"""Machine code -> quantities: distances, windows, hints and resources, and why there is no number."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from reportgen.analysis import encoded
from reportgen.analysis.derive import derive
from reportgen.analysis.quantity import Quantity
from reportgen.runs.schema import Device, Point, ProbeInfo, Program, Run
from reportgen.status import Status
from tests.unit.analysis.targets import chain, issue, probe, program, run_of

ROOT = Path(__file__).resolve().parents[3]


def read(*made: tuple[ProbeInfo, list[tuple[Point, Program | None]]]) -> dict[str, Quantity]:
    run, programs = run_of(*made)
    return {quantity.metric: quantity for quantity in encoded.encoded(run, programs)}


def test_a_chain_of_one_instruction_keeps_its_distance() -> None:
    found = read(chain("fp32_fma", "FFMA", 4))
    latency, window = found["encoded.latency.fp32_fma"], found["encoded.window.fp32_fma"]
    assert (latency.value, latency.low, latency.high) == (4, 4, 4)
    assert (latency.unit, latency.method, latency.n) == ("cycle", "encoded", 0)
    assert latency.inputs == {"linearity": 0, "hazards": 0, "lengths": 3}
    assert (window.value, window.details["steps"]) == (128, 32)
    assert window.details["window"] == [128, 256, 512]


def test_every_value_names_its_toolkit_and_its_code() -> None:
    latency = read(chain("fp32_fma", "FFMA", 4))["encoded.latency.fp32_fma"]
    assert latency.details["toolkit"] == "NVRTC 13.5.37"
    assert latency.details["code"] == "code of FFMA 128"
    assert latency.details["opcodes"] == {"FFMA": 128}
    assert len(latency.points) == 3


def test_alternating_instructions_give_their_mean_step() -> None:
    # 31 distances, 6 and 10 in turn, beginning with 6: a mean over them would be 7.935.
    spans = {length: 6 * (length // 2) + 10 * (length // 2 - 1) for length in (32, 64, 128)}
    edges = "HFMA2.MMA>HFMA2 10 x63; HFMA2>HFMA2.MMA 6 x64"
    found = read(chain("fp16_fma", "HFMA2", 0, spans=spans, edges=edges, opcodes=("HFMA2", "HFMA2.MMA")))
    latency = found["encoded.latency.fp16_fma"]
    assert latency.value == 8
    assert latency.details["per_step"] == 1


def test_several_instructions_of_the_operation_in_a_step_share_it() -> None:
    found = read(chain("integer_min", "VIMNMX", 8, constants={"repeat": 2}))
    assert found["encoded.latency.integer_min"].value == 4


def test_companions_are_subtracted() -> None:
    both = read(
        chain("integer_add", "IADD3", 4),
        chain("integer_abs", "IABS", 9, constants={"companions": ["integer_add"]}),
    )
    assert both["encoded.latency.integer_abs"].value == 5
    alone = read(chain("integer_abs", "IABS", 9, constants={"companions": ["integer_add"]}))
    missing = alone["encoded.latency.integer_abs"]
    assert (missing.status, missing.value) == (Status.UNSUPPORTED, None)
    assert "'integer_add', whose own distance is not encoded" in missing.reason


def test_a_scoreboard_gives_no_number_and_says_so() -> None:
    found = read(chain("popcnt", "POPC", None, edges="POPC>POPC sb x127"))
    latency = found["encoded.latency.popcnt"]
    assert (latency.status, latency.value) == (Status.UNSUPPORTED, None)
    assert latency.reason == "scoreboard: the assembler waits for the result, no number is encoded"
    assert "encoded.window.popcnt" not in found
    mixed = read(chain("sin", "MUFU.SIN", None, edges="FMUL>MUFU.SIN 6 x128; MUFU.SIN>FMUL sb x127"))
    assert mixed["encoded.latency.sin"].reason.endswith("(it waits for MUFU.SIN)")


def test_chains_that_keep_no_one_distance_give_none() -> None:
    found = read(chain("fp32_fma", "FFMA", 0, spans={32: 124, 64: 300, 128: 508}))
    latency = found["encoded.latency.fp32_fma"]
    assert latency.status is Status.UNSTABLE
    assert "different length" in latency.reason


@pytest.mark.parametrize(
    ("status", "reason", "told"),
    [
        (Status.UNSUPPORTED, "emulated: this target has no FFMA2", Status.UNSUPPORTED),
        (Status.INVALID, "wanted 32 LOP3, found 1", Status.INVALID),
        (Status.UNVERIFIED, "nvdisasm cannot read this cubin", Status.FAILED),
    ],
)
def test_a_program_that_is_not_the_one_meant_gives_its_reason(
    status: Status, reason: str, told: Status
) -> None:
    found = read(chain("fp32x2_fma", "FFMA2", 4, status=status, reason=reason))
    latency = found["encoded.latency.fp32x2_fma"]
    assert (latency.status, latency.reason, latency.value) == (told, reason, None)
    assert not [metric for metric in found if metric.startswith("resource")]


def test_odd_distances_lower_the_confidence_later() -> None:
    facts = {"encoded_edges": "IADD3>IADD3 4 x124, 6 x3", "encoded_hazards": "IADD3>IADD3 6 x3"}
    assert encoded.odd_edges(facts) == pytest.approx(3 / 127)
    assert encoded.odd_edges({}) == 0


def test_the_issue_hint_is_the_stall_with_the_most_chains() -> None:
    found = read(chain("fp32_fma", "FFMA", 4), issue("fp32_fma", "FFMA", {1: 4, 2: 2, 4: 1, 8: 1}))
    hint = found["encoded.issue.fp32_fma"]
    assert (hint.value, hint.unit) == (1, "cycle/instruction")
    assert hint.details["accumulators"] == [1, 2, 4, 8]


def test_too_few_chains_give_no_hint() -> None:
    found = read(chain("fp16_fma", "HFMA2", 8), issue("fp16_fma", "HFMA2", {1: 8, 8: 1}))
    hint = found["encoded.issue.fp16_fma"]
    assert hint.status is Status.UNSUPPORTED
    assert "8 chains are too few" in hint.reason


def test_a_step_of_several_kinds_gives_no_hint() -> None:
    found = read(issue("sin", "MUFU.SIN", {1: 8, 8: 1}, opcodes={"FMUL": 64, "MUFU.SIN": 64}))
    assert "several kinds of instruction (FMUL, MUFU.SIN)" in found["encoded.issue.sin"].reason


def test_resources_are_the_most_that_a_kernel_takes() -> None:
    made = [
        (point, program("k", {"FFMA": 32}, registers=registers, shared_bytes=0, stack_bytes=stack))
        for point, registers, stack in (
            (Point("gpu_execution/pressure#n=1", "gpu_execution/pressure", {"n": 1}, Status.OK), 16, 0),
            (Point("gpu_execution/pressure#n=2", "gpu_execution/pressure", {"n": 2}, Status.OK), 255, 64),
        )
    ]
    found = read((probe("gpu_execution/pressure", "none", variable="n"), made))
    registers = found["resource.registers.gpu_execution.pressure"]
    assert (registers.value, registers.unit) == (255, "count")
    assert registers.details["settings"] == [1, 2]
    assert found["resource.stack.gpu_execution.pressure"].value == 64
    assert "resource.shared.gpu_execution.pressure" not in found


def test_occupancy_is_an_interval_over_the_sweep() -> None:
    made: list[tuple[Point, Program | None]] = []
    for registers, share in ((32, 1.0), (64, 0.5), (255, 0.125)):
        facts: dict[str, Any] = {
            "threads": 256, "shared_bytes": 0, "blocks_fit": int(8 * share), "warps_fit": int(64 * share),
            "occupancy": share, "limited_by": "registers",
        }  # fmt: skip
        name = f"gpu_execution/pressure#n={registers}"
        point = Point(name, "gpu_execution/pressure", {"n": registers}, Status.OK, facts=facts)
        made.append((point, program(name, {"FFMA": 32}, registers=registers)))
    found = read((probe("gpu_execution/pressure", "none", variable="n"), made))
    occupancy = found["occupancy.gpu_execution.pressure"]
    assert (occupancy.value, occupancy.low, occupancy.high) == (None, 0.125, 1.0)
    assert occupancy.details["settings"] == [32, 64, 255]
    assert occupancy.details["warps"] == [64, 32, 8]


def test_a_run_that_timed_nothing_is_derived_from_its_programs_alone() -> None:
    run, programs = run_of(chain("fp32_fma", "FFMA", 4))

    class Bundle:
        def __init__(self, run: Run) -> None:
            self.run = run
            self.programs = programs

        @property
        def table(self) -> None:
            raise AssertionError("nobody may look for samples")

    assert {q.metric for q in derive(Bundle(run))} >= {"encoded.latency.fp32_fma"}  # type: ignore[arg-type]


def test_only_machine_code_with_stall_counts_is_asked() -> None:
    run, _ = run_of(chain("fp32_fma", "FFMA", 4))
    assert encoded.has_encoding(run)
    assert not encoded.has_encoding(run_of(device=Device("cpu", "cpu", "V", "N", "x86_64"))[0])


def test_the_method_page_gives_the_constants() -> None:
    text = (ROOT / "docs" / "method" / "encoded.md").read_text(encoding="utf-8")
    written = dict(re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|", text, re.MULTILINE))
    assert written["uneven"] == f"{encoded.UNEVEN * 100:g} %"
