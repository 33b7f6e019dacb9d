"""What a section says for somebody's code: arithmetic on its numbers, and nothing where one is absent."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, cast

import pytest

from reportgen.findings.finding import Claim
from reportgen.findings.lint import offences_in_html
from reportgen.model.architecture import Fact
from reportgen.site import practice
from reportgen.site.view import View
from reportgen.status import Status


def fact(metric: str, value: float | None, unit: str = "cycle", **fields: object) -> Fact:
    given = {
        "low": value,
        "high": value,
        "n": 100,
        "status": Status.OK,
        "claim": Claim.MEASURED,
        "confidence": 0.95,
        "probe": "family/name",
    }
    return Fact(metric=metric, value=value, unit=unit, **(given | fields))  # type: ignore[arg-type]


def view(*facts: Fact, gpu: bool = False, cores: int = 2) -> View:
    """A page about these facts."""
    known = {one.metric: one for one in facts}
    report = SimpleNamespace(
        fact=known.get,
        evidence=SimpleNamespace(gpu=gpu),
        run=SimpleNamespace(device=SimpleNamespace(cores=cores)),
        title=lambda operation: operation.replace("_", " "),
        level_order=lambda: ("l1", "l2", "dram"),
    )
    return cast(View, SimpleNamespace(report=report))


def text(html: str) -> str:
    return re.sub(r"<[^>]+>", "", html)


FMA = (
    fact("latency.fp32_fma_256", 4.0),
    fact("throughput.fp32_fma_256", 2.0, "instruction/cycle"),
)


def test_latency_times_rate_is_the_number_of_accumulators_and_leads_to_both() -> None:
    html = practice.block(view(*FMA), "throughput")
    assert "it takes 8 independent accumulators" in text(html)
    assert 'href="#latency.fp32_fma_256"' in html
    assert 'href="#throughput.fp32_fma_256"' in html
    assert not offences_in_html(html)


def test_a_hair_above_a_whole_number_is_no_further_accumulator() -> None:
    rates = fact("latency.fp32_fma", 4.002), fact("throughput.fp32_fma", 1.0003, "instruction/cycle")
    assert "it takes 4 independent" in text(practice.block(view(*rates), "throughput"))


def test_lower_ends_and_what_a_miss_costs() -> None:
    html = practice.block(
        view(
            fact("memory.l1.capacity", 32768.0, "byte", low=31744.0, high=33792.0),
            fact("memory.l2.capacity", None, "byte", low=None, status=Status.UNSTABLE),
            fact("memory.dram.latency", 570.0),
            fact("latency.fp64_add", 3.0),
        ),
        "memory",
    )
    told = text(html)
    assert "31 KiB for L1." in told
    assert "570 cycles, the time of 190 dependent FP64 additions" in told


@pytest.mark.parametrize("spread", [0.02, 0.6])
def test_a_ratio_is_told_only_of_rates_that_are_known(spread: float) -> None:
    rates = (
        fact("bandwidth.dram.read", 30e9, "byte/second"),
        fact(
            "bandwidth.dram.read.all_cores",
            45e9,
            "byte/second",
            low=45e9 * (1 - spread),
            high=45e9 * (1 + spread),
        ),
    )
    told = text(practice.block(view(*rates), "bandwidth"))
    assert ("1.5 times" in told) == (spread < 0.1)


def test_the_quicker_of_two_copies_leads_where_intervals_are_apart() -> None:
    slow = fact("bandwidth.dram.copy", 30e9, "byte/second", low=29e9, high=31e9)
    past = fact("bandwidth.dram.nt_copy", 42e9, "byte/second", low=40e9, high=44e9)
    told = text(practice.block(view(slow, past), "bandwidth"))
    assert "a non-temporal copy moves 1.4 times as many bytes a second as a plain copy" in told
    near = fact("bandwidth.dram.nt_copy", 42e9, "byte/second", low=30e9, high=54e9)
    assert practice.block(view(slow, near), "bandwidth") == ""


def test_a_ridge_as_work_for_each_number() -> None:
    ridge = fact("ridge.fp32.dram", 3.6, "FLOP/byte", low=3.4, high=3.9)
    told = text(practice.block(view(ridge), "roofline"))
    assert "14 … 16 FLOP for each number of 4 bytes" in told


@pytest.mark.parametrize("section", practice.LINES)
def test_nothing_is_said_without_numbers_nor_of_a_gpu(section: str) -> None:
    assert practice.block(view(), section) == ""
    assert practice.block(view(*FMA, gpu=True), section) == ""


def test_a_number_that_is_not_ok_says_nothing() -> None:
    unstable = [cast(Any, one).__class__(**(_fields(one) | {"status": Status.UNSTABLE})) for one in FMA]
    assert practice.block(view(*unstable), "throughput") == ""


def _fields(one: Fact) -> dict[str, object]:
    return {name: getattr(one, name) for name in one.__struct_fields__}
