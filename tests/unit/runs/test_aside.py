"""What is asked of a survey or a validation by mistake is refused with what to ask instead."""

from __future__ import annotations

import msgspec
import pytest

from reportgen.errors import BundleError
from reportgen.runs import aside
from reportgen.runs.schema import SURVEY, TOOLCHAIN, VALIDATION, Run
from tests.simulated.cpu import make_records
from tests.simulated.instruction_points import latency_probes
from tests.simulated.truth import CpuTruth


def run_of(kind: str) -> Run:
    run, *_ = make_records(CpuTruth(), 1, lambda truth: latency_probes(truth)[:1])
    return msgspec.structs.replace(run, plan={**run.plan, "kind": kind} if kind else run.plan)


@pytest.mark.parametrize("kind", ["", TOOLCHAIN])
def test_runs_of_the_suite_are_what_is_wanted(kind: str) -> None:
    aside.refuse(run_of(kind), "a roofline")


@pytest.mark.parametrize(("kind", "verb"), [(SURVEY, "survey"), (VALIDATION, "validate")])
def test_others_are_refused_in_one_line(kind: str, verb: str) -> None:
    run = run_of(kind)
    with pytest.raises(BundleError, match=r"a roofline is made of runs of the suite\.") as raised:
        aside.refuse(run, "a roofline")
    assert f"'reportgen {verb} --run {run.run}'" in raised.value.remedy
    assert run.device.id in raised.value.remedy
