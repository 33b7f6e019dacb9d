"""Right forms pass, forms that compilers spoil are caught, on five generations."""

from __future__ import annotations

import pytest

from reportgen.backends.base import Build
from reportgen.backends.cuda import inspector
from reportgen.backends.cuda.builder import CudaBuilder
from tests.unit.backends.cuda import kernels
from tests.unit.backends.cuda.conftest import Builds

TARGETS = ("sm_75", "sm_86", "sm_90a", "sm_100a", "sm_120")


def explanation(build: Build) -> str:
    assert build.program is not None
    return build.program.explanation


@pytest.mark.parametrize("target", TARGETS)
def test_right_forms_are_verified(good: Builds, target: str) -> None:
    builds = good(target)
    assert len(builds) >= 18
    assert {name: build.reason for name, build in builds.items() if build.status != "ok"} == {}
    for build in builds.values():
        assert build.program is not None
        assert build.program.verdict == "verified"
        assert build.program.facts["spills"] == 0
        assert build.program.facts["registers"]
        assert build.program.facts["target"] == target


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("form", "says"),
    [
        ("folded_xor", "wanted 32 folded_xor, found 1 LOP3.LUT: the compiler folded or merged steps"),
        ("reciprocal_twice", "found 1 MUFU.RCP: the compiler folded"),
        ("merged_adds", "the compiler folded or merged steps"),
        ("uniform", "31 UPOPC (the uniform datapath"),
        ("literal", "a literal without f makes the whole expression double"),
        ("unrolled", "found 256 FFMA: 8 times as many, a loop was unrolled again"),
        ("spill", "spills: "),
        ("difference", "clock reads are CS2R.32 and "),
        ("cold", "the window waits for LDG.E.64"),
        ("broken", "wanted 1 dependency chain, found 2"),
    ],
)
def test_spoilt_forms_are_rejected_in_words(naive: Builds, target: str, form: str, says: str) -> None:
    build = naive(target)[form]
    assert build.status == "invalid"
    assert build.program is not None
    assert build.program.verdict == "rejected"
    assert says in explanation(build)
    assert build.program.listing


def test_merged_adds_are_seventeen(naive: Builds) -> None:
    program = naive("sm_86")["merged_adds"].program
    assert program is not None
    assert sum(program.opcodes.values()) == 17


def test_emulated_fp8_is_hoisted_to_additions(naive: Builds) -> None:
    build = naive("sm_90a")["fp8"]
    assert build.status == "invalid"
    assert "found none; foreign: 128 FADD" in explanation(build)


def test_emulation_that_the_generator_knows_is_unsupported(toolchain: str) -> None:
    text = kernels.mma("probe_fp8", "m16n8k32.row.col.f32.e4m3.e4m3.f32", ("f", 4, 4, 2))
    form = kernels.Form("fp8", "float", "", "QMMA.*", more={"emulated.fp8": "FADD|HMMA.*"})
    build = CudaBuilder().build(kernels.source(form, "sm_90a", text))
    assert build.status == "unsupported"
    assert build.reason.startswith("emulated: this target has no fp8, the compiler puts FADD, HMMA")


def test_one_bit_matrix_becomes_a_call_from_sm_100_on(naive: Builds) -> None:
    assert naive("sm_86")["b1"].status == "ok"
    build = naive("sm_100a")["b1"]
    assert build.status == "invalid"
    assert "CALL.REL.NOINC" in explanation(build)
    assert "a routine is called" in explanation(build)


def test_listing_shows_the_control_columns(good: Builds) -> None:
    program = good("sm_90a")["fp32_fma"].program
    assert program is not None
    lines = program.listing.splitlines()
    assert lines[0].split() == ["------", "-", "-", "Y", "3", "CS2R.32", *lines[0].split()[6:]]
    assert any("Y  4  FFMA" in line and "; x " in line for line in lines)
    assert lines[-1].endswith("SR_CLOCKLO")


def test_digest_tells_targets_and_code_apart(good: Builds) -> None:
    digests = [b.program.sha256 for t in TARGETS for b in good(t).values() if b.program is not None]
    assert len(set(digests)) == len(digests)


def test_one_point_of_a_sweep_with_another_opcode_is_named() -> None:
    sweep = [("a", {"FFMA": 32}), ("b", {"FFMA": 64}), ("c", {"FFMA": 128, "MOV": 1})]
    assert inspector.sweep_faults(sweep) == {"c": "not the histogram of the sweep: also MOV"}
    assert inspector.sweep_faults(sweep[:2]) == {}


@pytest.mark.parametrize("target", TARGETS)
def test_two_lengths_hold_the_same_opcodes(good: Builds, target: str) -> None:
    builds = good(target)
    chain, loop = builds["fp32_fma"].program, builds["side_by_side"].program
    assert chain is not None
    assert loop is not None
    assert inspector.sweep_faults([("chain", chain.opcodes), ("side", loop.opcodes)]) == {}


def test_expectation_that_cannot_be_read_is_an_error() -> None:
    from reportgen.backends.cuda import expectation

    with pytest.raises(ValueError, match=r"'want.X' has no 'match.X'"):
        expectation.read({"kind": "chain", "want.X": 3})
    with pytest.raises(ValueError, match="no regular expression"):
        expectation.read({"kind": "chain", "want.X": 3, "match.X": "("})
