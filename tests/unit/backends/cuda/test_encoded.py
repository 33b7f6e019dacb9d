"""What the compiler encodes comes out of the control bits by itself, on every target."""

from __future__ import annotations

import pytest

from reportgen.backends.cuda.targets import PUBLISHED
from tests.unit.backends.cuda.conftest import Builds

ALL = tuple(f"sm_{number}" for number in PUBLISHED)
FOUR = ("fp32_fma", "fp32_add", "fp32_mul", "integer_mad", "integer_logic", "integer_add", "integer_permute")
SCOREBOARD = ("popcount", "exponential", "shuffle", "load_global", "load_shared")
MATRIX = {80: 24, 86: 24, 87: 24, 89: 24, 90: 24, 100: 20, 103: 20, 110: 20, 120: 29, 121: 29}


def facts(good: Builds, target: str, form: str) -> dict[str, int | float | str]:
    program = good(target)[form].program
    assert program is not None
    return program.facts


@pytest.mark.parametrize("target", ALL)
def test_dependent_distance_is_four_everywhere(good: Builds, target: str) -> None:
    for form in FOUR:
        found = facts(good, target, form)
        assert (form, found["encoded_kind"], found["encoded_distance"]) == (form, "fixed", 4)
        assert found["encoded_step"] == 4.0


@pytest.mark.parametrize("target", ALL)
def test_high_multiply_is_six(good: Builds, target: str) -> None:
    assert facts(good, target, "integer_mul_high")["encoded_distance"] == 6


@pytest.mark.parametrize("target", ALL)
def test_variable_latency_is_a_scoreboard(good: Builds, target: str) -> None:
    for form in SCOREBOARD:
        found = facts(good, target, form)
        assert (form, found["encoded_kind"]) == (form, "scoreboard")
        assert "encoded_distance" not in found
        assert "predicted_window" not in found


def test_fp64_is_fixed_on_sm_90_only(good: Builds) -> None:
    assert facts(good, "sm_90", "fp64_fma")["encoded_distance"] == 8
    assert facts(good, "sm_90", "fp64_add")["encoded_distance"] == 8
    for target in ("sm_75", "sm_86", "sm_120"):
        assert facts(good, target, "fp64_fma")["encoded_kind"] == "scoreboard"


@pytest.mark.parametrize(("number", "distance"), MATRIX.items())
def test_matrix_multiply(good: Builds, number: int, distance: int) -> None:
    found = facts(good, f"sm_{number}", "matrix_f16")
    assert (found["encoded_kind"], found["encoded_distance"]) == ("fixed", distance)


def test_compare_and_select_is_one_slower_on_sm_120(good: Builds) -> None:
    assert facts(good, "sm_90", "integer_select")["encoded_step"] == 8.0
    assert facts(good, "sm_120", "integer_select")["encoded_step"] == 10.0


def test_chain_of_32_on_sm_90_takes_128_cycles(good: Builds) -> None:
    assert facts(good, "sm_90", "fp32_fma")["predicted_window"] == 128


@pytest.mark.parametrize("target", ALL)
def test_window_is_first_stall_and_chain_and_tail(good: Builds, target: str) -> None:
    """t1 - t0 = S + (N - 1) L + tail, where S and the tail are small."""
    over = int(facts(good, target, "fp32_fma")["predicted_window"]) - 31 * 4
    assert 2 <= over <= 10


@pytest.mark.parametrize(("target", "stall"), [("sm_75", 2), ("sm_80", 2), ("sm_86", 1), ("sm_90", 1)])
def test_independent_work_tells_the_issue_interval(good: Builds, target: str, stall: int) -> None:
    assert facts(good, target, "side_by_side")["encoded_issue"] == stall


def test_a_loop_has_no_predicted_window(good: Builds) -> None:
    assert "predicted_window" not in facts(good, "sm_90", "loop")


@pytest.mark.parametrize("target", ALL)
def test_toolkit_and_code_stand_beside_every_value(good: Builds, target: str) -> None:
    found = facts(good, target, "fp32_fma")
    assert str(found["toolkit"]).startswith(("NVRTC ", "nvcc "))
    assert float(str(found["ptx_version"])) >= 8.0
    assert len(str(found["sass_sha256"])) == 64
    assert found["nvdisasm"]
