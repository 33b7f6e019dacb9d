"""Chases through one load instruction, or a few: a body of one instruction is a chain of its own rounds."""

from __future__ import annotations

import platform
import sys

import pytest

from reportgen.backends.base import Order
from reportgen.backends.cpu.backend import CpuBackend
from reportgen.backends.cpu.generator_trails import MULTIPLE, beyond
from reportgen.errors import Unsupported
from tests.unit.backends.cpu.x86 import assembles, device, generate, judge, planned, with_body

STRIDE = "memory_hierarchy/prefetch_stride#step=4,order=in_order"
STREAMS = "memory_hierarchy/prefetch_streams#count=8,order=in_order"


@assembles
@pytest.mark.parametrize("probe", ["stride", "stride_unrolled", "stride_dram", "run", "near", "streams"])
def test_every_point_is_verified(probe: str) -> None:
    points = [name for name in planned() if name.startswith(f"memory_hierarchy/prefetch_{probe}#")]
    assert points
    for point in points:
        result = judge(generate(point))
        assert result.verdict == "verified", f"{point}: {result.explanation}"


@assembles
@pytest.mark.parametrize(
    ("point", "body", "why"),
    [
        (STRIDE, ("mov rbx, [rcx]",), "wanted 1 dependency chains, found 0"),  # not what the last one brought
        (STRIDE, ("mov rbx, [rbx]", "mov rbx, [rbx]"), "wanted 1 mov"),
        (STRIDE, ("add rbx, rbx",), "wanted 1 mov"),
        (STREAMS, ("mov rbx, [rbx]", "mov rcx, [rbx]") * 4, "broken"),
        (STREAMS, ("mov rbx, [rbx]",) * 7, "wanted 8 mov"),
    ],
)
def test_a_body_that_is_another_is_rejected(point: str, body: tuple[str, ...], why: str) -> None:
    made = generate(point)
    result = judge(made, with_body(made, *body))
    assert result.verdict == "rejected"
    assert why in result.explanation


def test_work_of_a_line_behind_others() -> None:
    made = generate("memory_hierarchy/prefetch_near#case=border.up_4")
    assert made.work == {"steps": 1.0, "before": 8.0}
    assert generate(STREAMS).work == {"steps": 8.0}


def test_a_device_without_sizes_says_so() -> None:
    known = device(())
    size = int(known.reported["l2_bytes"])
    assert beyond(known, "beyond_l2") == MULTIPLE * size
    assert beyond(known, "dram") > beyond(known, "beyond_l2")
    nothing = type(known)(
        **{name: getattr(known, name) for name in known.__struct_fields__} | {"reported": {}}
    )
    with pytest.raises(Unsupported, match="no L2 size"):
        beyond(nothing, "beyond_l2")


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="runs x86-64 machine code on Linux"
)
@pytest.mark.parametrize("point", [STRIDE, STREAMS, "memory_hierarchy/prefetch_near#case=border.up_1"])
def test_a_visit_on_this_processor(point: str) -> None:
    backend = CpuBackend()
    (candidate, *_) = backend.discover()
    made = generate(point)
    build = backend.builder(candidate.device).build(made)
    assert build.program is not None
    setup = made.setup | {"size": 1 << 18}  # any size will do here
    launcher = backend.launcher(candidate.selector, candidate.device)
    batches = [
        launcher.measure(Order(point, build.code, build.program.sha256, setup, 0.004, 0.0, seed, 0))
        for seed in (1, 2)
    ]
    for batch in batches:
        assert min(batch.columns["ticks"]) > 0
        assert int(batch.facts["bytes_actual"]) <= 1 << 18
