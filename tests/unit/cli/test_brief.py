"""A run judged at one look: contradictions, channels that disagree, main numbers beside published ones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.cli import brief
from reportgen.findings.derive import derive
from reportgen.findings.published.weighing import weigh
from reportgen.runs.schema import Device
from reportgen.status import Status
from tests.simulated import gpu
from tests.simulated.gpu_drawn import table_of
from tests.simulated.gpu_execution import chain
from tests.simulated.gpu_memory import chases, on_chip, working_set
from tests.simulated.gpu_truth import GpuTruth
from tests.unit.findings.records import changed, evidence, quantity, run

H200 = Device(
    "nvidia-h200", "cuda", "NVIDIA", "NVIDIA H200", "sm_90", cores=132,
    reported={"l2_bytes": GpuTruth().l2_bytes},
)  # fmt: skip


def printed(truth: GpuTruth, capsys: pytest.CaptureFixture[str], facts: dict[str, Any] | None = None) -> str:
    asked = [probe(truth) for probe in (chain, working_set, chases, on_chip)]
    made, rows = gpu.make(truth, asked=asked)
    points = tuple(changed(point, facts=point.facts | (facts or {})) for point in made.points)
    made = changed(made, device=H200, points=points)
    columns = {name: np.asarray(values) for name, values in rows.items()}
    found = quantities(made, table_of(columns))
    derived: Any = SimpleNamespace(
        bundle=SimpleNamespace(run=made), quantities=tuple(found), findings=derive(made, found)
    )
    brief.show(derived)
    return capsys.readouterr().out


def test_numbers_come_last_beside_what_is_published(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(GpuTruth(l1_latency=33.0, read_only_latency=33.0), capsys)
    assert "Kinds of contradictions: none" in text
    rows = [line for line in text.splitlines() if line.startswith(("memory.l1.latency", "memory.l2.latency"))]
    assert "30 … 40 cycles" in rows[0]  # by three sources of several products
    assert "(219.3 … 291 cycles)" in rows[1]  # of related products, which decide nothing
    assert text.index("contradictions") < text.index("memory.l1.latency")
    assert len(text) < 12_000


def test_what_was_said_beside_the_visits_is_told_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    facts = {
        "visit.sm_clock_mhz": "1980-1980; 1755-1980", "visit.gpu_power_w": "120-698.5; 118-130",
        "visit.gpu_throttle": "power cap; power cap",
    }  # fmt: skip
    (line,) = [one for one in printed(GpuTruth(), capsys, facts).splitlines() if one.startswith("beside")]
    assert "SM clock 1755 … 1980 MHz, power 118 … 698.5 W" in line
    assert line.count("power cap in ") == 1
    assert "beside the visits" not in printed(GpuTruth(), capsys)


def test_what_contradicts_is_named_with_its_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    """Two ways into one cache that differ by half, one of which lies far from all that is published."""
    text = printed(GpuTruth(l1_latency=68.0, read_only_latency=35.0), capsys)
    assert "Kinds of contradictions: 1\n" in text  # by three chases against one
    assert "memory.l1.latency, " in text
    channels = [line.split()[:2] for line in text.splitlines() if " published " in line]
    assert ["memory.l1.latency", "published"] in channels


def test_chosen_numbers_stand_in_the_order_of_the_list_and_once() -> None:
    some = [
        quantity("peak.fp32", 6e13),
        quantity("latency.fp32_fma", None, status=Status.UNSTABLE),
        quantity("latency.fp32_fma", 4.0),
        quantity("peak.tensor_fp8", None, status=Status.UNSUPPORTED, n=0),
        quantity("latency.sin", 20.0),
    ]
    found = brief.chosen(some)
    assert [one.metric for one in found] == ["latency.fp32_fma", "peak.fp32"]
    assert found[0].value == 4.0


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (quantity("memory.l1.latency", 33.0), "30 … 40 cycles (38 … 41.12 cycles)"),
        (quantity("memory.shared.l1.latency", 23.0, unit="cycle"), "(29 … 29.9 cycles)"),
        (quantity("bandwidth.l2.read", 9.7e12, unit="byte/second"), "9.716 TB/s"),
        (quantity("memory.bulk.load.fixed", 600.0, unit="cycle"), ""),
        (
            quantity("bandwidth.l1.read", 3.2e13, unit="byte/second", details={"byte_per_cycle": 122.0}),
            "124.1 … 125.7 byte/cycle",
        ),
    ],
)
def test_figures_that_decide_and_in_brackets_those_that_do_not(one: Quantity, words: str) -> None:
    found = evidence(one, run=changed(run(), device=H200))
    assert brief.published(weigh(found, one)) == words
